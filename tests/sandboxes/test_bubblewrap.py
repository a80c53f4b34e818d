"""What is hidden in the sandbox, what works in it, and what does not get out of it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from process_bed import PYTHON, Bed, in_bed, living_with, needs_bubblewrap, numbers_with, text

from agent_bench.model import Finished, Invocation, ProcessLimits
from agent_bench.process import open_launcher
from agent_bench.sandboxes.bubblewrap import Bubblewrap, _leads_astray
from agent_bench.sandboxes.interface import Network, Room

pytestmark = needs_bubblewrap


def python(folder: Path, script: str, network: Network = Network.NONE, **options: Any) -> Any:
    """Runs a script inside; what it printed, read as JSON."""
    prelude = "import json, os, pathlib, socket, subprocess, sys\n"
    finished = in_bed(folder, "bubblewrap", lambda bed: bed.run(PYTHON, "-c", prelude + script, **options), network)
    assert finished.fault is None
    assert finished.exit_code == 0, text(finished.stderr)
    return json.loads(text(finished.stdout))


def shell(folder: Path, script: str, **options: Any) -> str:
    """Runs a shell script inside; all it wrote."""
    finished = in_bed(folder, "bubblewrap", lambda bed: bed.shell(f"exec 2>&1; {script}", **options))
    assert finished.fault is None
    return text(finished.stdout)


# ------------------------------------------------------------------------------------------- hidden


def test_nothing_of_the_host_is_there_but_its_programs(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    seen = python(
        tmp_path,
        f"""
paths = ["/sys", "/etc/shadow", "/etc/ssl/private", "/etc/ssh", "/mnt", "/media", "/srv", "/opt", "/boot",
         "/root/.ssh", "/root/.bashrc", "/var/lib", "/var/log", "/run/docker.sock", {str(tmp_path)!r},
         {str(Path(__file__))!r}]
print(json.dumps({{
    "there": [path for path in paths if os.path.exists(path)],
    "home": os.listdir("/home"),
    "tmp": os.listdir("/tmp"),
    "run": os.listdir("/run"),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
}}))
""",
    )
    # Where the tests' own interpreter is installed is shown, so that it runs.
    for name, folder in (("home", "/home"), ("tmp", "/tmp")):
        places = [Path(place) for place in (sys.prefix, sys.base_prefix) if Path(place).is_relative_to(folder)]
        seen[name] = sorted(set(seen[name]) - {place.relative_to(folder).parts[0] for place in places})
    # The sandbox's init and the program.
    assert seen == {"there": [], "home": ["agent"], "tmp": [], "run": [], "processes": 2}


def test_the_command_line_of_the_sandbox_tells_nothing(tmp_path: Path) -> None:
    async def work(bed: Bed) -> tuple[Finished, list[str]]:
        lines: list[str] = []

        async def look() -> None:
            while not (bed.workspace / "ready").exists():
                await anyio.sleep(0.01)
            lines.extend(living_with(bed.token))

        env = {"PATH": "/usr/bin:/bin", "API_KEY": "key-of-the-user"}
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look)
            finished = await bed.shell("tr '\\0' ' ' < /proc/1/cmdline; touch ready; sleep 0.5; echo $API_KEY", env=env)
        return finished, lines

    finished, lines = in_bed(tmp_path, "bubblewrap", work)
    inside = text(finished.stdout)
    assert inside.splitlines()[-1].endswith("key-of-the-user")  # it does have it
    assert str(tmp_path) not in inside
    assert lines
    assert not any(str(tmp_path) in line or "key-of-the-user" in line for line in lines)


def test_only_loopback_without_a_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = f"""
def reach(port):
    try:
        socket.create_connection(("127.0.0.1", port), 2).close()
        return True
    except OSError:
        return False
with socket.create_server(("localhost", 0)) as own:
    print(json.dumps([
        reach({server.getsockname()[1]}), reach(own.getsockname()[1]),
        [name for _, name in socket.if_nameindex()], socket.gethostbyname(socket.gethostname()),
    ]))
