"""WHICH OBJECT? Names with settings, as in matern:nu=2.5, become kernels, methods and solvers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import click

from .. import kernels
from ..kernels import Kernel
from ..messages import nearest

KERNELS: dict[str, type[Kernel]] = {
    "gaussian": kernels.Gaussian,
    "laplacian": kernels.Laplacian,
    "matern": kernels.Matern,
    "linear": kernels.Linear,
    "cosine": kernels.Cosine,
    "polynomial": kernels.Polynomial,
    "histogram-intersection": kernels.HistogramIntersection,
    "chi-squared": kernels.ChiSquared,
    "tanimoto": kernels.Tanimoto,
    "precomputed": kernels.Precomputed,
}
COUNTS = ("histogram-intersection", "chi-squared", "tanimoto")  # they want numbers >= 0


def made(option: str, typed: str, table: Mapping[str, Any]) -> Any:
    """The object behind a name and its settings.

    >>> made("kernel", "matern:nu=2.5,bandwidth=3", KERNELS)
    Matern(bandwidth=3, nu=2.5)
    """
    name, _, settings = typed.partition(":")
    known = [field.name for field in fields(table[name]) if field.name != "why"]
    given = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = (part.strip() for part in setting.partition("="))
        if key not in known:
            says = nearest("setting", key, known) if known else f"{name} has no settings, got {setting!r}."
            raise click.UsageError(f"--{option} {typed}: {says}")
        given[key] = _value(value)
    try:
        return table[name](**given)
    except (ValueError, TypeError) as why:
        raise click.UsageError(f"--{option} {typed}: {why}") from why


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None if text == "None" else text


def kernel_for(typed: str | None, bandwidth: Any, default: Kernel) -> Kernel:
    """The kernel that was asked for, or the one that goes with the items, at this bandwidth."""
    kernel: Kernel = default if typed is None else made("kernel", typed, KERNELS)
    if bandwidth is None:
        return kernel
    if not hasattr(kernel, "bandwidth"):
        raise click.UsageError(f"--bandwidth is not for {kernel!r}: leave it out, or add --kernel gaussian.")
    try:
        return replace(kernel, bandwidth=bandwidth)  # type: ignore[type-var]  # kernels are dataclasses
    except ValueError as why:
        raise click.UsageError(f"--bandwidth: {why}") from why
