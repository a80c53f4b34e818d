import json
from pathlib import Path
from typing import Any

import pytest
from grading_bed import GradingBed
from process_bed import needs_bubblewrap

from agent_bench.graders.command import fill_in, placeholders
from agent_bench.model import Signal

TREE = {"app.py": "print('hello')\n"}


def ran(bed: GradingBed, command: str | list[str], **options: Any) -> Signal:
    return bed.signal("command", TREE, {"command": command, **options})


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("grep -q hello app.py", 1.0),
        ("grep -q goodbye app.py", 0.0),
        (["/bin/sh", "-c", "exit 0"], 1.0),
        (["test", "-f", "app.py"], 1.0),
        (["test", "-f", "gone.py"], 0.0),
        ("exit 300; true", 0.0),
        ("kill -9 $$", 0.0),
    ],
)
def test_the_exit_code_decides(bed: GradingBed, command: str | list[str], value: float) -> None:
    signal = ran(bed, command)
    assert signal.value == value
    assert (signal.facts["exit_code"] == 0) == (value == 1.0)


def test_the_last_words_are_in_the_reason(local_bed: GradingBed) -> None:
    assert ran(local_bed, "echo 'port is closed' >&2; exit 3").reason == "exit code 3: port is closed"


def test_beyond_its_time_it_is_zero(local_bed: GradingBed) -> None:
    signal = ran(local_bed, "sleep 60", timeout_sec=0.5)
    assert signal.value == 0.0
    assert signal.reason == "no end within 0.5 s"


def test_nothing_produced_is_zero_without_running_it(local_bed: GradingBed) -> None:
    signal = local_bed.signal("command", {}, {"command": "true"}, starting=TREE)
    assert signal.value == 0.0
    assert signal.reason == "nothing was produced"


def test_the_authors_files_lie_outside_the_tree(bed: GradingBed, tmp_path: Path) -> None:
    scripts = tmp_path / "check's files"
    scripts.mkdir()
    (scripts / "check.sh").write_text('test "$(ls)" = app.py && test "$1" = "{other}"\n')
    assert ran(bed, "sh {files}/check.sh {other}", files=str(scripts)).value == 1.0
    assert ran(bed, ["sh", "{files}/check.sh", "{other}"], files=str(scripts)).value == 1.0


@needs_bubblewrap
def test_the_authors_files_cannot_be_changed(local_bed: GradingBed, tmp_path: Path) -> None:
    local_bed.sandbox = "bubblewrap"
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "check.sh").write_text("exit 1\n")
    assert ran(local_bed, "echo 'exit 0' > {files}/check.sh; sh {files}/check.sh", files=str(scripts)).value == 0.0
    assert (scripts / "check.sh").read_text() == "exit 1\n"


def test_files_without_a_folder_is_said(local_bed: GradingBed) -> None:
    signal = ran(local_bed, "sh {files}/check.sh")
    assert signal.value is None
    assert "{files}" in signal.reason


def test_python_is_the_environments(bed: GradingBed) -> None:
    program = "import json, sys, pytest; print(json.dumps([sys.prefix, sys.path[0]]), file=sys.stderr); sys.exit(4)"
    signal = ran(bed, ["{python}", "-c", program])
    prefix, first = json.loads(signal.reason.removeprefix("exit code 4: "))
    assert prefix.startswith(str(bed.cache))
    assert first == ""


def test_no_environment_is_made_for_a_command_without_python(local_bed: GradingBed, tmp_path: Path) -> None:
    local_bed.cache = tmp_path / "empty"
    local_bed.cache.mkdir()
    assert ran(local_bed, "true").value == 1.0
    assert not list(local_bed.cache.iterdir())


def test_an_environment_that_cannot_be_made_is_not_observed(local_bed: GradingBed, tmp_path: Path) -> None:
    local_bed.cache = tmp_path
    local_bed.environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "UV_OFFLINE": "1"}
    signal = ran(local_bed, "{python} app.py")
    assert signal.value is None
    assert signal.reason.startswith("the environment could not be made")


@pytest.mark.parametrize("command", ["nosuchprogram --version", ["nosuchprogram", "x"]])
def test_a_program_that_is_not_installed_is_not_observed(bed: GradingBed, command: str | list[str]) -> None:
    signal = ran(bed, command)
    assert signal.value is None
    assert signal.reason == "nosuchprogram: no such program in the grading sandbox"


@pytest.mark.parametrize("command", ["sh -c 'exit 127'", "cd . && nosuchprogram", "sh gone.sh || exit 127"])
def test_a_program_that_ends_as_if_it_were_not_installed_is_zero(local_bed: GradingBed, command: str) -> None:
    assert ran(local_bed, command).value == 0.0


def test_each_command_has_a_tree_of_its_own(bed: GradingBed) -> None:
    for _ in range(2):
        assert ran(bed, "test ! -e left && touch left && rm app.py").value == 1.0


def test_filling_in() -> None:
    values = {"files": Path("/a b/{python}"), "python": Path("/p'y")}
    assert fill_in("x {files} {other} ${HOME} {{python}}", values) == (
        *("/bin/sh", "-c"),
        "x '/a b/{python}' {other} ${HOME} {'/p'\"'\"'y'}",
    )
    assert fill_in(["{python}", "-c", "{x} {files}"], values) == ("/p'y", "-c", "{x} /a b/{python}")
    assert placeholders(["{python}", "{x}"]) == {"python"}
    assert placeholders("no {} {file}") == set()
