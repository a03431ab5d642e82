"""WHAT ONE LOOKS AT, II: the plane, the photos and the silhouettes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .dogs import classes
from .pictures import Image8, Pictures
from .protocol import TITLES
from .results import Results
from .style import paper_style, save

_MARKS = "os^Dv<>PX"
_TONES = ("#d9d9d9", "#a6a6a6", "#6b6b6b", "#e8c9a8", "#b7cfe3", "#bcd8bd", "#d8bfd8", "#c9c27a", "#7f9fbf")


def draw_all(results: Results, dogs: Pictures | None, shapes: Pictures | None, folder: Path) -> list[str]:
    """All plates that the results allow; their names."""
    drawn: dict[str, Any] = {}
    with paper_style() as plt:
        if results.plane is not None:
            drawn["illustration"] = illustration(plt, results.plane)
        if dogs is not None and results.dogs:
            first = results.dogs[0]
            drawn["dogs-picks"] = photos(plt, dogs, first["indices"], height=1.45)
            drawn["dogs-projection"] = projection(plt, dogs, first)
            drawn["dogs-training"] = sheet(plt, dogs, columns=10, size=0.62, thumb=76)
        if shapes is not None and results.kimia and results.kimia_drawing:
            first = results.kimia[0]
            drawn["kimia-picks"] = picks(plt, shapes, first["indices"], columns=9, size=0.78)
            drawn["kimia-projection"] = projection(plt, shapes, {**results.kimia_drawing, **first})
            drawn["kimia-training"] = sheet(plt, shapes, columns=11, size=0.55, thumb=160)
        for name, figure in drawn.items():
            save(figure, folder, name, photo=name in ("dogs-picks", "dogs-training"))
    return list(drawn)


def illustration(plt: Any, plane: dict[str, Any]) -> Any:
    """The same points three times, with the picks of each method."""
    X = np.array(plane["points"])
    figure, axes = plt.subplots(1, 3, figsize=(6.9, 2.5))
    for axis, method in zip(axes, ("uniform", "kdpp", "deterministic-kdpp"), strict=True):
        C = X[plane[method]]
        axis.scatter(*X.T, s=3, color="#b5b5b5", linewidths=0)
        axis.scatter(*C.T, s=26, facecolor="white", edgecolor="black", linewidth=1.1, zorder=3)
        axis.set_title(TITLES[method])
        axis.set_aspect("equal")
        axis.set_xticks([])
        axis.set_yticks([])
        axis.set_xlim(-4.3, 4.3)
        axis.set_ylim(-4.3, 4.3)
        for spine in axis.spines.values():
            spine.set_visible(True)
    figure.tight_layout(w_pad=0.6)
    return figure


def picks(plt: Any, pictures: Pictures, indices: list[int], columns: int, size: float) -> Any:
    """The picked pictures in the order they were picked."""
    figure, axes = plt.subplots(1, columns, figsize=(size * columns, size * 1.15))
    for place, (axis, i) in enumerate(zip(axes, indices, strict=True), start=1):
        _show(axis, squared(pictures.images[i], 256))
        axis.set_title(f"{place}  {pictures.classes[i].replace('_', ' ')}", fontsize=8.5, pad=3)
    figure.tight_layout(w_pad=0.4)
    return figure


def photos(plt: Any, pictures: Pictures, indices: list[int], height: float) -> Any:
    """The picked photos side by side, all of one height, uncut."""
    images = [pictures.images[i] for i in indices]
    ratios = [image.shape[1] / image.shape[0] for image in images]
    figure, axes = plt.subplots(
        1,
        len(images),
        figsize=(height * sum(ratios), height),
        gridspec_kw={"width_ratios": ratios, "wspace": 0.04, "left": 0, "right": 1, "bottom": 0, "top": 1},
    )
    for place, (axis, image, i) in enumerate(zip(axes, images, indices, strict=True), start=1):
        _show(axis, image)
        axis.set_title(f"{place}  {pictures.classes[i].replace('_', ' ')}", fontsize=8.5, pad=3)
    return figure


def projection(plt: Any, pictures: Pictures, row: dict[str, Any]) -> Any:
    """All pictures on two kernel principal components, the picks marked and shown."""
    X = np.array(row["points"])
    figure, axis = plt.subplots(figsize=(5.6, 4.2))
    for at, (name, members) in enumerate(classes(pictures)):
        axis.scatter(
            *X[members].T,
            s=24,
            marker=_MARKS[at],
            color=_TONES[at],
            edgecolor="#555555",
            linewidth=0.4,
            label=name.replace("_", " "),
        )
    low, high = X.min(axis=0), X.max(axis=0)
    for place, i in enumerate(row["indices"], start=1):
        axis.scatter(*X[i], s=95, facecolor="none", edgecolor="black", linewidth=1.4, zorder=4)
        axis.annotate(
            str(place), X[i], xytext=(6, 6), textcoords="offset points", fontsize=9, weight="bold", zorder=5
        )
    axis.set_xlim(*(np.array([low[0], high[0]]) + np.array([-0.06, 0.06]) * (high - low)[0]))
    axis.set_xlabel(f"component 1 ({row['shares'][0]:.1%} of the variance)")
    axis.set_ylabel(f"component 2 ({row['shares'][1]:.1%})")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1.2)
    figure.tight_layout()
    return figure


def sheet(plt: Any, pictures: Pictures, columns: int, size: float, thumb: int) -> Any:
    """All pictures, class by class, as one image with the names of the classes beside it."""
    bands, names = [], []
    for name, members in classes(pictures):
        band = [squared(pictures.images[i], thumb, gap=3) for i in members]
        while len(band) % columns:
            band.append(np.full_like(band[0], 255))
        rows = [np.concatenate(band[at : at + columns], axis=1) for at in range(0, len(band), columns)]
        names.append((name.replace("_", " "), len(rows)))
        bands += rows
    whole = np.concatenate(bands, axis=0)
    figure, axis = plt.subplots(figsize=(size * columns, size * len(bands)))
    _show(axis, whole)
    side = thumb + 6
    top = 0
    for name, rows_of in names:
        axis.text(-0.1 * side, (top + rows_of / 2) * side, name, ha="right", va="center", fontsize=9)
        top += rows_of
        if top < len(bands):
            axis.axhline(top * side, color="black", linewidth=0.5)
    return figure


def squared(image: Image8, side: int, gap: int = 0) -> Image8:
    """The picture in a white square of this side, as large as fits."""
    from PIL import Image

    picture = Image.fromarray(image).convert("RGB")
    scale = side / max(picture.size)
    size = tuple(max(1, round(length * scale)) for length in picture.size)
    frame = Image.new("RGB", (side + 2 * gap, side + 2 * gap), (255, 255, 255))
    small = picture.resize(size, Image.Resampling.LANCZOS)  # type: ignore[arg-type]
    frame.paste(small, ((side - size[0]) // 2 + gap, (side - size[1]) // 2 + gap))
    return np.asarray(frame, dtype=np.uint8)


def _show(axis: Any, image: Image8) -> None:
    axis.imshow(image, interpolation="none" if max(image.shape) > 600 else "antialiased")
    axis.set_axis_off()
