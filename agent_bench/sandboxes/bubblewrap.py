"""bubblewrap: own namespaces of every kind, no capabilities; of the host only the system, read-only.

What the line holds, and why (each point has a test):

* ``--cap-drop ALL``: started by root, the program would otherwise remount /usr writable.
* ``--disable-userns``: no capabilities by way of a user namespace of its own.
* ``--die-with-parent``: the outer process is tied to its supervisor, the init to the outer process, and the
  kernel kills the namespace with its init.
* ``--new-session``: no pushing of input into our terminal.
* The root is read-only at the end, and what lies in memory is bounded: full memory would end others too.
* The arguments go by a descriptor: ``ps`` shows them neither outside nor inside.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agent_bench.model import Invocation
from agent_bench.process import run_briefly
from agent_bench.sandboxes.interface import Inside, Network, Room

_WORKSPACE = Path("/workspace")
_HOME = Path("/home/agent")
_MEMORY_BYTES = 256 << 20
"""Of /tmp and of /dev/shm, each. TMPDIR is on disk, under HOME."""
_KERNELS_OWN = (("proc",), ("sys",), ("dev",))
"""Folders that the sandbox has of its own, or must not have."""
_STATUS_FD = 62
_ARGUMENTS_FD = 63
_PROBE_SEC = 20.0

_NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--hostname", "localhost"),
)
_ETC = (
    *("alternatives", "ld.so.cache", "os-release", "fonts", "maven", "php", "R"),
    # Not ssl and pki as a whole: started by root, the program could read the private keys there.
    *("ssl/openssl.cnf", "ssl/certs", "ca-certificates/extracted", "crypto-policies"),
    *("pki/tls/openssl.cnf", "pki/tls/certs", "pki/ca-trust"),
)
"""What programs of the system cannot do without, as far as it is there. Each costs 0.1 ms at every start."""
_ETC_OF_NETWORK = ("hosts", "resolv.conf", "nsswitch.conf", "host.conf", "gai.conf")
_OWN_ETC = Path(__file__).with_name("etc")
"""A user 1000 named agent with a home (Java asks here, not HOME), and localhost."""


class Bubblewrap:
    """Namespaces by ``bwrap``: nothing to install on the way, 5 ms to start, nothing left behind."""

    name = "bubblewrap"
    hides_host = True

    def unavailable(self) -> str | None:
        """Why it does not work here, after one real try, and what to do."""
        return _probe()

    def inside(self, room: Room) -> Inside:
        """The same for every room."""
        return Inside(workspace=_WORKSPACE, home=_HOME, tmp=_HOME / "tmp")

    def enter(self, invocation: Invocation, room: Room) -> Invocation:
        """The program's environment is handed on unseen; HOME and TMPDIR are the room's if it names none."""
        inside = self.inside(room)
        defaults = {"HOME": str(inside.home), "TMPDIR": str(inside.tmp)}
        arguments = (
            *_arguments(room, invocation.readable, _version()),
            *("--chdir", str(invocation.cwd), "--json-status-fd", str(_STATUS_FD)),
        )
        update = {
            "argv": (_program(), "--args", str(_ARGUMENTS_FD), "--", *invocation.argv),
            "cwd": Path("/"),
            "env": {**defaults, **invocation.env},
            "descriptors": {**invocation.descriptors, _ARGUMENTS_FD: "\0".join(arguments)},
            "status_fd": _STATUS_FD,
            "readable": (),
        }
        return invocation.model_copy(update=update)


# ------------------------------------------------------------------------------------------- the line


def _arguments(room: Room, readable: tuple[Path, ...], version: tuple[int, ...]) -> list[str]:
    """Everything before the program, but for what depends on one invocation."""
    knows_size, knows_userns = version >= (0, 7), version >= (0, 8)
    bound = ["--size", str(_MEMORY_BYTES)] if knows_size else []
    return [
        *_NAMESPACES,
        *(["--disable-userns"] if knows_userns else []),
        *(["--share-net"] if room.network is Network.OPEN else []),
        *_system(),
        *_etc(room.network),
        *("--proc", "/proc", "--dev", "/dev", *bound, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108
        *(*bound, "--tmpfs", "/tmp", "--symlink", "../tmp", "/var/tmp", "--dir", "/run"),  # noqa: S108
        *_rooms(room, (*room.readable, *readable)),
        *("--dir", str(_HOME / "tmp"), "--remount-ro", "/"),
    ]


def _system() -> Iterator[str]:
    """The system's programs and libraries, laid out as on the host, /usr merged or not."""
    yield from ("--ro-bind", "/usr", "/usr")
    for folder in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        if Path(folder).is_symlink():
            yield from ("--symlink", str(Path(folder).readlink()), folder)
        elif Path(folder).is_dir():
            yield from ("--ro-bind", folder, folder)


