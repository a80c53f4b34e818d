"""The main job from end to end, as a user runs it: real processes, real grading, a real database."""

import csv
import io
import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Bench
from judge_server import Step, failure, fixed, grades, judge_server, message

pytestmark = pytest.mark.timeout(240)


def test_controls_on_a_shipped_task_score_0_and_1(bench: Bench) -> None:
    done = bench("run", "hello_cli", "-a", "noop", "-a", "reference")
    by_agent = {record["key"]["agent"]: record for record in bench.results()}
    assert by_agent["noop"]["score"]["value"] == 0.0
    assert by_agent["reference"]["score"]["value"] == 1.0
    observed = {signal["name"]: signal["value"] for signal in by_agent["reference"]["signals"]}
    assert observed.pop("judge") is None
    assert set(observed.values()) == {1.0}
    assert "planned 2 = 2 scored + 0 faults + 0 interrupted + 0 not run" in done.stdout
    for record in by_agent.values():
        folder = Path(record["workdir"])
        assert folder.is_relative_to(bench.folder / "runs" / record["key"]["agent"] / "hello_cli")
        assert {"output", "traces", "logs", "trial.json"} <= {path.name for path in folder.iterdir()}


def test_a_good_agent_beside_a_hanging_one(bench: Bench, scripted: Callable[..., str]) -> None:
    bench.task()
    options = ["-a", scripted("good", "good.py"), "-a", scripted("hang", "hang.py"), "-a", "noop"]
    began = time.monotonic()
    bench("run", "trivial", *options, "--timeout", "4", "--max-concurrent", "3")
    assert time.monotonic() - began < 60
    outcome = {record["key"]["agent"]: record["outcome"] for record in bench.results()}
    assert outcome == {"good": "completed", "hang": "timed_out", "noop": "completed"}
    hang = next(record for record in bench.results() if record["key"]["agent"] == "hang")
    assert hang["limit"] == {"name": "wall_sec", "value": 4.0}
    assert hang["survivors"] == 0
    assert hang["score"]["value"] == 0.0


def test_what_was_stored_can_be_seen_again(bench: Bench, scripted: Callable[..., str]) -> None:
    bench.task()
    bench("run", "trivial", "-a", scripted("good", "good.py"), "-a", "noop", "--attempts", "2")
    history = bench.json("history", "--last", "3")
    assert len(history) == 3
    board = {row["name"]: row for row in bench.json("leaderboard")}
    assert board["good"]["counted"] == 2
    assert board["noop"]["mean"] == 0.0
    assert bench.json("leaderboard", "--by", "task")[0]["name"] == "trivial"
    good = next(record for record in bench.results() if record["key"]["agent"] == "good")
    shown = bench("show", good["id"][:6]).stdout
    assert "files" in shown
    assert "hello.txt" in shown or "README" in shown
    assert bench.json("show", good["id"])["id"] == good["id"]
    markdown = bench("report", "--format", "markdown").stdout
    assert "| good" in markdown
    rows = list(csv.DictReader(io.StringIO(bench("report", "--format", "csv").stdout)))
    assert len(rows) == 4
    assert {row["agent"] for row in rows} == {"good", "noop"}
    assert json.loads(bench("report", "--format", "json").stdout)["run"]["id"] == good["key"]["run"]
    assert "good" in bench("report", "--results", "results.json").stdout


def test_the_view_with_the_columns_of_the_first_format(bench: Bench) -> None:
    bench.task()
    bench("run", "trivial", "-a", "noop")
    with sqlite3.connect(bench.folder / "bench.db") as connection:
        cursor = connection.execute("select * from framework_runs")
        names = [column[0] for column in cursor.description]
        (row,) = cursor.fetchall()
    connection.close()
    assert names == [
        "id",
        "ts",
        "framework",
        "task_id",
        "model",
        "wall_sec",
        "input_tokens",
        "output_tokens",
        "cost_usd",
        "files_produced",
        "overall",
        "score_json",
        "workdir",
    ]
    assert dict(zip(names, row, strict=True))["framework"] == "noop"


