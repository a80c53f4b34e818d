"""What is wrong with a YAML file is told with file, line, field, what was found and what is allowed."""

from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from agent_bench.errors import FileError
from agent_bench.model import Frozen
from agent_bench.readers.strict_yaml import load_yaml, parse

PATH = Path("tasks/x.yaml")


class Inner(Frozen):
    minimum: Annotated[int, Field(strict=True)] = 1
    names: tuple[str, ...] = ()


class Outer(Frozen):
    id: str
    inner: Inner | None = None
    items: tuple[Inner, ...] = ()


def test_lines_of_parts() -> None:
    located = load_yaml("id: x\ninner:\n  minimum: 2\n  names:\n    - a\n    - b\n", PATH)
    assert located.data == {"id": "x", "inner": {"minimum": 2, "names": ["a", "b"]}}
    assert (located.line(("inner", "names", 1)), located.line(("inner", "gone"))) == (6, 2)
    assert parse(located, Outer).inner == Inner(minimum=2, names=("a", "b"))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "id: x\ninner:\n  minimun: 2\n",
            "tasks/x.yaml:3: inner.minimun: unknown key: did you mean 'minimum'?",
            "minimum, names",
        ),
        ("id: x\nwhatever: 1\n", "tasks/x.yaml:2: whatever: unknown key", "allowed: id, inner, items"),
        (
            "id: x\nitems:\n- minimum: '2'\n",
            "tasks/x.yaml:3: items.0.minimum: found '2', expected a whole number",
            "",
        ),
        ("inner: {}\n", "tasks/x.yaml:1: id: missing", ""),
        ("id: 3\n", "tasks/x.yaml:1: id: found 3, expected text", ""),
        ("id: x\nid: y\n", "tasks/x.yaml:2: id: key stands twice, first in line 1", ""),
        ("id: [x\n", "tasks/x.yaml:2: not valid YAML", ""),
        ("id: x\n\tinner: y", "tasks/x.yaml:2: not valid YAML", ""),
        ("- a\n", "tasks/x.yaml:1: found a list, expected keys with values", ""),
        ("", "tasks/x.yaml:1: found nothing", ""),
        ("id: !!python/object/apply:os.system [ls]\n", "there are no tags here", ""),
        ("? [a, b]\n: 1\n", "tasks/x.yaml:1: a key must be a plain word", ""),
    ],
)
def test_each_problem_in_words(text: str, message: str, hint: str) -> None:
    with pytest.raises(FileError) as caught:
        parse(load_yaml(text, PATH), Outer)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(FileError) as caught:
        parse(load_yaml("id: 1\ninner: 2\nextra: 3\n", PATH), Outer)
    told = f"{caught.value.message} {caught.value.hint}"
    assert all(field in told for field in ("id: found 1", "inner: found 2", "extra: unknown key"))


def test_a_few_lines_cannot_stand_for_billions() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        bomb += f"{name}: &{name} [" + ", ".join([f"*{before}"] * 10) + "]\n"
    with pytest.raises(FileError, match="more than 50000 values"):
        load_yaml(bomb, PATH)
    with pytest.raises(FileError, match="holds itself|more than"):
        load_yaml("a: &a [*a]\n", PATH)


def test_json_is_read_too() -> None:
    assert parse(load_yaml('{"id": "x", "items": [{"minimum": 3}]}', PATH), Outer).items[0].minimum == 3
