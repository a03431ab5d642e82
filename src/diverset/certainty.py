"""WAS IT CLOSE? Whether rounding, or an eigensolver that stopped early, could have changed a pick.

What item i adds after the picks C is p(i) = u^T M u, with u = e_i - sum_j c_j e_j and c the coefficients
that interpolate i from C. So an error of M reaches p(i) through |u|, and |u| is read off the triangular
factor that the engine has built anyway.

# winner, runner   |u| of each pick, and of the best item it beat, at the moment of the pick
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Bools, Floats, Ints
from .greedy import Decision, Pool


@dataclass(frozen=True, eq=False)
class Interpolation:
    """|u| of every pick and of its runner, to sum an error over the items it comes from.

    Results have two rows: one entry per pick, and one per runner.
    """

    decisions: list[Decision]
    gains: Floats
    winner: Floats
    runner: Floats

    def sums(self, values: Floats) -> Floats:
        """sum_j |u_j| values_j."""
        picks, runners = _rows(self.decisions)
        at_picks = values[picks]
        return np.stack([self.winner @ at_picks, self.runner @ at_picks + values[runners]])

    def squares(self) -> Floats:
        """sum_j u_j^2."""
        return np.stack([(self.winner**2).sum(axis=1), (self.runner**2).sum(axis=1) + 1.0])


def _rows(decisions: list[Decision]) -> tuple[Ints, Ints]:
    picks = np.array([d.pick for d in decisions], dtype=np.int64)
    return picks, np.array([max(d.runner, 0) for d in decisions], dtype=np.int64)


def interpolation(decisions: list[Decision], pool: Pool, diagonal: Floats) -> Interpolation:
    """The coefficients behind each decision, from the coordinates in the picked directions."""
    from scipy.linalg import solve_triangular

    picks, runners = _rows(decisions)
    L, before = np.tril(pool.coordinates(picks)), np.tril(pool.coordinates(runners), -1)
    gains = np.stack(
        [
            diagonal[picks] - (np.tril(L, -1) ** 2).sum(axis=1),
            diagonal[runners] - (before**2).sum(axis=1),
        ]
    )
    own = np.diagonal(L).copy()
    own[own == 0] = 1.0  # a pick without a direction of its own interpolates nothing
    np.fill_diagonal(L, own)
    inverse = solve_triangular(L, np.eye(len(L)), lower=True, check_finite=False)
    return Interpolation(
        decisions, np.maximum(gains, 0.0), np.abs(own[:, None] * inverse), np.abs(before @ inverse)
    )


def volume_error(
    near: Interpolation,
    diagonal: Floats,
    *,
    rows: Floats | None = None,
    entry: float = 0.0,
    operator: float = 0.0,
) -> Floats:
    """How far each gain may be off.

    ``rows``: the rows of the embedding are known to within this; ``entry``: each entry of M to within
    this, relative to its diagonal; ``operator``: M as a whole to within this norm.
    """
    error = entry * near.sums(np.sqrt(diagonal)) ** 2 + operator * near.squares()
    return error if rows is None else error + 2 * np.sqrt(near.gains) * near.sums(rows)


def relative(errors: Floats, gains: Floats) -> Floats:
    """Errors as a share of the gains; infinite where there is no gain."""
    shares: Floats = np.full(np.shape(errors), np.inf)
    np.divide(errors, gains, out=shares, where=gains > 0)
    return shares


def certain(decisions: list[Decision], noise: Floats) -> Bools:
    """Which decisions are clear of this relative noise of their leads."""
    return np.array(
        [d.forced or d.runner < 0 or bool(x < d.clearance) for d, x in zip(decisions, noise, strict=True)],
        dtype=bool,
    )
