"""What the harness itself costs: each figure is a ratio to a baseline measured in the same run.

    python perf/overhead.py [--trials 500] [--many 2000] [--concurrency 8] [--sandbox auto]

1. Wall time of N ``noop`` trials of a trivial prompt task, against the same number of processes started bare.
2. Peak memory at N and at a larger number of trials: must not grow by more than 20 MB.
3. ``agent-bench --help`` against a two-command typer program.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

TASK = 'id: trivial\nprompt: "Write hello.txt"\nsuccess_criteria:\n  files_produced_min: 1\n'

BARE_SPAWNS = """
import sys, anyio

async def main(count, concurrency):
    limiter = anyio.CapacityLimiter(concurrency)
    async def one():
        async with limiter:
            await anyio.run_process(["true"])
    async with anyio.create_task_group() as group:
        for _ in range(count):
            group.start_soon(one)

anyio.run(main, int(sys.argv[1]), int(sys.argv[2]))
"""

BARE_TYPER = """
import typer
app = typer.Typer()

@app.command()
def first(): "The first."

@app.command()
def second(): "The second."

app()
"""


def timed(argv: list[str], folder: Path) -> tuple[float, float]:
    """Wall seconds and peak resident MB (of the process itself) of a command that must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{argv[:6]} failed: {complaint.decode(errors='replace')[-2000:]}")
    return seconds, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def run_trials(count: int, concurrency: int, sandbox: str) -> tuple[float, float, dict[str, float]]:
    """Wall seconds, peak MB, and the mean milliseconds per trial by phase of a run of ``noop`` trials."""
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        (folder / "tasks").mkdir()
        (folder / "tasks" / "trivial.yaml").write_text(TASK)
        argv = [
            *(sys.executable, "-m", "agent_bench", "run", "trivial", "--agent", "noop", "--tasks", "tasks"),
            *("--attempts", str(count), "--max-concurrent", str(concurrency), "--sandbox", sandbox),
        ]
        seconds, peak = timed(argv, folder)
        records = json.loads((folder / "results.json").read_text())["records"]
        assert len(records) == count, f"{len(records)} records for {count} trials"
        assert all(record["outcome"] == "completed" for record in records)
        process = sum(record["wall_sec"] for record in records) / count * 1000
        grading = sum(record["grading_sec"] for record in records) / count * 1000
        return seconds, peak, {"agent process": process, "grading": grading}


def program(text: str, folder: Path, name: str) -> str:
    """Writes a small program and returns its path."""
    path = folder / name
    path.write_text(text)
    return str(path)


def report_trials(count: int, many: int, concurrency: int, sandbox: str, folder: Path) -> None:
    """Prints the ratios of time and memory."""
    spawns = program(BARE_SPAWNS, folder, "spawns.py")
    bare, _ = timed([sys.executable, spawns, str(count), str(concurrency)], folder)
    empty, _ = timed([sys.executable, spawns, "0", str(concurrency)], folder)
    few_seconds, few_peak, phases = run_trials(count, concurrency, sandbox)
    one_seconds, _, _ = run_trials(1, concurrency, sandbox)
    print(f"{count} noop trials, concurrency {concurrency}, sandbox {sandbox}")
    print(f"  agent-bench            {few_seconds:7.2f} s   (one trial alone: {one_seconds:.2f} s)")
    print(f"  the same number bare   {bare:7.2f} s   (no process at all: {empty:.2f} s)")
    print(f"  ratio                  {few_seconds / bare:7.2f}")
    each = (few_seconds - one_seconds) / max(1, count - 1) * 1000
    print(f"  per trial              {each:7.2f} ms  against {(bare - empty) / count * 1000:.2f} ms bare")
    for name, milliseconds in phases.items():
        print(f"    of a trial's own time: {name:<14} {milliseconds:7.2f} ms")
    _, many_peak, _ = run_trials(many, concurrency, sandbox)
    growth = many_peak - few_peak
    verdict = "ok" if growth <= 20 else "TOO MUCH"
    print(
        f"  peak memory            {few_peak:.1f} MB at {count}, {many_peak:.1f} MB at {many}:"
        f" {growth:+.1f} MB ({verdict})"
    )


def report_help(folder: Path, repeats: int = 15) -> None:
    """Prints the ratio of the time that --help takes."""
    bare_program = program(BARE_TYPER, folder, "bare.py")
    ours, bare = [], []
    for _ in range(repeats):
        ours.append(timed([sys.executable, "-m", "agent_bench", "--help"], folder)[0])
        bare.append(timed([sys.executable, bare_program, "--help"], folder)[0])
    ratio = median(ours) / median(bare)
    print(
        f"--help: {median(ours) * 1000:.0f} ms against {median(bare) * 1000:.0f} ms bare typer:"
        f" ratio {ratio:.2f} (aim 1.5)"
    )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--many", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report_help(Path(folder))
        report_trials(options.trials, options.many, options.concurrency, options.sandbox, Path(folder))


if __name__ == "__main__":
    main()
