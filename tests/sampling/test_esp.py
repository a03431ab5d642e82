"""Elementary symmetric polynomials to ten digits and more, at any size and any scale."""

from __future__ import annotations

import decimal
from decimal import Decimal
from itertools import combinations

import mpmath
import numpy as np
import pytest

from diverset.sampling.esp import choose, esp_chances, inclusion, log_esp

N, K = 10_000, 500
EVEN = np.linspace(np.log(1e-16), 0.0, N)  # condition number 1e16
SPREAD = np.log(1e16) * (np.random.default_rng(0).random(N) - 1.0)


def exact(log_values, k):
    """log e_1, ..., log e_k with 45 digits and no end to exponents, by the defining recurrence."""
    with decimal.localcontext() as digits:
        digits.prec, digits.Emax, digits.Emin = 45, decimal.MAX_EMAX, decimal.MIN_EMIN
        e = np.array([Decimal(1)] + [Decimal(0)] * k, dtype=object)
        for log_value in log_values:
            e[1:] = e[1:] + Decimal(float(log_value)).exp() * e[:-1]
        return [value.ln() for value in e[1:]]


def error(computed, reference):
    """The largest error of a log: the relative error of e_j."""
    pairs = zip(computed, reference, strict=True)
    return max(abs(float(Decimal(float(c)) - Decimal(str(r)))) for c, r in pairs)


@pytest.mark.parametrize("log_values", [EVEN, SPREAD], ids=["even", "random"])
def test_ten_thousand_values_of_condition_1e16(log_values):
    """Reached: 7e-14. The direct log-sum-exp recurrence loses seven digits here."""
    assert error(log_esp(log_values, K)[1:], exact(log_values, K)) < 1e-12


def mp_esp(log_values, k):
    """The same by mpmath, one operation at a time."""
    with mpmath.workdps(40):
        e = [mpmath.mpf(1)] + [mpmath.mpf(0)] * k
        for log_value in log_values:
            value = mpmath.exp(mpmath.mpf(float(log_value)))
            for j in range(k, 0, -1):
                e[j] += value * e[j - 1]
        return [mpmath.nstr(mpmath.log(x), 35) for x in e[1:]]


def test_against_mpmath_where_it_is_quick():
    log_values = SPREAD[:1000]
    assert error(log_esp(log_values, 100)[1:], mp_esp(log_values, 100)) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("log_values", [EVEN, SPREAD], ids=["even", "random"])
def test_against_mpmath_in_full(log_values):
    assert error(log_esp(log_values, K)[1:], mp_esp(log_values, K)) < 1e-12


@pytest.mark.parametrize("power", [-300, 300])
def test_no_scale_overflows(power):
    """log e_k is 345,000 here, which a double can hold to 3e-11."""
    log_values = EVEN + power * np.log(10)
    assert error(log_esp(log_values, K)[1:], exact(log_values, K)) < 1e-10


def test_values_too_far_apart_for_doubles():
    log_values = np.array([-900.0, -300.0, 0.0, 5.0])
    assert error(log_esp(log_values, 4)[1:], exact(log_values, 4)) < 1e-12


@pytest.mark.parametrize("zeros", [0, 3])
def test_small_cases_by_listing_every_set(zeros):
    values = np.r_[np.zeros(zeros), 0.2, 1.0, 3.0, 3.0, 50.0]
    with np.errstate(divide="ignore"):
        logs = log_esp(np.log(values), 6)
    for j in range(7):
        direct = sum(np.prod(chosen) for chosen in combinations(values, j))
        assert np.exp(logs[j]) == pytest.approx(direct, rel=1e-14)


def test_newton_s_inequality():
    """e_j^2 >= e_(j-1) e_(j+1), for means even more so: the ratios fall."""
    assert (np.diff(np.diff(log_esp(SPREAD, 200))) < 0).all()


def chances(values, k):
    with np.errstate(divide="ignore"):
        return esp_chances(np.log(values), k)


@pytest.mark.parametrize("values", [[0.0, 0.1, 0.5, 2.0, 2.0, 9.0], [1e-16, 1e-8, 1.0, 1e8, 1e16]])
@pytest.mark.parametrize("scale", [1e-280, 1.0, 1e280])
def test_inclusion_sums_over_every_set(values, scale):
    k = 3
    sets = list(combinations(range(len(values)), k))
    weights = np.array([np.prod([values[i] for i in chosen]) for chosen in sets])
    weights /= weights.sum()
    direct = [sum(w for w, S in zip(weights, sets, strict=True) if i in S) for i in range(len(values))]
    assert inclusion(chances(np.array(values) * scale, k), k) == pytest.approx(direct, rel=1e-12)


def test_one_table_serves_every_smaller_k():
    values = np.sort(np.random.default_rng(2).gamma(0.3, size=40))
    assert np.array_equal(chances(values, 20)[:, :7], chances(values, 7))


def test_exactly_k_are_chosen_even_when_there_are_no_more():
    rng = np.random.default_rng(3)
    values = np.array([0.0, 0.0, 1e-30, 1.0, 1e30])
    for _ in range(200):
        assert choose(chances(values, 3), 3, rng).tolist() == [2, 3, 4]
