"""Slow and obviously right: every method and number straight from its definition.

Everything here works on plain matrices and forms again from scratch, at every pick, what a fast
program would update. It shares no code with the package.

# K     kernel matrix, n x n      P, M  a projector, a filtered K: what a greedy maximises volume in
# same  same[i, j]: items i and j are exact copies (same row, same quality)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

TIE = 1e-9  # the documented rule: of all within this share of the largest, the lowest index


class Picks(NamedTuple):
    """What an oracle picked, the score of each pick, and its relative lead over the next best."""

    indices: list[int]
    gains: list[float]
    leads: list[float]


class Rules:
    """include, exclude, groups and quota, read word by word at every pick."""

    def __init__(self, n, include=(), exclude=(), groups=None, quota=None):
        self.n, self.include, self.exclude = n, list(include), set(exclude)
        self.groups, self.quota = groups, quota

    def allowed(self, picked):
        """Which items may come next."""
        return np.array([self._may(i, picked) for i in range(self.n)])

    def _may(self, item, picked):
        if item in picked or item in self.exclude:
            return False
        if self.groups is None:
            return True
        label = self.groups[item]
        most = self.quota.get(label, self.n) if isinstance(self.quota, dict) else self.quota
        return sum(self.groups[i] == label for i in picked) < most


def take_largest(scores, allowed, same):
    """The tie rule: the lowest index within TIE of the largest, and of its copies the first."""
    scores = np.where(allowed, scores, -np.inf)
    pick = next(i for i, score in enumerate(scores) if score >= scores.max() * (1 - TIE))
    return next(i for i in range(pick + 1) if allowed[i] and (i == pick or same[i, pick]))


def copies(X, quality=None):
    """same[i, j] for rows of features."""
    equal = (X[:, None, :] == X[None, :, :]).all(axis=2)
    return equal if quality is None else equal & (quality[:, None] == quality[None, :])


def lead(scores, pick, allowed, same):
    """How far the pick is from the closest other item that is not a copy of it, relatively."""
    rivals = scores[allowed & ~same[pick] & (np.arange(len(scores)) != pick)]
    if len(rivals) == 0:
        return np.inf
    return float((scores[pick] - rivals.max()) / scores[pick]) if scores[pick] > 0 else 0.0


def greedy(score, k, same, rules, after=lambda pick: None):
    """k picks; `score(picked)` gives the scores of all items, from scratch."""
    found = Picks([], [], [])
    while len(found.indices) < k:
        scores = score(found.indices)
        allowed = rules.allowed(found.indices)
        forced = len(found.indices) < len(rules.include)
        pick = rules.include[len(found.indices)] if forced else take_largest(scores, allowed, same)
        found.leads.append(np.inf if forced else lead(scores, pick, allowed, same))
        found.gains.append(float(scores[pick]))
        found.indices.append(pick)
        after(pick)
    return found


def volume_gains(M, picked):
    """The paper's p(i) = M_ii - M_Ci^T M_CC^+ M_Ci."""
    if not picked:
        return np.diagonal(M).copy()
    M_C = M[picked]
    return np.diagonal(M) - np.sum(M_C * (np.linalg.pinv(M_C[:, picked], hermitian=True) @ M_C), 0)


def leading(K, k):
    """The k leading eigenvectors of K."""
    return np.linalg.eigh(K)[1][:, ::-1][:, :k]


def filtered(K, gamma):
    """K (K + n gamma I)^-1."""
    n = len(K)
    M = np.linalg.solve(K + n * gamma * np.eye(n), K)  # the two factors commute
    return (M + M.T) / 2


def deterministic_kdpp(K, k, same, rules):
    V = leading(K, k)
    return greedy(lambda picked: volume_gains(V @ V.T, picked), k, same, rules)


def pivoted_qr(K, k):
    """LAPACK's own: the same picks as `deterministic_kdpp` where there are no ties."""
    return scipy.linalg.qr(leading(K, k).T, pivoting=True, mode="r")[1][:k].tolist()


def greedy_map(K, k, same, rules):
    return greedy(lambda picked: volume_gains(K, picked), k, same, rules)


def das(K, k, same, rules, gammas):
    """Selects with each gamma; keeps the picks with the largest log det K_CC, the first of equals."""
    found = []
    for gamma in gammas:
        M = filtered(K, gamma)
        found.append(greedy(lambda picked, M=M: volume_gains(M, picked), k, same, rules))
    log_dets = [np.linalg.slogdet(K[np.ix_(f.indices, f.indices)])[1] for f in found]
    best = max(log_dets)
    return next(f for f, v in zip(found, log_dets, strict=True) if v >= best - 1e-9 * abs(best))


def leftover(K, picked):
    """R = K - K_C K_CC^+ K_C^T."""
    if not picked:
        return K
    return K - K[:, picked] @ np.linalg.pinv(K[np.ix_(picked, picked)], hermitian=True) @ K[picked]


def trace_scores(K, picked):
    """How much tr(K - K_hat) drops with each item: ||R e_i||^2 / R_ii."""
    R = leftover(K, picked)
    left = np.diagonal(R)
    real = left > 1e-12 * np.diagonal(K).max()
    return np.where(real, np.sum(R**2, axis=0) / np.where(real, left, 1.0), 0.0)


def greedy_trace(K, k, same, rules):
    return greedy(lambda picked: trace_scores(K, picked), k, same, rules)


