"""Student's t against printed tables and closed forms."""

import math

import pytest

from agent_bench.statistics.student_t import incomplete_beta, t_cdf, t_quantile


@pytest.mark.parametrize(
    ("p", "degrees", "value"),
    [
        # Printed tables of critical values.
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 3, 3.182),
        (0.975, 4, 2.776),
        (0.975, 9, 2.262),
        (0.975, 29, 2.045),
        (0.975, 120, 1.980),
        (0.995, 5, 4.032),
        (0.95, 10, 1.812),
        (0.9995, 7, 5.408),
        (0.5, 3, 0.0),
    ],
)
def test_quantiles_of_the_tables(p: float, degrees: int, value: float) -> None:
    assert t_quantile(p, degrees) == pytest.approx(value, abs=5.1e-4)


@pytest.mark.parametrize("p", [0.51, 0.6, 0.75, 0.9, 0.975, 0.999])
def test_quantiles_of_one_and_two_degrees_have_closed_forms(p: float) -> None:
    assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-9)
    assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / math.sqrt(2 * p * (1 - p)), rel=1e-9)


def test_with_many_degrees_it_is_the_normal_distribution() -> None:
    assert t_quantile(0.975, 1e7) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("degrees", [1, 4, 33, 1000])
@pytest.mark.parametrize("p", [0.6, 0.975, 0.9999])
def test_quantile_and_distribution_are_inverse(p: float, degrees: int) -> None:
    assert t_cdf(t_quantile(p, degrees), degrees) == pytest.approx(p, abs=1e-10)


@pytest.mark.parametrize(("p", "degrees"), [(0.4, 3), (1.0, 3), (0.9, 0)])
def test_what_has_no_quantile_is_refused(p: float, degrees: int) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(p, degrees)


def test_incomplete_beta_has_its_simple_cases() -> None:
    assert incomplete_beta(2, 3, 0.0) == 0
    assert incomplete_beta(2, 3, 1.0) == 1
    assert incomplete_beta(1, 1, 0.3) == pytest.approx(0.3, rel=1e-12)
    # Of whole numbers it is a binomial tail: I_x(2, 3) = P(at least 2 of 4 succeed).
    x = 0.4
    tail = sum(math.comb(4, k) * x**k * (1 - x) ** (4 - k) for k in (2, 3, 4))
    assert incomplete_beta(2, 3, x) == pytest.approx(tail, rel=1e-12)
    assert incomplete_beta(2, 3, x) + incomplete_beta(3, 2, 1 - x) == pytest.approx(1, rel=1e-12)