"""
        assert python(tmp_path / "none", script) == [False, True, ["lo"], "127.0.0.1"]
        foreign, own, *_ = python(tmp_path / "open", script, Network.OPEN)
        assert (foreign, own) == (True, True)


def test_an_open_network_has_what_it_takes_to_resolve_names(tmp_path: Path) -> None:
    script = "print(json.dumps([pathlib.Path('/etc/hosts').read_text(), os.path.exists('/etc/resolv.conf')]))"
    hosts, resolves = python(tmp_path / "open", script, Network.OPEN)
    assert hosts == Path("/etc/hosts").read_text()
    assert resolves == Path("/etc/resolv.conf").exists()
    assert python(tmp_path / "none", script)[1] is False


# -------------------------------------------------------------------------------------------- works


def test_what_is_written_lands_in_the_room(tmp_path: Path) -> None:
    out = shell(
        tmp_path,
        "pwd; echo $HOME $TMPDIR; id -un; id -u; echo 1 > a; echo 2 > ~/b; echo 3 > $TMPDIR/c; echo ~agent",
    )
    assert out.splitlines() == ["/workspace", "/home/agent /home/agent/tmp", "agent", "1000", "/home/agent"]
    assert (tmp_path / "workspace" / "a").read_text() == "1\n"
    assert (tmp_path / "home" / "b").read_text() == "2\n"
    assert (tmp_path / "home" / "tmp" / "c").read_text() == "3\n"
    assert (tmp_path / "workspace" / "a").stat().st_uid == os.getuid()


def test_all_else_is_read_only_and_memory_is_bounded(tmp_path: Path) -> None:
    places = "/ /usr /usr/bin /etc /dev /home /var /run"
    out = shell(tmp_path, f"for place in {places}; do touch $place/x; done")
    assert out.count("Read-only file system") == len(places.split())
    assert not Path("/usr/x").exists()
    sizes = python(
        tmp_path,
        """
sizes = {}
for place in ("/tmp", "/var/tmp", "/dev/shm"):
    pathlib.Path(place, "x").write_text("x")
    found = os.statvfs(place)
    sizes[place] = found.f_blocks * found.f_frsize
print(json.dumps(sizes))
""",
    )
    assert max(sizes.values()) <= 256 << 20


def test_readable_paths_are_at_their_place_read_only(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    (shown / "deep" / "er").mkdir(parents=True)
    (shown / "deep" / "er" / "file").write_text("deep")
    real = tmp_path / "versions" / "1.2"
    real.mkdir(parents=True)
    (real / "tool").write_text("tool 1.2")
    (tmp_path / "current").symlink_to("versions/1.2")
    (tmp_path / "not shown").write_text("secret")
    readable = (shown / "deep", shown, tmp_path / "current", tmp_path / "missing")
    seen = python(
        tmp_path,
        f"""
base = pathlib.Path({str(tmp_path)!r})
def writable(path):
    try:
        path.write_text("changed")
        return True
    except OSError:
        return False