def test_a_dry_run_starts_nothing_and_counts_nowhere(bench: Bench) -> None:
    bench.task()
    marker = bench.folder / "started"
    done = bench("run", "trivial", "-a", f"x=touch {marker}", "-a", "noop", "--dry-run")
    assert not marker.exists()
    assert not (bench.folder / "runs").exists()
    assert done.stdout.count("dry run") >= 2
    assert {record["score"]["value"] for record in bench.results()} == {1.0}
    assert bench.json("leaderboard") == []
    assert all(row["dry_run"] for row in bench.json("history"))
    bench("run-all", "--dry-run", "-a", "noop")
    assert len(bench.results()) >= 9


def test_kill_and_resume_lose_and_repeat_nothing(bench: Bench) -> None:
    bench.task()
    log = bench.folder / "started.log"
    slow = f"slow=sh -c 'echo $$ >> {log}; sleep 0.3; echo hi > hello.txt'"
    options = [
        "run",
        "trivial",
        "-a",
        slow,
        "--attempts",
        "12",
        "--max-concurrent",
        "2",
        "--sandbox",
        "local",
    ]
    process = bench.start(*options)
    deadline = time.monotonic() + 60
    while len(list(bench.folder.glob("runs/slow/trivial/*/trial.json"))) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finished = {path: path.stat().st_mtime_ns for path in bench.folder.glob("runs/slow/trivial/*/trial.json")}
    (plan,) = (bench.folder / "runs" / ".plans").glob("*.json")
    bench("run", "--resume", plan.stem)
    records = bench.results()
    assert sorted(record["key"]["attempt"] for record in records) == list(range(1, 13))
    assert {record["outcome"] for record in records} == {"completed"}
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    # Only trials in flight when it was killed were started twice.
    assert 12 <= len(log.read_text().splitlines()) <= 14
    before = bench.json("history", "--last", "50")
    (bench.folder / "bench.db").unlink()
    bench("db", "rebuild")
    assert bench.json("history", "--last", "50") == before


