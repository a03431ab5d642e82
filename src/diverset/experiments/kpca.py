"""WHERE DO THE ITEMS LIE? Kernel principal components, two of them, for a drawing."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats


def projection(K: Floats) -> tuple[Floats, Floats]:
    """Coordinates of every item on the two leading kernel principal components, and the share of
    the variance on each. Signs are fixed: the largest entry of a component is positive."""
    means = K.mean(axis=0)
    centred = K - means - means[:, None] + means.mean()
    values, vectors = np.linalg.eigh((centred + centred.T) / 2)
    leading = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0))
    at = np.abs(leading).argmax(axis=0)
    leading = leading * np.sign(leading[at, [0, 1]])
    return leading, values[:-3:-1] / np.trace(centred)
