import subprocess
import sys
from pathlib import Path

import pytest

from check_links import broken_links, slug

PROGRAM = Path(__file__).with_name("check_links.py")


@pytest.fixture
def check(tmp_path):
    def run(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(broken_links(tmp_path))

    return run


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Hello, World!", "hello-world"),
        ("A  b", "a--b"),
        ("Über `code` & more ##", "über-code--more"),
        ("See [the docs](x.md) now", "see-the-docs-now"),
        ("snake_case C#", "snake_case-c"),
    ],
)
def test_slug(heading, anchor):
    assert slug(heading) == anchor


def test_files_and_folders(check):
    text = "[a](b.md) [c](sub/) ![d](gone.png 'title')\n"
    text += "[e](<no file.md>) [f](/sub/c.md) [g](/b.md?x=1)\n"
    assert check(a=text, b="", sub__c="[up](../b.md) [out](../../b.md)") == [
        "a.md:1: gone.png: no such file",
        "a.md:2: no file.md: no such file",
        "sub/c.md:1: ../../b.md: outside the folder",
    ]


def test_external_links_are_left_alone(check):
    assert check(a="[a](https://example.org/x) [b](mailto:a@example.org) [c](//example.org)") == []


def test_anchors(check):
    headings = '# One\n## One\n# One\n<a name="here"></a>\n```\n# Not one\n```\n'
    links = "[a](#one-2) [b](b.md#one-1) [c](b.md#here) [d](b.md#) [e](b.md#not-one) [f](#One)"
    assert check(a=headings + links, b=headings) == [
        "a.md:8: b.md#not-one: no such anchor",
        "a.md:8: #One: no such anchor",
    ]


def test_labels(check):
    text = "[a][One  two] [b][three]\n\n[one Two]: gone.md 'x'\n"
    assert check(a=text) == ["a.md:1: three: undefined label", "a.md:3: gone.md: no such file"]


def test_code_does_not_count(check):
    text = "`[a](x)` ``[b](`y)`` `[c](z)\n~~~~ md\n[d](x)\n~~~\n[e](x)\n~~~~\n[f](last)\n"
    assert check(a=text) == ["a.md:1: z: no such file", "a.md:7: last: no such file"]


def test_which_folders(check):
    bad = "[a](gone)"
    assert check(**{".hidden__a": bad, "node_modules__a": bad, "b__c": bad}) == [
        "b/c.md:1: gone: no such file"
    ]


def test_exit_codes(tmp_path):
    def run():
        return subprocess.run([sys.executable, PROGRAM, tmp_path], capture_output=True, text=True)

    assert (run().returncode, run().stdout) == (0, "")
    (tmp_path / "a.md").write_bytes(b"\xff [a](gone)\n")
    assert (run().returncode, run().stdout) == (1, "a.md:1: gone: no such file\n")
    wrong = subprocess.run([sys.executable, PROGRAM, tmp_path / "no"], capture_output=True)
    assert wrong.returncode == 2
    assert wrong.stderr
