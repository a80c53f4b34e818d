"""Finds broken links in a folder of Markdown files, offline."""

import argparse
import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

TARGET = r"(?:<([^<>]*)>|([^\s()<>]+))"
TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?"""
INLINE = re.compile(rf"\]\(\s*{TARGET}{TITLE}\s*\)")
DEFINITION = re.compile(rf" {{0,3}}\[([^\[\]]+)\]:\s*{TARGET}{TITLE}\s*")
USE = re.compile(r"\[[^\[\]]*\]\[([^\[\]]+)\]")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
HEADING = re.compile(r"#{1,6}[ \t]+(.*)")
LINK_TEXT = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
ELEMENT = re.compile(r"<a\s[^>]*>", re.IGNORECASE)
NAME = re.compile(r'\s(?:id|name)="([^"]*)"', re.IGNORECASE)
EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True)
class Link:
    """A link: where it stands and where it leads."""

    line: int
    column: int
    target: str
    is_label: bool = False


def read_lines(path):
    """The lines of a file outside fenced blocks, each with its number."""
    fence = ""
    for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1):
        found = FENCE.fullmatch(line)
        if fence:
            closes = found and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
        else:
            yield number, line


def without_code(line):
    """The line with its code spans blanked out, so that all else keeps its place."""
    kept, start = [], 0
    while opening := re.compile("`+").search(line, start):
        run = opening[0]
        closing = re.compile(rf"(?<!`){run}(?!`)").search(line, opening.end())
        end = closing.end() if closing else opening.end()
        kept += [line[start : opening.start()], " " * (end - opening.start())]
        start = end
    return "".join([*kept, line[start:]])


def label_key(label):
    """What two spellings of one label have in common."""
    return " ".join(label.split()).casefold()


def links_of(path):
    """The links of a file, uses of undefined labels among them."""
    links, uses, defined = [], [], set()
    for number, full in read_lines(path):
        line = without_code(full)
        definition = DEFINITION.fullmatch(line)
        if definition:
            defined.add(label_key(definition[1]))
            target = definition[2] if definition[2] is not None else definition[3]
            links.append(Link(number, definition.start(), target))
            continue
        for found in INLINE.finditer(line):
            target = found[1] if found[1] is not None else found[2]
            links.append(Link(number, found.start(), target))
        uses += [Link(number, found.start(1), found[1], True) for found in USE.finditer(line)]
    undefined = [use for use in uses if label_key(use.target) not in defined]
    return sorted([*links, *undefined], key=lambda link: (link.line, link.column))


def slug(heading):
    """The anchor of a heading, before numbers are added."""
    text = re.sub(r"(?:^|\s)#+\s*$", "", heading).strip()
    while LINK_TEXT.search(text):
        text = LINK_TEXT.sub(r"\1", text)
    return "".join(
        "-" if char == " " else char for char in text.lower() if char.isalnum() or char in " -_"
    )


@cache
def anchors_of(path):
    """All anchors of a file."""
    anchors, used = set(), {}
    for _, line in read_lines(path):
        for element in ELEMENT.finditer(line):
            anchors.update(NAME.findall(element[0]))
        heading = HEADING.fullmatch(line)
        if heading:
            name = slug(heading[1])
            count = used.get(name, 0)
            used[name] = count + 1
            anchors.add(f"{name}-{count}" if count else name)
    return anchors


def reason(link, path, root):
    """Why a link is broken, or None."""
    if link.is_label:
        return "undefined label"
    if EXTERNAL.match(link.target):
        return None
    before, _, anchor = link.target.partition("#")
    relative = unquote(before.partition("?")[0])
    place = path
    if relative:
        start = root if relative.startswith("/") else path.parent
        place = Path(os.path.normpath(start / relative.lstrip("/")))
        if place != root and root not in place.parents:
            return "outside the folder"
        if not place.exists():
            return "no such file"
    is_checked = anchor and (not relative or relative.endswith(".md")) and place.is_file()
    if is_checked and unquote(anchor) not in anchors_of(place):
        return "no such anchor"
    return None


def markdown_files(root):
    """The files to check, sorted by their relative path."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [n for n in folders if not n.startswith(".") and n != "node_modules"]
        found += [Path(folder, name) for name in names if name.endswith(".md")]
    return sorted(found, key=lambda path: path.relative_to(root).as_posix())


def broken_links(root):
    """One line for each broken link."""
    for path in markdown_files(root):
        for link in links_of(path):
            why = reason(link, path, root)
            if why:
                yield f"{path.relative_to(root).as_posix()}:{link.line}: {link.target}: {why}"


def main():
    """Runs the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Find broken links in Markdown files.")
    parser.add_argument("folder", type=Path)
    root = Path(os.path.abspath(parser.parse_args().folder))
    if not root.is_dir():
        print(f"{root} is not a folder", file=sys.stderr)
        return 2
    lines = list(broken_links(root))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
