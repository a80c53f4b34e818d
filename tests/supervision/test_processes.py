import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from process_bed import PYTHON, SCRIPTED, new_token

from agent_bench.supervision import processes
from agent_bench.supervision.processes import (
    _descendants_among_all,
    descendants,
    kill_marked,
    living,
    living_by_ps,
    marked,
    send,
)

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def sleeping(**env: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", new_token()], env={"PATH": os.environ["PATH"], **env})


def end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


def identity(pid: int) -> processes.Process:
    return next(process for _, process in living() if process[0] == pid)


@LINUX_ONLY
@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="no ps")
def test_both_ways_of_listing_agree() -> None:
    with sleeping() as process:
        # Others come and go; ours must be seen by both, with the same parent.
        for listed in (living(), living_by_ps()):
            (parent,) = [parent for parent, (pid, _) in listed if pid == process.pid]
            assert parent == os.getpid()
        end(process)


@LINUX_ONLY
def test_a_name_with_parentheses_and_a_zombie(tmp_path: os.PathLike[str]) -> None:
    odd = os.path.join(tmp_path, "a) Z 1 (")
    os.symlink("/bin/sleep", odd)
    with subprocess.Popen([odd, new_token()]) as process:
        (parent,) = [parent for parent, (pid, _) in living() if pid == process.pid]
        assert parent == os.getpid()
        process.kill()
        deadline = time.monotonic() + 10
        while process.pid in [pid for _, (pid, _) in living()]:  # a zombie now, as nobody waited for it
            assert time.monotonic() < deadline


@LINUX_ONLY
def test_a_process_whose_first_thread_has_ended_lives() -> None:
    with subprocess.Popen([PYTHON, str(SCRIPTED / "headless.py")], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 10
        while "State:\tZ" not in Path(f"/proc/{process.pid}/status").read_text():
            assert time.monotonic() < deadline
        assert process.pid in [pid for _, (pid, _) in living()]
        assert process.pid in [pid for pid, _ in descendants(os.getpid())]
        process.kill()


@LINUX_ONLY
def test_the_kernels_list_of_children_and_the_list_of_all_agree() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60 & wait"], start_new_session=True) as process:
        deadline = time.monotonic() + 10
        while len(found := descendants(process.pid)) < 2:
            assert time.monotonic() < deadline
        assert found == _descendants_among_all(process.pid, ())
        assert _descendants_among_all(os.getpid(), {process.pid}) & found == set()
        os.killpg(process.pid, 9)


def test_descendants_and_what_is_skipped() -> None:
    script = "sleep 60 & sleep 60 & wait"
    with subprocess.Popen(["sh", "-c", script], start_new_session=True) as process:
        deadline = time.monotonic() + 10
        while len(descendants(process.pid)) < 2:
            assert time.monotonic() < deadline
        ours = descendants(os.getpid())
        assert {process.pid, *(pid for pid, _ in descendants(process.pid))} <= {pid for pid, _ in ours}
        assert not {process.pid} & {pid for pid, _ in descendants(os.getpid(), {process.pid})}
        os.killpg(process.pid, 9)


@LINUX_ONLY
def test_a_marker_is_found_whole_and_only_whole() -> None:
    token = new_token()
    with sleeping(FIRST="x" * 100_000, MARK=token) as process, sleeping(MARK=token + "1") as other:
        deadline = time.monotonic() + 10
        while not (found := marked(f"MARK={token}".encode())):
            assert time.monotonic() < deadline
        assert [pid for pid, _ in found] == [process.pid]
        assert marked(b"") == set()
        assert kill_marked(f"MARK={token}".encode(), 5) == 0
        assert process.wait() == -9
        assert other.poll() is None
        end(other)


@LINUX_ONLY
def test_a_number_that_was_used_again_is_not_signalled() -> None:
    with sleeping() as process:
        pid, start = identity(process.pid)
        send((pid, str(int(start) - 1)), 9)
        time.sleep(0.05)
        assert process.poll() is None
        send((pid, start), 9)
        assert process.wait() == -9
        send((pid, start), 9)  # gone: nothing happens
