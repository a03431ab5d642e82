"""WAS IT CLOSE? Whether rounding, or an eigensolver that stopped early, could have changed a pick.

What item i adds after the picks C is p(i) = u^T M u, with u = e_i - sum_j c_j e_j and c the coefficients
that interpolate i from C. So an error of M reaches p(i) through |u|, and |u| is read off the triangular
factor that the engine has built anyway.

# cases  the picks, and after them the rivals of each: all items whose gains were compared
# steps  how many picks were made before that comparison
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .arrays import Bools, Floats, Ints
from .greedy import Decision, clearances


class Located(Protocol):
    """A pool that knows where items lie."""

    def coordinates(self, items: Ints) -> Floats:
        """What these items share with the direction of every pick made: one row per item."""


@dataclass(frozen=True, eq=False)
class Interpolation:
    """|u| of every case, to sum an error over the items it comes from."""

    picks: Ints
    cases: Ints
    gains: Floats
    coefficients: Floats

    def sums(self, values: Floats) -> Floats:
        """sum_j |u_j| values_j."""
        return np.asarray(self.coefficients @ values[self.picks] + values[self.cases])

    def squares(self) -> Floats:
        """sum_j u_j^2."""
        return np.asarray((self.coefficients**2).sum(axis=1) + 1.0)


def interpolation(decisions: list[Decision], pool: Located, diagonal: Floats) -> Interpolation:
    """The coefficients behind each comparison, from the coordinates in the picked directions."""
    from scipy.linalg import solve_triangular

    picks = np.array([d.pick for d in decisions], dtype=np.int64)
    cases = np.concatenate([picks, *(d.rivals for d in decisions)])
    places = np.arange(len(picks))
    steps = np.concatenate([places, np.repeat(places, [len(d.rivals) for d in decisions])])
    L = np.tril(pool.coordinates(picks))
    own = np.diagonal(L).copy()
    own[own == 0] = 1.0  # a pick without a direction of its own interpolates nothing
    np.fill_diagonal(L, own)
    before = pool.coordinates(cases)
    before[places >= steps[:, None]] = 0.0  # only the directions of earlier picks
    gains = np.maximum(diagonal[cases] - (before**2).sum(axis=1), 0.0)
    coefficients = solve_triangular(L, before.T, lower=True, trans="T", check_finite=False).T
    return Interpolation(picks, cases, gains, np.abs(coefficients))


def volume_error(
    near: Interpolation,
    diagonal: Floats,
    *,
    rows: Floats | None = None,
    entry: float = 0.0,
    operator: float = 0.0,
) -> Floats:
    """How far the gain of each case may be off.

    ``rows``: the rows of the embedding are known to within this; ``entry``: each entry of M to within
    this, relative to its diagonal; ``operator``: M as a whole to within this norm.
    """
    error = entry * near.sums(np.sqrt(diagonal)) ** 2 + operator * near.squares()
    if rows is not None:
        moved = near.sums(rows)
        error += (2 * np.sqrt(near.gains) + moved) * moved
    return error


def certain(decisions: list[Decision], errors: Floats) -> Bools:
    """Which decisions stand whatever these errors of the gains of all cases."""
    clear = []
    start = len(decisions)
    for decision, own in zip(decisions, errors, strict=False):
        stop = start + len(decision.rivals)
        noise = (own + errors[start:stop]) / decision.gain if decision.gain > 0 else np.full(1, np.inf)
        stands = (noise < clearances(decision.pick, decision.leads, decision.rivals)).all()
        # of the others the noise is not known: take it to be up to four times the largest seen
        clear.append(decision.forced or bool(stands and 4 * noise.max(initial=0.0) < decision.rest))
        start = stop
    return np.array(clear, dtype=bool)
