"""Usage readers of configurations: right on recorded output of real agents, and unknown with a reason on nonsense."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agent_bench.agents.configured import read_configured
from agent_bench.agents.interface import Evidence
from agent_bench.agents.usage_fields import UsageReader, read_usage
from agent_bench.model import Usage

ROOT = Path(__file__).parents[2]
Make = Callable[..., Evidence]
FIELDS = {"input_tokens": "u.in", "output_tokens": "u.out"}


def reader(**changes: Any) -> UsageReader:
    settings = {"source": "stdout", "format": "jsonl", "combine": "sum", "fields": FIELDS, **changes}
    return UsageReader.model_validate(settings)


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("codex", (2101, 5006, 514, 116)),
        # Written to a cache: not told apart from input.
        ("gemini-cli", (2118 + 514, 5006, None, 121)),
        # Its call for a title is in none of its numbers.
        ("opencode", (2101, 5006, 514, 116)),
    ],
)
def test_the_examples_read_what_the_server_counted(name: str, truth: tuple[int | None, ...], evidence_of: Make) -> None:
    specs, problems = read_configured([ROOT / "examples" / "agents"])
    assert problems == []
    spec = next(spec for spec in specs if spec.name == name)
    stdout = (ROOT / "tests" / "data" / "agents" / f"{name}.jsonl").read_bytes()
    usage = read_usage(UsageReader.model_validate(spec.options["usage"]), evidence_of(stdout)).usage
    found = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    assert found == truth
    assert usage.source == "reported"


LINES = b"""starting
{"u": {"in": 10, "out": 1}, "m": "a", "cost": 0.25, "text": "first"}
not json {
{"other": true}
{"u": {"in": 20, "out": 2}, "m": "b", "cost": 0.5, "text": "last"}
"""


def test_sum_and_last(evidence_of: Make) -> None:
    fields = {**FIELDS, "model": "m", "cost_usd": "cost", "final_message": "text"}
    reading = read_usage(reader(fields=fields), evidence_of(LINES))
    assert reading.usage == Usage(input_tokens=30, output_tokens=3, source="reported")
    assert (reading.model, reading.cost_usd, reading.final_message, reading.note) == ("b", 0.75, "last", "")
    reading = read_usage(reader(fields=fields, combine="last"), evidence_of(LINES))
    assert reading.usage == Usage(input_tokens=20, output_tokens=2, source="reported")
    assert reading.cost_usd == 0.5


def test_where_wildcards_and_differences(evidence_of: Make) -> None:
    rows = [
        {"type": "end", "by": {"a.1": {"in": 5, "all": 8}, "b": {"in": 7, "all": 9}}, "list": [{"n": 1}, {"n": 2}]},
        {"type": "other", "by": {"a.1": {"in": 500, "all": 800}}, "list": []},
    ]
    stdout = "\n".join(map(json.dumps, rows)).encode()
    fields = {
        "input_tokens": "by.*.in",
        "output_tokens": ["by.*.all", "-by.*.in"],
        "cache_read_tokens": "list.*.n",
        "cache_write_tokens": "list.-1.n",
    }
    usage = read_usage(reader(where={"type": "end"}, fields=fields), evidence_of(stdout)).usage
    assert (usage.input_tokens, usage.output_tokens) == (12, 5)
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (3, 2)


def test_files_of_home(evidence_of: Make) -> None:
    each_file = reader(source=".agent/**/u*.json", format="json", combine=None)
    assert each_file.home_globs == (".agent/**/u*.json",)
    files = {
        ".agent/u1.json": b'{"u": {"in": 1, "out": 2}}',
        ".agent/x/y/u2.json": b'{"u": {"in": 10, "out": 20}}',
        ".agent/other.json": b'{"u": {"in": 100, "out": 200}}',
    }
    assert read_usage(each_file, evidence_of(**files)).usage.input_tokens == 11
    assert "left no file .agent" in read_usage(each_file, evidence_of()).note
    assert reader(source="stderr").home_globs == ()
    assert read_usage(reader(source="stderr"), evidence_of(b"", LINES)).usage.input_tokens == 30


def test_a_count_that_some_lines_lack_is_unknown(evidence_of: Make) -> None:
    stdout = b'{"u": {"in": 1, "out": 2}}\n{"u": {"in": 3}}\n'
    reading = read_usage(reader(), evidence_of(stdout))
    assert (reading.usage.input_tokens, reading.usage.output_tokens) == (4, None)
    assert "output_tokens" in reading.note


@pytest.mark.parametrize(
    "stdout",
    [
        b"",
        b"\xff\xfe\x00",
        b"nothing here",
        b'{"u": 5}',
        b'{"u": {"in": "10", "out": null}}',
        b'{"u": {"in": -1, "out": -5}}',
        b'{"u": {"in": NaN, "out": 1e999}}',
        b'{"u": {"in": true, "out": [1]}}',
        b'{"u": ' + b"[" * 100_000,
        b'{"u": {"in": 1' + b"0" * 5000 + b"}}",
    ],
)
def test_nonsense_is_unknown_with_a_reason(stdout: bytes, evidence_of: Make) -> None:
    for settings in ({}, {"format": "json", "combine": "last"}, {"where": {"a.b": 1}}):
        reading = read_usage(reader(**settings), evidence_of(stdout))
        assert reading.usage == Usage()
        assert reading.note.startswith("usage unknown: no ")


def test_a_difference_below_zero_is_unknown(evidence_of: Make) -> None:
    fields = {"input_tokens": ["u.in", "-u.out"], "output_tokens": "u.out"}
    usage = read_usage(reader(fields=fields), evidence_of(b'{"u": {"in": 1, "out": 2}}')).usage
    assert (usage.input_tokens, usage.output_tokens) == (None, 2)


@pytest.mark.parametrize(
    "settings",
    [
        {"combine": None},
        {"fields": {}},
        {"fields": {"tokens": "x"}},
        {"format": "xml"},
        {"source": ""},
        {"where": {"type": ["x"]}},
        {"kombine": "sum"},
    ],
)
def test_settings_are_checked(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        reader(**settings)
