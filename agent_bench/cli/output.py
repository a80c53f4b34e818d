"""Where output goes: results to stdout, progress and notes to stderr; plain and stable where that is no terminal."""

import json
import sys
from typing import Any, Literal

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

# Wide enough that nothing is cut or wrapped in a file or a pipe.
_PIPED_WIDTH = 100_000


def results_console() -> Console:
    """The console of stdout."""
    return _console(stderr=False)


def notes_console() -> Console:
    """The console of stderr."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty():
        return Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=_PIPED_WIDTH, color_system=None)


def is_narrow(console: Console) -> bool:
    """Whether a table of all columns would not fit."""
    return console.width < 118


def table(
    console: Console,
    columns: tuple[str, ...],
    *,
    title: str = "",
    right: frozenset[str] = frozenset(),
    whole: frozenset[str] = frozenset(),
) -> Table:
    """An empty table in the style of the console; ``right``: aligned so; ``whole``: not wrapped."""
    plain = not console.is_terminal
    built = Table(
        title=title or None,
        title_style="bold",
        title_justify="left",
        header_style="" if plain else "bold",
        box=None if plain else box.SIMPLE_HEAD if is_narrow(console) else box.HEAVY_HEAD,
        padding=(0, 1) if not is_narrow(console) else (0, 1, 0, 0),
        pad_edge=not plain and not is_narrow(console),
        show_edge=not is_narrow(console),
    )
    for name in columns:
        justify: Literal["right", "left"] = "right" if name in right else "left"
        built.add_column(Text(name), justify=justify, overflow="fold", no_wrap=name in whole | right)
    return built


def cells(*values: str) -> tuple[str, ...]:
    """Cells that are shown as they are: our consoles take nothing in them for markup."""
    return values


def show(console: Console, *parts: RenderableType) -> None:
    """Prints each part; without soft wrapping in a pipe, so that a line stays a line."""
    for part in parts:
        console.print(part, soft_wrap=not console.is_terminal)


def emit_json(data: Any) -> None:
    """Prints JSON to stdout."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False, default=str) + "\n")


def note(message: str, *, style: str = "") -> None:
    """One line to stderr."""
    console = notes_console()
    console.print(Text(message, style=style), soft_wrap=not console.is_terminal)
