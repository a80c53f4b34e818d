import json
from pathlib import Path

import pytest
from command_line import Bench
from history_data import record_of, run_of

from agent_bench.history.store import open_history
from agent_bench.model import RunResult, Score


def results(run: str, solved: int, of: int, **plan: object) -> RunResult:
    """A run of agent ``a`` on task ``t``, solved so often."""
    made = run_of(run, attempts=of, **plan)  # type: ignore[arg-type]
    scores = [Score(value=float(number < solved), resolved=number < solved, reason="test") for number in range(of)]
    records = tuple(record_of(trial, score=score) for trial, score in zip(made.trials, scores, strict=True))
    return RunResult(run=made, records=records)


def keep(bench: Bench, result: RunResult) -> None:
    with open_history(bench.folder / "bench.db") as history:
        history.add_run(result.run)
        history.add_records(result.records)


def write(path: Path, result: RunResult) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(result.model_dump_json())


def test_from_the_history(bench: Bench) -> None:
    keep(bench, results("r1", 3, 10))
    keep(bench, results("r2", 9, 9, tasks=("u",)))
    told = bench("calibrate").stdout
    header, first, second, *rest = told.splitlines()
    assert " ".join(header.split()) == "task agent digest attempts solved rate 95 % not verdict more"
    assert first.split()[:6] == ["t", "a", "digest-t", "10", "3", "0.30"]
    assert first.rstrip().endswith("in band")
    assert second.rstrip().endswith("too easy")
    assert rest[-2:] == ["needs rework:", "  a on u (digest-u): too easy, solved 9 of 9"]
    assert [row["task_id"] for row in bench.json("calibrate", "--task", "u")["rows"]] == ["u"]
    assert bench.json("calibrate", "--agent", "nobody")["rows"] == []


def test_from_files_folders_and_runs_each_trial_once(bench: Bench) -> None:
    result, other = results("r1", 2, 5), results("r2", 1, 5)
    keep(bench, result)
    keep(bench, other)
    write(bench.folder / "out" / "results.json", result)
    write(bench.folder / "out" / "deep" / "results.json", result)
    assert bench.json("calibrate", "out")["rows"][0]["attempts"] == 5
    assert bench.json("calibrate", "out", "r1", "out/results.json")["rows"][0]["attempts"] == 5
    told = bench.json("calibrate", "out", "r2")
    assert (told["n_runs"], told["rows"][0]["attempts"], told["rows"][0]["solved"]) == (2, 10, 3)
    assert bench.json("calibrate", "out", "--agent", "b")["rows"] == []


def test_files_alone_need_no_history(bench: Bench) -> None:
    write(bench.folder / "results.json", results("r1", 2, 5))
    bench("calibrate", "results.json")
    assert not (bench.folder / "bench.db").exists()


@pytest.mark.parametrize(
    ("solved", "of", "agent", "code"), [(9, 9, "a", 1), (3, 5, "a", 1), (3, 10, "a", 0), (9, 9, "reference", 1)]
)
def test_the_gate(bench: Bench, solved: int, of: int, agent: str, code: int) -> None:
    write(bench.folder / "results.json", results("r1", solved, of, agents=(agent,)))
    bench("calibrate", "results.json")
    done = bench("calibrate", "results.json", "--fail-outside-band", code=code)
    assert ("error: " in done.stderr) == bool(code)


def test_the_band(bench: Bench) -> None:
    write(bench.folder / "results.json", results("r1", 9, 9))
    assert bench.json("calibrate", "results.json", "--band", "0.5", "1")["rows"][0]["verdict"] == "in_band"
    for band in (("0.7", "0.1"), ("-0.1", "0.5"), ("0", "1.5"), ("nan", "1")):
        done = bench("calibrate", "results.json", "--band", *band, code=2)
        assert "error: --band" in done.stderr


def test_written_to_a_folder(bench: Bench) -> None:
    write(bench.folder / "results.json", results("r1", 9, 9))
    told = bench.json("calibrate", "results.json", "--out", "reports/calibration")
    folder = bench.folder / "reports" / "calibration"
    assert json.loads((folder / "calibration.json").read_text()) == told
    assert (folder / "calibration.md").read_text().startswith("# Calibration\n\n| task |")


def test_what_cannot_be_found_is_an_error(bench: Bench) -> None:
    (bench.folder / "empty").mkdir()
    assert "no results of a run in empty" in bench("calibrate", "empty", code=2).stderr
    assert "'gone' is no file and no folder" in bench("calibrate", "gone", code=2).stderr
    (bench.folder / "bad.json").write_text("{}")
    assert "bad.json: not what a run leaves" in bench("calibrate", "bad.json", code=2).stderr


def test_a_bad_file_in_a_folder_hides_no_other(bench: Bench) -> None:
    write(bench.folder / "out" / "results.json", results("r1", 2, 5))
    (bench.folder / "out" / "run.json").write_text("{}")
    done = bench("calibrate", "out")
    assert "warning: file left out: out/run.json: not what a run leaves" in done.stderr
    assert "in band" in done.stdout


def test_an_empty_history(bench: Bench) -> None:
    assert bench("calibrate").stdout.startswith("no attempt counted\n")
    assert "nothing could be judged" in bench("calibrate", "--fail-outside-band", code=1).stderr
