"""Any command as an agent."""

import re
import shlex
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from agent_bench.agents.claude_code import ClaudeCode
from agent_bench.agents.installation import install_roots, search_path
from agent_bench.agents.interface import Assignment, Evidence, Host, Probe, Reading
from agent_bench.agents.json_lines import amount, at, count, document, objects, text
from agent_bench.agents.program import ARGUMENT_BYTES
from agent_bench.agents.template import VARIABLE, fill_words, placeholders, shell_text
from agent_bench.errors import UsageError
from agent_bench.model import AgentSpec, Finished, Invocation, ProcessLimits, Usage

_PLAIN = re.compile(r"[\w./+-]+")
_SHELL_WORDS = frozenset(
    [
        "cd",
        "exec",
        "if",
        "for",
        "while",
        "case",
        "set",
        "export",
        "test",
        "[",
        ".",
        "eval",
        "trap",
        "umask",
        ":",
        "exit",
        "until",
    ]
)
_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


class CommandAgent:
    """Options: ``command`` (a string for ``/bin/sh -c``, or a list that is run as it is), ``programs`` (absolute
    paths that it starts), ``usage`` (how to read what it spent: see docs/agents.md).

    A command that names neither ``{prompt}`` nor ``{prompt_file}`` gets the prompt on its stdin.
    """

    env: tuple[str, ...] = ()

    def keeps(self, spec: AgentSpec) -> tuple[str, ...]:
        """The file that its usage is read from, if it is one."""
        usage = spec.options.get("usage")
        if usage == "claude-code":
            return ClaudeCode().keeps(spec)
        source = usage["source"] if usage else "stdout"
        return () if source in ("stdout", "stderr") else (source,)

    def probe(self, spec: AgentSpec, host: Host) -> Probe:
        """Available if its program is there and its variables are set."""
        unset = [name for name in spec.env if not host.environ.get(name)]
        has_keys = not unset if spec.env else None
        missing = _missing_program(spec, host)
        if missing:
            return Probe(status="unavailable", reason=missing, key_present=has_keys)
        if unset:
            remedy = f"export {unset[0]}=..."
            return Probe(status="unavailable", reason=f"{unset[0]} is not set", remedy=remedy, key_present=False)
        return Probe(status="available", key_present=has_keys)

    def invocation(self, spec: AgentSpec, assignment: Assignment, host: Host) -> Invocation:
        """The command with its placeholders filled in."""
        command = spec.options["command"]
        names = placeholders(command)
        prompt = assignment.prompt
        if "prompt" in names and len(prompt.encode()) > ARGUMENT_BYTES:
            prompt = f"Do the task that is described in the file {assignment.prompt_file_inside}. Read all of it first."
        values = {
            "prompt": prompt,
            "prompt_file": str(assignment.prompt_file_inside),
            "workspace": str(assignment.workspace),
            "model": spec.model or "",
        }
        if "\0" in prompt and "prompt" in names:
            raise UsageError("the prompt holds a NUL character, which no argument can", "use {prompt_file}")
        environ = dict(assignment.environ)
        if isinstance(command, str):
            argv: tuple[str, ...] = ("/bin/sh", "-c", shell_text(command))
            environ.update({VARIABLE.format(name.upper()): values[name] for name in names})
        else:
            argv = fill_words(tuple(command), values)
        roots, folders = _installed(spec, host)
        environ["PATH"] = ":".join([*map(str, folders), environ["PATH"]])
        return Invocation(
            argv=argv,
            cwd=assignment.workspace,
            env=environ,
            stdin=None if names & {"prompt", "prompt_file"} else assignment.prompt_file,
            limits=ProcessLimits(wall_sec=assignment.timeout_sec),
            readable=roots,
        )

    def read(self, spec: AgentSpec, finished: Finished, evidence: Evidence) -> Reading:
        """What the ``usage`` option finds."""
        usage = spec.options.get("usage")
        if usage is None:
            return Reading(model=spec.model, note="no usage reader configured")
        if usage == "claude-code":
            return ClaudeCode().read(spec, finished, evidence)
        return _read_usage(usage, spec, evidence)


def _missing_program(spec: AgentSpec, host: Host) -> str:
    """Which program of the command is not there; empty if all are, or if only the shell can know."""
    for name in spec.options.get("programs", ()):
        if not Path(name).exists():
            return f"no such file: {name}"
    word = _first_word(spec.options["command"])
    is_for_shell = isinstance(spec.options["command"], str) and (word in _SHELL_WORDS or not _PLAIN.fullmatch(word))
    return "" if is_for_shell or host.which(word) else f"'{word}' is not on the PATH"


def _first_word(command: Any) -> str:
    words = shlex.split(command) if isinstance(command, str) else list(command)
    return str(words[0]) if words else ""


def _installed(spec: AgentSpec, host: Host) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What the command's programs need to be readable, and the folders for the PATH."""
    programs = [Path(name) for name in spec.options.get("programs", ())]
    first = host.which(_first_word(spec.options["command"]))
    if first is not None:
        programs.append(Path(first))
    roots: dict[Path, None] = {}
    folders: dict[Path, None] = {}
    for program in programs:
        found = install_roots(program, host.environ)
        roots.update(dict.fromkeys(found))
        folders.update(dict.fromkeys(search_path(found, program)))
    return tuple(roots), tuple(folders)


def _read_usage(usage: Mapping[str, Any], spec: AgentSpec, evidence: Evidence) -> Reading:
    content = _source(str(usage["source"]), evidence)
    if content is None:
        return Reading(model=spec.model, note=f"usage unknown: no file matches {usage['source']}")
    rows = list(objects(content)) if usage["format"] == "jsonl" else [document(content)]
    fields: Mapping[str, str] = usage["fields"]
    combine = usage.get("combine", "last")
    counts = {name: _combined(rows, fields.get(name), combine) for name in _COUNTS}
    if counts["input_tokens"] is None and counts["output_tokens"] is None:
        return Reading(model=spec.model, note=f"usage unknown: nothing at {', '.join(sorted(fields.values()))}")
    return Reading(
        usage=Usage.model_validate({**counts, "source": "reported"}),
        model=_last(rows, fields.get("model"), text) or spec.model,
        cost_usd=_last(rows, fields.get("cost_usd"), amount),
        final_message=_last(rows, fields.get("final_message"), text) or "",
    )


def _source(source: str, evidence: Evidence) -> bytes | None:
    if source in ("stdout", "stderr"):
        return evidence.stdout if source == "stdout" else evidence.stderr
    found = [content for path, content in sorted(evidence.files.items()) if fnmatchcase(path, source)]
    return b"\n".join(found) if found else None


def _combined(rows: list[Any], path: str | None, combine: str) -> int | None:
    found = [number for row in rows if path and (number := count(at(row, path))) is not None]
    if not found:
        return None
    return sum(found) if combine == "sum" else found[-1]


def _last(rows: list[Any], path: str | None, kind: Any) -> Any:
    found = [value for row in rows if path and (value := kind(at(row, path))) not in (None, "")]
    return found[-1] if found else None
