"""What one writes from the paper with SciPy alone: the textbook way, and the careful way."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from benchmarks.case import Clock, Run
from benchmarks.data import Array
from benchmarks.reference import gaussian


def textbook(X: Array, k: int, clock: Clock) -> Run:
    """All eigenvectors, then the paper's loop with a pseudo-inverse at every pick."""
    with clock():
        K = gaussian(X, X)
        _, vectors = eigh(K)
        picks = paper_loop(vectors[:, -k:], k)
    return Run.of(picks, entries=len(X) ** 2)


def paper_loop(V: Array, k: int) -> list[int]:
    """argmax over i of p(i) = P_ii - P_iC pinv(P_CC) P_Ci, with P = V V^T.

    Kinder to the textbook than the paper's text: P is never formed, only the columns that are read.
    """
    diagonal = np.einsum("ij,ij->i", V, V)
    columns = np.empty((len(V), k))  # P_:C, one column more at each pick
    picks: list[int] = []
    gains = diagonal
    for t in range(k):
        picks.append(int(np.argmax(gains)))
        columns[:, t] = V @ V[picks[-1]]
        P_iC = columns[:, : t + 1]
        inverse = np.linalg.pinv(P_iC[picks], hermitian=True)
        gains = diagonal - np.einsum("ij,ij->i", P_iC @ inverse, P_iC)
        gains[picks] = -np.inf
    return picks


def arpack(X: Array, k: int, clock: Clock) -> Run:
    """The k leading eigenvectors by ARPACK, then a vectorised greedy, one pick at a time."""
    with clock():
        K = gaussian(X, X)
        _, V = eigsh(K, k=k, which="LA", v0=np.ones(len(K)))
        picks = one_at_a_time(V, k)
    return Run.of(picks, entries=len(X) ** 2)


def one_at_a_time(V: Array, k: int) -> list[int]:
    """Orthonormalise each picked row against the earlier ones; one product with V per pick."""
    gains = np.einsum("ij,ij->i", V, V)
    Q = np.empty((k, V.shape[1]))
    picks: list[int] = []
    for t in range(k):
        picks.append(int(np.argmax(gains)))
        q = V[picks[-1]].copy()
        for _ in range(2):  # once is not enough when the row nearly lies in the span
            q -= Q[:t].T @ (Q[:t] @ q)
        Q[t] = q / np.linalg.norm(q)
        gains -= (V @ Q[t]) ** 2
        gains[picks] = -np.inf
    return picks
