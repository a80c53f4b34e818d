"""Canaries for Rust."""

import random
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from agent_bench.toolchains.canary_names import draw_words
from agent_bench.toolchains.interface import Canaries
from agent_bench.toolchains.mutation import NUMBER, STRING, Sample, mutate

_TEST = re.compile(r"^[ \t]*#\[test\]\s*(?:#\[.*\]\s*)*fn (\w+)\(\)", re.MULTILINE)
_SIMPLE_TEST = re.compile(r"^#\[test\]\nfn (\w+)\(\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^[ \t]*#\[(?:test|should_panic(?:\(.*\))?|ignore(?: = .*)?)\][ \t]*\n?", re.MULTILINE)
# Tests that come in other ways, which a copy would bring along.
_UNKNOWN_MARK = re.compile(r"#\[(?!cfg\(|derive\()[^\]]*(?:test|should_panic)|macro_rules!|proptest!|quickcheck!")
_CHECK = re.compile(rf"^    assert_eq!\(.*\S, (?P<value>{STRING}|{NUMBER})(?:\.\w+\(\))?\);$", re.MULTILINE)
_TURNS = re.compile(r"\b(?:return|if|for|while|loop|match|catch_unwind|exit|panic)\b|\?;")


def rust_canaries(draw: random.Random, tests: Mapping[str, str]) -> Canaries:
    """On a copy of a neighbouring file whose tests are no tests any more; the failing one is one of these, changed."""
    names = [name for text in tests.values() for name in _TEST.findall(text)]
    stem = "_".join(draw_words(draw, [PurePosixPath(path).stem for path in tests] or names, 2))
    failing, passing = ("_".join(draw_words(draw, names)) for _ in range(2))
    left, right = draw.sample(range(2, 900), 2)
    copied, body, fails = _failing(draw, tests)
    wrong = body if fails else f"{body}    assert_eq!({left} + {right}, {left + right + draw.randint(1, 9)});\n"
    text = (
        f"{copied}\n#[test]\nfn {passing}() {{\n    assert_eq!({left} + {right}, {left + right});\n}}\n"
        f"\n#[test]\nfn {failing}() {{\n{wrong}}}\n"
    )
    return Canaries(files={f"tests/hidden/{stem}.rs": text.lstrip("\n")}, passing=passing, failing=failing)


def _failing(draw: random.Random, tests: Mapping[str, str]) -> tuple[str, str, bool]:
    """What stands before the canaries, the body of the failing one, and whether that fails by itself. Both are empty
    where no neighbour can be copied."""
    copies = {path: _MARK.sub("", text) for path, text in sorted(tests.items())}
    plain = [path for path, copied in copies.items() if not _UNKNOWN_MARK.search(copied)]
    samples = [Sample(path, *found) for path in plain for found in _SIMPLE_TEST.findall(tests[path])]
    if mutated := mutate(draw, samples, _CHECK, _TURNS):
        return copies[mutated.sample.path], mutated.body, True
    if not samples:
        return "", "", False
    sample = draw.choice(samples)
    return copies[sample.path], f"    {sample.name}();\n", False