def derandomized(K, k, same, rules):
    """Largest gain per cost; E = (I - V V^T) K^(1/2) as an explicit matrix, explicitly updated."""
    values, U = np.linalg.eigh(K)
    V = U[:, ::-1][:, :k]
    root = (U * np.sqrt(np.maximum(values, 0.0))) @ U.T
    state = {"E": root - V @ (V.T @ root), "rows": V.copy()}
    # as documented: less is rounding
    rounding = 8 * np.finfo(float).eps * np.sqrt(len(K)) * np.diagonal(K).max()
    least = max(1e-6 * np.mean(np.sum(state["E"] ** 2, axis=1)), rounding)

    def score(picked):
        gains = np.sum(state["rows"] ** 2, axis=1)
        costs = np.sum(state["E"] ** 2, axis=1)
        return gains / np.maximum(costs, max(least, 1e-300))

    def update(pick):
        E, rows = state["E"], state["rows"]
        q = rows[pick] / np.linalg.norm(rows[pick])
        along = rows @ q
        state["E"] = E - np.outer(along / along[pick], E[pick])
        state["rows"] = rows - np.outer(along, q)

    return greedy(score, k, same, rules, update)


def leverage(K, k, same, rules):
    scores = np.sum(leading(K, k) ** 2, axis=1)
    return greedy(lambda picked: scores, k, same, rules)


def ridge_leverage(K, k, same, rules, gamma=None):
    """McCurdy's n gamma is the sum of the eigenvalues after the first k, over k."""
    n = len(K)
    if gamma is None:
        values = np.linalg.eigvalsh(K)
        gamma = max(values[: n - k].sum() / k / n, 8 * np.finfo(float).eps * values[-1])
    scores = np.diagonal(filtered(K, gamma))
    return greedy(lambda picked: scores, k, same, rules)


def golden_rows(n, m):
    """The rows that stand for all of a large pool: steps of the golden ratio."""
    step = round((5**0.5 - 1) / 2 * n) or 1
    while np.gcd(step, n) != 1:
        step += 1
    return [at * step % n for at in range(min(m, n))]


def farthest_point(K, k, same, rules, start=None):
    """Farthest from the mean of 256 rows first, then farthest from the nearest pick."""
    diagonal = np.diagonal(K)
    rows = golden_rows(len(K), 256)
    middle = diagonal - 2 * K[:, rows].mean(1) + K[np.ix_(rows, rows)].mean()
    distances = diagonal[:, None] + diagonal - 2 * K

    def score(picked):
        near = distances[picked].min(axis=0) if picked else middle
        return np.where(near > 1e-12 * diagonal.max(), near, 0.0)  # the rest is rounding

    if start is not None and not rules.include:
        rules = Rules(len(K), [start], rules.exclude, rules.groups, rules.quota)
    return greedy(score, k, same, rules)


METHODS = {
    "deterministic-kdpp": deterministic_kdpp,
    "das": lambda *args: das(*args, gammas=[10.0**-e for e in range(7)]),
    "greedy-map": greedy_map,
    "greedy-trace": greedy_trace,
    "derandomized": derandomized,
    "leverage": leverage,
    "ridge-leverage": ridge_leverage,
    "farthest-point": farthest_point,
}


def select(name, K, k, same, **choice):
    """The picks of a method by name."""
    return METHODS[name](K, k, same, Rules(len(K), **choice))


# --- kernels, entry by entry ----------------------------------------------------------------


def _pairs(X, Y):
    return X[:, None, :], Y[None, :, :]


def gaussian(X, Y, bandwidth):
    x, y = _pairs(X, Y)
    return np.exp(-np.sum((x - y) ** 2, axis=2) / (2 * bandwidth**2))


def laplacian(X, Y, bandwidth):
    x, y = _pairs(X, Y)
    return np.exp(-np.sum(np.abs(x - y), axis=2) / bandwidth)


def matern(X, Y, bandwidth, nu):
    x, y = _pairs(X, Y)
    r = np.sqrt(2 * nu) * np.sqrt(np.sum((x - y) ** 2, axis=2)) / bandwidth
    return {0.5: 1.0 + 0 * r, 1.5: 1 + r, 2.5: 1 + r + r**2 / 3}[nu] * np.exp(-r)


def linear(X, Y):
    x, y = _pairs(X, Y)
    return np.sum(x * y, axis=2)


def cosine(X, Y):
    lengths = np.outer(np.sqrt(np.sum(X**2, axis=1)), np.sqrt(np.sum(Y**2, axis=1)))
    return linear(X, Y) / np.where(lengths > 0, lengths, 1.0)


def polynomial(X, Y, degree, gamma, coef0):
    return (gamma * linear(X, Y) + coef0) ** degree


def histogram_intersection(X, Y):
    return np.sum(np.minimum(*_pairs(X, Y)), axis=2)


def chi_squared(X, Y, gamma):
    x, y = _pairs(X, Y)
    total = x + y
    return np.exp(-gamma * np.sum((x - y) ** 2 / np.where(total > 0, total, 1.0), axis=2))


def tanimoto(X, Y):
    x, y = _pairs(X, Y)
    shared, either = np.sum(np.minimum(x, y), axis=2), np.sum(np.maximum(x, y), axis=2)
    return np.where(either > 0, shared / np.where(either > 0, either, 1.0), 1.0)
