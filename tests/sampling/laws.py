"""Exact laws of all samplers on pools small enough to list every set, and the test that compares.

# law     dict: outcome -> probability; an outcome is a frozenset of items (a tuple: ordered)
# counts  dict: outcome -> how often it came
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
from scipy.stats import chi2

DRAWS = 4000
LEVEL = 1e-4  # a right sampler with another seed would fail once in ten thousand


def p_value(counts, law):
    """The p-value of a G-test on counts. A G-test on frequencies accepts nearly everything.

    Outcomes expected fewer than 5 times are put together; an impossible outcome settles it.
    """
    draws = sum(counts.values())
    if any(law.get(outcome, 0.0) <= 1e-13 for outcome in counts):
        return 0.0
    expected = np.array([draws * p for p in law.values()])
    observed = np.array([counts.get(outcome, 0) for outcome in law], dtype=float)
    rare = expected < 5
    if rare.any():
        expected = np.append(expected[~rare], expected[rare].sum())
        observed = np.append(observed[~rare], observed[rare].sum())
    seen = observed > 0
    G = 2 * np.sum(observed[seen] * np.log(observed[seen] / expected[seen]))
    return float(chi2.sf(G, max(len(expected) - 1, 1)))


def count(draw, seed, draws=DRAWS, outcome=frozenset):
    """How often each outcome comes, checking on the way that no item comes twice."""
    rng = np.random.default_rng(seed)
    counts = Counter()
    for _ in range(draws):
        items = draw(rng).tolist()
        assert len(set(items)) == len(items)
        counts[outcome(items)] += 1
    return counts


def fits(draw, law, seed, **options):
    """Whether the sampler follows the law, as far as so many draws can tell."""
    assert abs(sum(law.values()) - 1) < 1e-9, "the law itself must be one"
    return p_value(count(draw, seed, **options), law) > LEVEL


def sets(n, k=None):
    sizes = range(n + 1) if k is None else [k]
    return [frozenset(S) for size in sizes for S in combinations(range(n), size)]


def minor(A, S):
    S = sorted(S)
    return max(np.linalg.det(A[np.ix_(S, S)]), 0.0) if S else 1.0


def normalized(weights):
    total = sum(weights.values())
    return {outcome: weight / total for outcome, weight in weights.items()}


def dpp(L):
    return {S: minor(L, S) / np.linalg.det(L + np.eye(len(L))) for S in sets(len(L))}


def dpp_from_marginal(P):
    """P(S) = |det(P - the identity on the items that are not in S)|."""
    n = len(P)
    law = {}
    for S in sets(n):
        outside = np.diag([0.0 if i in S else 1.0 for i in range(n)])
        law[S] = abs(np.linalg.det(P - outside))
    return normalized(law)


def kdpp(L, k):
    return normalized({S: minor(L, S) for S in sets(len(L), k)})


def uniform(n, k):
    return normalized(dict.fromkeys(sets(n, k), 1.0))


def rpcholesky(K, k):
    """Sequences: each next pivot in proportion to the diagonal of what is left of K."""
    law = {}
    for order in permutations(range(len(K)), k):
        left, p = K.copy(), 1.0
        for pivot in order:
            diagonal = np.maximum(left.diagonal(), 0)
            p *= diagonal[pivot] / diagonal.sum()
            if p <= 1e-13:
                break
            left = left - np.outer(left[:, pivot], left[pivot]) / left[pivot, pivot]
        law[order] = p
    return normalized(law)


def successive(weights, k):
    """Sequences: each next item in proportion to its weight among those left."""
    law = {}
    for order in permutations(range(len(weights)), k):
        left, p = float(sum(weights)), 1.0
        for item in order:
            p *= weights[item] / left
            left -= weights[item]
        law[order] = p
    return law


# --- pools: every kind of kernel that has made samplers fail, with constants that differ ------


def gaussian(n=7, seed=0, bandwidth=0.7, scale=1.0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    return scale * np.exp(-squares / (2 * bandwidth**2))


def low_rank(n=7, rank=4, seed=1, scale=1.7):
    B = np.random.default_rng(seed).normal(size=(n, rank))
    return scale * B @ B.T


def copies(n=6, seed=2):
    """Rows 0 and 3 are the same item, and its pair is nearly another one's."""
    L = gaussian(n, seed, bandwidth=0.9, scale=2.3)
    order = list(range(n))
    order[3] = 0
    return L[np.ix_(order, order)] + 0.05 * np.eye(n)[np.ix_(order, order)]


def blocks():
    """Equal eigenvalues: two copies of one block that do not know each other."""
    return np.kron(np.eye(2), gaussian(4, seed=3, bandwidth=1.1, scale=0.6))


KERNELS = {
    "gaussian": gaussian(),
    "large": gaussian(6, seed=5, bandwidth=1.2, scale=37.0),
    "small": gaussian(6, seed=6, bandwidth=0.4, scale=0.05),
    "low rank": low_rank(),
    "copies": copies(),
    "blocks": blocks(),
    "diagonal": np.diag([0.2, 3.0, 1.0, 0.5, 7.0, 1.5]),
}


def projection(n=7, rank=3, seed=4):
    """Orthonormal columns, and the projection on them."""
    V, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, rank)))
    return V, V @ V.T
