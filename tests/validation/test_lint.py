from collections.abc import Mapping, Sequence

import pytest

from agent_bench.validation.lint import RULES, Finding, lint_spec

GOOD = """# Merge touching intervals

## Context

`intervals.py` holds `merge(intervals)`. It is used by the calendar to show the hours in which a room is taken. Two
meetings that follow one another without a gap are shown as two blocks although they are one stretch of taken time.

## Requirements

- Closed intervals that touch, such as 1 to 3 and 3 to 5, become one.
- The list that the caller gives is left as it is, and so are the pairs in it.
- A pair whose end lies before its start raises `ValueError` with the message `end before start: 5, 1`.

```python
merge([(1, 3), (3, 5)])  # [(1, 5)]
```

## Definition of done

The public tests pass, and every requirement above holds for any list of pairs of integers, the empty list included.
"""


def lint(
    text: str | None,
    *,
    names: Sequence[str] = (),
    entrypoints: Sequence[str] = ("intervals.py",),
    disabled: Mapping[str, str] | None = None,
) -> tuple[Finding, ...]:
    return lint_spec(text, fail_to_pass=names, entrypoints=entrypoints, disabled=disabled or {})


def rules(findings: Sequence[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def with_line(line: str) -> str:
    """The good text with a line more among its requirements."""
    return GOOD.replace("- Closed", f"- {line}\n- Closed")


def test_a_good_text_has_no_finding() -> None:
    assert lint(GOOD, names=["test_touching_merge", "keeps the list"]) == ()
    assert lint(GOOD.replace("\n", "\r\n"), names=["test_touching_merge"]) == ()


@pytest.mark.parametrize(("text", "rule"), [(None, "spec-missing"), ("", "spec-empty"), (" \n\t\n", "spec-empty")])
def test_of_a_missing_or_empty_text_nothing_else_is_said(text: str | None, rule: str) -> None:
    assert rules(lint(text, names=["test_a"])) == [rule]


@pytest.mark.parametrize(
    ("text", "rule", "words"),
    [
        (GOOD.replace("# Merge", "Merge"), "spec-no-title", "# "),
        (GOOD.replace("# Merge touching intervals", "#Merge"), "spec-no-title", "# "),
        (GOOD.replace("# Merge touching intervals", "# #"), "spec-no-title", "# "),
        (GOOD.replace("## Context", "## Background"), "spec-missing-section", "no section '## Context'"),
        (GOOD.replace("## Requirements", "### Requirements"), "spec-missing-section", "## Requirements"),
        (GOOD.replace("## Context", "## Context-free words"), "spec-missing-section", "## Context"),
        (GOOD.replace("## Definition of done", "## Done"), "spec-missing-section", "## Definition of done"),
        (GOOD.replace("```python\n", "").replace("```\n", ""), "spec-no-example", "fenced"),
        (GOOD.replace("merge([(1, 3), (3, 5)])  # [(1, 5)]\n", "\n"), "spec-no-example", "fenced"),
        (GOOD.replace("intervals.py", "the module"), "spec-entrypoint-unmentioned", "intervals.py"),
    ],
)
def test_what_is_missing(text: str, rule: str, words: str) -> None:
    (finding,) = lint(text)
    assert (finding.rule, finding.severity, finding.line) == (rule, "error", None)
    assert words in finding.message


def test_headings_in_fenced_blocks_do_not_count() -> None:
    fenced = GOOD.replace("# Merge touching intervals", "").replace("## Context", "")
    fenced += "\n~~~~md\n# Title\n~~~\n## Context\n\nmuch\n~~~~\n"
    assert sorted(rules(lint(fenced))) == ["spec-missing-section", "spec-no-title"]


def test_a_section_with_nothing_below_is_missing() -> None:
    before, _, after = GOOD.partition("## Requirements\n")
    (finding,) = lint(f"{before}## Requirements\n\n## Also\n{after}")
    assert finding.rule == "spec-missing-section"
    assert finding.line == 8
    assert "empty" in finding.message
    assert lint(f"{before}## Requirements ##\n\n### Also\n{after}") == ()


@pytest.mark.parametrize("heading", ["## Definition of Done", "  ## Definition of done: when it counts"])
def test_how_a_section_may_be_written(heading: str) -> None:
    assert lint(GOOD.replace("## Definition of done", heading)) == ()


def test_a_short_text() -> None:
    short = "# T\n\n## Context\na.py\n\n## Requirements\n```\n1\n```\n\n## Definition of done\n" + "word " * 65
    assert rules(lint(short, entrypoints=["a.py"])) == ["spec-too-short"]
    assert lint(short + "word " * 2, entrypoints=["a.py"]) == ()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("see test_merge_touching for more", "test_merge_touching"),
        ("see `TEST_Merge_Touching`", "test_merge_touching"),
        ("see test_merge[1-2]", "test_merge[1-2]"),
        ("all of test_merge", "test_merge[1-2]"),
        ("see test_merge", "tests/hidden/test_intervals.py::TestMerge::test_merge[a::b]"),
        ("it keeps the last line", "cart totals > keeps the last line"),
        ("it returns zero for an empty cart.", "returns zero for an empty cart"),
        ("it returns zero\n  for an empty cart", "returns zero for an empty cart"),
        ("func TestAdds(t *testing.T)", "TestAdds"),
        ("mergesTouching", "mergesTouching"),
        ("the test `adds`", "adds"),
        ("the test `adds()`", "adds"),
        ("tests/hidden/test_cart.py::adds", "adds"),
        ("test_cart.py::TestCart::adds", "adds"),
        ("tests::adds", "adds"),
        ("the test `empty cart`", "empty cart"),
    ],
)
def test_a_graded_test_is_named(line: str, name: str) -> None:
    (finding,) = lint(with_line(line), names=[name, name])
    assert (finding.rule, finding.line) == ("spec-leaks-test-name", 10)
    assert f"'{name}'" in finding.message


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("it adds what it loads", "adds"),
        ("the loads of a `x` adds `y`", "adds"),
        ("it is `Cart::adds` that counts", "adds"),
        ("an empty cart costs nothing", "empty cart"),
        ("see test_merge_all", "test_merge"),
        ("see latest_merge", "test_merge"),
        ("it returns zero\n\nfor an empty cart", "returns zero for an empty cart"),
    ],
)
def test_an_ordinary_word_names_no_test(line: str, name: str) -> None:
    assert lint(with_line(line), names=[name]) == ()


