"""Failing canaries out of ordinary tests: a copy in which one expected value is another.

Such a copy fails with honest code, right or wrong. It does what its neighbours do with the code under test, so what
lets these pass that should not (values equal to everything, assertions defined away, an early exit) lets it pass, too.
"""

import random
import re
from collections.abc import Iterable
from typing import NamedTuple

STRING = r'"(?:[^"\\\n]|\\.)*"'
NUMBER = r"-?\d+(?:_\d+)*(?:[iu](?:8|16|32|64|128|size)|[uUlLzZ]{1,3})?"


class Sample(NamedTuple):
    """A test of the author's."""

    path: str
    name: str
    body: str


class Mutated(NamedTuple):
    """A test, and a body for it that fails."""

    sample: Sample
    body: str


def mutate(
    draw: random.Random, samples: Iterable[Sample], check: re.Pattern[str], turns: re.Pattern[str]
) -> Mutated | None:
    """A drawn sample with one value changed; None if there is none to change.

    ``check`` matches an equality with a literal, the group ``value``; a body that ``turns`` matches may never come to
    its checks, and is left alone.
    """
    found = [
        (sample, match) for sample in samples if not turns.search(sample.body) for match in check.finditer(sample.body)
    ]
    if not found:
        return None
    sample, match = draw.choice(found)
    start, end = match.span("value")
    return Mutated(sample, sample.body[:start] + _other(draw, match["value"]) + sample.body[end:])


def _other(draw: random.Random, literal: str) -> str:
    if literal.startswith('"'):
        return f'{literal[:-1]}{draw.choice("aeioust")}"'
    digits = re.match(r"-?\d+(?:_\d+)*", literal)
    assert digits is not None
    number = int(digits[0].replace("_", ""))
    # Smaller where there is room: a larger one might not fit its type.
    less = number - draw.randint(1, min(9, number)) if number > 0 else number + draw.randint(1, 9)
    return f"{less}{literal[digits.end() :]}"
