"""What an L-ensemble answers, what it refuses, and every defect known of its peers."""

from __future__ import annotations

import laws
import numpy as np
import pytest
from laws import KERNELS

from diverset.kernels import Linear, Precomputed, kernel_matrix
from diverset.sampling import LEnsemble

kernels = pytest.mark.parametrize("L", KERNELS.values(), ids=KERNELS.keys())


def forms(L):
    """The same process written in every way there is."""
    values, V = np.linalg.eigh(L)
    values = np.maximum(values, 0)
    return {
        "matrix": LEnsemble(L),
        "lazy": LEnsemble(kernel_matrix(L, Precomputed())),
        "factor": LEnsemble.from_factor(V * np.sqrt(values)),
        "marginal": LEnsemble.from_marginal((V * (values / (1 + values))) @ V.T),
    }


# --- answers --------------------------------------------------------------------------------


@kernels
def test_every_form_gives_every_set_its_probability(L):
    law = laws.dpp(L)
    for process in forms(L).values():
        for S, p in law.items():
            assert np.exp(process.log_prob(sorted(S))) == pytest.approx(p, rel=1e-8, abs=1e-12)


@kernels
@pytest.mark.parametrize("k", [1, 3])
def test_every_form_gives_every_set_of_k_its_probability(L, k):
    law = laws.kdpp(L, k)
    for process in forms(L).values():
        for S, p in law.items():
            assert np.exp(process.log_prob_k(sorted(S))) == pytest.approx(p, rel=1e-8, abs=1e-12)


@kernels
def test_marginals_and_expected_size_are_sums_over_all_sets(L):
    law = laws.dpp(L)
    direct = [sum(p for S, p in law.items() if i in S) for i in range(len(L))]
    size = sum(len(S) * p for S, p in law.items())
    for process in forms(L).values():
        assert process.marginals() == pytest.approx(direct, abs=1e-12)
        assert process.expected_size == pytest.approx(size)
        P = process.marginal_kernel()
        assert np.diag(P) == pytest.approx(direct, abs=1e-12)
        assert pytest.approx(L @ np.linalg.inv(L + np.eye(len(L))), abs=1e-12) == P


@kernels
def test_marginals_of_the_kdpp_are_sums_over_all_sets(L):
    law = laws.kdpp(L, 3)
    direct = [sum(p for S, p in law.items() if i in S) for i in range(len(L))]
    for process in forms(L).values():
        assert process.marginals_k(3) == pytest.approx(direct, abs=1e-9)


@kernels
def test_there_and_back_again(L):
    P = LEnsemble(L).marginal_kernel()
    assert LEnsemble.from_marginal(P).matrix() == pytest.approx(L, abs=1e-10 * np.abs(L).max())


def test_a_projection_has_no_L_but_everything_else():
    P = laws.projection(7, 3)[1]
    process = LEnsemble.from_marginal(P)
    assert process.expected_size == pytest.approx(3)
    assert process.marginals() == pytest.approx(np.diag(P))
    assert process.marginals_k(3) == pytest.approx(np.diag(P))
    assert process.marginal_kernel() == pytest.approx(P)
    assert np.exp(process.log_prob([0, 2, 5])) == pytest.approx(laws.minor(P, [0, 2, 5]))
    assert np.exp(process.log_prob_k([0, 2, 5])) == pytest.approx(laws.minor(P, [0, 2, 5]))
    assert process.log_prob([0, 2]) == -np.inf
    assert process.log_prob([0, 1, 2, 5]) == -np.inf
    with pytest.raises(ValueError, match=r"3 eigenvalues of P are 1.*0\.999 \* P"):
        process.matrix()
    with pytest.raises(ValueError, match="at least 3 items"):
        process.sample_k(2)
    with pytest.raises(ValueError, match="at least 3 items"):
        process.log_prob_k([])
    with pytest.raises(ValueError, match="rank 3"):
        process.sample_k(4)


