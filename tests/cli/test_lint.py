import json
from pathlib import Path

from command_line import Bench

SPEC = """# Add two numbers

## Context

`sums.py` holds `add(left, right)`, which the till uses to add up the prices of what a customer has bought. Prices
are whole numbers of cents, and a refund is a price below zero.

## Requirements

- `add` returns the sum of both numbers, whatever their signs are.
- A number that is no `int` raises `TypeError` with the message `no number of cents: 1.5`.

```python
add(1, 2)  # 3
```

## Definition of done

The public tests pass, and every requirement above holds for any two whole numbers of cents that Python can hold.
"""


def write_task(bench: Bench, name: str, spec: str = SPEC, **keys: object) -> Path:
    folder = bench.folder / "tasks" / "verified" / "python" / name
    given = {"id": name, "language": "python", "title": "Add", "kind": "bug_fix", "difficulty": "easy"}
    graded = {"fail_to_pass": ["test_adds_two"], "entrypoint_files": ["sums.py"]}
    files = {
        "task.json": json.dumps({**given, **graded, **keys}),
        "SPEC.md": spec,
        "workspace/sums.py": "def add(left, right):\n    return left\n",
        "solution/sums.py": "def add(left, right):\n    return left + right\n",
        "tests/hidden/test_sums.py": "from sums import add\n\n\ndef test_adds_two():\n    assert add(1, 2) == 3\n",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def lint(bench: Bench, *arguments: str, code: int = 0) -> str:
    return bench("lint", "--tasks", "tasks", *arguments, code=code).stdout


def test_a_good_specification(bench: Bench) -> None:
    write_task(bench, "py-add")
    assert lint(bench) == "1 specifications, 0 unreadable, 0 errors, 0 warnings, 0 disabled\n"


def test_errors_are_told_like_a_compilers(bench: Bench) -> None:
    write_task(bench, "py-add", SPEC.replace("- `add`", "- TODO \x1b[31m\n- See test_adds_two. Properly, `add`"))
    assert lint(bench, code=1).splitlines() == [
        "tasks/verified/python/py-add/SPEC.md:10: [error] spec-placeholder: 'TODO' is still open",
        "tasks/verified/python/py-add/SPEC.md:11: [error] spec-leaks-test-name: names the graded test 'test_adds_two'",
        "tasks/verified/python/py-add/SPEC.md:11: [warning] spec-weasel-term: 'properly' leaves the decision to the"
        " reader: say what is wanted",
        "1 specifications, 0 unreadable, 2 errors, 1 warnings, 0 disabled",
    ]


def test_warnings_alone_are_no_failure(bench: Bench) -> None:
    write_task(bench, "py-add", SPEC.replace("- `add`", "- Properly, `add`"))
    assert "1 warnings" in lint(bench)


def test_a_disabled_rule_is_shown_with_its_reason(bench: Bench) -> None:
    spec = SPEC.replace("- `add`", "- TODO: `add`")
    write_task(bench, "py-add", spec, lint={"spec-placeholder": "it is about \x1b[31mTODO"})
    told = lint(bench)
    assert "[disabled] spec-placeholder: 'TODO' is still open (disabled: it is about \\x1b[31mTODO)\n" in told
    assert "0 errors, 0 warnings, 1 disabled" in told


def test_an_unknown_rule_is_an_error_of_the_task_file(bench: Bench) -> None:
    write_task(bench, "py-add", lint={"spec-nonsense": "so"})
    assert "py-add/task.json: [error] lint-unknown-rule: 'spec-nonsense'" in lint(bench, code=1)


def test_a_selection(bench: Bench) -> None:
    write_task(bench, "py-add")
    write_task(bench, "py-bad", SPEC.replace("## Context", "## Story"))
    assert "2 specifications, 0 unreadable, 1 errors" in lint(bench, code=1)
    assert "1 specifications" in lint(bench, "py-add")
    assert "1 specifications" in lint(bench, "--task", "py-add", "--language", "python")
    assert "2 specifications" in lint(bench, "py-add", "--task", "py-bad", code=1)


def test_tasks_of_other_formats_are_left_out(bench: Bench) -> None:
    write_task(bench, "py-add")
    bench.task()
    done = bench("lint", "--tasks", "tasks")
    assert "1 tasks of other formats left out" in done.stderr
    assert done.stdout.startswith("1 specifications")


def test_nothing_to_lint_is_an_error(bench: Bench) -> None:
    bench.task()
    done = bench("lint", "--tasks", "tasks", code=2)
    assert "error: no verified task was selected" in done.stderr
    assert done.stdout == ""


def test_a_task_that_cannot_be_read_is_a_failure(bench: Bench) -> None:
    write_task(bench, "py-add")
    (write_task(bench, "py-gone") / "solution" / "sums.py").unlink()
    done = bench("lint", "--tasks", "tasks", code=1)
    assert "solution/ is missing or empty" in done.stderr
    assert "1 specifications, 1 unreadable, 0 errors" in done.stdout
    assert "1 specifications, 0 unreadable" in lint(bench, "py-add")


def test_a_missing_specification(bench: Bench) -> None:
    (write_task(bench, "py-add") / "SPEC.md").unlink()
    assert "py-add/SPEC.md: [error] spec-missing: there is no SPEC.md\n" in lint(bench, code=1)


def test_as_json(bench: Bench) -> None:
    folder = write_task(bench, "py-add", SPEC.replace("# Add", "Add", 1))
    told = bench.json("lint", "--tasks", "tasks", code=1)
    assert told["errors"] == 1
    (task,) = told["tasks"]
    assert task["path"] == str(folder.resolve() / "SPEC.md")
    (finding,) = task["findings"]
    assert finding["rule"] == "spec-no-title"
    assert finding["line"] is None
