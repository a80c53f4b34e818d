"""What a launcher promises, with programs that do their worst, in each sandbox."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from process_bed import (
    PYTHON,
    Bed,
    in_bed,
    in_each_sandbox,
    living_with,
    needs_bubblewrap,
    new_token,
    text,
)

from agent_bench import process
from agent_bench.model import Finished, Invocation, LimitFired, ProcessLimits
from agent_bench.process import MARKER, open_launcher, run_briefly
from agent_bench.sandboxes.table import find_sandbox

LATE_SEC = 6.0
"""A busy test machine may be so late; what was reported must be exact all the same."""
WALL = LimitFired(name="wall_sec", value=0.8)


def clean(finished: Finished) -> bool:
    """Whether it was ours to blame for nothing and nothing lives."""
    assert finished.fault is None
    return finished.survivors == 0


# ------------------------------------------------------------------------------------------ plain ends


@in_each_sandbox
@pytest.mark.parametrize(
    ("way", "number", "code"),
    [
        ("exit", 0, {0}),
        ("exit", 1, {1}),
        ("exit", 137, {137}),
        ("signal", 9, {-9, 137}),
        ("signal", 11, {-11, 139}),
    ],
)
def test_the_exit_code_is_the_programs_own(tmp_path: Path, sandbox: str, way: str, number: int, code: set[int]) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.agent("end.py", way, str(number)))
    assert clean(finished)
    # Inside bubblewrap a signal cannot be told from an exit code of 128 + n.
    assert finished.exit_code == (min(code) if sandbox == "local" else max(code))
    assert finished.limit is None
    assert finished.leftovers == 0
    assert text(finished.stdout) == "ending\n"
    assert finished.output_bytes == 7


@in_each_sandbox
def test_the_environment_is_what_was_given_and_the_marker(tmp_path: Path, sandbox: str) -> None:
    given = {"PATH": "/usr/bin:/bin", "HOME": "/", "TMPDIR": "/", "ODD": "a=b\nc \u00e9", MARKER: "trial-7"}
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.run("/usr/bin/env", "-0", env=given))
    seen = dict(line.split("=", 1) for line in text(finished.stdout).split("\0") if line)
    assert seen.pop(MARKER).startswith("trial-7/")
    seen.pop("PWD", None)  # bubblewrap's own
    assert seen == {name: value for name, value in given.items() if name != MARKER}


@in_each_sandbox
def test_no_terminal_no_input_no_foreign_files(tmp_path: Path, sandbox: str) -> None:
    script = "import os; print(os.listdir('/proc/self/fd'), os.read(0, 10), os.getsid(0) != 0)\nopen('/dev/tty')"
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.run(PYTHON, "-c", script))
    assert text(finished.stdout) == "['0', '1', '2', '3'] b'' True\n"  # 3 is the listing itself
    assert "No such device or address" in text(finished.stderr)


@in_each_sandbox
def test_stdin_is_a_file(tmp_path: Path, sandbox: str) -> None:
    words = tmp_path / "prompt.txt"
    words.write_text("write 'hello'\n" * 20_000)
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.run("/bin/cat", stdin=words))
    assert text(finished.stdout) == words.read_text()


@in_each_sandbox
def test_long_and_odd_arguments_arrive(tmp_path: Path, sandbox: str) -> None:
    odd = ["-n", "a b", "", "$HOME `id` \"'\n", "\udcff\udcfe", "\u65e5\u672c" * 20_000]
    script = "import os, sys; os.write(1, b'\\0'.join(os.fsencode(word) for word in sys.argv[1:]))"
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.run(PYTHON, "-c", script, *odd))
    assert clean(finished)
    assert finished.stdout.read_bytes() == b"\0".join(os.fsencode(word) for word in odd)


@in_each_sandbox
def test_a_program_that_is_not_there_is_a_fault_that_names_it(tmp_path: Path, sandbox: str) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.run("no-such-agent", "--help"))
    assert finished.exit_code is None
    assert finished.fault is not None
    assert "no-such-agent" in finished.fault


@pytest.mark.parametrize(
    ("argv", "cwd", "reason"),
    [
        (("/etc/passwd",), "/", "Permission denied"),
        (("true",), "/nowhere", "/nowhere"),
        (("echo", "a\0b"), "/", "null byte"),
        (("echo", "x" * 3_000_000), "/", "too long"),
    ],
)
def test_what_cannot_be_started_is_a_fault(tmp_path: Path, argv: tuple[str, ...], cwd: str, reason: str) -> None:
    async def main() -> Finished:
        async with open_launcher() as launcher:
            invocation = Invocation(
                argv=argv, cwd=Path(cwd), env={"PATH": "/usr/bin:/bin"}, limits=ProcessLimits(wall_sec=5)
            )
            return await launcher.run(invocation, tmp_path / "log")

    finished = anyio.run(main)
    assert finished.exit_code is None
    assert reason in (finished.fault or "")


def test_a_missing_log_folder_is_a_fault(tmp_path: Path) -> None:
    finished = in_bed(tmp_path, "local", lambda bed: bed.run("/bin/true", name="missing/log"))
    assert "missing/log" in (finished.fault or "")


def test_run_captured_gives_what_a_short_command_says(tmp_path: Path) -> None:
    async def work(bed: Bed) -> tuple[Finished, bytes, bytes]:
        return await bed.launcher.run_captured(bed.invocation("/bin/sh", "-c", "echo 12345; echo oops >&2"), 4)

    finished, out, err = in_bed(tmp_path, "local", work)
    assert clean(finished)
    assert (out, err) == (b"1234", b"oops")


# --------------------------------------------------------------------------------------------- limits


@in_each_sandbox
@pytest.mark.parametrize(
    "program", ["hang.py", "ignore_term.py", "headless.py", "escape.py", "fork_bomb.py", "fork_runner.py"]
)
def test_a_limit_ends_everything(tmp_path: Path, sandbox: str, program: str) -> None:
    began = time.monotonic()
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.agent(program, "stay", wall_sec=0.8))
    assert time.monotonic() - began < 0.8 + 0.5 + LATE_SEC
    assert clean(finished)
    assert finished.limit == WALL
    assert finished.timed_out
    assert finished.exit_code in (-signal.SIGTERM, -signal.SIGKILL)
    assert finished.leftovers >= {"escape.py": 1, "fork_bomb.py": 100}.get(program, 0)


@in_each_sandbox
def test_a_program_may_end_itself_within_its_grace(tmp_path: Path, sandbox: str) -> None:
    script = "trap 'echo saved; exit 5' TERM; echo begun; while :; do sleep 0.05; done"
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.shell(script, wall_sec=0.8, grace_sec=5.0))
    assert clean(finished)
    assert finished.limit == WALL
    assert finished.exit_code == 5
    assert text(finished.stdout) == "begun\nsaved\n"
    assert finished.seconds < 0.8 + 5.0


@in_each_sandbox
def test_a_child_has_its_grace_when_its_parent_ends_at_once(tmp_path: Path, sandbox: str) -> None:
    child = "trap 'sleep 0.2; echo child saved; exit' TERM; while :; do sleep 0.05; done"
    script = f"({child}) & trap 'exit 3' TERM; wait"
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.shell(script, wall_sec=0.8, grace_sec=5.0))
    assert clean(finished)
    assert finished.exit_code == 3
    assert text(finished.stdout) == "child saved\n"
    assert finished.leftovers == 0


@in_each_sandbox
@pytest.mark.parametrize(
    ("script", "limits", "fired"),
    [
        ("sleep 60", {"startup_sec": 0.4}, LimitFired(name="startup_sec", value=0.4)),
        (
            "echo begun; sleep 60",
            {"startup_sec": 0.4, "idle_sec": 0.7},
            LimitFired(name="idle_sec", value=0.7),
        ),
        ("yes", {"output_bytes": 1_000_000}, LimitFired(name="output_bytes", value=1_000_000)),
        ("yes >&2", {"output_bytes": 1_000_000}, LimitFired(name="output_bytes", value=1_000_000)),
        ("while echo x; do sleep 0.1; done", {"idle_sec": 0.6, "wall_sec": 0.8}, WALL),
    ],
)
def test_the_limit_that_fired_is_named(
    tmp_path: Path, sandbox: str, script: str, limits: dict[str, float], fired: LimitFired
) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.shell(script, **limits))
    assert clean(finished)
    assert finished.limit == fired
    assert finished.timed_out == (fired.name != "output_bytes")


def test_output_beyond_its_limit_is_noted_even_if_the_program_has_ended(tmp_path: Path) -> None:
    finished = in_bed(tmp_path, "local", lambda bed: bed.shell("echo 12345", output_bytes=5))
    assert finished.limit == LimitFired(name="output_bytes", value=5)
    assert finished.exit_code in (0, -signal.SIGTERM)  # who was first is a matter of luck


@in_each_sandbox
def test_memory_and_file_sizes_are_limited(tmp_path: Path, sandbox: str) -> None:
    script = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try: bytearray(1 << 30)\n"
        "except MemoryError: print('no memory')\n"
        "try: open('big', 'wb').write(bytes(3 << 20))\n"
        "except OSError as error: print(error.strerror)\n"
        "for name in 'AS', 'FSIZE', 'CORE': print(resource.getrlimit(getattr(resource, 'RLIMIT_' + name)))\n"
    )
    limits = {"memory_bytes": 512 << 20, "file_bytes": 1 << 20}
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.run(PYTHON, "-c", script, **limits))
    assert clean(finished)
    assert text(finished.stdout).splitlines() == [
        "no memory",
        "File too large",
        f"({512 << 20}, {512 << 20})",
        f"({1 << 20}, {1 << 20})",
        "(0, 0)",
    ]


# --------------------------------------------------------------------------------- what is left running


@in_each_sandbox
def test_children_that_set_out_to_stay_are_killed_and_counted(tmp_path: Path, sandbox: str) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.agent("escape.py"))
    assert clean(finished)
    assert finished.exit_code == 0
    assert finished.leftovers == 4


@in_each_sandbox
def test_nothing_writes_after_the_end(tmp_path: Path, sandbox: str) -> None:
    async def work(bed: Bed) -> Finished:
        finished = await bed.agent("late_writer.py")
        before = (bed.workspace / "late.txt").stat().st_mtime_ns
        await anyio.sleep(0.1)
        assert (bed.workspace / "late.txt").stat().st_mtime_ns == before
        return finished

    finished = in_bed(tmp_path, sandbox, work)
    assert clean(finished)
    assert finished.leftovers == 1


@in_each_sandbox
def test_a_last_line_of_a_child_is_not_lost(tmp_path: Path, sandbox: str) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.shell("(sleep 0.05; echo last) & echo first"))
    assert clean(finished)
    assert text(finished.stdout) == "first\nlast\n"


@in_each_sandbox
def test_who_runs_from_its_killing_is_caught(tmp_path: Path, sandbox: str) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.agent("fork_runner.py"))
    assert clean(finished)
    assert finished.exit_code == 0
    assert finished.leftovers >= 1


# --------------------------------------------------------------------------------------------- output


@in_each_sandbox
def test_a_flood_fills_neither_disk_nor_memory(tmp_path: Path, sandbox: str) -> None:
    largest = 0

    async def work(bed: Bed) -> Finished:
        async def watch() -> None:
            nonlocal largest
            while True:
                largest = max([largest, *memory_of_supervisors()])
                await anyio.sleep(0.01)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            finished = await bed.agent("flood.py", "250")  # on each of the two streams: 500 MB
            tasks.cancel_scope.cancel()
        return finished

    finished: Finished = in_bed(tmp_path, sandbox, work)
    assert clean(finished)
    assert finished.exit_code == 0
    assert finished.output_bytes == 2 * (250_000_000 + 21)
    kept = sum(path.stat().st_size for path in (finished.stdout, finished.stderr))
    assert kept < 2 * 2.2 * (1 << 20)
    for log in (finished.stdout, finished.stderr):
        lines = text(log).splitlines()
        assert (lines[0], lines[-1]) == ("first line", "last line")
        (cut,) = [line for line in lines if "are cut here" in line]
        assert f"{finished.bytes_cut // 2} bytes" in cut
    notes = 2 * len(f"\n[agent-bench: {finished.bytes_cut // 2} bytes are cut here]\n")
    assert finished.bytes_cut + kept - notes == finished.output_bytes
    assert 0 < largest < 64 << 20


def memory_of_supervisors() -> list[int]:
    """Resident bytes of each process that runs the supervisor's program."""
    sizes = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"agent_bench.supervision" in (entry / "cmdline").read_bytes():
                sizes.append(int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
        except OSError:
            continue
    return sizes


@in_each_sandbox
def test_what_is_no_text_is_kept_as_it_is(tmp_path: Path, sandbox: str) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.agent("bad_bytes.py"))
    assert clean(finished)
    assert b"\xff\xfe\x00 \xc3( \x1b[2J" in finished.stdout.read_bytes()
    assert finished.stdout.read_bytes() == finished.stderr.read_bytes()