def test_the_identity_as_marginal_kernel_takes_everything():
    process = LEnsemble.from_marginal(np.eye(4))
    assert sorted(process.sample(rng=0).tolist()) == [0, 1, 2, 3]
    assert process.log_prob(range(4)) == pytest.approx(0)


def test_no_probability_is_lost_to_underflow():
    """det(L_S) is 1e-900 here."""
    process = LEnsemble(np.eye(400) * 1e-3)
    assert process.log_prob(range(300)) == pytest.approx(300 * np.log(1e-3) - 400 * np.log1p(1e-3))
    assert process.log_prob_k(range(400)) == pytest.approx(0, abs=1e-9)


def test_zero_is_a_kernel_too():
    process = LEnsemble(np.zeros((3, 3)))
    assert process.sample(rng=0).tolist() == []
    assert process.log_prob([]) == 0
    assert process.log_prob([1]) == -np.inf
    with pytest.raises(ValueError, match="rank 0"):
        process.sample_k(1)


def test_nothing_is_decomposed_before_it_is_needed(monkeypatch):
    monkeypatch.setattr("diverset.sampling.forms.SymmetricEigen", lambda K: pytest.fail("decomposed"))
    process = LEnsemble(np.eye(3))
    assert process.matrix().shape == (3, 3)
    assert repr(process) == "LEnsemble(n=3, matrix)"


def test_the_matrix_is_decomposed_once(monkeypatch):
    import diverset.sampling.forms as forms_module

    calls = []
    real = forms_module.SymmetricEigen
    monkeypatch.setattr(forms_module, "SymmetricEigen", lambda K: calls.append(1) or real(K))
    process = LEnsemble(KERNELS["gaussian"])
    process.sample(rng=0)
    process.sample_k(3, rng=0)
    process.log_prob([0])
    process.marginals()
    assert len(calls) == 1


def test_a_factor_never_forms_n_by_n():
    B = np.random.default_rng(0).normal(size=(200_000, 3))  # n x n would take 320 GB
    process = LEnsemble.from_factor(B)
    assert len(process.sample_k(3, rng=0)) == 3
    assert process.marginals().sum() == pytest.approx(process.expected_size)
    assert process.log_prob([1, 2, 3, 4]) == -np.inf


def test_a_linear_kernel_goes_through_its_factor():
    K = kernel_matrix(np.random.default_rng(0).normal(size=(5000, 3)), Linear(), memory=0)
    from diverset.sampling import KDPP

    assert len(KDPP().prepare(K, 3).draw(0)) == 3


# --- defects known of a peer, each a test here ----------------------------------------------


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1e6, 1e300])
def test_a_kernel_of_any_scale(scale):
    """There: "probabilities do not sum to 1" for a kernel times 1e6."""
    L = laws.gaussian(40, seed=1, bandwidth=0.5)
    expected = LEnsemble(L).sample_k(5, rng=3).tolist()
    process = LEnsemble(L * scale)
    assert sorted(process.sample_k(5, rng=3).tolist()) == sorted(expected)
    assert process.marginals_k(5).sum() == pytest.approx(5)
    items = process.sample(rng=3)
    assert len(set(items.tolist())) == len(items)


def test_a_second_draw_with_a_larger_k():
    """There: IndexError."""
    process = LEnsemble(laws.gaussian(30, seed=2))
    for k in (2, 9, 4, 20):
        assert len(set(process.sample_k(k, rng=k).tolist())) == k


def test_generators_seeds_and_none_are_accepted():
    """There: a Generator is refused."""
    process = LEnsemble(KERNELS["gaussian"])
    one = process.sample_k(3, rng=np.random.default_rng(5))
    assert np.array_equal(one, process.sample_k(3, rng=5))
    assert len(process.sample_k(3)) == 3
    with pytest.raises(TypeError, match=r"rng must be .* got 'five'.*default_rng\(0\)"):
        process.sample_k(3, rng="five")


def test_no_item_comes_twice_in_many_draws():
    """There: 28 of 150,000 draws in one of the modes."""
    process = LEnsemble(np.kron(np.eye(3), np.ones((3, 3))) + 1e-9 * np.eye(9))
    rng = np.random.default_rng(0)
    for _ in range(3000):
        assert len(set(process.sample_k(5, rng).tolist())) == 5


