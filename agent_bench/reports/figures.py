"""How figures are written, everywhere alike. An unknown is ``−``, never 0."""

UNKNOWN = "−"
PASS = "✓"
FAIL = "✗"


def score(value: float | None) -> str:
    """A value in 0..1 with two places."""
    return UNKNOWN if value is None else f"{value:.2f}"


def mark(value: float | None) -> str:
    """A pass-or-fail signal as an icon."""
    return UNKNOWN if value is None else PASS if value >= 1 else FAIL


def tokens(count: int | None, *, estimated: bool = False) -> str:
    """A number of tokens with separators; an estimate is marked."""
    return UNKNOWN if count is None else f"{'~' if estimated else ''}{count:,}"


def tokens_short(count: int | None, *, estimated: bool = False) -> str:
    """A number of tokens in at most six characters."""
    if count is None:
        return UNKNOWN
    tilde = "~" if estimated else ""
    for limit, unit in ((1_000, ""), (1_000_000, "k"), (1_000_000_000, "M")):
        if count < limit:
            scaled = count / (limit / 1_000)
            return f"{tilde}{scaled:.0f}" if not unit else f"{tilde}{scaled:.1f}{unit}"
    return f"{tilde}{count / 1e9:.1f}G"


def usd(amount: float | None) -> str:
    """Dollars with three places; very small amounts with four."""
    if amount is None:
        return UNKNOWN
    return f"${amount:.4f}" if 0 < amount < 0.001 else f"${amount:.3f}"


def seconds(value: float | None) -> str:
    """Seconds with one place."""
    return UNKNOWN if value is None else f"{value:.1f}"


def percent(value: float | None) -> str:
    """A share in 0..1 as a whole percentage."""
    return UNKNOWN if value is None else f"{value:.0%}"


def interval(low: float | None, high: float | None) -> str:
    """A 95 % interval."""
    return UNKNOWN if low is None or high is None else f"{low:.2f}–{high:.2f}"