# ------------------------------------------------------------------------- many, cancelled, interrupted


@in_each_sandbox
def test_sixty_at_once(tmp_path: Path, sandbox: str) -> None:
    results: list[Finished] = []

    async def work(bed: Bed) -> None:
        async def one(number: int) -> None:
            script = f"echo {number}; env -i setsid sleep {bed.token} >/dev/null 2>&1 & sleep 0.2; exit {number}"
            results.append(await bed.shell(script, name=str(number), wall_sec=60))

        async with anyio.create_task_group() as tasks:
            for number in range(60):
                tasks.start_soon(one, number)

    in_bed(tmp_path, sandbox, work)
    assert all(clean(finished) for finished in results)
    assert sorted(finished.exit_code or 0 for finished in results) == list(range(60))
    for finished in results:
        assert text(finished.stdout) == f"{finished.exit_code}\n"
        assert finished.leftovers == 1


@in_each_sandbox
@pytest.mark.parametrize("program", ["hang.py", "ignore_term.py", "escape.py"])
def test_nothing_lives_when_a_cancellation_goes_on(tmp_path: Path, sandbox: str, program: str) -> None:
    async def work(bed: Bed) -> None:
        with anyio.move_on_after(0.7) as scope:
            await bed.agent(program, "stay")
        assert scope.cancelled_caught
        assert living_with(bed.token) == []
        # The launcher is as good as before.
        assert (await bed.shell("exit 7")).exit_code == 7

    began = time.monotonic()
    in_bed(tmp_path, sandbox, work)
    assert time.monotonic() - began < 0.7 + 0.5 + LATE_SEC


