"""What validating and grading cost beside the test commands that they must run: ratios to a baseline of the same run.

    python perf/validate.py [--jobs 2] [--gradings 20] [--sandbox auto]

1. ``agent-bench validate`` of the shipped Python tasks, against bare pytest commands: as many as the validation ran
   (base and solution three times, each test alone on both, one for each exploit), on the same trees, as many at a time.
2. Grading one verified Python trial against one bare pytest run of the same tests on the same tree.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import anyio

from agent_bench.catalog import discover
from agent_bench.graders.withheld_run import declared_tests, run_withheld
from agent_bench.model import Task
from agent_bench.process import open_launcher
from agent_bench.readers.identity import normalize_test_name
from agent_bench.rebuilding import starting_layers
from agent_bench.sandboxes.table import choose_sandbox
from agent_bench.shipped import shipped
from agent_bench.toolchains.interface import Kit
from agent_bench.toolchains.pytest import PytestToolchain
from agent_bench.validation.exploit_suite import exploits_for
from agent_bench.workspace import fill, lay_over

VALIDATE_AIM, GRADING_AIM = 1.3, 1.4


def bare_tree(task: Task, folder: Path, *, solved: bool) -> Path:
    """The files as any harness would lay them: workspace, all tests, the solution or not."""
    fill(folder, {**starting_layers(task), **task.withheld})
    if solved and task.solution:
        lay_over(folder, {"": task.solution})
    return folder


def bare(python: Path, tree: Path, *more: str) -> None:
    """One bare pytest command."""
    argv = (str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junit-xml=/dev/null", "tests", *more)
    env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(argv, cwd=tree, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


async def prepared(tasks: Sequence[Task], cache: Path) -> Path:
    """Makes the environment that both sides use; its interpreter."""
    async with open_launcher() as launcher:
        sandbox, _ = choose_sandbox("local")
        provisions = []
        for number, task in enumerate(tasks):
            scratch = cache / f"scratch-{number}"
            scratch.mkdir(parents=True)
            kit = Kit(launcher, sandbox, cache, os.environ, scratch, scratch)
            provisions.append(await PytestToolchain().prepare(task, kit))
    return provisions[0].path[0] / "python"


def measure_validate(tasks: Sequence[Task], python: Path, folder: Path, cache: Path, jobs: int, sandbox: str) -> float:
    """The ratio."""
    commands: list[tuple[Path, tuple[str, ...]]] = []
    for task in tasks:
        trees = [bare_tree(task, folder / task.id / str(solved), solved=solved) for solved in (False, True)]
        names = [normalize_test_name(name).split("::")[-1] for name in declared_tests(task)]
        for tree in trees:
            commands += [(tree, ())] * 3
            commands += [(tree, ("-k", name.split("[")[0])) for name in names]
        commands += [(trees[0], ())] * len(exploits_for("pytest"))
    began = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda command: bare(python, command[0], *command[1]), commands))
    bare_sec = time.perf_counter() - began
    argv = [sys.executable, "-m", "agent_bench", "validate", "--language", "python", "--jobs", str(jobs), "--no-cache"]
    argv += ["--sandbox", sandbox, "--cache-dir", str(cache), "--json"]
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"validate failed: {done.stderr[-2000:]}")
    ratio = seconds / bare_sec
    print(f"validate of {len(json.loads(done.stdout))} Python tasks, {jobs} jobs, sandbox {sandbox}")
    print(f"  agent-bench            {seconds:7.2f} s")
    print(f"  {len(commands)} bare pytest commands {bare_sec:6.2f} s")
    print(f"  ratio                  {ratio:7.2f}   (aim {VALIDATE_AIM})")
    return ratio


async def measure_grading(task: Task, python: Path, folder: Path, cache: Path, count: int, sandbox: str) -> float:
    """The ratio of medians; one of each in turn, so that both meet the same machine."""
    tree = bare_tree(task, folder / "bare", solved=True)
    given = folder / "given"
    fill(given, starting_layers(task))
    lay_over(given, {"": task.solution} if task.solution else {})
    chosen, _ = choose_sandbox(sandbox)
    ours, theirs = [], []
    async with open_launcher() as launcher:
        for number in range(count):
            began = time.perf_counter()
            bare(python, tree)
            theirs.append(time.perf_counter() - began)
            place = folder / f"grading-{number}"
            place.mkdir()
            kit = Kit(launcher, chosen, cache, os.environ, place, place)
            began = time.perf_counter()
            observed = await run_withheld(task, given, kit, "tests", draw=random.Random(number))
            ours.append(time.perf_counter() - began)
            assert set(observed.matched.outcomes.values()) == {"passed"}, observed
    ratio = median(ours) / median(theirs)
    print(f"grading {task.id}, {count} times in turn, sandbox {sandbox}")
    print(f"  agent-bench            {median(ours) * 1000:7.0f} ms")
    print(f"  bare pytest            {median(theirs) * 1000:7.0f} ms")
    print(f"  ratio                  {ratio:7.2f}   (aim {GRADING_AIM})")
    return ratio


def main() -> None:
    """Measures both; exit code 1 if one is beyond its aim."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--gradings", type=int, default=20)
    parser.add_argument("--sandbox", default="auto")
    asked = parser.parse_args()
    catalog = discover([shipped("tasks")])
    tasks = [task for task in catalog.tasks if task.format == "verified" and task.language == "python"]
    folder = Path(tempfile.mkdtemp(prefix="agent-bench-perf-"))
    try:
        cache = folder / "cache"
        python = anyio.run(prepared, tasks, cache)
        ratios = [
            measure_validate(tasks, python, folder, cache, asked.jobs, asked.sandbox),
            anyio.run(measure_grading, tasks[0], python, folder, cache, asked.gradings, asked.sandbox),
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(ratios[0] > VALIDATE_AIM or ratios[1] > GRADING_AIM)


if __name__ == "__main__":
    main()
