"""What an agent left in its HOME for its adapter (sessions, traces): copied out, bounded, secrets masked.

Everything here is hostile: no link is followed and nothing but regular files is read.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

MAX_FILES = 500
MAX_FILE_BYTES = 32 << 20
MAX_TOTAL_BYTES = 128 << 20
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
# Shorter values are no secrets, and masking them would maim the text around.
_SHORTEST_SECRET = 8


def secrets_of(variables: Mapping[str, str]) -> tuple[bytes, ...]:
    """The values of the variables that are secrets by their names, longest first."""
    found = {
        value.encode("utf-8", "surrogateescape")
        for name, value in variables.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    }
    return tuple(sorted(found, key=len, reverse=True))


def masked(content: bytes, secrets: tuple[bytes, ...]) -> bytes:
    """The content with each secret replaced."""
    for secret in secrets:
        content = content.replace(secret, b"[secret]")
    return content


def mask_file(path: Path, secrets: tuple[bytes, ...]) -> None:
    """Masks the secrets in a log file of ours, if it holds any."""
    if not secrets or not path.is_file():
        return
    content = path.read_bytes()
    clean = masked(content, secrets)
    if clean != content:
        path.write_bytes(clean)


def read_regular(path: Path, limit: int) -> bytes | None:
    """Up to ``limit`` bytes of a regular file; None where it is a link, another kind of file, or not readable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as reader:
        return reader.read(limit)


def collect(home: Path, globs: tuple[str, ...], traces: Path, secrets: tuple[bytes, ...]) -> dict[str, bytes]:
    """Copies the files of HOME that match into ``traces`` and returns their content by relative POSIX path."""
    collected: dict[str, bytes] = {}
    total = 0
    for pattern in globs:
        for relative in _matching(home, "", tuple(pattern.split("/"))):
            content = None if relative in collected else read_regular(home / relative, MAX_FILE_BYTES)
            if content is None or len(collected) >= MAX_FILES or total + len(content) > MAX_TOTAL_BYTES:
                continue
            total += len(content)
            collected[relative] = masked(content, secrets)
    for relative, content in collected.items():
        target = traces / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return collected


def _matching(root: Path, prefix: str, parts: tuple[str, ...]) -> Iterator[str]:
    """Relative paths below ``root`` that match the glob's parts; ``**`` stands for any number of folders."""
    try:
        entries = sorted(os.scandir(root / prefix), key=lambda entry: entry.name)
    except OSError:
        return
    head, rest = parts[0], parts[1:]
    if head == "**" and rest:
        yield from _matching(root, prefix, rest)
    for entry in entries:
        relative = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if head == "**":
                yield from _matching(root, f"{relative}/", parts)
            elif rest and fnmatchcase(entry.name, head):
                yield from _matching(root, f"{relative}/", rest)
        elif not rest and (head == "**" or fnmatchcase(entry.name, head)):
            yield relative