def test_the_empty_set_has_a_probability():
    L = KERNELS["gaussian"]
    assert LEnsemble(L).log_prob([]) == pytest.approx(-np.linalg.slogdet(np.eye(7) + L)[1])
    assert LEnsemble(L).log_prob_k([]) == pytest.approx(0)


def test_neither_warnings_nor_global_state_are_left_behind():
    """There: np.seterr(divide="raise") for the rest of the program."""
    before, state = np.geterr(), np.random.get_state()[1].copy()  # noqa: NPY002  the state to protect
    LEnsemble.from_marginal(laws.projection()[1]).sample(rng=0)
    assert np.geterr() == before
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


# --- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subset", "error", "words"),
    [
        ([0, 0], ValueError, "row 0 more than once"),
        ([0, 7], ValueError, "row 7, wanted row numbers from 0 to 6"),
        ([-1], ValueError, "row -1"),
        ([0.5], TypeError, "whole number"),
        ([[0, 1]], ValueError, r"shape \(1, 2\)"),
        ([True, False], TypeError, "whole number"),
    ],
)
def test_a_subset_that_is_none(subset, error, words):
    for ask in (LEnsemble(KERNELS["gaussian"]).log_prob, LEnsemble(KERNELS["gaussian"]).log_prob_k):
        with pytest.raises(error, match=words):
            ask(subset)


@pytest.mark.parametrize("build", [LEnsemble, LEnsemble.from_marginal])
@pytest.mark.parametrize(
    ("matrix", "error", "words"),
    [
        (np.ones((2, 3)), ValueError, r"square, got shape \(2, 3\).*from_factor"),
        (np.ones(3), ValueError, r"shape \(3,\)"),
        (np.ones((0, 0)), ValueError, r"shape \(0, 0\)"),
        (np.array([[1.0, 0.3], [0.2, 1.0]]), ValueError, r"not symmetric.*\.T\) / 2"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), ValueError, "nan in row 0, column 1"),
        (np.array([[1.0, 0.0], [0.0, np.inf]]), ValueError, "inf in row 1, column 1"),
        (np.array([[1.0, 0.0], [0.0, -1.0]]), ValueError, "diagonal holds -1"),
        (np.eye(2) * 1j, TypeError, "complex, wanted real numbers"),
        (np.array([["a"]]), TypeError, "<U1, wanted numbers"),
    ],
)
def test_a_matrix_that_cannot_be(build, matrix, error, words):
    with pytest.raises(error, match=words):
        build(matrix)


def test_an_indefinite_matrix_is_found_when_it_is_decomposed():
    with pytest.raises(ValueError, match=r"smallest eigenvalue is -1.*np\.eye"):
        LEnsemble([[1.0, 2.0], [2.0, 1.0]]).sample(rng=0)


def test_a_marginal_kernel_above_one_is_refused():
    with pytest.raises(ValueError, match=r"largest eigenvalue is 1\.5"):
        LEnsemble.from_marginal(1.5 * np.eye(3)).sample(rng=0)


@pytest.mark.parametrize(
    ("k", "error"), [(0, ValueError), (8, ValueError), (2.0, TypeError), (True, TypeError)]
)
def test_a_k_that_cannot_be(k, error):
    with pytest.raises(error, match="k must be"):
        LEnsemble(KERNELS["gaussian"]).sample_k(k)


def test_k_above_the_rank_names_the_rank():
    with pytest.raises(ValueError, match=r"rank 4, less than k=5\. Type k=4 or less"):
        LEnsemble(KERNELS["low rank"]).sample_k(5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, int])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_array_is_taken_and_none_is_written_to(dtype, order):
    L = np.array(3 * np.eye(5) + 1, dtype=dtype, order=order)
    L.flags.writeable = False
    before = L.copy()
    process = LEnsemble(L)
    assert len(process.sample_k(3, rng=0)) == 3
    process.log_prob([0, 1])
    assert np.array_equal(L, before)
