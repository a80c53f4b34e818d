"""Text that an agent may have chosen, made safe to show: no terminal codes, no markup, no line breaks."""

from agent_bench.workspace import shown


def one_line(text: str, longest: int = 200) -> str:
    """The text on one line, control characters escaped, cut to ``longest`` characters."""
    safe = shown(" ".join(text.split()))
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"


def lines(text: str) -> str:
    """The text with its line breaks and tabs, every other control character escaped."""
    return "\n".join(shown(line.replace("\t", "    ")) for line in text.split("\n"))


def markdown_cell(text: str) -> str:
    """The text as one cell of a Markdown table."""
    safe = one_line(text)
    for char in "\\|`*_<>[]":
        safe = safe.replace(char, f"\\{char}")
    return safe