def test_ctrl_c_records_what_was_running_and_says_how_to_go_on(bench: Bench, scripted: Callable[..., str]) -> None:
    bench.task()
    process = bench.start("run", "trivial", "-a", scripted("hang", "hang.py"), "-a", "noop")
    deadline = time.monotonic() + 60
    while not list(bench.folder.glob("runs/hang/trivial/*/logs/agent.stdout.log")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "--resume" in complaint
    outcome = {record["key"]["agent"]: record["outcome"] for record in bench.results()}
    assert outcome["hang"] == "interrupted"
    assert _alive("hang.py", bench.folder) == []


def _alive(word: str, folder: Path) -> list[str]:
    """Command lines of living processes with this word and folder's marker."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            cwd = os.readlink(entry / "cwd")
        except OSError:
            continue
        if word in command and str(folder) in cwd:
            found.append(command)
    return found


def test_four_processes_share_one_history(bench: Bench) -> None:
    bench.task()
    running = [
        bench.start("run", "trivial", "-a", "noop", "--attempts", "15", "--out", f"results{number}.json")
        for number in range(4)
    ]
    for process in running:
        _, complaint = process.communicate(timeout=110)
        assert process.returncode == 0, complaint
        assert "locked" not in complaint
    (row,) = bench.json("leaderboard")
    assert row["counted"] == 60


def test_nothing_that_can_run_is_exit_3(bench: Bench) -> None:
    bench.task()
    done = bench("run", "trivial", "-a", "agentforge", code=3)
    assert "agentforge" in done.stderr
    assert "nothing that was asked for can run" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "hello_cly"], 2, "did you mean 'hello_cli'"),
        (["run", "hello_cli", "-a", "nop"], 2, "did you mean 'noop'"),
        (["run", "hello_cli", "--attempts", "0"], 2, "expected at least 1"),
        (["run", "hello_cli", "--sandbox", "docker"], 2, "unknown sandbox 'docker'"),
        (["run", "--resume", "nothing"], 2, "unknown run 'nothing'"),
        (["runn"], 2, "did you mean 'run'"),
        (["show", "abc"], 2, "abc"),
        (["report", "--results", "missing.json"], 2, "missing.json"),
        (["run", "hello_cli", "--tasks", "nowhere"], 2, "nowhere"),
    ],
)
def test_a_wrong_word_is_answered_with_the_right_one(bench: Bench, arguments: list[str], code: int, words: str) -> None:
    done = bench(*arguments, code=code)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_fail_under_is_a_gate(bench: Bench) -> None:
    bench.task()
    done = bench("run", "trivial", "-a", "noop", "--fail-under", "0.5", code=1)
    assert "below --fail-under 0.5: noop 0.00" in done.stderr
    assert "noop" in done.stdout


def test_a_price_list_that_is_no_text_is_named(bench: Bench) -> None:
    (bench.folder / "pricing.toml").write_bytes(b"\xff\xfe")
    done = bench("pricing", code=2)
    assert "pricing.toml: not readable" in done.stderr


def test_output_that_is_piped_is_plain(bench: Bench) -> None:
    bench.task()
    done = bench("run", "trivial", "-a", "noop")
    assert "\x1b" not in done.stdout + done.stderr
    assert any(line.startswith("noop") for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("steps", "value", "reason", "requests"),
    [
        ([grades()], 0.6, "", 1),
        ([failure(429, **{"retry-after": "1"}), grades()], 0.6, "", 2),
        ([fixed(message([{"type": "text", "text": "Great work, 10 of 10!"}]))], None, "tool", 2),
    ],
    ids=["answers", "429 and then answers", "nonsense"],
)
def test_a_judge_on_a_local_server(
    bench: Bench, scripted: Callable[..., str], steps: list[Step], value: float | None, reason: str, requests: int
) -> None:
    bench.task()
    with judge_server(*steps) as server:
        bench.env.update({"ANTHROPIC_API_KEY": "sk-ant-test-12345678", "ANTHROPIC_BASE_URL": server.url})
        bench("run", "trivial", "-a", scripted("good", "good.py"), "-a", "noop")
        assert len(server.requests) == requests
    records = {record["key"]["agent"]: record for record in bench.results()}
    judge = next(signal for signal in records["good"]["signals"] if signal["name"] == "judge")
    assert judge["value"] == (value if value is None else pytest.approx(value))
    assert reason in judge["reason"]
    # Its tokens and its cost stand apart from the agent's, also where its answer could not be used.
    assert records["good"]["judge_usage"]["input_tokens"] == 1000 * (2 if value is None else 1)
    assert records["good"]["judge_cost_usd"] > 0
    assert records["good"]["cost_usd"] is None
    # Nothing to judge, nothing asked.
    assert records["noop"]["judge_usage"] is None


def test_instructions_above_the_workspace_never_reach_an_agent(bench: Bench) -> None:
    bench.task()
    (bench.folder / "CLAUDE.md").write_text("Say moo.")
    look = "look=ls -a .. ../.. > listing.txt"
    for sandbox in ("bubblewrap", "local"):
        bench("run", "trivial", "-a", look, "--sandbox", sandbox, "--out", f"{sandbox}.json")
        (record,) = json.loads((bench.folder / f"{sandbox}.json").read_text())["records"]
        assert "CLAUDE.md" not in (Path(record["workdir"]) / "output" / "listing.txt").read_text()
    # Where the folder for temporary files is not clean, nothing is run.
    bench.env["TMPDIR"] = str(bench.folder)
    done = bench("run", "trivial", "-a", look, "--sandbox", "local", "--retries", "0", code=3)
    assert "CLAUDE.md" in done.stdout
