"""What the adapters of installed programs share: finding the program, and starting it in the workspace."""

from pathlib import Path

from agent_bench.agents.installation import install_roots, search_path
from agent_bench.agents.interface import Assignment, Host, Probe
from agent_bench.errors import UsageError
from agent_bench.model import Invocation, ProcessLimits

ARGUMENT_BYTES = 120_000
"""Linux takes no argument or variable over 128 KiB."""


def probe_program(
    host: Host, program: str, *, install: str, key: str | None, version: tuple[str, ...] = ("--version",)
) -> Probe:
    """Whether a program is on the PATH and its key is set; ``install`` is the command that would install it."""
    path = host.which(program)
    has_key = None if key is None else bool(host.environ.get(key))
    if path is None:
        return Probe(status="unavailable", reason="not installed", remedy=install, key_present=has_key)
    argv = (path, *version)
    if has_key is False:
        return Probe(
            status="unavailable", reason=f"{key} is not set", remedy=f"export {key}=...", key_present=False,
            version_argv=argv,
        )  # fmt: skip
    return Probe(status="available", key_present=has_key, version_argv=argv)


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

    Raises ``UsageError`` if it is not installed, or if an argument is longer than the system takes.
    """
    if any(len(argument.encode()) > ARGUMENT_BYTES for argument in arguments):
        raise UsageError(
            f"the prompt is longer than {ARGUMENT_BYTES} bytes, and {program} takes it only as an argument"
        )
    found = host.which(program)
    if found is None:
        raise UsageError(f"'{program}' is not on the PATH")
    path = Path(found)
    roots = install_roots(path, host.environ)
    folders = [str(folder) for folder in search_path(roots, path)]
    environ = {**assignment.environ, **(env or {})}
    environ["PATH"] = ":".join([*folders, environ["PATH"]])
    return Invocation(
        argv=(str(path), *arguments),
        cwd=assignment.workspace,
        env=environ,
        stdin=stdin,
        limits=ProcessLimits(wall_sec=assignment.timeout_sec),
        readable=roots,
    )
