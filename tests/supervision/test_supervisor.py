"""The child program by itself, in its own language."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from process_bed import PYTHON, SCRIPTED, living_with, new_token

ROOT = SCRIPTED.parents[2]
START = "import sys; sys.path.append(sys.argv[1]); from agent_bench.supervision import supervisor; "
DEADLINE_SEC = 20.0


class Program:
    """The supervisor's program and a request to it."""

    def __init__(self, folder: Path, change: str = "") -> None:
        self.folder = folder
        self.token = new_token()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", f"{START}{change}supervisor.main()", str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={},
        )

    def request(self, number: int, *argv: str, **changes: Any) -> None:
        limits = {
            "wall_sec": 30.0,
            "startup_sec": None,
            "idle_sec": None,
            "output_bytes": None,
            "grace_sec": 0.3,
        }
        request = {
            "id": number,
            "argv": argv,
            "cwd": "/",
            "env": {"PATH": "/usr/bin:/bin", "MARK": f"{self.token}-{number}"},
            "marker": f"MARK={self.token}-{number}",
            "stdin": None,
            "stdout": str(self.folder / f"{number}.out"),
            "stderr": str(self.folder / f"{number}.err"),
            "limits": {**limits, "memory_bytes": None, "file_bytes": None, **changes},
            "descriptors": {},
            "status_fd": None,
        }
        self.send(request)

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def report(self) -> dict[str, Any]:
        assert self.process.stdout
        return dict(json.loads(self.process.stdout.readline()))

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=DEADLINE_SEC)


def wait_for(count: int, token: str) -> None:
    deadline = time.monotonic() + DEADLINE_SEC
    while len(living_with(token)) != count:
        assert time.monotonic() < deadline, living_with(token)
        time.sleep(0.01)


def test_it_loads_nothing_heavy() -> None:
    script = f"{START}print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(ROOT)], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "agent_bench.supervision.command" in loaded
    assert not loaded & {
        "asyncio",
        "subprocess",
        "socket",
        "threading",
        "typing_extensions",
        "pydantic",
        "anyio",
        "pathlib",
    }


def test_reports_come_as_commands_end_each_with_its_number(tmp_path: Path) -> None:
    with Program(tmp_path) as program:
        program.request(1, "sh", "-c", "sleep 0.5; exit 1")
        program.request(2, "sh", "-c", "exit 2")
        first, second = program.report(), program.report()
    assert [(report["id"], report["exit_code"]) for report in (first, second)] == [(2, 2), (1, 1)]


def test_a_cancelled_command_is_reported_as_such(tmp_path: Path) -> None:
    token = new_token()
    with Program(tmp_path) as program:
        program.request(1, PYTHON, str(SCRIPTED / "ignore_term.py"), token)
        program.request(2, "sleep", token)
        wait_for(2, token)
        while not (tmp_path / "1.out").read_text():  # from then on it ignores SIGTERM
            time.sleep(0.01)
        program.send({"id": 1, "cancel": True})
        program.send({"id": 99, "cancel": True})  # there is none: nothing happens
        report = program.report()
        assert (report["id"], report["cancelled"], report["exit_code"], report["survivors"]) == (
            1,
            True,
            -9,
            0,
        )
        wait_for(1, token)


def test_the_end_of_its_input_ends_all_with_a_report_and_without_grace(tmp_path: Path) -> None:
    token = new_token()
    with Program(tmp_path) as program:
        program.request(1, PYTHON, str(SCRIPTED / "escape.py"), "stay", token, grace_sec=60.0)
        wait_for(5, token)
        assert program.process.stdin
        program.process.stdin.close()
        report = program.report()
        assert (report["cancelled"], report["exit_code"], report["leftovers"]) == (True, -9, 4)
        assert program.process.wait(DEADLINE_SEC) == 0
        assert living_with(token) == []
        program.process.stdin = None


def test_its_own_death_ends_all(tmp_path: Path) -> None:
    token = new_token()
    with Program(tmp_path) as program:
        program.request(1, PYTHON, str(SCRIPTED / "escape.py"), "stay", token)
        wait_for(5, token)
        program.process.kill()
        wait_for(0, token)
        assert living_with(token) == []


def test_a_harness_whose_pipe_somebody_else_holds_is_missed_too(tmp_path: Path) -> None:
    token = new_token()
    script = f"""
import os, subprocess, sys, time
sys.path[:0] = {[str(SCRIPTED.parents[1]), str(ROOT / "tests" / "supervision"), str(ROOT)]!r}
from pathlib import Path
from test_supervisor import Program
program = Program(Path({str(tmp_path)!r}))
program.request(1, "sleep", {token!r})
subprocess.Popen(["sleep", "{token}1"], pass_fds=[program.process.stdin.fileno()])
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", script]) as harness:
        wait_for(3, token)  # the script itself, too
        harness.kill()
    deadline = time.monotonic() + DEADLINE_SEC
    while any(line.strip() == f"sleep {token}" for line in living_with(token)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and f"{token}1".encode() in (entry / "cmdline").read_bytes():
            os.kill(int(entry.name), 9)


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_command_that_ends_or_stops_its_supervisor_is_ended(tmp_path: Path, way: str) -> None:
    token = new_token()
    with Program(tmp_path, "supervisor._LATE_SEC = -supervisor.KILL_SEC; ") as program:
        program.request(1, PYTHON, str(SCRIPTED / "kill_supervisor.py"), way, token, wall_sec=1.0)
        report = program.report()
        assert report["fault"] == "the supervisor of this command was killed"
        assert (report["exit_code"], report["survivors"]) == (None, 0)
        assert living_with(token) == []
        program.request(2, "sh", "-c", "exit 2")
        assert program.report()["exit_code"] == 2


def test_a_supervisor_that_cannot_go_on_kills_its_command_first(tmp_path: Path) -> None:
    token = new_token()
    broken = "from agent_bench.supervision import command; command.Command._check_limits = lambda self: 1 / 0; "
    with Program(tmp_path, broken) as program:
        program.request(1, "sh", "-c", f"echo begun; sleep {token}")
        report = program.report()
        assert "ZeroDivisionError" in report["fault"]
        assert report["survivors"] == 0
        assert living_with(token) == []
