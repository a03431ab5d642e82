"""Every set comes as often as it should, and a sampler that is wrong is found out."""

from __future__ import annotations

import laws
import numpy as np
import pytest
from laws import KERNELS, fits

from diverset.kernels import Precomputed, kernel_matrix
from diverset.sampling import (
    DPP,
    KDPP,
    MCMCKDPP,
    LEnsemble,
    LeverageSampling,
    RidgeLeverageSampling,
    RPCholesky,
    Uniform,
)
from diverset.sampling.draws import (
    RowPool,
    chain_draw,
    draw_by_gain,
    pivoted_cholesky_draw,
    weighted_draw,
)
from diverset.sampling.esp import choose, esp_chances

kernels = pytest.mark.parametrize("L", KERNELS.values(), ids=KERNELS.keys())


def lazy(L):
    return kernel_matrix(L, Precomputed())


# --- the DPP and the k-DPP ------------------------------------------------------------------


@kernels
def test_dpp_draws_every_set_by_its_determinant(L):
    assert fits(DPP().prepare(lazy(L), None).draw, laws.dpp(L), seed=10)


@kernels
@pytest.mark.parametrize("k", [1, 3, 4])
def test_kdpp_draws_every_set_by_its_determinant(L, k):
    assert fits(KDPP().prepare(lazy(L), k).draw, laws.kdpp(L, k), seed=20 + k)


@pytest.mark.parametrize("d", [2, 4])
def test_the_dual_form_has_the_same_law(d):
    B = np.random.default_rng(d).normal(size=(7, d))
    process = LEnsemble.from_factor(B)
    assert fits(process.sample, laws.dpp(B @ B.T), seed=30)
    assert fits(lambda rng: process.sample_k(2, rng), laws.kdpp(B @ B.T, 2), seed=31)


def test_a_dpp_from_its_marginal_kernel():
    L = laws.gaussian(6, seed=8, bandwidth=1.0, scale=3.0)
    P = L @ np.linalg.inv(L + np.eye(6))
    process = LEnsemble.from_marginal(P)
    assert fits(process.sample, laws.dpp(L), seed=40)
    assert fits(lambda rng: process.sample_k(3, rng), laws.kdpp(L, 3), seed=41)


def test_a_projection_as_the_marginal_kernel():
    _, P = laws.projection()
    process = LEnsemble.from_marginal(P)
    assert fits(process.sample, laws.dpp_from_marginal(P), seed=42)
    assert fits(lambda rng: process.sample_k(3, rng), laws.kdpp(P, 3), seed=43)


def partly_sure():
    """Eigenvalues 1, 1, and others below: some directions always come, some by chance."""
    Q, _ = np.linalg.qr(np.random.default_rng(9).normal(size=(6, 6)))
    return (Q * [1.0, 1.0, 0.7, 0.3, 0.05, 0.0]) @ Q.T


def test_a_marginal_kernel_with_some_eigenvalues_one():
    P = partly_sure()
    law = laws.dpp_from_marginal(P)
    process = LEnsemble.from_marginal(P)
    assert fits(process.sample, law, seed=44)
    three = laws.normalized({S: p for S, p in law.items() if len(S) == 3})
    assert fits(lambda rng: process.sample_k(3, rng), three, seed=45)
    for S, p in law.items():
        assert np.exp(process.log_prob(sorted(S))) == pytest.approx(p, abs=1e-12)
    for S, p in three.items():
        assert np.exp(process.log_prob_k(sorted(S))) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize("draw", [chain_draw, lambda V, rng: draw_by_gain(RowPool(V), V.shape[1], rng)])
@pytest.mark.parametrize(("n", "rank"), [(7, 3), (6, 5), (8, 1), (5, 5), (7, 4)])
def test_both_draws_from_a_projection_have_the_law(draw, n, rank):
    V, P = laws.projection(n, rank, seed=rank)
    assert fits(lambda rng: draw(V, rng), laws.kdpp(P, rank), seed=50)


# --- the others -----------------------------------------------------------------------------


@kernels
@pytest.mark.parametrize("k", [2, 4])
def test_random_pivots_follow_what_is_left_of_the_diagonal(L, k):
    draw = RPCholesky().prepare(lazy(L), k).draw
    assert fits(draw, laws.rpcholesky(L, k), seed=60, outcome=tuple)


def test_random_pivots_from_a_kernel_that_is_computed_entry_by_entry():
    X = np.random.default_rng(61).normal(size=(6, 2))
    K = kernel_matrix(X, memory=0)
    with pytest.raises(ValueError, match="budget"):
        K.dense()
    law = laws.rpcholesky(K.block(slice(None), slice(None)), 3)
    assert fits(lambda rng: pivoted_cholesky_draw(K, 3, rng), law, seed=62, outcome=tuple)


@pytest.mark.parametrize("weights", [[1.0, 2.0, 3.0, 4.0, 0.5], [1e-3, 1.0, 1.0, 5.0, 2.0, 0.1]])
def test_weighted_draws_without_replacement(weights):
    w = np.array(weights)
    law = laws.successive(w, 3)
    assert fits(lambda rng: weighted_draw(w, 3, rng), law, seed=70, outcome=tuple)


def test_leverage_sampling_follows_the_leading_eigenvectors():
    L = laws.gaussian(6, seed=11, bandwidth=1.3)
    scores = (np.linalg.eigh(L)[1][:, -3:] ** 2).sum(axis=1)
    draw = LeverageSampling().prepare(lazy(L), 3).draw
    assert fits(draw, laws.successive(scores, 3), seed=71, outcome=tuple)


