"""Is a task of the difficulty that it was meant to have: a solve rate against a band, as far as the attempts tell."""

from dataclasses import dataclass
from typing import Literal

from agent_bench.statistics.intervals import wilson_interval

Verdict = Literal["too_easy", "too_hard", "in_band", "too_few", "control"]
"""``too_few``: too few attempts to say. ``control``: a control's, which says nothing of the task's difficulty."""

TOLERANCE = 0.1
"""How far an interval may reach out of the band while its rate is still called in it; never more than half of the way
from the band's end to 0 or 1."""

FEWEST_ATTEMPTS = 5
"""Below it no rate is called in its band: 1 solved of 3 would be."""

MOST_ATTEMPTS = 10_000
"""Nobody makes more attempts than this."""


@dataclass(frozen=True)
class Band:
    """The solve rates that a task should have, both ends included. Raises ``ValueError`` if they are none."""

    low: float = 0.1
    high: float = 0.7

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= 1:
            raise ValueError(f"no band of solve rates: {self.low:g} to {self.high:g}")

    @property
    def widened(self) -> tuple[float, float]:
        """The band with its tolerance."""
        return self.low - min(TOLERANCE, self.low / 2), self.high + min(TOLERANCE, (1 - self.high) / 2)


@dataclass(frozen=True)
class SolveRate:
    """How often something was solved, and what that says."""

    attempts: int
    solved: int
    rate: float | None
    """None: nothing was attempted."""
    low: float | None
    high: float | None
    """95 % interval of the rate (Wilson)."""
    verdict: Verdict
    more_attempts: int | None
    """With so many more attempts of the same rate there would be a verdict: 0 where there is one. None: not known,
    or more than ``MOST_ATTEMPTS``."""


def solve_rate(solved: int, attempts: int, band: Band) -> SolveRate:
    """The rate with its interval and its verdict. Raises ``ValueError`` if ``solved`` of ``attempts`` is no count.

    A verdict is given only where the 95 % Wilson interval does not leave it open:

    - ``too_easy``: the whole interval lies above the band; ``too_hard``: all of it lies below;
    - ``in_band``: the rate lies in the band, the interval in the band widened by ``TOLERANCE``, and there were
      ``FEWEST_ATTEMPTS``. The tolerance is there because a rate near an end of the band could otherwise never be told
      from one just outside; so what this verdict says is that the rate is in the band, give or take 0.1;
    - else ``too_few``: 3 of 5 solved is anything from 0.23 to 0.88.

    With the band 0.1 to 0.7, 2 solved of 5 is in it, and so are 3 of 10 and 12 of 20; it takes 9 of 9 to be too easy
    and 0 of 35 to be too hard. A verdict that is wrong (where the true rate is at the other side of the band's end,
    or of the widened band's) comes up in a tenth of the cases at worst, of ``too_easy`` and ``too_hard`` in less than
    5 %: exact binomial sums for up to 100 attempts. That holds for a number of attempts that was fixed beforehand.
    """
    if not attempts:
        return SolveRate(0, solved, None, None, None, "too_few", None)
    low, high = wilson_interval(solved, attempts)
    verdict = _verdict(solved, attempts, band)
    more = _more_attempts(solved, attempts, band) if verdict == "too_few" else 0
    return SolveRate(attempts, solved, solved / attempts, low, high, verdict, more)


def _verdict(solved: float, attempts: int, band: Band) -> Verdict:
    low, high = wilson_interval(solved, attempts)
    if low > band.high:
        return "too_easy"
    if high < band.low:
        return "too_hard"
    least, most = band.widened
    is_inside = band.low <= solved / attempts <= band.high and least <= low and high <= most
    return "in_band" if is_inside and attempts >= FEWEST_ATTEMPTS else "too_few"


def _more_attempts(solved: int, attempts: int, band: Band) -> int | None:
    """The fewest further attempts after which the same rate is no longer open.

    By halving: at one rate an interval only gets narrower with more attempts, so a verdict once given stays.
    """
    rate = solved / attempts

    def is_open(count: int) -> bool:
        return _verdict(min(rate * count, count), count, band) == "too_few"

    too_few, enough = attempts, attempts + MOST_ATTEMPTS
    if is_open(enough):
        return None
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (middle, enough) if is_open(middle) else (too_few, middle)
    return enough - attempts
