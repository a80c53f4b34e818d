"""What is wrong with a YAML file is told with file, line, field, what was found and what is allowed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, StrictFloat, StrictInt, StrictStr

from agent_bench.errors import FileError
from agent_bench.model import Frozen
from agent_bench.readers.strict_yaml import MAX_CHARS, load_yaml, parse

PATH = Path("tasks/x.yaml")


class Inner(Frozen):
    minimum: Annotated[int, Field(strict=True)] = 1
    names: tuple[str, ...] = ()


class Outer(Frozen):
    id: str
    inner: Inner | None = None
    items: tuple[Inner, ...] = ()
    size: Literal["small", "large"] = "small"
    usage: Literal["none"] | Inner = "none"
    seconds: Annotated[StrictInt | StrictFloat, Field(gt=0)] = 1
    weights: Mapping[str, StrictInt] = Field(default_factory=dict)
    command: StrictStr | tuple[StrictStr, ...] = ""


def data(text: str) -> dict[str, Any]:
    return load_yaml(text, PATH).data


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
            "allowed: minimum, names",
        ),
        ("id: x\nwhatever: 1\n", "tasks/x.yaml:2: whatever: unknown key", "allowed: command, id, inner, items"),
        ("id: x\nusage:\n  nams: []\n", "tasks/x.yaml:3: usage.nams: unknown key: did you mean 'names'?", "minimum"),
        (
            "id: x\nitems:\n- {}\n- minmum: 1\n",
            "tasks/x.yaml:4: items.1.minmum: unknown key",
            "allowed: minimum, names",
        ),
        ("idd: x\n", "tasks/x.yaml:1: idd: unknown key: did you mean 'id'?", "also id: missing"),
        (
            "id: x\nitems:\n- minimum: '2'\n",
            "tasks/x.yaml:3: items.0.minimum: found '2', expected a whole number",
            "",
        ),
        ("inner: {}\n", "tasks/x.yaml:1: id: missing", ""),
        ("id: 3\n", "tasks/x.yaml:1: id: found 3, expected text", ""),
        ("id:\n", "tasks/x.yaml:1: id: found nothing, expected text", ""),
        ("id: true\n", "tasks/x.yaml:1: id: found true, expected text", ""),
        ("id: [a]\n", "tasks/x.yaml:1: id: found a list, expected text", ""),
        ("id: {a: 1, b: 2}\n", "tasks/x.yaml:1: id: found keys (a, b), expected text", ""),
        ("id: x\ninner: 3\n", "tasks/x.yaml:2: inner: found 3, expected keys with values", ""),
        ("id: x\nitems: y\n", "tasks/x.yaml:2: items: found 'y', expected a list", ""),
        ("id: x\nsize: huge\n", "tasks/x.yaml:2: size: found 'huge', expected 'small' or 'large'", ""),
        ("id: x\nseconds: soon\n", "tasks/x.yaml:2: seconds: found 'soon', expected a whole number or a number", ""),
        ("id: x\nseconds: 0\n", "tasks/x.yaml:2: seconds: found 0, expected greater than 0", ""),
        ("id: x\nweights:\n  a: 1\n  b: x\n", "tasks/x.yaml:4: weights.b: found 'x', expected a whole number", ""),
        ("id: x\ncommand: {a: 1}\n", "tasks/x.yaml:2: command: found keys (a), expected text or a list", ""),
        ("id: x\nid: y\n", "tasks/x.yaml:2: id: key stands twice, first in line 1", ""),
        ("id: x\ninner:\n  minimum: 1\n  minimum: 1\n", "x.yaml:4: minimum: key stands twice, first in line 3", ""),
        ("id: [x\n", "tasks/x.yaml:2: not valid YAML", ""),
        ("id: x\n\tinner: y", "tasks/x.yaml:2: not valid YAML", ""),
        ("id: x\n---\nid: y\n", "tasks/x.yaml:2: not valid YAML", ""),
        ("id: *nowhere\n", "tasks/x.yaml:1: not valid YAML", ""),
        ("id: x\x00\n", "not valid YAML: unacceptable character", ""),
        ("- a\n", "tasks/x.yaml:1: found a list, expected keys with values", ""),
        ("just words\n", "tasks/x.yaml:1: found a single value, expected keys with values", ""),
        ("", "tasks/x.yaml:1: found nothing", ""),
        ("id: x\nitems: !!python/object/apply:os.system [ls]\n", "x.yaml:2: found the tag !!python/object/apply", ""),
        ("id: !!binary aGk=\n", "tasks/x.yaml:1: found the tag !!binary", ""),
        ("id: !mine x\n", "tasks/x.yaml:1: found the tag !mine", ""),
        ("id: !!int x\n", "tasks/x.yaml:1: unusable value", ""),
        ("id: x\ninner:\n  <<: {minimum: 1}\n", "tasks/x.yaml:3: inner.<<: unknown key", ""),
        ("? [a, b]\n: 1\n", "tasks/x.yaml:1: a key must be a plain word", ""),
        (f"id: {'x' * MAX_CHARS}\n", "characters, more than 1048576", ""),
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
    assert caught.value.field == "extra"
    assert "also id: found 1, expected text; inner: found 2" in (caught.value.hint or "")


def test_a_long_value_is_cut() -> None:
    with pytest.raises(FileError) as caught:
        parse(load_yaml(f"id: x\nsize: {'y' * 500}\n", PATH), Outer)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("word", ["no", "on", "yes", "2026-12-01", "1:30", "0600", "0x1f", "1_000", "1.2.3", "٣"])
def test_words_that_look_like_something_else_are_text(word: str) -> None:
    assert data(f"id: {word}") == {"id": word}


@pytest.mark.parametrize(
    ("word", "value"),
    [("true", True), ("False", False), ("~", None), ("", None), ("-7", -7), ("0", 0), ("1.5", 1.5), ("1e3", 1000.0)],
)
def test_plain_words_have_their_meaning(word: str, value: object) -> None:
    found = data(f"id: {word}")["id"]
    assert found == value
    assert type(found) is type(value)


def test_quoted_words_are_text() -> None:
    assert data("a: '1'\nb: \"true\"\nc: |\n  3\n") == {"a": "1", "b": "true", "c": "3\n"}


def test_aliases_stand_for_what_they_name() -> None:
    assert data("a: &x [1, 2]\nb: *x\n") == {"a": [1, 2], "b": [1, 2]}


def test_a_few_lines_cannot_stand_for_billions() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        bomb += f"{name}: &{name} [" + ", ".join([f"*{before}"] * 10) + "]\n"
    with pytest.raises(FileError, match="more than 50000 values"):
        load_yaml(bomb, PATH)
    with pytest.raises(FileError, match="x.yaml:1: .*holds itself"):
        load_yaml("a: &a [*a]\n", PATH)


@pytest.mark.parametrize("text", ["a: " + "[" * 20_000, "a: " + "[" * 400 + "]" * 400, "{a: " * 5_000])
def test_deep_nesting_is_an_error(text: str) -> None:
    with pytest.raises(FileError, match=r"nested too deeply|not valid YAML"):
        load_yaml(text, PATH)


def test_json_is_read_too() -> None:
    assert parse(load_yaml('{"id": "x", "items": [{"minimum": 3}]}', PATH), Outer).items[0].minimum == 3


def test_json_with_tabs_and_escapes() -> None:
    text = '{\n\t"id":\t"a\\tb \\/ \\u00e4 \\ud83d\\ude00",\n\t"n": [1e2, -0.5, null]\n}'
    located = load_yaml(text, PATH)
    assert located.data == {"id": "a\tb / ä 😀", "n": [100.0, -0.5, None]}
    assert located.line(("n", 1)) == 3


def test_half_a_character_is_an_error() -> None:
    with pytest.raises(FileError, match="unusable value"):
        load_yaml('{"id": "\\ud83d"}', PATH)
