import subprocess
import sys
from pathlib import Path

import pytest

from release_notes import BadInput, Commit, parse, render

PROGRAM = Path(__file__).with_name("release_notes.py")

COMMITS = """\
aaaaaaa1 feat(api): add pages
bbbbbbb2 fix: no crash on empty input

ccccccc3 feat!: drop Python 3.8
ddddddd4 Merge branch 'x'
"""

NOTES = """\
# 1.2.0

## Breaking changes

- drop Python 3.8 (ccccccc)

## Features

- **api:** add pages (aaaaaaa)

## Fixes

- no crash on empty input (bbbbbbb)

## Other

- Merge branch 'x' (ddddddd)
"""


def run(*arguments, given=COMMITS):
    return subprocess.run([sys.executable, PROGRAM, *arguments], input=given, capture_output=True, text=True)


def test_the_default_notes():
    assert run("1.2.0").stdout == NOTES


def test_no_changes():
    assert render("2.0", []) == "# 2.0\n\nNo changes.\n"


def test_subjects():
    assert parse("abcdef12 fix(db)!: x & y") == [Commit("abcdef1", "fix", "db", "x & y", True)]
    assert parse("abcdef12 Fix: x")[0].type == "other"


def test_a_template_of_ones_own(tmp_path):
    template = tmp_path / "t"
    template.write_text("{{ version }}:{% for s in sections %} {{ s.title }}={{ s.commits | length }}{% endfor %}")
    assert run("9", "--template", str(template)).stdout == "9: Breaking changes=1 Features=1 Fixes=1 Other=1"
    template.write_text("{{ missing }}")
    assert run("9", "--template", str(template)).returncode == 3


def test_bad_commits():
    with pytest.raises(BadInput, match="line 2"):
        parse("aaaaaaa1 x\nnot a commit")
    done = run("1", given="nothing\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert run("1", "--commits", "/no/such/file").returncode == 2
