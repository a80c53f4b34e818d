"""What changed in a text file, as a unified diff."""

from difflib import unified_diff

MAX_LINES = 4_000
"""Beyond this a comparison line by line costs more than it tells."""


def file_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """Unified diff of one file; None: it does not exist on that side. Binary and very long files get one line."""
    if b"\0" in (before or b"") or b"\0" in (after or b""):
        return f"Binary file {path} differs\n"
    old, new = _lines(before), _lines(after)
    if len(old) + len(new) > MAX_LINES:
        return f"File {path} differs ({len(old)} lines before, {len(new)} after)\n"
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, *names)
    )


def _lines(content: bytes | None) -> list[str]:
    # Not splitlines(): form feeds and the like are content, not line ends.
    text = (content or b"").decode("utf-8", "replace")
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended
