"""HOW GOOD IS A SET OF PICKS? log det, and the errors of the Nyström approximation it gives.

# S        S S^T = (K_CC + 1e-12 I)^-1
# R        K - K_C S S^T K_C^T, positive semi-definite
# B        the coordinates of K_C S among the eigenvectors: V^T K_C S = Lambda V_C^T S
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arrays import Floats, Ints
from ..metrics import log_det
from ..nystrom import inverse_root
from ..threads import blas_for, narrow
from .pool import SharedPool
from .protocol import EPS_OF_THE_PAPER

# Eigenvalues below this share of the largest cannot change an operator norm that we print.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Measures:
    """One set of picks in numbers."""

    log_det: float
    operator: float  # ||R|| / ||K||, spectral norms
    max: float  # largest entry of R / largest entry of K
    trace: float  # tr R / (what the eigenvalues beyond k sum to)


MEASURES = tuple(field.name for field in fields(Measures))


def measure(pool: SharedPool, picks: Ints) -> Measures:
    """The numbers of one set.

    R is positive semi-definite, so its largest entry stands on its diagonal, and its spectral norm
    is its largest eigenvalue; among the eigenvectors R is Lambda - B B^T, and a product with it
    costs O(m k) instead of O(n^2).
    """
    with narrow():
        columns = pool.K.columns(picks)
        K_CC = columns[picks]
        S = inverse_root(K_CC, EPS_OF_THE_PAPER)
        with blas_for(columns.size * S.shape[1]):
            F = columns @ S
        left = pool.K.diagonal() - np.einsum("ij,ij->i", F, F)
        values = pool.pairs.values
        return Measures(
            log_det=log_det(K_CC),
            operator=_largest(pool, picks, S) / float(values[0]),
            max=float(np.abs(left).max()) / float(pool.K.diagonal().max()),
            trace=float(left.sum()) / pool.tail(len(picks)),
        )


def _largest(pool: SharedPool, picks: Ints, S: Floats) -> float:
    """The largest eigenvalue of Lambda - B B^T, by Lanczos from a fixed start."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    values = pool.pairs.values
    m = int(np.sum(values > _NEGLIGIBLE * values[0]))
    values = values[:m]
    B = values[:, None] * (pool.pairs.vectors[picks, :m].T @ S)
    if m <= 64:
        return float(np.linalg.eigvalsh(np.diag(values) - B @ B.T)[-1])

    def product(v: Floats) -> Floats:
        v = v.ravel()
        return values * v - B @ (B.T @ v)

    # what is left is mostly in the directions just beyond k: start there, and a little everywhere
    start = np.sqrt(values) * (1 + 0.5 * np.cos(np.arange(m)))
    operator = LinearOperator((m, m), matvec=product, dtype=np.float64)
    found = eigsh(operator, k=1, which="LA", v0=start, tol=1e-7, ncv=min(m, 30), return_eigenvectors=False)
    return float(found[0])
