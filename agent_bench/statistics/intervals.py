"""Confidence intervals for means of scores. Pure Python, so that nothing heavy is needed to print a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval."""

    value: float | None
    """None: nothing was counted."""
    low: float | None
    high: float | None
    """None: too few to say, see ``reason``."""
    n: int
    """Values counted."""
    clusters: int
    """Tasks that they come from."""
    reason: str = ""
    """Why there is no interval."""


def clustered_mean(values: Mapping[str, Sequence[float]]) -> Mean:
    """The mean of all values, with an interval that allows for values of one task being alike.

    ``values``: by task, each in 0..1. With several tasks the standard error is the cluster-robust one of a mean
    (CR1: sum over clusters of squared summed residuals, times G/(G-1), over n squared), with Student's t of G-1
    degrees of freedom (Cameron and Miller, *A Practitioner's Guide to Cluster-Robust Inference*, 2015). With one task
    only, its values are taken as a sample by themselves (so the interval tells nothing about other tasks), with the
    Wilson interval if all are 0 or 1. Where every value is 0, or every one 1, it is the Wilson interval of the number
    of tasks. The interval is cut to 0..1.
    """
    groups = [list(group) for group in values.values() if group]
    flat = [value for group in groups for value in group]
    n, clusters = len(flat), len(groups)
    if n == 0:
        return Mean(None, None, None, 0, 0, "nothing counted")
    mean = math.fsum(flat) / n
    if n == 1:
        return Mean(mean, None, None, n, clusters, "one trial says nothing about the spread")
    if clusters == 1 and set(flat) <= {0.0, 1.0}:
        low, high = wilson_interval(int(sum(flat)), n)
        return Mean(mean, low, high, n, clusters)
    units = groups if clusters > 1 else [[value] for value in flat]
    residuals = [math.fsum(value - mean for value in unit) for unit in units]
    count = len(units)
    error = math.sqrt(math.fsum(r * r for r in residuals) * count / (count - 1)) / n
    if error == 0 and mean in (0.0, 1.0):
        # No spread to go by: at least as unsure as one all-alike proportion of the tasks.
        low, high = wilson_interval(round(mean * count), count)
        return Mean(mean, low, high, n, clusters)
    half = t_quantile(0.5 + LEVEL / 2, count - 1) * error
    return Mean(mean, max(0.0, mean - half), min(1.0, mean + half), n, clusters)


def wilson_interval(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The interval of a proportion (Wilson, 1927). ``n`` must be positive."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    p = successes / n
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def t_quantile(p: float, degrees: float) -> float:
    """Quantile of Student's t for p in 0.5..1, by bisection of its distribution function; exact to 1e-10."""
    low, high = 0.0, 2.0
    while _t_cdf(high, degrees) < p:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf(middle, degrees) < p else (low, middle)
        if high - low < 1e-12 * max(1.0, high):
            break
    return (low + high) / 2


def _t_cdf(t: float, degrees: float) -> float:
    """Distribution function of Student's t for t >= 0."""
    return 1 - 0.5 * _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function (continued fraction of Lentz; DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    return front / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 500):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d, tiny)
            c = _away_from_zero(1 + term / c, tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