def _etc(network: Network) -> Iterator[str]:
    for name in ("passwd", "group", "hosts"):
        yield from ("--ro-bind", str(_OWN_ETC / name), f"/etc/{name}")
    java = sorted(path.name for path in Path("/etc").glob("java*"))
    for name in (*_ETC, *java, *(_ETC_OF_NETWORK if network is Network.OPEN else ())):
        if os.access(f"/etc/{name}", os.R_OK):
            yield from ("--ro-bind", f"/etc/{name}", f"/etc/{name}")


def _rooms(room: Room, readable: tuple[Path, ...]) -> Iterator[str]:
    """The folders of the room, outer before inner, so that none covers another."""
    mounts = {path: ("--ro-bind", path) for path in _visible(room, readable)}
    mounts |= {_WORKSPACE.parent / name: ("--ro-bind", folder) for name, folder in room.beside.items()}
    mounts |= {_WORKSPACE: ("--bind", room.workspace), _HOME: ("--bind", room.home)}
    for place, (kind, source) in sorted(mounts.items(), key=lambda mount: mount[0].parts):
        yield from (kind, str(source), str(place))


def _visible(room: Room, readable: tuple[Path, ...]) -> Iterator[Path]:
    """The readable paths that are there and ours to show, and what they link to."""
    for path in readable:
        for place in {path, path.resolve()}:
            if place.parts[1:2] not in _KERNELS_OWN and os.access(place, os.R_OK) and not _leads_astray(place, room):
                yield place


def _leads_astray(place: Path, room: Room) -> bool:
    """Whether its place lies in a folder that the agent filled, behind a link: the mount would follow it."""
    for inside, outside in ((_WORKSPACE, room.workspace), (_HOME, room.home)):
        if place.is_relative_to(inside):
            parts = place.relative_to(inside)
            return any((outside / part).is_symlink() for part in (parts, *parts.parents))
    return False


# --------------------------------------------------------------------------------------- does it work


@cache
def _program() -> str:
    """Path of bwrap; its bare name if there is none."""
    return shutil.which("bwrap") or "bwrap"


@cache
def _version() -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)", run_briefly([_program(), "--version"], _PROBE_SEC).output)
    return (int(found[1]), int(found[2])) if found else (0, 0)


@cache
def _probe() -> str | None:
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (apt-get install bubblewrap; dnf or pacman: the same name)"
    with tempfile.TemporaryDirectory(prefix="agent-bench-") as folder:
        room = Room(workspace=Path(folder), home=Path(folder))
        tried = run_briefly([_program(), *_arguments(room, (), _version()), "--", "true"], _PROBE_SEC)
    if tried.exit_code == 0:
        return None
    return f"{tried.output.strip()} ({_remedy()})"


def _remedy() -> str:
    """What usually forbids the namespaces, looked up."""
    for name, bad, advice in (
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl -w {}=0, or an AppArmor profile for bwrap",
        ),
        ("kernel/unprivileged_userns_clone", "0", "sysctl -w {}=1"),
        ("user/max_user_namespaces", "0", "sysctl -w {}=15000"),
    ):
        setting = Path("/proc/sys", name)
        if setting.exists() and setting.read_text().strip() == bad:
            return advice.format(name.replace("/", "."))
    return "it needs user namespaces; in docker: run --security-opt seccomp=unconfined, or --privileged"
