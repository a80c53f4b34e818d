"""Agents that do their worst, through the whole pipeline, in each sandbox: real programs, side by side in one run.

Each must end in the right outcome within its limit, with no process left, and the trials beside it unharmed.
"""

import json
import os
import shutil
import sqlite3
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command_line import Bench

SCRIPTED = Path(__file__).parent / "agents" / "scripted"
LIMIT = 10.0
SLACK = 2.5
"""What may pass between the limit and the end of the last process (1.5 s of it is grace)."""


@dataclass(frozen=True)
class Case:
    """A scripted agent and what must become of it."""

    name: str
    command: str
    outcome: str
    files: int | None = None
    """Files that count as produced; None: not looked at."""
    reason: str = ""
    evidence: str = ""
    leftovers: bool = False
    """Whether processes must have been found and ended after it."""


CASES = [
    Case("hang", "hang.py", "timed_out", 0, "not done after"),
    Case("deaf", "ignore_term.py", "timed_out", 0, "not done after"),
    Case("escape", "escape.py", "completed", leftovers=True),
    Case("escape-stay", "escape.py stay", "timed_out"),
    Case("flood", "flood.py 500", "completed", 0),
    Case("bytes", "bad_bytes.py", "completed", 1),
    Case("exit1", "end.py exit 1", "agent_failed", 0, "exit code 1"),
    Case("exit137", "end.py exit 137", "agent_failed", 0, ""),
    Case("signal", "end.py signal 11", "agent_failed", 0, "SIGSEGV"),
    Case("remove", "remove_workspace.py", "completed", 0),
    Case("replace", "remove_workspace.py replace", "completed", 0),
    Case("many", "many_files.py 50000", "completed", evidence="files were left out"),
    Case("sparse", "sparse_file.py 2000000000", "completed", 0, evidence="2000000000 bytes"),
    Case("links", "links.py {database}", "completed", evidence="link out of the workspace"),
    Case("locked", "locked_files.py", "completed"),
    Case("names", "odd_names.py", "completed"),
    Case("nothing", "nothing.py", "completed", 0),
    Case("late", "late_writer.py", "completed", leftovers=True),
    Case("good", "good.py", "completed"),
]


@dataclass(frozen=True)
class Done:
    """The run of all cases."""

    bench: Bench
    records: dict[str, dict[str, Any]]
    stdout: str
    stderr: str
    seconds: float


def _bubblewrap_works() -> bool:
    return shutil.which("bwrap") is not None


@pytest.fixture(scope="module", params=["bubblewrap", "local"])
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Done:
    if request.param == "bubblewrap" and not _bubblewrap_works() and not os.environ.get("CI"):
        pytest.skip("bubblewrap is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "AGENT_BENCH_"))}
    bench = Bench(folder, kept)
    bench.task()
    options = ["--timeout", str(LIMIT), "--max-concurrent", "4", "--sandbox", request.param, "--retries", "0"]
    for case in CASES:
        if case.name == "many":
            continue
        command = case.command.replace("{database}", str(folder / "bench.db"))
        program, _, arguments = command.partition(" ")
        options += ["--agent", f"{case.name}={sys.executable} {SCRIPTED / program} {arguments}"]
    began = time.monotonic()
    run = bench("run", "trivial", *options, "--agent", "noop", timeout=280)
    records = {record["key"]["agent"]: record for record in bench.results()}
    # Fifty thousand files take a slow machine long: by itself, with all the time that it needs.
    many = f"many={sys.executable} {SCRIPTED / 'many_files.py'} 50000"
    bench("run", "trivial", "--agent", many, "--sandbox", request.param, "--retries", "0", timeout=280)
    records["many"] = bench.results()[0]
    return Done(bench, records, run.stdout, run.stderr, time.monotonic() - began)


pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_right_outcome_in_time(done: Done, case: Case) -> None:
    record = done.records[case.name]
    assert record["outcome"] == case.outcome, record["reason"]
    assert case.reason in record["reason"]
    assert record["survivors"] == 0
    assert record["wall_sec"] <= LIMIT + SLACK or case.name == "many"
    if case.leftovers:
        assert record["leftovers"] > 0
    if case.files is not None:
        produced = record["produced"]
        assert len(produced["added"]) + len(produced["modified"]) == case.files
    if case.evidence:
        assert any(case.evidence in line for line in record["produced"]["evidence"]), record["produced"]["evidence"]
    assert (Path(record["workdir"]) / "trial.json").is_file()


def test_nothing_of_any_agent_is_alive(done: Done) -> None:
    alive = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            environ = (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(SCRIPTED) in command or str(done.bench.folder).encode() in environ:
            alive.append(command)
    assert alive == []


def test_nothing_of_the_host_came_back(done: Done) -> None:
    """Neither the password file nor the database is in what was graded or kept as changes."""
    for record in done.records.values():
        changes = Path(record["workdir"]) / "logs" / "changes.diff"
        assert b"root:x:0:0" not in changes.read_bytes()
        assert b"SQLite format" not in changes.read_bytes()


def test_logs_are_bounded_and_say_what_is_cut(done: Done) -> None:
    logs = Path(done.records["flood"]["workdir"]) / "logs"
    for stream in ("stdout", "stderr"):
        content = (logs / f"agent.{stream}.log").read_bytes()
        assert len(content) < 3 << 20
        assert content.startswith(b"first line\n")
        assert b"last line" in content[-200:]
        assert b" bytes" in content


def test_the_trials_beside_are_unharmed(done: Done) -> None:
    assert done.records["noop"]["score"]["value"] == 0.0
    good = {signal["name"]: signal["value"] for signal in done.records["good"]["signals"]}
    assert good["files"] == good["imports"] == good["pytest"] == 1.0
    with sqlite3.connect(done.bench.folder / "bench.db") as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        assert connection.execute("select count(*) from trials").fetchone() == (len(CASES) + 1,)
    connection.close()


def test_what_agents_write_reaches_the_terminal_escaped(done: Done) -> None:
    shown = done.bench("show", done.records["bytes"]["id"]).stdout
    shown += done.bench("show", done.records["names"]["id"], "--full").stdout
    assert "\x1b" not in done.stdout + done.stderr + shown
    assert "\\x1b[2J" in shown
    assert json.loads(done.bench("show", done.records["names"]["id"], "--json").stdout)


def test_what_is_left_on_disk_can_be_removed(done: Done, tmp_path: Path) -> None:
    """As an ordinary user would: every folder can be entered and emptied."""
    for name in ("locked", "names", "links"):
        output = Path(done.records[name]["workdir"]) / "output"
        for folder, _, _ in os.walk(output):
            assert os.stat(folder).st_mode & 0o700 == 0o700
        shutil.copytree(output, tmp_path / name, symlinks=True)
        shutil.rmtree(tmp_path / name)


def test_the_supervisor_killed_is_a_fault_of_ours_not_the_agents(done: Done) -> None:
    """Where nothing hides our processes, an agent can kill its supervisor: its trial is void, and nothing survives."""
    program = f"killer={sys.executable} {SCRIPTED / 'kill_supervisor.py'}"
    done.bench(
        "run", "trivial", "-a", program, "-a", "noop", "--sandbox", "local", "--timeout", "5", "--retries", "0",
        "--out", "killer.json",
    )  # fmt: skip
    records = json.loads((done.bench.folder / "killer.json").read_text())["records"]
    outcome = {record["key"]["agent"]: record["outcome"] for record in records}
    assert outcome == {"killer": "sandbox_failed", "noop": "completed"}
