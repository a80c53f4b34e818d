"""Verified tasks through the command line."""

import json
from pathlib import Path

import pytest
from command_line import Bench
from verified_tasks import DEFECT, HIDDEN, SOLUTION, adder

PARTLY = SOLUTION.replace("sum(values) / len(values)", "0.0")


def signal(bench: Bench, agent: str) -> dict[str, object]:
    (record,) = [one for one in bench.results() if one["key"]["agent"] == agent]
    return {**record["signals"][0], "record": record}


def writer(name: str, text: str) -> str:
    """An agent that writes sums.py."""
    return f"{name}=cat > sums.py <<'END'\n{text}\nEND"


def test_resolved_is_all_or_nothing_and_shares_are_information(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    done = bench("run", "adder", "-a", "noop", "-a", "reference", "-a", writer("partly", PARTLY))
    values = {one["key"]["agent"]: one["score"] for one in bench.results()}
    assert [values[name]["resolved"] for name in ("noop", "partly", "reference")] == [False, False, True]
    assert [values[name]["value"] for name in ("noop", "partly", "reference")] == [0, 0, 1]
    assert signal(bench, "partly")["facts"]["f2p"] == [2, 3]  # type: ignore[index]
    assert "f2p 2/3, p2p 3/3: TestMean::test_value[1-3-2] failed" in str(signal(bench, "partly")["reason"])
    assert "2/3" in done.stdout
    assert "judge" not in done.stdout.split("\n")[1]


def test_the_agent_sees_the_specification_and_the_public_tests_alone(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    bench("run", "adder", "-a", "look=find . -type f; ls -a ..; cat {prompt_file} | head -1")
    shown = next(bench.folder.glob("runs/look/adder/*/logs/agent.stdout.log")).read_text()
    assert "./tests/public/test_public_sums.py" in shown
    assert "# Sums that leave nothing out" in shown
    for hidden in ("hidden", "solution", "task.json", ".git"):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os\nos._exit(0)", "no report"),
        ("def total(", "not every test file could be run"),
        ("raise SystemExit(1)", "exit code"),
        ("import signal, os\nos.kill(os.getpid(), signal.SIGKILL)", "no report"),
        ("while True: pass", "stopped: no end within 3 s"),
        ("import os\nos.kill(os.getppid(), 9)\nos.abort()", "no report"),
    ],
)
def test_whatever_the_code_does_to_the_tests_is_a_result(bench: Bench, code: str, words: str) -> None:
    adder(bench.folder / "tasks", timeout_s=3)
    bench("run", "adder", "-a", writer("bad", f"{DEFECT}\n{code}"), "-a", "reference")
    found = signal(bench, "bad")
    assert found["value"] == 0.0
    assert words in str(found["reason"])
    assert found["record"]["outcome"] == "completed"  # type: ignore[index]
    assert signal(bench, "reference")["value"] == 1.0


def test_a_skipped_test_has_not_passed(bench: Bench) -> None:
    skipping = SOLUTION + "\nimport pytest\ndef mean(values):\n    pytest.skip('not today')\n"
    adder(bench.folder / "tasks")
    bench("run", "adder", "-a", writer("skips", skipping))
    found = signal(bench, "skips")
    assert found["value"] == 0.0
    assert "skipped" in str(found["reason"])


def test_a_test_that_is_not_collected_is_missing(bench: Bench) -> None:
    adder(bench.folder / "tasks", fail_to_pass=["test_total_counts_the_last_value", "test_never_written"])
    bench("run", "adder", "-a", "reference")
    found = signal(bench, "reference")
    assert found["value"] == 0.0
    assert "not collected: test_never_written" in str(found["reason"])


def test_a_malformed_report_is_not_observed_and_stops_nothing(bench: Bench) -> None:
    late = (
        "\nimport os, pathlib, threading\n"
        "def _spoil():\n"
        "    import time\n"
        "    while True:\n"
        "        try:\n"
        "            path = pathlib.Path(os.environ['HOME'], 'report.xml')\n"
        "            if path.exists(): path.write_text('<testsuites><broken')\n"
        "        except OSError: pass\n"
        "threading.Thread(target=_spoil, daemon=True).start()\n"
    )
    adder(bench.folder / "tasks")
    bench("run", "adder", "-a", writer("spoils", SOLUTION + late), "-a", "reference")
    assert signal(bench, "spoils")["value"] in (None, 0.0)
    assert signal(bench, "reference")["value"] == 1.0


def test_gradings_that_disagree_are_flaky(bench: Bench) -> None:
    test = "import time\n\n\ndef test_total_counts_the_last_value():\n    assert time.time_ns() // 1000 % 2\n"
    names = ["test_total_counts_the_last_value"]
    adder(bench.folder / "tasks", {HIDDEN: test}, fail_to_pass=names)
    done = bench("run", "adder", "-a", "reference", "--grade-repeats", "12")
    (record,) = bench.results()
    assert len(record["repeats"]) == 11
    assert "FLAKY: 12 gradings of the same output disagree" in done.stdout
    assert "FLAKY" in bench("show", record["id"]).stdout


