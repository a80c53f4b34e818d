"""Cargo: the author's tests are built by it, offline; each test then runs in a process of its own."""

import hashlib
import json
import random
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from anyio.to_thread import run_sync

from agent_bench.environment import base_environment, network_environment
from agent_bench.evidence import read_regular
from agent_bench.graders.room import GradingRoom, Ran
from agent_bench.model import Invocation, ProcessLimits, Task
from agent_bench.toolchains.cargo_canaries import rust_canaries
from agent_bench.toolchains.compiled_tests import make_guard, not_built, run_each_alone
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun, ToolchainError
from agent_bench.toolchains.made_once import made_once
from agent_bench.workspace import rebuild, scan, shown

_PREPARE_SECONDS = 600.0
_LAYOUT = 1
"""Changes when the cache is filled in another way."""
_MAX_WORDS_CHARS = 200
_LOG_BYTES = 4 << 20
_SETTINGS = "crates.toml"
_USERS_OWN = ("RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "CARGO_HTTP_PROXY", "NETRC", "XDG_CONFIG_HOME")
_PROTECTED = frozenset({"Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml"})
_SUFFIXES = (".rlib", ".rmeta", ".so", ".a", ".o")
_BUILT = {
    "CARGO_NET_OFFLINE": "true",
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_TEST_DEBUG": "0",
    # Warnings would fill the log, and turned into errors they would fail honest code.
    "RUSTFLAGS": "--cap-lints=allow",
}


class CargoToolchain:
    """Rust. Each test file is a program of its own; the author's manifest need not declare the hidden ones."""

    name = "cargo"
    language = "rust"
    isolates_tests = True
    failed_code = 101

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """Rust, and the linker that it calls."""
        if _program("rustc", environ) is None or _program("cargo", environ) is None:
            return "cargo is not installed (https://rustup.rs, or apt-get install cargo)"
        if _program("cc", environ) is None:
            return "there is no linker for Rust (apt-get install gcc)"
        return None

    async def version(self, kit: Kit) -> str:
        """Of the compiler."""
        return " ".join((await _run(kit, kit.scratch, "rustc", "--version")).split()[:2])

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """The toolchain's own folder (rustup's programs only look for it), and the crates that the task requires."""
        root = Path((await _run(kit, kit.scratch, "rustc", "--print", "sysroot")).strip()).resolve()
        guard = await make_guard(kit, "cc")
        sources: tuple[Path, ...] = ()
        workspace = task.workspace
        if workspace is not None:
            sources = (await _crates(workspace, kit),) if await run_sync(_requires_crates, workspace) else ()
        env = {"RUSTC": str(root / "bin" / "rustc")}
        return Provision(readable=(root, *guard, *sources), path=(root / "bin",), env=env)

    def is_test_file(self, path: str) -> bool:
        """Any Rust file straight in a folder of tests; deeper ones are modules of theirs."""
        parts = PurePosixPath(path).parts
        return path.endswith(".rs") and len(parts) <= 3

    def is_protected(self, path: str) -> bool:
        """Manifests, build scripts, settings of cargo and rustup, and compiled code."""
        parts = PurePosixPath(path).parts
        is_script = parts[-1] == "build.rs" and "src" not in parts
        is_settings = ".cargo" in parts or parts[0] == "target"
        return parts[-1] in _PROTECTED or is_script or is_settings or path.endswith(_SUFFIXES)

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """A program of their own, after one of its neighbours."""
        return rust_canaries(draw, tests)

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Builds the tests, of which nothing runs before all are built, and runs each."""
        targets = await run_sync(_declare, suite.files, room)
        env = {
            **provision.env,
            **_BUILT,
            "CARGO_HOME": str(room.inside.home / "cargo"),
            "CARGO_TARGET_DIR": str(room.inside.home / "target"),
        }
        await run_sync(_configure, room.host_home / "cargo", provision)
        locked = ("--locked",) if (room.host_tree / "Cargo.lock").is_file() else ()
        wanted = (argument for target in targets for argument in ("--test", target))
        built = await room.run(
            ("cargo", "test", "--no-run", "--offline", *locked, "--message-format=json", "-q", *wanted),
            seconds=suite.seconds,
            readable=provision.readable,
            path_before=provision.path,
            env=env,
        )
        programs = _programs(built)
        if built.finished.exit_code != 0 or len(programs) < len(targets):
            return not_built(built, _first_error(built))
        rust = [(name, program, str(room.tree)) for name, program in programs.items()]
        seconds = suite.seconds - built.finished.seconds
        return await run_each_alone(suite, room, provision, self.failed_code, seconds, rust=rust)


# ------------------------------------------------------------------------------------------- preparing


def _program(name: str, environ: Mapping[str, str]) -> str | None:
    home = environ.get("CARGO_HOME") or f"{environ.get('HOME', '/nonexistent')}/.cargo"
    return shutil.which(name, path=f"{environ.get('PATH', '')}:{home}/bin:/usr/bin")


async def _run(kit: Kit, cwd: Path, *argv: str) -> str:
    """Runs a program of Rust's outside any sandbox, on nothing that is an agent's, with the user's settings."""
    program = _program(argv[0], kit.environ)
    if program is None:
        raise ToolchainError(f"{argv[0]} is not installed")
    invocation = Invocation(
        argv=(program, *argv[1:]),
        cwd=cwd,
        env={
            **base_environment(kit.environ),
            **network_environment(kit.environ),
            **{name: value for name, value in kit.environ.items() if name in _USERS_OWN},
            "HOME": kit.environ.get("HOME", str(kit.scratch)),
        },
        limits=ProcessLimits(wall_sec=_PREPARE_SECONDS),
    )
    finished, stdout, stderr = await kit.launcher.run_captured(invocation)
    if finished.exit_code == 0:
        return stdout.decode("utf-8", "replace")
    late = f"no end within {_PREPARE_SECONDS:g} s" if finished.limit else ""
    said = " ".join(stderr.decode("utf-8", "replace").split())[-400:]
    raise ToolchainError(f"{argv[0]}: {shown(finished.fault or late or said)}")


def _requires_crates(workspace: Path) -> bool:
    lock = workspace / "Cargo.lock"
    return lock.is_file() and re.search(r"^source = ", lock.read_text("utf-8", "replace"), re.MULTILINE) is not None


async def _crates(workspace: Path, kit: Kit) -> Path:
    """The sources of the crates in the author's lock file, and the setting by which cargo finds them there."""
    lock = await run_sync((workspace / "Cargo.lock").read_bytes)
    place = kit.cache / "crates" / hashlib.sha256(f"{_LAYOUT} ".encode() + lock).hexdigest()[:24]

    async def fill(making: Path) -> None:
        copy = making / "tree"
        await run_sync(lambda: rebuild(scan(workspace), copy))
        settings = await _run(kit, copy, "cargo", "vendor", "--locked", "--versioned-dirs", str(making / "vendor"))
        text = settings.replace(str(making), str(place))
        await run_sync(lambda: (making / _SETTINGS).write_text(text, encoding="utf-8"))
        await run_sync(shutil.rmtree, copy)

    return await made_once(place, fill)


# --------------------------------------------------------------------------------------------- running


def _declare(files: Sequence[str], room: GradingRoom) -> list[str]:
    """Sees that each file is a target of the room's manifest; their names."""
    manifest = room.host_tree / "Cargo.toml"
    try:
        declared = tomllib.loads(manifest.read_text(encoding="utf-8")).get("test", [])
        known = {str(PurePosixPath(entry["path"])): str(entry["name"]) for entry in declared if "path" in entry}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ToolchainError(f"Cargo.toml: {error}") from error
    added = ""
    for path in files:
        if path not in known:
            stem = PurePosixPath(path).stem
            known[path] = stem if stem not in known.values() else f"{PurePosixPath(path).parent.name}_{stem}"
            added += f"\n[[test]]\nname = {json.dumps(known[path])}\npath = {json.dumps(path)}\n"
    with manifest.open("a", encoding="utf-8") as writer:
        writer.write(added)
    return [known[path] for path in files]


def _configure(home: Path, provision: Provision) -> None:
    """A home for cargo, which must be able to write into it."""
    home.mkdir()
    for source in provision.readable:
        if (source / _SETTINGS).is_file():
            shutil.copyfile(source / _SETTINGS, home / "config.toml")


def _messages(built: Ran) -> Iterator[Mapping[str, Any]]:
    """What cargo told."""
    for line in built.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("{"):
            with suppress(ValueError, RecursionError):
                yield json.loads(line)


def _programs(built: Ran) -> dict[str, str]:
    """Target to program, of the tests that were built."""
    return {
        message["target"]["name"]: message["executable"]
        for message in _messages(built)
        if message["reason"] == "compiler-artifact" and "test" in message["target"]["kind"] and message["executable"]
    }


def _first_error(built: Ran) -> str:
    """Of the compiler."""
    for told in _messages(built):
        if told["reason"] == "compiler-message" and told["message"]["level"] == "error":
            message, spans = told["message"], told["message"]["spans"]
            where = f"{spans[0]['file_name']}:{spans[0]['line_start']}: " if spans else ""
            return shown(f"{where}{message['message']}")[:_MAX_WORDS_CHARS]
    said = (read_regular(built.finished.stderr, _LOG_BYTES) or b"").decode("utf-8", "replace").splitlines()
    return shown(next((line for line in said if line.startswith("error")), ""))[:_MAX_WORDS_CHARS]
