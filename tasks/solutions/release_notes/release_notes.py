"""Makes release notes from a list of commits."""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined, TemplateError

LINE = re.compile(r"([0-9a-fA-F]{7,40}) (.*)")
SUBJECT = re.compile(r"([a-z0-9-]+)(?:\(([a-z0-9-]+)\))?(!)?: (.+)")

TEMPLATE = """\
# {{ version }}
{% for section in sections %}

## {{ section.title }}

{% for commit in section.commits -%}
- {% if commit.scope %}**{{ commit.scope }}:** {% endif %}{{ commit.text }} ({{ commit.hash }})
{% endfor %}
{%- else %}

No changes.
{% endfor %}
"""


class BadInput(Exception):
    """The commits cannot be used."""


@dataclass(frozen=True)
class Commit:
    """One commit."""

    hash: str
    type: str
    scope: str
    text: str
    breaking: bool


@dataclass(frozen=True)
class Section:
    """The commits under one heading."""

    title: str
    commits: list[Commit]


def parse(text: str) -> list[Commit]:
    """The commits in a text; raises BadInput with the line's number."""
    commits = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if not match:
            raise BadInput(f"line {number}: no hash: {line}")
        subject = SUBJECT.fullmatch(match[2])
        kind, scope, bang, words = subject.groups() if subject else ("other", "", None, match[2])
        commits.append(Commit(match[1][:7], kind, scope or "", words, bool(bang)))
    return commits


def sections(commits: list[Commit]) -> list[Section]:
    """The sections that have commits, in their order."""
    calm = [commit for commit in commits if not commit.breaking]
    found = [
        Section("Breaking changes", [commit for commit in commits if commit.breaking]),
        Section("Features", [commit for commit in calm if commit.type == "feat"]),
        Section("Fixes", [commit for commit in calm if commit.type == "fix"]),
        Section("Other", [commit for commit in calm if commit.type not in ("feat", "fix")]),
    ]
    return [section for section in found if section.commits]


def render(version: str, commits: list[Commit], template: str = TEMPLATE) -> str:
    """The notes; raises TemplateError."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
    return environment.from_string(template).render(version=version, sections=sections(commits))


def main() -> int:
    """Runs the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--commits", type=Path)
    parser.add_argument("--template", type=Path)
    options = parser.parse_args()
    try:
        text = options.commits.read_bytes() if options.commits else sys.stdin.buffer.read()
        commits = parse(text.decode("utf-8"))
        template = options.template.read_text(encoding="utf-8") if options.template else TEMPLATE
    except (BadInput, OSError, UnicodeDecodeError) as error:
        print(f"release_notes: {error}", file=sys.stderr)
        return 2
    try:
        notes = render(options.version, commits, template)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        print(f"release_notes: template: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        return 3
    sys.stdout.buffer.write(notes.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
