"""What Go needs besides itself, made once: its library compiled, the converter of reports, modules of tasks."""

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from anyio.to_thread import run_sync

from agent_bench.environment import base_environment, network_environment
from agent_bench.model import Invocation, ProcessLimits
from agent_bench.toolchains.kit import Kit, Provision, ToolchainError
from agent_bench.toolchains.made_once import made_once
from agent_bench.workspace import copy_file, scan, shown

MODULE_FILES = frozenset({"go.mod", "go.sum", "go.work", "go.work.sum"})
PINNED = {"GOTOOLCHAIN": "local", "GOTELEMETRY": "off", "CGO_ENABLED": "0", "GO111MODULE": "on", "GOFLAGS": ""}
"""What compiling gives hangs on these: the same when the cache is filled as when tests are built."""
_CONVERTER = "gotest.tools/gotestsum@v1.13.0"
_OLDEST = (1, 24)
"""That the converter can be compiled by, and that tells errors of the compiler in its JSON."""
_LAYOUT = 1
"""Changes when the cache is filled in another way."""
_PREPARE_SECONDS = 900.0
_USERS_OWN = ("GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOAUTH", "GOENV", "GOPATH", "NETRC", "XDG_CONFIG_HOME")


def find_go(environ: Mapping[str, str]) -> str | None:
    """The program, in PATH or in its usual place."""
    return shutil.which("go", path=f"{environ.get('PATH', '')}:/usr/local/go/bin:/usr/bin")


async def root_and_version(kit: Kit) -> tuple[Path, str]:
    """Where Go lies, and its version, which must not be too old for us."""
    root, version = (await _go(kit, kit.scratch, {}, "env", "GOROOT", "GOVERSION")).splitlines()[:2]
    found = re.search(r"go(\d+)\.(\d+)", version)
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        raise ToolchainError(f"{version}: Go {'.'.join(map(str, _OLDEST))} or newer is needed (https://go.dev/dl)")
    return Path(root), version


async def make_provision(workspace: Path | None, kit: Kit) -> Provision:
    """For the task of that workspace. Everything in the cache is compiled by Go, nothing of it is run but Go's own."""
    root, version = await root_and_version(kit)

    async def fill(making: Path) -> None:
        env = {"GOCACHE": str(making / "build"), "GOBIN": str(making / "bin")}
        await _go(kit, making, {**env, "GOENV": "off"}, "build", "std")
        await _go(kit, making, env, "install", _CONVERTER)

    made = await made_once(kit.cache / "go" / _digest(version, _CONVERTER), fill)
    build, modules, readable = made / "build", made / "no-modules", [root, made]
    if workspace is not None and await run_sync(_requires_modules, workspace):
        fetched = await _modules(workspace, kit, made)
        build, modules, readable = fetched / "build", fetched / "modules", [*readable, fetched]
    env = {"GOROOT": str(root), "GOCACHE": str(build), "GOMODCACHE": str(modules)}
    return Provision(readable=tuple(readable), path=(root / "bin", made / "bin"), env=env)


async def _go(kit: Kit, cwd: Path, env: Mapping[str, str], *arguments: str) -> str:
    """Runs go outside any sandbox, on nothing that is an agent's, with the user's settings for the network."""
    program = find_go(kit.environ)
    if program is None:
        raise ToolchainError("go is not installed")
    invocation = Invocation(
        argv=(program, *arguments),
        cwd=cwd,
        env={
            **base_environment(kit.environ),
            **network_environment(kit.environ),
            **{name: kit.environ[name] for name in _USERS_OWN if name in kit.environ},
            "HOME": kit.environ.get("HOME", str(kit.scratch)),
            **PINNED,
            "GOWORK": "off",
            **env,
        },
        limits=ProcessLimits(wall_sec=_PREPARE_SECONDS),
    )
    finished, stdout, stderr = await kit.launcher.run_captured(invocation)
    if finished.exit_code == 0:
        return stdout.decode("utf-8", "replace")
    said = stderr.decode("utf-8", "replace").strip().splitlines()
    late = f"no end within {_PREPARE_SECONDS:g} s" if finished.limit else ""
    reason = finished.fault or late or (said[-1] if said else f"exit code {finished.exit_code}")
    raise ToolchainError(f"go {' '.join(arguments)}: {shown(reason)[:400]}")


def _requires_modules(workspace: Path) -> bool:
    return (workspace / "go.sum").is_file() and not (workspace / "vendor").is_dir()


async def _modules(workspace: Path, kit: Kit, made: Path) -> Path:
    """The modules of the author's go.mod and go.sum, and what they compile to."""
    files = (await run_sync(scan, workspace)).files
    sources = [path for path in files if path.endswith(".go") or PurePosixPath(path).name in MODULE_FILES]
    contents = await run_sync(lambda: [(workspace / path).read_text("utf-8", "replace") for path in sources])

    async def fill(making: Path) -> None:
        copy = making / "tree"
        for path in sources:
            await run_sync(copy_file, workspace / path, copy / path)
        await run_sync(link_cache, made / "build", making / "build")
        env = {"GOMODCACHE": str(making / "modules"), "GOCACHE": str(making / "build"), "GOFLAGS": "-modcacherw"}
        await _go(kit, copy, env, "mod", "download")
        try:  # nothing of it is run; what does not compile before the agent's work is compiled in the room
            await _go(kit, copy, {**env, "GOFLAGS": ""}, "test", "-vet=off", "-exec", "true", "./...")
        except ToolchainError:
            return

    return await made_once(made.parent / _digest(made.name, *sources, *contents), fill)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps([_LAYOUT, *parts]).encode()).hexdigest()[:24]


def link_cache(source: Path, target: Path) -> None:
    """A cache that go can write into (it refuses one that it cannot), its files links into the shared one."""
    target.mkdir()
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        (target / folder.name).mkdir()
        with os.scandir(folder) as entries:
            for entry in entries:
                (target / folder.name / entry.name).symlink_to(os.path.realpath(entry.path))
    # Without it go would look through all of it for what has not been used for long.
    (target / "trim.txt").write_text(str(int(time.time())), encoding="ascii")
