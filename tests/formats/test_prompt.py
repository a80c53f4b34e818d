"""Prompt tasks: what a file means, and how each mistake in one is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_bench.errors import FileError
from agent_bench.formats.prompt import PromptFormat
from agent_bench.model import Check, Environment, Task

MINIMAL = "id: greet\nprompt: Say hello.\n"

Load = Callable[..., Task]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """The task in a text, beside files of the folder of tasks."""

    def load(text: str, **files: str) -> Task:
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        path = tmp_path / "task.yaml"
        path.write_text(text, encoding="utf-8")
        return PromptFormat().load(path, tmp_path)

    return load


def weights(task: Task) -> dict[str, float]:
    return {check.name: check.weight for check in task.checks}


def test_a_minimal_task(load: Load, tmp_path: Path) -> None:
    task = load(MINIMAL)
    assert (task.id, task.format, task.title, task.instruction) == ("greet", "prompt", "Greet", "Say hello.")
    assert task.limits.agent_sec == 600.0
    assert weights(task) == {"files": 0.30, "imports": 0.15, "ruff": 0.10, "pytest": 0.20, "judge": 0.25}
    assert task.checks[0].options == {"minimum": 1, "required": []}
    assert (task.workspace, task.solution, task.hidden, task.tags) == (None, None, (), ())
    assert task.source == tmp_path / "task.yaml"


def test_a_task_of_the_first_format_loads_unchanged(load: Load) -> None:
    task = load(
        "id: todo_api\n"
        "prompt: |\n  Build a REST API for todos.\n  Use FastAPI.\n"
        "timeout_sec: 900\n"
        "success_criteria:\n  files_produced_min: 3\n  must_contain_file: main.py\n"
    )
    assert task.instruction == "Build a REST API for todos.\nUse FastAPI.\n"
    assert task.limits.agent_sec == 900.0
    assert task.checks[0].options == {"minimum": 3, "required": ["main.py"]}


def test_every_key(load: Load, tmp_path: Path) -> None:
    task = load(
        """\
id: web/greet-2
title: Greets
prompt: "Say \\"hello\\" — ünïcode, -- and {braces}"
timeout_sec: 1.5
success_criteria: {files_produced_min: 0, must_contain_file: [a.py, docs/b.md]}
language: python
difficulty: hard
tags: [web, small]
environment: {python: "3.12", requirements: ["flask>=3,<4", "x[y]; python_version > '3'"]}
workspace: start/here
solution: solutions/greet
weights: {judge: 0, behaviour: 2}
checks:
  - {grader: pytest, timeout_sec: 120, weight: 0.5}
  - grader: command
    name: behaviour
    command: ["{python}", "{files}/check.py"]
    files: checks/greet
    timeout_sec: 5
