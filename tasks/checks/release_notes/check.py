"""What the task asks for, tried from outside."""

import subprocess
import sys
import tempfile
from pathlib import Path


def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "release_notes.py", *arguments], input=given.encode(), capture_output=True, timeout=20
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def expect(found: object, wanted: object, what: str) -> None:
    assert found == wanted, f"{what}: found {found!r}, expected {wanted!r}"


commits = (
    "0123456789 fix(parser): keep <b> & é\n\nabcdef0 docs: say more\nABCDEF0123 feat: second\n"
    "1111111 feat(ui)!: new look\n2222222 Bump version\n3333333 feat(ui): third\n4444444 fix!: gone\n5555555 fix(): odd\n"
)
notes = """\
# v2

## Breaking changes

- **ui:** new look (1111111)
- gone (4444444)

## Features

- second (ABCDEF0)
- **ui:** third (3333333)

## Fixes

- **parser:** keep <b> & é (0123456)

## Other

- say more (abcdef0)
- Bump version (2222222)
- fix(): odd (5555555)
"""
expect(run("v2", given=commits), (0, notes, ""), "the notes")
expect(run("v3", given="\n\n")[1], "# v3\n\nNo changes.\n", "notes without commits")
expect(run("v4", given="2222222 Bump version\n")[1], "# v4\n\n## Other\n\n- Bump version (2222222)\n", "one section")

with tempfile.TemporaryDirectory() as folder:
    source, template = Path(folder, "commits"), Path(folder, "template")
    source.write_text(commits, encoding="utf-8")
    expect(run("v2", "--commits", str(source))[1], notes, "commits from a file")
    template.write_text(
        "{{ version }}{% for s in sections %}|{{ s.title }}{% for c in s.commits %};{{ c.hash }},{{ c.type }},"
        "{{ c.scope }},{{ c.text }},{{ c.breaking }}{% endfor %}{% endfor %}"
    )
    given = "0123456789 fix(parser): keep <b> & é\n1111111 feat!: x\n"
    expect(
        run("7", "--template", str(template), given=given)[1].strip(),
        "7|Breaking changes;1111111,feat,,x,True|Fixes;0123456,fix,parser,keep <b> & é,False",
        "a template",
    )
    for bad in ("{{ nothing }}", "{% if %}", "{{ sections[0].nothing.more }}"):
        template.write_text(bad)
        code, out, err = run("7", "--template", str(template), given=given)
        expect((code, out, len(err.strip().splitlines())), (3, "", 1), f"the template {bad}")

for text in ("fix: no hash\n", "012345 too short\n", "0123456\tfix: a tab\n"):
    code, out, err = run("1", given="0123456 fix: good\n" + text)
    expect((code, out, len(err.strip().splitlines())), (2, "", 1), f"the commits {text!r}")
    assert "2" in err, f"the line's number is not in {err!r}"
code, out, err = run("1", "--commits", "/no/such/file")
expect((code, out, len(err.strip().splitlines())), (2, "", 1), "a file that is not there")
