"""What the task asks for, tried from outside on a folder of documentation."""

import subprocess
import sys
import tempfile
from pathlib import Path

FILES = {
    "README.md": """\
# The Manual

[start](guide/start.md), [same](./guide/start.md#first-steps "a title") and [gone](guide/stop.md).
![logo](img/logo.png) ![lost](img/lost.png "no such") [folder](guide) [folder too](guide/)
[web](https://example.org/[x]) [mail](mailto:a@example.org) [no scheme](//example.org/a) [tel](tel:123)
[spaces](<guide/with space.md>) [encoded](guide/with%20space.md) [lost](<guide/no such.md> "a title")
[out](../other.md) [out and back](guide/../README.md) [root](/guide/start.md) [lost root](/start.md)
[query](guide/start.md?plain=1#first-steps) [query lost](guide/stop.md?plain=1)
[self](#the-manual) [self lost](#The-Manual) [empty](#) [empty of other](guide/start.md#)
""",
    "guide/start.md": """\
First steps
===========

## First steps
## First steps ##
### First *steps*
# A/B testing & `code_spans` — in 2026!
#No heading
####### No heading either
## See [the manual](../README.md) and ![a logo](../img/logo.png)
## \u00c4pfel und Birnen
<a id="here"></a> <a class="x" name="there">

```
## In a block
<a id="block"></a>
[not a link](nowhere.md)
```

[1](#first-steps) [2](#first-steps-1) [3](#first-steps-2) [4](#first-steps-3)
[5](#ab-testing--code_spans--in-2026) [6](#see-the-manual-and-a-logo) [7](#%C3%A4pfel-und-birnen) [8](#\u00e4pfel-und-birnen)
[9](#no-heading) [10](#here) [11](#there) [12](#in-a-block) [13](#block)
[14](../README.md#the-manual) [15](../README.md#nothing) [16](../img/logo.png#anchor) [17](with%20space.md#x)
""",
    "guide/with space.md": "",
    "guide/labels.md": """\
[one][first] [two][  FIRST ] [three][Long   label] [four][nowhere] ![five][pic]

[First]: start.md
   [long label]: <with space.md> "title"
[pic]: lost.png
    [indented]: code.md
[six][indented]
""",
    "guide/code.md": """\
`[a](one.md)` and ``[b](`two.md)`` and `[c](three.md)
   ````text
[d](four.md)
```
[e](five.md)
~~~~
   `````
[f](six.md) `x` [g](seven.md) `y`
~~~
[h](eight.md)
~~~ not the end
[i](nine.md)
""",
    "a/deep/er/x.md": "[up](../../../README.md) [out](../../../../README.md) [lost](y.md)\n",
    "a-b.md": "\n\n[lost](x)\n",
    ".hidden/x.md": "[lost](gone.md)\n",
    "node_modules/pkg/README.md": "[lost](gone.md)\n",
    "guide/notes.txt": "[lost](gone.md)\n",
    "img/logo.png": "",
}

EXPECTED = """\
README.md:3: guide/stop.md: no such file
README.md:4: img/lost.png: no such file
README.md:6: guide/no such.md: no such file
README.md:7: ../other.md: outside the folder
README.md:7: /start.md: no such file
README.md:8: guide/stop.md?plain=1: no such file
README.md:9: #The-Manual: no such anchor
a-b.md:3: x: no such file
a/deep/er/x.md:1: ../../../../README.md: outside the folder
a/deep/er/x.md:1: y.md: no such file
guide/code.md:1: three.md: no such file
guide/code.md:8: six.md: no such file
guide/code.md:8: seven.md: no such file
guide/labels.md:1: nowhere: undefined label
guide/labels.md:5: lost.png: no such file
guide/labels.md:7: indented: undefined label
guide/start.md:20: #first-steps-3: no such anchor
guide/start.md:22: #no-heading: no such anchor
guide/start.md:22: #in-a-block: no such anchor
guide/start.md:22: #block: no such anchor
guide/start.md:23: ../README.md#nothing: no such anchor
guide/start.md:23: with%20space.md#x: no such anchor
"""


def run(folder):
    argv = [sys.executable, "check_links.py", str(folder)]
    done = subprocess.run(argv, capture_output=True, timeout=30)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "docs")
        for name, text in FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        Path(place, "other.md").write_text("# It is there, and yet outside\n")
        code, output, told = run(folder)
        found, expected = output.splitlines(), EXPECTED.splitlines()
        for line in expected:
            if line not in found:
                sys.exit(f"missing: {line} {told[-200:]}")
        for line in found:
            if line not in expected:
                sys.exit(f"printed, but not broken: {line}")
        if found != expected:
            sys.exit("the lines are not in the order that is asked for")
        if code != 1:
            sys.exit(f"exit code {code} with broken links, expected 1")
        good = Path(place, "good")
        good.mkdir()
        (good / "a.md").write_bytes(b"\xff\xfe\n# Title\n[a](#title)\n")
        if run(good)[:2] != (0, ""):
            sys.exit(f"with no broken link: {run(good)!r}")
        for wrong in (good / "a.md", good / "none"):
            code, output, told = run(wrong)
            if (code, output) != (2, "") or not told.strip():
                sys.exit(f"with something that is not a folder: exit code {code}, printed {output!r}")


main()
