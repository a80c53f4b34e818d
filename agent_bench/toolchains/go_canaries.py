"""Canaries for Go."""

import random
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from agent_bench.toolchains.canary_names import draw_words
from agent_bench.toolchains.interface import Canaries

# With an underscore before it, such a word at the end of a file's name says where alone the file is compiled.
_PLATFORMS = frozenset(
    {
        *("aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd"),
        *("plan9", "solaris", "wasip1", "windows", "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64"),
        *("mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm", "unix", "test"),
    }
)
_LATE_WORDS = ("more", "order", "result", "some", "text", "value", "with", "words", "year", "zero", "zone")
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_TEST = re.compile(r"^func (Test[A-Z0-9]\w*)\(\w+ \*testing\.T\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


def go_canaries(draw: random.Random, tests: Mapping[str, str]) -> Canaries:
    """The failing one also calls a neighbouring test, so that it uses the code under test as they do."""
    neighbour, folder, package = _neighbour(draw, tests)
    names = [name for text in tests.values() for name, _ in _TEST.findall(text)]
    failing, passing = ("Test" + "".join(map(str.capitalize, draw_words(draw, names))) for _ in range(2))
    left, right = draw.sample(range(2, 900), 2)
    sums = ((passing, left + right, ""), (failing, left + right + draw.randint(1, 9), neighbour))
    functions = "".join(
        f"\nfunc {name}(t *testing.T) {{\n\tif got := {left} + {right}; got != {want} {{\n"
        f'\t\tt.Errorf("got %d, want %d", got, {want})\n\t}}\n{call}}}\n'
        for name, want, call in sums
    )
    text = f'package {package}\n\nimport "testing"\n{functions}'
    return Canaries(files={f"{folder}/{_file_name(draw, tests)}": text}, passing=passing, failing=failing)


def _stem(path: str) -> str:
    return PurePosixPath(path).stem.removesuffix("_test")


def _file_name(draw: random.Random, tests: Mapping[str, str]) -> str:
    """After all others: go runs the tests of the last file last, and who ends the process early cuts these off."""
    stems = sorted(map(_stem, tests))
    words = draw_words(draw, stems, 2)
    last = stems[-1] if stems else ""
    if words[0] <= last:
        words = (next((word for word in _LATE_WORDS if word > last), "zz"), *words)
    return ("" if words[-1] in _PLATFORMS else "_").join(words) + "_test.go"


def _neighbour(draw: random.Random, tests: Mapping[str, str]) -> tuple[str, str, str]:
    """A call of a simple test (none: empty), and the folder and package of the canaries."""
    plain = {path: text for path, text in sorted(tests.items()) if "//go:build" not in text and _PACKAGE.search(text)}
    simple = [
        (name, path)
        for path in plain
        for name, body in _TEST.findall(plain[path])
        if not re.search(r"\.Run\(|Skip", body)
    ]
    if simple:
        name, path = draw.choice(simple)
        return f"\t{name}(t)\n", str(PurePosixPath(path).parent), _package(plain[path])
    for path, text in plain.items():
        return "", str(PurePosixPath(path).parent), _package(text)
    return "", "tests/hidden", "hidden_test"


def _package(text: str) -> str:
    found = _PACKAGE.search(text)
    return found[1] if found else "hidden_test"
