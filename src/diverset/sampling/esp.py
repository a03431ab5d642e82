"""Elementary symmetric polynomials without overflow: which eigenvectors does a k-DPP take?

# e_j       the sum over all sets of j eigenvalues of their product; e_j of the first i: e_j^i
# r_j       e_j / e_(j-1), as large as an eigenvalue while e_j itself may be 1e+10000
# chances   (n, k): the chance of taking i when j are still to be taken among 0..i (column j - 1)
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints

_SPAN = 600.0  # in logs: eigenvalues e^1200 below the largest count as zero


def _shift(log_values: Floats) -> float:
    """What to subtract from the logs: the largest; more if the smallest would underflow."""
    top = float(log_values.max())
    spread = top - float(log_values.min(initial=top, where=log_values > -np.inf))
    return top - min(max(spread - _SPAN, 0.0), _SPAN)


def _recurrence(log_values: Floats, k: int) -> tuple[Floats, Floats, float]:
    """The ratios r_1..r_k of all values, the chances on the way, and the shift.

    Values come in ascending order, and are scaled by exp(-shift).

    From e_j' = e_j + lambda e_(j-1) follows, dividing by the same for j - 1,

        r_j' = r_(j-1) (r_j + lambda) / (r_(j-1) + lambda),    r_1' = r_1 + lambda.

    All terms are positive, and since r_j <= r_(j-1) (Newton) a relative error is only averaged
    over j, never amplified: each step adds a few roundings, and 10,000 values lose three digits.
    """
    r = np.zeros(k)
    chances = np.zeros((len(log_values), k))
    if k == 0 or not (log_values > -np.inf).any():
        return r, chances, 0.0
    shift = _shift(log_values)
    values = np.exp(log_values - shift)
    for row, value in zip(chances, values.tolist(), strict=True):
        if value == 0.0:
            continue
        grown = r + value
        r[1:] = grown[1:] / grown[:-1] * r[:-1]  # in this order nothing underflows on the way
        r[0] = grown[0]
        np.divide(value, grown, out=row)
    return r, chances, shift


def log_esp(log_values: Floats, k: int) -> Floats:
    """log e_0, ..., log e_k of the eigenvalues whose logs are given (-inf for zero).

    >>> np.exp(log_esp(np.log([1.0, 2.0, 3.0]), 3)).round(9)
    array([ 1.,  6., 11.,  6.])
    """
    ratios, _, shift = _recurrence(np.sort(log_values), k)
    with np.errstate(divide="ignore"):
        # the sum of k logs is the only place where k roundings add up: take more digits there
        total = np.cumsum(np.log(ratios).astype(np.longdouble) + np.longdouble(shift))
    return np.concatenate([[0.0], total.astype(np.float64)])


def esp_chances(log_values: Floats, k: int) -> Floats:
    """Entry (i, j - 1): the chance that a set of j from values 0..i, drawn in proportion to the
    product of its values, holds i.

        lambda_i e_(j-1)^(i-1) / e_j^i  =  lambda_i / (lambda_i + r_j)

    Give the values in ascending order: the draw starts at the last, where the chances are high.
    """
    return _recurrence(log_values, k)[1]


def choose(chances: Floats, k: int, rng: np.random.Generator) -> Ints:
    """A set of k positions, drawn in proportion to the product of its values; ascending."""
    uniforms = rng.random(len(chances))
    chosen = np.empty(k, dtype=np.int64)
    at, left = len(chances), k
    while left:
        at -= 1
        # once no more values are left than are wanted, the chance is exactly one
        if uniforms[at] < chances[at, left - 1]:
            left -= 1
            chosen[left] = at
    return chosen


def inclusion(chances: Floats, k: int) -> Floats:
    """How likely each position is to be in the set that `choose` draws; sums to k."""
    state = np.zeros(k + 1)  # how likely it is that so many are left to be taken
    state[k] = 1.0
    found = np.zeros(len(chances))
    for at in range(len(chances) - 1, -1, -1):
        taken = state[1:] * chances[at, :k]
        found[at] = taken.sum()
        state[1:] -= taken
        state[:-1] += taken
    return found
