"""What an agent may not find among the files that it gets."""

from pathlib import Path

import pytest
from exploits.exploit_bed import task_of
from verified_tasks import HIDDEN_TEXT, adder

from agent_bench.validation.leaks import readable_leaks

OLD = """def read(text):
    head, mark, rest = text.partition("-")
    if not mark:
        return (head, None)
    return (head, rest.split("."))


def unused():
    return 1
"""
# The same lines, in a function of their own, and four more.
MOVED = """def unused():
    return 1


def parts(text):
    head, mark, rest = text.partition("-")
    if not mark:
        return (head, None)
    return (head, rest.split("."))


def read(text):
    found = parts(text)
    if found[1] is not None and not all(found[1]):
        raise ValueError(f"an empty part in {text!r}")
    return (found[0].strip(), found[1])
"""
ANSWER = "".join(MOVED.splitlines(keepends=True)[11:])
CASES: dict[str, tuple[dict[str, str | None], list[str]]] = {
    "nothing": ({}, []),
    "lines that the solution moves": ({}, []),
    "the solution beside it": ({"workspace/old/notes.txt": ANSWER}, ["old/notes.txt has lines of the solution"]),
    "the solution among the public tests": (
        {"tests/public/fixture.py": ANSWER},
        ["tests/public/fixture.py has lines of the solution"],
    ),
    "a withheld test": (
        {"workspace/check.py": HIDDEN_TEXT},
        ["check.py names ", "check.py has lines of a withheld test"],
    ),
    "history": ({"workspace/.git/HEAD": "ref: refs/heads/main\n"}, ["workspace/.git holds the history of the code"]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_found(tmp_path: Path, case: str) -> None:
    files, expected = CASES[case]
    moved = {"workspace/names.py": OLD, "solution/names.py": MOVED}
    adder(tmp_path, {**({} if case == "nothing" else moved), **files})
    found = sorted(set(readable_leaks(task_of(tmp_path / "verified", "adder"))))
    assert all(any(words in leak for leak in found) for words in expected), found
    assert bool(found) == bool(expected), found
