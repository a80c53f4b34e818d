"""Confidence intervals for means of scores in 0..1."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from agent_bench.statistics.student_t import t_quantile

LEVEL = 0.95
# A spread below this comes from rounding: the values are all alike.
_NO_SPREAD = 1e-9


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


def clustered_mean(values: Mapping[str, Sequence[float]], *, unit: str = "task") -> Mean:
    """The mean of all values, with an interval for the mean over *other* tasks like these.

    ``values``: by task, each in 0..1. ``unit`` names, for the reasons, what the values are grouped by.

    Values of one task are alike, so they count as much as their task does. With n values in G tasks, the mean m, and
    r_g the sum over task g of (value - m):

    - standard error = sqrt(G / (G - 1) * sum of r_g squared) / n: the cluster-robust one of a mean (CR1; A. C. Cameron
      and D. L. Miller, "A Practitioner's Guide to Cluster-Robust Inference", J. Human Resources 50, 2015, section II);
    - if the values spread so that the ordinary standard error of n independent values is larger, that one (tasks that
      happen to agree must not make it look surer: J. D. Angrist and J.-S. Pischke, "Mostly Harmless Econometrics",
      2009, chapter 8);
    - interval = m ± t * standard error, with Student's t of G - 1 degrees of freedom, cut to 0..1.

    Where all values are equal neither shows a spread. A value in 0..1 has at most the variance m * (1 - m) of a yes
    or no, so there it is the Wilson interval of a proportion m of G. With one task, or none, there is no interval:
    one task tells nothing about others, however often it is repeated.
    """
    groups = [list(group) for group in values.values() if group]
    flat = [value for group in groups for value in group]
    n, clusters = len(flat), len(groups)
    if n == 0:
        return Mean(None, None, None, 0, 0, "nothing counted")
    mean = math.fsum(flat) / n
    if clusters == 1:
        return Mean(mean, None, None, n, 1, f"one {unit} only: it tells nothing about others")
    error = max(_clustered_error(groups, mean, n), _plain_error(flat, mean))
    if error < _NO_SPREAD:
        low, high = wilson_interval(mean * clusters, clusters)
    else:
        half = t_quantile(0.5 + LEVEL / 2, clusters - 1) * error
        low, high = max(0.0, mean - half), min(1.0, mean + half)
    return Mean(mean, low, high, n, clusters)


def _clustered_error(groups: Sequence[Sequence[float]], mean: float, n: int) -> float:
    count = len(groups)
    residuals = [math.fsum(value - mean for value in group) for group in groups]
    return math.sqrt(math.fsum(r * r for r in residuals) * count / (count - 1)) / n


def _plain_error(values: Sequence[float], mean: float) -> float:
    n = len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)


def wilson_interval(successes: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The score interval of a proportion (E. B. Wilson, J. American Statistical Association 22, 1927).

    ``n`` trials, of which ``successes`` succeeded. Raises ``ValueError`` if these are no such counts.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"no proportion: {successes} of {n}")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    p = successes / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    # At the ends the formula gives 0 and 1 exactly, but for rounding.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high
