"""Canaries for GoogleTest."""

import random
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from agent_bench.toolchains.canary_names import draw_words
from agent_bench.toolchains.interface import Canaries
from agent_bench.toolchains.mutation import NUMBER, STRING, Sample, mutate

_TEST = re.compile(r"^TEST\((\w+),\s*(\w+)\)", re.MULTILINE)
_SAMPLE = re.compile(r"^TEST\(\w+,\s*(\w+)\)\s*\{(?:\n(.*?)^|([^\n]*))\}$", re.MULTILINE | re.DOTALL)
_VALUE = rf"(?P<value>{STRING}|{NUMBER})"
_CHECK = re.compile(rf"\b(?:EXPECT|ASSERT)_EQ\([^;]*[^;,\s],\s*{_VALUE}\);")
_TURNS = re.compile(r"\b(?:return|if|for|while|do|switch|goto|try|throw|exit|GTEST_SKIP)\b")
_INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)
_ANONYMOUS = re.compile(r"^namespace \{$.*?^\}.*$", re.MULTILINE | re.DOTALL)
# What may stand twice in a program, as far as the beginnings of lines tell.
_HARMLESS = re.compile(
    r"\s|$|#include |//|/\*|\*|\}|\{|using |TEST\(|(?:static|constexpr|const|inline|template|struct|class|enum)\b"
)
_BESIDE = """#include <gtest/gtest.h>

#undef TEST
#define TEST(suite, name) [[maybe_unused]] static void suite##_##name##_()
#include "{}"
#undef TEST
#define TEST(suite, name) GTEST_TEST(suite, name)
"""


def cpp_canaries(draw: random.Random, tests: Mapping[str, str]) -> Canaries:
    """In a file that takes in a neighbouring one, whose tests are no tests there; the failing one is one of these,
    changed. Where no file can be taken in twice, they take in what it does."""
    found = [pair for text in tests.values() for pair in _TEST.findall(text)]
    stems = [PurePosixPath(path).stem for path in tests]
    suite = draw.choice([suite for suite, _ in found]) if found else "".join(_capitals(draw, stems, 2))
    failing, passing = ("".join(_capitals(draw, [name for _, name in found], 4)) for _ in range(2))
    left, right = draw.sample(range(2, 900), 2)
    path, before, body = _failing(draw, tests)
    wrong = body or f"  EXPECT_EQ({left} + {right}, {left + right + draw.randint(1, 9)});\n"
    text = (
        f"{before}\nTEST({suite}, {passing}) {{\n  EXPECT_EQ({left} + {right}, {left + right});\n}}\n"
        f"\nTEST({suite}, {failing}) {{\n{wrong}}}\n"
    )
    name = f"{PurePosixPath(path).parent}/{_file_name(draw, path, stems)}"
    return Canaries(files={name: text}, passing=f"{suite}.{passing}", failing=f"{suite}.{failing}")


def _capitals(draw: random.Random, names: list[str], count: int) -> list[str]:
    return [word.capitalize() for word in draw_words(draw, names, count)]


def _file_name(draw: random.Random, path: str, stems: list[str]) -> str:
    words = draw_words(draw, stems, 2)
    end = "_test" if PurePosixPath(path).stem.endswith("_test") else ""
    return "_".join(words) + end + PurePosixPath(path).suffix


def _failing(draw: random.Random, tests: Mapping[str, str]) -> tuple[str, str, str]:
    """The neighbour, what stands before the canaries, and the body of the failing one (empty: an ordinary one)."""
    texts = {path: text for path, text in sorted(tests.items()) if _TEST.search(text)}
    samples = [
        Sample(path, name, lines or f"  {line.strip()}\n")
        for path, text in texts.items()
        if _can_stand_twice(text)
        for name, lines, line in _SAMPLE.findall(text)
    ]
    if mutated := mutate(draw, samples, _CHECK, _TURNS):
        path = mutated.sample.path
        return path, _BESIDE.format(PurePosixPath(path).name), mutated.body
    if not texts:
        return "tests/hidden/value_test.cpp", "#include <gtest/gtest.h>\n", ""
    path = draw.choice(sorted(texts))
    return path, "\n".join(_INCLUDE.findall(texts[path])) + "\n", ""


def _can_stand_twice(text: str) -> bool:
    rest = _ANONYMOUS.sub("", text)
    return all(_HARMLESS.match(line) for line in rest.split("\n"))