def test_a_name_that_says_nothing_is_never_found() -> None:
    assert lint(with_line("`a``b`"), names=["", " ", "a > ", "[1]"]) == ()


def test_entrypoints_are_named_whole() -> None:
    text = with_line("also src/cart.py and old_total.py and money.pyi")
    found = lint(text, entrypoints=["src/cart.py", "lib/cart.pyx", "total.py", "money.py"])
    assert [finding.message.split("'")[1] for finding in found] == ["lib/cart.pyx", "total.py", "money.py"]


def test_of_files_of_one_name_the_path_is_needed() -> None:
    text = with_line("also a/mod.rs")
    assert rules(lint(text, entrypoints=["a/mod.rs"])) == []
    assert rules(lint(text, entrypoints=["a/mod.rs", "b/mod.rs"])) == ["spec-entrypoint-unmentioned"]


@pytest.mark.parametrize("line", ["TODO: say more", "the limit is TBD.", "(FIXME)", "**XXX**"])
def test_placeholders(line: str) -> None:
    (finding,) = lint(with_line(line))
    assert (finding.rule, finding.severity, finding.line) == ("spec-placeholder", "error", 10)
    assert rules(lint(GOOD.replace("[(1, 5)]", line))) == ["spec-placeholder"]


@pytest.mark.parametrize("line", ["the TODOs", "TODO_FILE", "in TODO.md", "ticket XXX-12", "a todo", "MY-TODO"])
def test_part_of_a_name_is_no_placeholder(line: str) -> None:
    assert lint(with_line(line)) == ()


@pytest.mark.parametrize(
    ("line", "term"),
    [
        ("round it properly", "properly"),
        ("Round as\n  needed.", "as needed"),
        ("Gracefully!", "gracefully"),
        ("digits, dots, etc.", "etc."),
        ("Handle edge cases", "handle edge cases"),
    ],
)
def test_weasel_terms_are_warnings(line: str, term: str) -> None:
    (finding,) = lint(with_line(line))
    assert (finding.rule, finding.severity, finding.line) == ("spec-weasel-term", "warning", 10)
    assert f"'{term}'" in finding.message
    assert not finding.is_error


@pytest.mark.parametrize(
    "line",
    [
        "reads incorrectly written pairs",
        "an unreasonable pair",
        "uses etcd, and files in /etc.",
        "the flag `--as-needed` and the word `properly`",
        "the flag --properly",
        "as\n\nneeded",
        "as `x` needed",
    ],
)
def test_no_weasel_terms(line: str) -> None:
    assert lint(with_line(line)) == ()
    assert lint(GOOD.replace("[(1, 5)]", "# properly")) == ()


def test_findings_stand_in_the_order_of_the_text() -> None:
    found = lint("# T\nproperly\nTODO\nsensible\n", entrypoints=[])
    assert [finding.line for finding in found] == [None] * 5 + [2, 3, 4]


def test_a_disabled_rule_does_not_count_but_is_shown() -> None:
    found = lint("# T\nTODO\n", entrypoints=[], disabled={"spec-placeholder": "it is about TODO comments"})
    (finding,) = [finding for finding in found if finding.rule == "spec-placeholder"]
    assert finding.disabled == "it is about TODO comments"
    assert not finding.is_error
    assert all(finding.is_error for finding in found if finding.rule != "spec-placeholder")


def test_a_rule_is_disabled_with_a_reason_only() -> None:
    text = with_line("TODO")
    found = lint(text, disabled={"spec-placeholder": " "})
    assert rules(found) == ["lint-no-reason", "spec-placeholder"]
    assert all(finding.is_error for finding in found)


@pytest.mark.parametrize("rule", ["spec-place", "lint-no-reason", "lint-unknown-rule"])
def test_only_rules_that_there_are_can_be_disabled(rule: str) -> None:
    (finding,) = lint(GOOD, disabled={rule: "so"})
    assert finding.rule == "lint-unknown-rule"
    assert f"'{rule}'" in finding.message
    assert finding.is_error


def test_every_rule_is_explained() -> None:
    assert len(RULES) == 12
    assert all(RULES.values())