""",
        start__here__a__py="",
        solutions__greet__a="x",
        checks__greet__check="x",
    )
    assert (task.id, task.title, task.language, task.difficulty) == ("web/greet-2", "Greets", "python", "hard")
    assert task.instruction == 'Say "hello" — ünïcode, -- and {braces}'
    assert task.tags == ("web", "small")
    assert task.limits.agent_sec == 1.5
    assert task.environment == Environment(python="3.12", requirements=("flask>=3,<4", "x[y]; python_version > '3'"))
    assert task.workspace == tmp_path / "start/here"
    assert task.solution == tmp_path / "solutions/greet"
    assert task.hidden == (tmp_path / "solutions/greet", tmp_path / "checks/greet")
    checks = {check.name: check for check in task.checks}
    assert list(checks) == ["files", "imports", "ruff", "pytest", "behaviour"]
    assert checks["files"].options == {"minimum": 0, "required": ["a.py", "docs/b.md"]}
    assert checks["pytest"] == Check(name="pytest", grader="pytest", options={"timeout_sec": 120}, weight=0.5)
    assert checks["behaviour"].weight == 2.0
    assert checks["behaviour"].options == {
        "command": ("{python}", "{files}/check.py"),
        "files": str(tmp_path / "checks/greet"),
        "timeout_sec": 5,
    }


def test_a_weight_of_0_switches_a_check_off(load: Load) -> None:
    task = load(MINIMAL + "weights: {imports: 0, ruff: 0, pytest: 0.5}\nchecks: [{grader: judge, weight: 0}]\n")
    assert weights(task) == {"files": 0.30, "pytest": 0.5}


def test_weights_have_the_last_word(load: Load) -> None:
    assert weights(load(MINIMAL + "weights: {pytest: 0.7}\nchecks: [{grader: pytest, weight: 0.1}]\n"))["pytest"] == 0.7


def test_two_commands_may_share_a_folder(load: Load, tmp_path: Path) -> None:
    text = MINIMAL + "checks:\n"
    for name in ("one", "two"):
        text += f"  - {{grader: command, name: {name}, weight: 1, command: sh {{files}}/{name}.sh, files: checks}}\n"
    assert load(text.replace("{files}/", "x"), checks__one="").hidden == (tmp_path / "checks",)


def test_a_prompt_is_kept_as_it_is(load: Load) -> None:
    prompt = "-f 'quotes' \"double\" $(x) `y` \\ ü 日本 {prompt}\n\n  indented\n"
    text = "".join(f"  {line}\n" if line else "\n" for line in prompt.rstrip("\n").split("\n"))
    assert load(f"id: x\nprompt: |\n{text}").instruction == prompt


COMMAND = "checks:\n  - grader: command\n    name: works\n    weight: 1\n"


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        ("id: x\nprompt: ' '\n", 2, "prompt", "expected text that is not blank"),
        ("id: x\n", 1, "prompt", "missing"),
        ("prompt: x\n", 1, "id", "missing"),
        ("id: Greet\nprompt: x\n", 1, "id", "expected lower-case letters"),
        ("id: a/../b\nprompt: x\n", 1, "id", "expected lower-case letters"),
        ("id: a//b\nprompt: x\n", 1, "id", "expected lower-case letters"),
        ("id: /a\nprompt: x\n", 1, "id", "expected lower-case letters"),
        (f"id: {'x' * 121}\nprompt: x\n", 1, "id", "120 characters at most"),
        ("id: 3\nprompt: x\n", 1, "id", "found 3, expected text"),
        (MINIMAL + "timout_sec: 3\n", 3, "timout_sec", "did you mean 'timeout_sec'?"),
        (MINIMAL + "timeout_sec: 0\n", 3, "timeout_sec", "greater than 0"),
        (MINIMAL + "timeout_sec: '60'\n", 3, "timeout_sec", "found '60', expected a whole number or a number"),
        (MINIMAL + "timeout_sec: true\n", 3, "timeout_sec", "found true"),
        (MINIMAL + "timeout_sec: .inf\n", 3, "timeout_sec", "found inf"),
        (MINIMAL + "success_criteria:\n  must_contain: a\n", 4, "success_criteria.must_contain", "must_contain_file"),
        (
            MINIMAL + "success_criteria:\n  files_produced_min: -1\n",
            4,
            "success_criteria.files_produced_min",
            "found -1",
        ),
        (MINIMAL + "success_criteria:\n  files_produced_min: 1.5\n", 4, "success_criteria.files_produced_min", "1.5"),
        (MINIMAL + "success_criteria:\n  must_contain_file: ../a\n", 4, "must_contain_file", "without '..'"),
        (MINIMAL + "success_criteria:\n  must_contain_file: [a, /b]\n", 4, "must_contain_file.1", "relative path"),
        (MINIMAL + "success_criteria:\n  must_contain_file: docs/\n", 4, "must_contain_file", "not of a folder"),
        (MINIMAL + "difficulty: trivial\n", 3, "difficulty", "expected 'easy', 'medium' or 'hard'"),
        (MINIMAL + "tags: web\n", 3, "tags", "found 'web', expected a list"),
        (MINIMAL + "tags: [web, 3]\n", 3, "tags.1", "found 3, expected text"),
        (MINIMAL + "environment: {python: 3.12}\n", 3, "environment.python", "found 3.12, expected text"),
        (MINIMAL + "environment: {python: '3'}\n", 3, "environment.python", '"3.12", in quotes'),
        (MINIMAL + "environment: {requirements: ['flask=3']}\n", 3, "requirements.0", "found 'flask=3', expected"),
        (MINIMAL + "environment: {requirements: ['-r x']}\n", 3, "requirements.0", "such as 'flask>=3,<4'"),
        (MINIMAL + "environment: {requirements: ['x @ file:///x']}\n", 3, "requirements.0", "without a URL"),
        (MINIMAL + "workspace: nowhere\n", 3, "workspace", "found 'nowhere', which does not exist"),
        (MINIMAL + "workspace: file\n", 3, "workspace", "found 'file', which is a file"),
        (MINIMAL + "workspace: empty\n", 3, "workspace", "holds no file"),
        (MINIMAL + "solution: ../x\n", 3, "solution", "without '..'"),
        (MINIMAL + "solution: /etc\n", 3, "solution", "relative path"),
        (MINIMAL + "solution: .\n", 3, "solution", "relative path"),
        (MINIMAL + "workspace: full\nsolution: full/inner\n", 3, "workspace", "'inner', which is hidden from it"),
        (MINIMAL + "workspace: full/inner\nsolution: full\n", 3, "workspace", "'full', which is hidden from it"),
        (MINIMAL + "weights: {pytset: 1}\n", 3, "weights.pytset", "unknown check 'pytset'"),
        (MINIMAL + "weights: {pytest: -1}\n", 3, "weights.pytest", "found -1"),
        (MINIMAL + "weights: {files: 0, imports: 0, ruff: 0, pytest: 0, judge: 0}\n", 3, "weights", "no check has any"),
        (MINIMAL + "checks:\n  - grader: pylint\n", 4, "checks.0.grader", "'pytest', 'judge' or 'command'"),
        (
            MINIMAL + "checks:\n  - grader: ruff\n    timeout_sec: 3\n",
            5,
            "checks.0.timeout_sec",
            "no option of the grader",
        ),
        (MINIMAL + "checks:\n  - {grader: ruff, name: style}\n", 4, "checks.0.name", "one check by the grader ruff"),
        (
            MINIMAL + "checks:\n  - {grader: command, name: ruff}\n",
            4,
            "checks.0.name",
            "name of the check by the grader",
        ),
        (MINIMAL + "checks:\n  - {grader: ruff}\n  - {grader: ruff}\n", 5, "checks.1", "a second check named 'ruff'"),
        (MINIMAL + COMMAND, 4, "checks.0.command", "missing"),
        (MINIMAL + COMMAND + "    command: ''\n", 7, "checks.0.command", "not blank"),
        (MINIMAL + COMMAND + "    command: []\n", 7, "checks.0.command", "missing"),
        (MINIMAL + COMMAND + "    command: sh {files}/x\n", 4, "checks.0.files", "missing"),
        (MINIMAL + COMMAND + "    command: x\n    files: nowhere\n", 8, "checks.0.files", "does not exist"),
        (
            MINIMAL + COMMAND.replace("weight: 1", "timeout_sec: 5") + "    command: x\n",
            4,
            "checks.0.weight",
            "missing",
        ),
        (MINIMAL + COMMAND.replace("works", "It works"), 5, "checks.0.name", "expected lower-case letters"),
    ],
)
def test_each_mistake_in_words(load: Load, tmp_path: Path, text: str, line: int, field: str, words: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError) as caught:
        load(text, file="", full__inner__a="", full__b="")
    assert caught.value.path == tmp_path / "task.yaml"
    said = f"{caught.value.message} {caught.value.hint}"
    assert words in said
    assert field in caught.value.field
    assert caught.value.line == line, said


def test_a_misspelt_check_is_answered_with_the_right_one(load: Load) -> None:
    with pytest.raises(FileError) as caught:
        load(MINIMAL + "weights: {pytset: 1}\n")
    assert "did you mean 'pytest'" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["workspace", "solution"])
def test_links_are_not_task_material(load: Load, tmp_path: Path, name: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("")
    (tmp_path / "linked").symlink_to("real")
    with pytest.raises(FileError, match="no links"):
        load(MINIMAL + f"{name}: linked\n")
    (tmp_path / "real" / "passwd").symlink_to("/etc/passwd")
    with pytest.raises(FileError, match="passwd: link out of"):
        load(MINIMAL + f"{name}: real\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id: x\nprompt: \xff\n", "not UTF-8: byte 0xff"),
        (b"#" * (5 << 20), "more than 4 MiB"),
        (b"\x00", "not valid YAML"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words) as caught:
        PromptFormat().load(path, tmp_path)
    assert caught.value.line == (2 if b"\xff" in content else None)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not readable: No such file"):
        PromptFormat().load(tmp_path / "gone.yaml", tmp_path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())
    assert PromptFormat().load(path, tmp_path).id == "greet"


def test_what_is_found(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", ".hidden.yaml", "c.json", "README.md"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "challenges").mkdir()
    (tmp_path / "challenges" / "d.yaml").write_text("")
    assert [path.name for path in PromptFormat().find(tmp_path)] == ["a.yml", "b.yaml"]


def test_the_digest_covers_what_can_change_a_result(load: Load, tmp_path: Path) -> None:
    text = MINIMAL + "workspace: w\nsolution: s\n" + COMMAND + "    command: x\n    files: c\n"
    files: dict[str, Any] = {"w__a": "1", "s__a": "2", "c__a": "3", "other": "4"}
    digest = load(text, **files).digest
    assert load(text, **files).digest == digest
    assert load(text, **{**files, "other": "changed"}).digest == digest
    for name in ("w__a", "s__a", "c__a"):
        assert load(text, **{**files, name: "changed"}).digest != digest
    assert load(text.replace("hello", "hallo"), **files).digest != digest
    assert load(text, **files).digest == digest
    (tmp_path / "w" / "__pycache__").mkdir()
    (tmp_path / "w" / "__pycache__" / "a.pyc").write_text("")
    assert load(text, **files).digest == digest
