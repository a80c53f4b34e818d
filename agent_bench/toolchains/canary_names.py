"""Names for canaries: made of the words of their neighbours, so that nothing tells them apart."""

import random
import re
from collections.abc import Collection

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SPARE = ("keeps", "order", "value", "empty", "single", "after", "first", "last", "result", "input", "returns", "given")


def words_of(names: Collection[str]) -> list[str]:
    """The words in names of any case style, in lower case; each once, sorted."""
    found = {word.lower() for name in names for word in _WORD.findall(name)}
    return sorted(found - {"test", "tests", "public", "hidden", "spec"})


def draw_words(draw: random.Random, names: Collection[str], count: int = 4) -> tuple[str, ...]:
    """So many different words for a new name, drawn from those of its neighbours, and from spare ones if too few."""
    known = words_of(names)
    pool = known if len(known) >= count else sorted({*known, *_SPARE})
    taken = {"".join(_WORD.findall(name)).lower() for name in names}
    while True:
        words = tuple(draw.sample(pool, count))
        joined = "".join(words)
        if not any(joined in name for name in taken) and not words[0].isdigit():
            return words