print(json.dumps([
    [(base / name).read_text() for name in ("shown/deep/er/file", "current/tool", "versions/1.2/tool")],
    sorted(os.listdir(base)),
    [writable(base / name) for name in ("shown/deep/er/file", "shown/deep/new", "shown/new", "current/new")],
]))
""",
        readable=readable,
    )
    assert seen == [["deep", "tool 1.2", "tool 1.2"], ["current", "shown", "versions"], [False] * 4]


def test_a_readable_path_may_hold_the_workspace(tmp_path: Path) -> None:
    out = shell(
        tmp_path,
        f"echo new > file; cat {tmp_path}/workspace/file; touch {tmp_path}/workspace/x",
        readable=(tmp_path,),
    )
    assert out.splitlines()[0] == "new"
    assert "Read-only file system" in out


@pytest.mark.parametrize("program", ["git --version", "sed --version", "node --version", "java -version"])
def test_programs_of_the_system_run(tmp_path: Path, program: str) -> None:
    name = program.split()[0]
    if not any(Path(folder, name).exists() for folder in ("/usr/bin", "/usr/local/bin")):
        pytest.skip(f"no {name} in /usr")
    finished = in_bed(tmp_path, "bubblewrap", lambda bed: bed.run(*program.split()))
    assert finished.exit_code == 0, text(finished.stderr)


# ------------------------------------------------------------------------------------------ no way out


@pytest.mark.parametrize(
    "attempt",
    [
        "mount -o remount,rw,bind /usr && touch /usr/escaped",
        "mount -o remount,rw / && touch /escaped",
        "unshare -Urm true",
        "unshare -m true",
        "chroot / true",
        "mknod disk b 254 0",
        "nsenter -t 1 -a true",
    ],
)
def test_no_rights_to_change_the_walls(tmp_path: Path, attempt: str) -> None:
    assert "escaped" not in shell(tmp_path, f"export PATH=$PATH:/usr/sbin:/sbin; {attempt} && echo escaped").split()
    assert not Path("/usr/escaped").exists()


def test_no_capabilities_and_no_new_ones(tmp_path: Path) -> None:
    status = shell(tmp_path, "cat /proc/self/status")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0
    assert fields["NoNewPrivs"] == "1"


def test_processes_outside_cannot_be_signalled(tmp_path: Path) -> None:
    assert "No such process" in shell(tmp_path, f"kill -9 {os.getpid()}")


def test_a_link_in_the_place_of_tmp_leads_nowhere(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (tmp_path / "home").mkdir()
    for target in (victim, Path("/oldroot", *victim.parts[1:]), Path("/oldroot", *victim.parts[1:], "new")):
        (tmp_path / "home" / "tmp").unlink(missing_ok=True)
        (tmp_path / "home" / "tmp").symlink_to(target)
        in_bed(tmp_path, "bubblewrap", lambda bed: bed.shell("touch $TMPDIR/x"))
        assert list(victim.iterdir()) == []


def test_a_mount_never_follows_a_link_that_an_agent_made(tmp_path: Path) -> None:
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    (workspace / "plain").mkdir(parents=True)
    home.mkdir()
    (workspace / "link").symlink_to("/etc")
    room = Room(workspace=workspace, home=home)
    assert _leads_astray(Path("/workspace/link/tool"), room)
    assert _leads_astray(Path("/workspace/link"), room)
    assert not _leads_astray(Path("/workspace/plain/tool"), room)
    assert not _leads_astray(Path("/elsewhere/link"), room)


# ------------------------------------------------------------------------------------------- failures


def test_a_sandbox_that_cannot_be_set_up_is_a_fault_in_its_own_words(tmp_path: Path) -> None:
    async def main() -> Finished:
        async with open_launcher() as launcher:
            room = Room(workspace=tmp_path / "missing", home=tmp_path)
            inner = Invocation(argv=("true",), cwd=Path("/workspace"), env={}, limits=ProcessLimits(wall_sec=5))
            return await launcher.run(Bubblewrap().enter(inner, room), tmp_path / "log")

    finished = anyio.run(main)
    assert finished.exit_code is None
    assert "bwrap: Can't find source path" in (finished.fault or "")
    assert finished.survivors == 0


def test_a_sandbox_that_is_killed_is_a_fault_and_takes_all_inside_with_it(tmp_path: Path) -> None:
    async def work(bed: Bed) -> Finished:
        async def kill_outer() -> None:
            while not (bed.workspace / "ready").exists():
                await anyio.sleep(0.01)
            os.kill(min(number for number, line in numbers_with(bed.token).items() if "bwrap" in line), 9)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_outer)
            return await bed.shell("setsid sleep 60 & touch ready; sleep 60")

    finished = in_bed(tmp_path, "bubblewrap", work)
    assert "the sandbox was killed by signal 9" in (finished.fault or "")
    assert finished.exit_code is None
    assert finished.survivors == 0


def test_a_program_that_fails_like_the_sandbox_is_no_fault(tmp_path: Path) -> None:
    script = "echo 'bwrap: Creating new namespace failed' >&2; exit 1"
    finished = in_bed(tmp_path, "bubblewrap", lambda bed: bed.shell(script))
    assert finished.fault is None
    assert finished.exit_code == 1


@pytest.mark.skipif(os.getuid() != 0, reason="it is what all other tests are about when they run as such a user")
def test_an_ordinary_user_has_the_same(tmp_path: Path) -> None:
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_mode & 0o005 != 0o005 and path.owner() == "root":
            path.chmod(path.stat().st_mode | 0o055)
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    for folder in (workspace, home):
        folder.mkdir()
        os.chown(folder, 65534, 65534)
    inner = Invocation(argv=("id", "-u"), cwd=Path("/workspace"), env={}, limits=ProcessLimits(wall_sec=5))
    line = Bubblewrap().enter(inner, Room(workspace=workspace, home=home, readable=(Path("/root/secret"),)))
    arguments = [word for word in line.descriptors[63].split("\0") if word not in ("--json-status-fd", "62")]
    script = "id -u; touch /workspace/made; touch /usr/x; unshare -Ur true; grep CapEff /proc/self/status"
    done = subprocess.run(
        [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            line.argv[0],
            *arguments,
            "sh",
            "-c",
            script,
        ],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.stdout.split()[0] == "1000", done.stderr
    assert "CapEff:\t0000000000000000" in done.stdout
    assert "Read-only file system" in done.stderr
    assert "unshare failed" in done.stderr
    assert (workspace / "made").stat().st_uid == 65534
