"""Student's t, in pure Python: no heavy library is needed to print a table."""

import math

_TINY = 1e-300


def t_quantile(p: float, degrees: float) -> float:
    """Quantile of Student's t for ``p`` in [0.5, 1), by bisection of its distribution function; exact to 1e-10.

    Raises ``ValueError`` outside of that, or for ``degrees`` that are not positive.
    """
    if not 0.5 <= p < 1 or degrees <= 0:
        raise ValueError(f"no quantile of t for p = {p}, degrees = {degrees}")
    low, high = 0.0, 2.0
    while t_cdf(high, degrees) < p:
        high *= 2
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_cdf(middle, degrees) < p else (low, middle)
    return (low + high) / 2


def t_cdf(t: float, degrees: float) -> float:
    """Distribution function of Student's t for ``t`` >= 0 (Abramowitz and Stegun 26.7.1)."""
    return 1 - 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        # There the fraction of the mirrored function is the one that converges fast.
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    return front / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, by Lentz's method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 500):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
