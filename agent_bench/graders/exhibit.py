"""What the judge is shown: the files as data, as far as the limit of tokens allows."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_bench.evidence import read_regular
from agent_bench.graders.interface import Grading
from agent_bench.workspace import shown

BYTES_PER_TOKEN = 3.5
"""An estimate for code in UTF-8. It only decides what is cut."""
MAX_FILE_BYTES = 40_000
MAX_NAMED = 50
"""How many files that are not shown are named."""
_MAX_INSTRUCTION_SHARE = 0.5


@dataclass(frozen=True)
class Exhibit:
    """The message's parts."""

    instruction: str
    files: str
    """A JSON object with ``files`` and ``not_shown``."""
    cut: tuple[str, ...]
    """What was cut or left out, one sentence each; the last one counts those that are not named."""


def exhibit(grading: Grading) -> Exhibit:
    """The task and the files within ``max_input_tokens``: the agent's own first, by name; each at most 40,000 bytes."""
    left = int(grading.judge.max_input_tokens * BYTES_PER_TOKEN)
    instruction = _head(grading.task.instruction.encode("utf-8", "replace"), int(left * _MAX_INSTRUCTION_SHARE))
    left -= len(instruction.encode())
    produced = set(grading.produced.files)
    order = sorted(grading.found.files, key=lambda path: (shown(path) not in produced, path))
    entries: list[dict[str, object]] = []
    cut: list[str] = []
    if len(instruction) < len(grading.task.instruction):
        cut.append(f"the task: cut after {len(instruction)} characters")
    for position, path in enumerate(order):
        entry, note = _entry(grading.tree, path, grading.found.files[path], left)
        if entry is None:
            cut += _left_out(order[position:])
            break
        left -= len(json.dumps(entry, ensure_ascii=False).encode())
        entries.append(entry)
        cut += [note] if note else []
    files = json.dumps({"files": entries, "not_shown": cut}, ensure_ascii=False)
    return Exhibit(instruction, files, tuple(cut))


def _entry(tree: Path, path: str, size: int, left: int) -> tuple[dict[str, object] | None, str]:
    """A file as the judge sees it, and what was cut of it; None if there is no room for it."""
    name = shown(path)
    # A quarter for what JSON adds; the name is part of it.
    room = min(MAX_FILE_BYTES, left * 3 // 4 - len(name.encode()))
    if room <= 0:
        return None, ""
    content = read_regular(tree / path, room)
    if content is None:
        return {"path": name, "unreadable": True}, ""
    if b"\0" in content:
        return {"path": name, "binary": True, "bytes": size}, ""
    return {"path": name, "content": _head(content, room)}, f"{name}: cut after {room} of {size} bytes" * (size > room)


def _head(content: bytes, limit: int) -> str:
    """The first bytes as text; a character that the limit splits is left out."""
    if len(content) > limit:
        return content[:limit].decode("utf-8", "ignore")
    return content.decode("utf-8", "replace")


def _left_out(paths: list[str]) -> Iterator[str]:
    yield from (f"{shown(path)}: left out" for path in paths[:MAX_NAMED])
    if len(paths) > MAX_NAMED:
        yield f"{len(paths) - MAX_NAMED} more files: left out"