def test_cancelling_one_leaves_the_others_alone(tmp_path: Path) -> None:
    async def work(bed: Bed) -> Finished:
        finished: list[Finished] = []

        async def other() -> None:
            finished.append(await bed.shell("sleep 1; exit 4", name="other"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other)
            with anyio.move_on_after(0.2):
                await bed.agent("hang.py")
        return finished[0]

    assert in_bed(tmp_path, "local", work).exit_code == 4


@in_each_sandbox
def test_what_still_runs_when_the_launcher_closes_is_killed(tmp_path: Path, sandbox: str) -> None:
    finished: list[Finished] = []

    async def main(token: str) -> None:
        async with anyio.create_task_group() as tasks, open_launcher() as launcher:
            bed = Bed(tmp_path, find_sandbox(sandbox), launcher, token=token)

            async def run() -> None:
                finished.append(await bed.agent("escape.py", "stay"))

            tasks.start_soon(run)
            while len(living_with(token)) < 5:
                await anyio.sleep(0.02)

    token = new_token()
    anyio.run(main, token)
    assert living_with(token) == []
    assert finished[0].cancelled
    assert finished[0].survivors == 0


def test_an_exception_in_the_block_comes_out_as_it_is() -> None:
    async def main() -> None:
        async with open_launcher():
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        anyio.run(main)


HARNESS = """
import sys
from pathlib import Path
import anyio
from process_bed import Bed, open_launcher, find_sandbox

async def main(folder, token, *sandboxes):
    async with open_launcher() as launcher, anyio.create_task_group() as tasks:
        for sandbox in sandboxes:
            for program in ("hang.py", "ignore_term.py", "escape.py"):
                bed = Bed(Path(folder, sandbox, program), find_sandbox(sandbox), launcher, token=token)
                tasks.start_soon(bed.agent, program, "stay")

anyio.run(main, *sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("sandbox", "way"),
    # Without a sandbox somebody has to be left to do it.
    [
        ("local", "harness"),
        pytest.param("bubblewrap", "harness", marks=needs_bubblewrap),
        pytest.param("bubblewrap", "all", marks=needs_bubblewrap),
    ],
)
def test_nothing_outlives_a_harness_that_is_killed(tmp_path: Path, sandbox: str, way: str) -> None:
    token = new_token()
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    harness = subprocess.Popen([sys.executable, "-c", HARNESS, str(tmp_path), token, sandbox], env=environ)
    deadline = time.monotonic() + 30
    # The three agents and the four that one of them leaves; in a sandbox also its own processes.
    while len(living_with(token)) < 1 + 7 + (6 if sandbox == "bubblewrap" else 0):
        assert time.monotonic() < deadline
        assert harness.poll() is None
        time.sleep(0.02)
    doomed = [harness.pid, *(supervisors_of(harness.pid) if way == "all" else [])]
    for pid in doomed:
        os.kill(pid, signal.SIGKILL)
    harness.wait()
    while living_with(token) or supervisors_of(harness.pid):
        assert time.monotonic() < deadline, living_with(token)
        time.sleep(0.01)


def supervisors_of(harness: int) -> list[int]:
    """Numbers of the processes that run the supervisor's program: the harness's child and its children."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"agent_bench.supervision" in (entry / "cmdline").read_bytes():
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    first = [pid for pid, parent in found.items() if parent == harness]
    return first + [pid for pid, parent in found.items() if parent in first]


# ---------------------------------------------------------------- commands that attack their supervisors


def test_who_kills_its_supervisor_is_killed_all_the_same(tmp_path: Path) -> None:
    async def work(bed: Bed) -> Finished:
        finished = await bed.agent("kill_supervisor.py")
        assert living_with(bed.token) == []
        assert (await bed.shell("exit 7")).exit_code == 7
        return finished

    finished = in_bed(tmp_path, "local", work)
    assert "supervisor" in (finished.fault or "")
    assert finished.exit_code is None
    assert (finished.leftovers, finished.survivors) == (2, 0)


def test_who_kills_all_supervisors_is_killed_and_the_next_command_runs(tmp_path: Path) -> None:
    async def work(bed: Bed) -> Finished:
        others: list[Finished] = []

        async def other() -> None:
            others.append(await bed.agent("hang.py", name="other"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other)
            await anyio.sleep(0.3)
            finished = await bed.agent("kill_supervisor.py", "both")
        assert living_with(bed.token) == []
        assert "supervisor" in (others[0].fault or "")
        assert (await bed.shell("exit 7")).exit_code == 7
        return finished

    finished = in_bed(tmp_path, "local", work)
    assert "supervisor" in (finished.fault or "")
    assert finished.survivors == 0


def test_who_stops_all_supervisors_is_killed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_SLACK_SEC", 0.5)

    async def work(bed: Bed) -> Finished:
        finished = await bed.agent("kill_supervisor.py", "both", "stop", wall_sec=0.5)
        assert (await bed.shell("exit 7")).exit_code == 7
        return finished

    finished = in_bed(tmp_path, "local", work)
    assert "supervisor" in (finished.fault or "")
    assert finished.survivors == 0


def test_who_writes_into_the_pipe_of_the_reports_gains_nothing(tmp_path: Path) -> None:
    async def work(bed: Bed) -> Finished:
        script = "parent=$(cut -d' ' -f4 /proc/$PPID/stat); echo '{\"id\": 99}' > /proc/$parent/fd/1; sleep 60"
        finished = await bed.shell(script, wall_sec=5)
        assert (await bed.shell("exit 7")).exit_code == 7
        return finished

    finished = in_bed(tmp_path, "local", work)
    assert "supervisor" in (finished.fault or "")
    assert finished.survivors == 0


@needs_bubblewrap
def test_nobody_can_reach_its_supervisor_from_a_sandbox(tmp_path: Path) -> None:
    finished = in_bed(tmp_path, "bubblewrap", lambda bed: bed.agent("kill_supervisor.py", "both", wall_sec=0.8))
    assert clean(finished)


# -------------------------------------------------------------------------- files that agents leave


@in_each_sandbox
@pytest.mark.parametrize(
    ("program", "arguments", "left"),
    [
        ("good.py", (), {"todo.py", "test_todo.py", "README.md", "hello.txt"}),
        ("nothing.py", (), set()),
        ("many_files.py", ("2000",), {"data"}),
        ("sparse_file.py", (), {"big.bin"}),
        ("locked_files.py", (), {"secret.txt", "fixed.py", "closed", "frozen", "blind"}),
        ("links.py", ("/etc/hosts",), {"loop", "a", "b", "dangling", "up", "passwd.txt", "root", "link0"}),
        ("remove_workspace.py", (), set()),
    ],
)
def test_scripted_agents_leave_what_they_should(
    tmp_path: Path, sandbox: str, program: str, arguments: tuple[str, ...], left: set[str]
) -> None:
    finished = in_bed(tmp_path, sandbox, lambda bed: bed.agent(program, *arguments))
    assert clean(finished)
    assert finished.exit_code == 0, text(finished.stderr)
    workspace = tmp_path / "workspace"
    assert (set(os.listdir(workspace)) if workspace.exists() else set()) == left


# -------------------------------------------------------------------------------------- short programs


def test_run_briefly() -> None:
    assert run_briefly(["sh", "-c", "echo out; echo err >&2; exit 3"], 10) == (3, "out\nerr\n")
    assert run_briefly(["/no/such/program"], 10) == (None, "/no/such/program: No such file or directory")
    token = new_token()
    began = time.monotonic()
    code, words = run_briefly(["sh", "-c", f"sleep {token} & sleep {token}"], 0.2)
    assert (code, words) == (None, "sh: no end within 0.2 s")
    while living_with(token):
        assert time.monotonic() - began < LATE_SEC
