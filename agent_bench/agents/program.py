"""What the adapters of installed programs share: finding the program, and starting it in the workspace."""

from pathlib import Path

from agent_bench.agents.installation import installation_of
from agent_bench.agents.interface import Assignment, Host, Probe
from agent_bench.errors import UsageError
from agent_bench.model import Invocation, ProcessLimits

ARGUMENT_BYTES = 128 * 1024 - 1
"""Linux takes no argument that is longer (MAX_ARG_STRLEN, less the byte that ends it)."""


def probe_program(host: Host, program: str, *, install: str, keys: tuple[str, ...]) -> Probe:
    """Whether a program is on the PATH and one of its keys is set; ``install`` is the command to install it."""
    path = host.which(program)
    has_key = any(host.environ.get(key) for key in keys)
    if path is None:
        return Probe(status="unavailable", reason="not installed", remedy=install, key_present=has_key)
    found = Probe(status="available", key_present=has_key, version_argv=(path, "--version"))
    if has_key:
        return found
    update = {"status": "unavailable", "reason": f"{keys[0]} is not set", "remedy": f"export {keys[0]}=..."}
    return found.model_copy(update=update)


def start_program(
    host: Host,
    program: str,
    arguments: tuple[str, ...],
    assignment: Assignment,
    *,
    env: dict[str, str] | None = None,
    stdin: Path | None = None,
) -> Invocation:
    """The invocation of an installed program, with what it needs readable and on the PATH.

    Raises ``UsageError`` if it is not installed, or if an argument is one that no program can be given.
    """
    path = host.which(program)
    if path is None:
        raise UsageError(f"'{program}' is not on the PATH")
    check_arguments(program, arguments)
    return invocation_of((path, *arguments), (Path(path),), assignment, host, env=env, stdin=stdin)


def check_arguments(program: str, arguments: tuple[str, ...]) -> None:
    """Raises ``UsageError`` for an argument that the system would refuse."""
    for argument in arguments:
        if len(argument.encode("utf-8", "surrogateescape")) > ARGUMENT_BYTES:
            limit = f"longer than the {ARGUMENT_BYTES} bytes that an argument may have"
            raise UsageError(f"the prompt is {limit}, and {program} takes it only so")
        if "\0" in argument:
            raise UsageError(f"the prompt holds a NUL character, which no argument to {program} can")


def invocation_of(
    argv: tuple[str, ...],
    programs: tuple[Path, ...],
    assignment: Assignment,
    host: Host,
    *,
    env: dict[str, str] | None = None,
    stdin: Path | None = None,
) -> Invocation:
    """A call in the workspace, with what the programs that it starts (absolute paths) need readable."""
    installed = installation_of(programs, host.environ)
    environ = {**assignment.environ, **installed.env, **(env or {})}
    environ["PATH"] = ":".join([*map(str, installed.path), environ["PATH"]])
    return Invocation(
        argv=argv,
        cwd=assignment.workspace,
        env=environ,
        stdin=stdin,
        limits=ProcessLimits(wall_sec=assignment.timeout_sec),
        readable=installed.roots,
    )
