"""Any command as an agent."""

import re
from pathlib import Path

from agent_bench.agents.claude_output import SESSIONS, read_claude
from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.program import ARGUMENT_BYTES, check_arguments, invocation_of
from agent_bench.agents.programs import first_program, programs_of
from agent_bench.agents.shell_words import is_shell_word
from agent_bench.agents.template import Command, filled_words, placeholders, shell_call
from agent_bench.agents.usage_fields import UsageReader, read_usage
from agent_bench.model import AgentSpec, Finished, Invocation

CLAUDE_READER = "claude-code"
"""Name of the usage reader for commands that pass on Claude Code's output."""
_KEY = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_PROMPT_FILE = "prompt.txt"
"""Of HOME: where every agent finds its prompt as well."""


class CommandAgent:
    """A command of the user's (see docs/agents.md). Its options, as ``configured`` checks and stores them:

    ``command``: text for ``/bin/sh -c``, or a list that is run as it is, with ``{prompt}``, ``{prompt_file}``,
    ``{workspace}`` and ``{model}`` filled in; ``version``: a command that prints its version; ``programs``: what else
    of the user's it starts; ``usage``: how to read what it spent.

    A command that has neither ``{prompt}`` nor ``{prompt_file}`` gets the prompt on its stdin.
    """

    env: tuple[str, ...] = ()

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """The files that its usage is read from; the prompt, where its length decides how it is handed over."""
        usage = spec.options.get("usage")
        if usage is None:
            kept: tuple[str, ...] = ()
        elif usage == CLAUDE_READER:
            kept = (SESSIONS,)
        else:
            kept = UsageReader.model_validate(usage).home_globs
        return (*kept, _PROMPT_FILE) if "prompt" in placeholders(_command(spec)) else kept

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Available if its programs are there and its keys are set."""
        # Other variables, such as a base URL, may be set or not.
        keys = [name for name in spec.env if _KEY.search(name)]
        unset = [name for name in keys if not host.environ.get(name)]
        found = Probe(
            status="available",
            key_present=not unset if keys else None,
            version_argv=_version_call(spec),
        )
        if missing := _missing(spec, host):
            return found.model_copy(update={"status": "unavailable", "reason": missing, "version_argv": ()})
        if not unset:
            return found
        update = {"status": "unavailable", "reason": f"{unset[0]} is not set", "remedy": f"export {unset[0]}=..."}
        return found.model_copy(update=update)

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """The command with its placeholders filled in. Raises ``UsageError`` if they cannot be."""
        command = _command(spec)
        values = {
            "prompt": _prompt_argument(assignment, command),
            "prompt_file": str(assignment.prompt_file_inside),
            "workspace": str(assignment.workspace),
            "model": spec.model or "",
        }
        argv = shell_call(command, values) if isinstance(command, str) else filled_words(command, values)
        check_arguments(f"'{spec.name}'", argv)
        has_prompt = placeholders(command) & {"prompt", "prompt_file"}
        stdin = None if has_prompt else assignment.prompt_file
        return invocation_of(argv, _programs(spec, host), assignment, host, stdin=stdin)

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """What the ``usage`` option finds."""
        usage = spec.options.get("usage")
        if usage is None:
            reading = Reading(note="usage unknown: its configuration names no 'usage'")
        elif usage == CLAUDE_READER:
            reading = read_claude(evidence)
        else:
            reading = read_usage(UsageReader.model_validate(usage), evidence)
        notes = [reading.note, _prompt_note(evidence, _command(spec))]
        return reading.model_copy(update={"model": reading.model or spec.model, "note": "; ".join(filter(None, notes))})


def _command(spec: AgentSpec) -> Command:
    command = spec.options["command"]
    return command if isinstance(command, str) else tuple(str(word) for word in command)


def _is_too_long(prompt: bytes, command: Command) -> bool:
    """Whether the prompt fits in no argument, whatever stands around it in the command."""
    around = len(command) if isinstance(command, str) else max(map(len, command), default=0)
    return len(prompt) + around > ARGUMENT_BYTES


def _prompt_argument(assignment: Assignment, command: Command) -> str:
    if not _is_too_long(assignment.prompt.encode("utf-8", "surrogatepass"), command):
        return assignment.prompt
    # An argument of that length is refused by the system: the best that is left is to point at the file.
    return (
        f"Your task is described in the file {assignment.prompt_file_inside}."
        " Read that file completely, then do what it says."
    )


def _prompt_note(evidence: Evidence, command: Command) -> str:
    if not _is_too_long(evidence.files.get(_PROMPT_FILE, b""), command):
        return ""
    return "the prompt was too long for an argument: the agent was told to read it from a file"


def _programs(spec: AgentSpec, host: Host) -> tuple[Path, ...]:
    """The programs that the command starts, as far as they can be seen in it."""
    words = (*programs_of(_command(spec)), *spec.options.get("programs", ()))
    return tuple(dict.fromkeys(path for word in words if (path := _found(str(word), host)) is not None))


def _found(word: str, host: Host) -> Path | None:
    """The file that a word stands for: on the PATH, or anywhere if it is an absolute path."""
    if "/" in word:
        return Path(word) if word.startswith("/") and Path(word).is_file() else None
    path = host.which(word)
    return Path(path) if path else None


def _missing(spec: AgentSpec, host: Host) -> str:
    """Which program is not there; empty if all are that can be told without running the command."""
    command = _command(spec)
    first = first_program(command)
    is_known = first is not None and not (isinstance(command, str) and is_shell_word(first))
    for word in (*([first] if first and is_known else []), *spec.options.get("programs", ())):
        if _found(str(word), host) is None:
            return f"no such file: {word}" if "/" in word else f"'{word}' is not on the PATH"
    return ""


def _version_call(spec: AgentSpec) -> tuple[str, ...]:
    version = spec.options.get("version")
    if version is None:
        return ()
    return ("/bin/sh", "-c", version) if isinstance(version, str) else tuple(str(word) for word in version)