def test_gradings_that_agree_are_not(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    assert "FLAKY" not in bench("run", "adder", "-a", "reference", "--grade-repeats", "2").stdout


def test_controls(bench: Bench) -> None:
    folder = adder(bench.folder / "tasks")
    assert "reference" in bench("controls", "adder").stdout
    (folder / "solution" / "sums.py").write_text(PARTLY)
    failed = bench("controls", "adder", code=1)
    assert "reference on adder: 0.00, expected 1 (f2p 2/3" in failed.stderr


def test_expected_rates(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    bench("run", "adder", "-a", "noop", "--expect-resolve-rate", "0")
    off = bench("run", "adder", "-a", "noop", "-a", "reference", "--expect-resolve-rate", "1", code=1)
    assert "noop 0.000" in off.stderr
    assert "reference" not in off.stderr.split("error:")[1]
    bench.task()
    none = bench("run", "trivial", "-a", "noop", "--expect-resolve-rate", "0", code=1)
    assert "no trial on a task that can be resolved" in none.stderr


def test_grade_is_the_spelling_of_seed_001(bench: Bench) -> None:
    adder(bench.folder / "suite")
    bench("grade", "--solver", "noop", "--tasks-root", "suite", "--expect-resolve-rate", "0.0")
    bench("grade", "--tasks-root", "suite", "--expect-resolve-rate", "1.0")
    command = "test -f {workspace}/sums.py && grep -q 'Sums that leave' {spec}"
    bench("grade", "--solver", "command", "--command", command, "--tasks-root", "suite", "--out", "reports/run-1")
    report = json.loads((bench.folder / "reports" / "run-1" / "run.json").read_text())
    assert report["solver"] == "command"
    assert report["command"] == command
    (task,) = report["tasks"]
    assert (task["task_id"], task["resolved"], task["f2p_total"], task["p2p_passed"]) == ("adder", False, 3, 3)
    assert task["note"] == "changed no files"
    assert "| adder | python | no | 0/3 | 3/3 |" in (bench.folder / "reports" / "run-1" / "run.md").read_text()
    assert "--solver command" in bench("grade", "--solver", "command", "--tasks-root", "suite", code=2).stderr


def test_protected_changes_are_shown(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    done = bench("run", "adder", "-a", "edits=echo > tests/public/test_public_sums.py; touch conftest.py")
    assert "2 changes of protected files undone" in done.stdout
    shown = bench("show", bench.results()[0]["id"]).stdout
    assert "tests/public/test_public_sums.py: changed by the agent, restored" in shown
    assert "conftest.py: left out" in shown


def _with_an_old_node(bench: Bench, tmp_path: Path) -> None:
    """As on a machine whose Node.js nobody has brought up to date."""
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v16.20.2\n")
    node.chmod(0o755)
    bench.env["PATH"] = f"{tmp_path}:{bench.env['PATH']}"


def test_a_toolchain_that_cannot_be_used_skips_its_tasks(bench: Bench, tmp_path: Path) -> None:
    adder(bench.folder / "tasks", language="typescript")
    _with_an_old_node(bench, tmp_path)
    failed = bench("run", "adder", "-a", "noop", code=3)
    assert "Node.js 16 is too old: 20 or newer is needed" in failed.stderr


def test_without_a_network_an_agent_reaches_nothing(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    bench("run", "adder", "-a", "looks=cat /proc/net/dev", "--network", "none", "--sandbox", "bubblewrap")
    log = next(bench.folder.glob("runs/looks/adder/*/logs/agent.stdout.log")).read_text().split("\n")
    assert [line.split(":")[0].strip() for line in log[2:] if ":" in line] == ["lo"]
    assert bench.results()[0]["sandbox"] == "bubblewrap/none"
    assert "expected open or none" in bench("run", "adder", "--network", "some", code=2).stderr


def test_doctor_names_every_toolchain(bench: Bench, tmp_path: Path) -> None:
    found = {item["what"]: item for item in bench.json("doctor")["findings"]}
    for name in ("pytest", "vitest", "maven", "go", "cargo", "ctest"):
        assert f"toolchain {name}" in found
    _with_an_old_node(bench, tmp_path)
    old = {item["what"]: item for item in bench.json("doctor")["findings"]}
    assert not old["toolchain vitest"]["ok"]
    assert "https://nodejs.org" in old["toolchain vitest"]["found"]


def test_kept_signals_are_scored_again_without_starting_anything(bench: Bench) -> None:
    text = "prompt: Write a.py\nweights: {files: 0.5, imports: 0.5, ruff: 0, pytest: 0, judge: 0}\n"
    bench.task("weighs", text)
    adder(bench.folder / "tasks")
    bench("run", "weighs", "adder", "-a", "bad=echo 'def (' > a.py", "-a", "noop")
    before = {(one["key"]["task"], one["key"]["agent"]): one["score"]["value"] for one in bench.results()}
    assert before[("weighs", "bad")] == 0.5
    bench.task("weighs", text.replace("files: 0.5", "files: 1.5"))
    done = bench("report", "--rescore", "--format", "json")
    after = {
        (one["key"]["task"], one["key"]["agent"]): one["score"]["value"] for one in json.loads(done.stdout)["records"]
    }
    assert after == {**before, ("weighs", "bad"): 0.75}
    assert "1 of 4 scores differ" in done.stderr