@pytest.mark.parametrize("gamma", [0.5, 1e-3])
def test_ridge_leverage_sampling_follows_the_paper_s_filter(gamma):
    L = laws.gaussian(6, seed=12, bandwidth=1.3)
    scores = np.diag(L @ np.linalg.inv(L + 6 * gamma * np.eye(6)))
    draw = RidgeLeverageSampling(gamma=gamma).prepare(lazy(L), 2).draw
    assert fits(draw, laws.successive(scores, 2), seed=72, outcome=tuple)


def test_uniform_draws_all_sets_alike():
    draw = Uniform().prepare(lazy(np.eye(7)), 3).draw
    assert fits(draw, laws.uniform(7, 3), seed=73)


@pytest.mark.parametrize(
    ("L", "k"),
    [(KERNELS["gaussian"], 3), (KERNELS["large"] + 2 * np.eye(6), 2), (KERNELS["low rank"], 4)],
)
def test_the_swap_chain_reaches_the_kdpp(L, k):
    draw = MCMCKDPP(steps=150).prepare(lazy(L), k).draw
    assert fits(draw, laws.kdpp(L, k), seed=80, draws=2000)


def test_the_swap_chain_is_not_there_yet_after_a_few_steps():
    """The same test rejects it: it starts from the greedy set."""
    L = KERNELS["gaussian"]
    draw = MCMCKDPP(steps=4).prepare(lazy(L), 3).draw
    assert not fits(draw, laws.kdpp(L, 3), seed=81, draws=2000)


# --- the power of the test: samplers that are wrong in the usual ways ------------------------


def eigh(L):
    values, V = np.linalg.eigh(L)
    return np.maximum(values, 0), V


def drawn(V, chosen, rng):
    return chain_draw(np.ascontiguousarray(V[:, chosen]), rng)


def right(L, k, rng):
    values, V = eigh(L)
    return drawn(V, choose(esp_chances(np.log(values), k), k, rng), rng)


def uniform_instead(L, k, rng):
    return rng.permutation(len(L))[:k]


def one_too_many_then_one_dropped(L, k, rng):
    """Off by one in k."""
    return rng.permutation(right(L, k + 1, rng))[:k]


def chances_of_the_next_column(L, k, rng):
    """Off by one in the table of elementary symmetric polynomials."""
    values, V = eigh(L)
    chances = esp_chances(np.log(values), k + 1)[:, 1:]
    chances[:k] = np.tril(np.ones((k, k))).T  # keep it at k items all the same
    return drawn(V, choose(chances, k, rng), rng)


def without_orthogonalisation(L, k, rng):
    """Every item by its first gain, only never twice."""
    values, V = eigh(L)
    chosen = choose(esp_chances(np.log(values), k), k, rng)
    return weighted_draw((V[:, chosen] ** 2).sum(axis=1), k, rng)


def eigenvalues_reversed(L, k, rng):
    values, V = eigh(L)
    return drawn(V[:, ::-1], choose(esp_chances(np.log(values), k), k, rng), rng)


def only_the_leading_eigenvectors(L, k, rng):
    return drawn(eigh(L)[1], np.arange(len(L) - k, len(L)), rng)


WRONG = [
    uniform_instead,
    one_too_many_then_one_dropped,
    chances_of_the_next_column,
    without_orthogonalisation,
    eigenvalues_reversed,
    only_the_leading_eigenvectors,
]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_kdpp_is_rejected_by_the_same_test(wrong):
    L = KERNELS["gaussian"]
    assert not fits(lambda rng: wrong(L, 3, rng), laws.kdpp(L, 3), seed=90)


def test_the_right_kdpp_among_the_wrong_ones_is_accepted():
    L = KERNELS["gaussian"]
    assert fits(lambda rng: right(L, 3, rng), laws.kdpp(L, 3), seed=90)


def test_frequencies_instead_of_counts_would_accept_a_uniform_sampler():
    """The defect of a published test suite, kept here as the reason for counting."""
    L = KERNELS["gaussian"]
    counts = laws.count(lambda rng: uniform_instead(L, 3, rng), seed=91)
    frequencies = {S: c / laws.DRAWS for S, c in counts.items()}
    assert laws.p_value(counts, laws.kdpp(L, 3)) < 1e-10
    assert laws.p_value(frequencies, laws.kdpp(L, 3)) > laws.LEVEL


def test_dpp_with_the_inclusion_of_another_scale_is_rejected():
    L = KERNELS["gaussian"]
    assert not fits(LEnsemble(1.3 * L).sample, laws.dpp(L), seed=92)


@pytest.mark.parametrize("fault", ["never updated", "no bars", "sorted pivots"])
def test_faults_in_the_accept_reject_draw_are_found(fault, monkeypatch):
    n, k = 8, 6
    V, P = laws.projection(n, k, seed=4)

    def draw(rng):
        pool = RowPool(V)
        if fault == "never updated":
            monkeypatch.setattr(pool, "add", lambda positions, L: 0.0)
        if fault == "no bars":  # accept every proposal that still has a gain
            monkeypatch.setattr(
                "diverset.sampling.draws.thin",
                lambda gram, items, stale, floor, most, rng: accept_all(gram, items, most),
            )
        if fault == "sorted pivots":
            monkeypatch.setattr(
                "diverset.sampling.draws.propose",
                lambda gains, count, rng: np.sort(rng.choice(n, count, p=gains / gains.sum())),
            )
        return draw_by_gain(pool, k, rng)

    assert not fits(draw, laws.kdpp(P, k), seed=93)


def accept_all(gram, items, most):
    _, first = np.unique(items, return_index=True)
    accepted = sorted(first.tolist())[:most]
    return accepted, np.linalg.cholesky(gram[np.ix_(accepted, accepted)])
