"""What the task asks for, and that nothing that worked before is broken."""

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def same(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


def tests_as_given():
    """The tests that were there, from our own copy."""
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    argv += ["--rootdir", str(HERE / "tests_as_given"), str(HERE / "tests_as_given")]
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=50, env=environment)
    last = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip()[-200:]]
    if done.returncode != 0 or not re.match(r"12 passed", last[0]):
        sys.exit(f"the tests that were given: {last[0]}")
    for path in sorted((HERE / "tests_as_given").glob("*.py")):
        same(Path("tests", path.name).read_text(encoding="utf-8"), path.read_text(encoding="utf-8"), f"tests/{path.name}")


def library(script):
    """A script of actions, each with what has to come of it."""
    argv = [sys.executable, str(HERE / "scenario.py")]
    text = "".join(json.dumps([action, *arguments]) + "\n" for action, arguments, _ in script)
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=30)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for (action, arguments, expected), found in zip(script, answers, strict=False):
        expected = {"error": expected[1:]} if isinstance(expected, str) and expected.startswith("!") else expected
        if expected != "any":
            same(found, expected, f"{action}{tuple(arguments)}")
    if len(answers) != len(script):
        sys.exit(f"failed: {done.stderr.strip()[-300:] or 'ended early'}")


def rules(path):
    r1 = ["R1", "A-1", 4, "Ada", "2026-12-31"]
    r2 = ["R2", "A-1", 5, "Bo", None]
    r3 = ["R3", "B-2", 1, "Cy", "2026-12-30"]
    library(
        [
            ("add", ["A-1", "Bolt", 3], "any"),
            ("add", ["B-2", "Nut"], "any"),
            ("receive", ["A-1", 10], "any"),
            ("receive", ["B-2", 2], "any"),
            ("available", ["A-1"], 10),
            ("reserve", ["A-1", 4, "  Ada\t", "@2026-12-31"], r1),
            ("reserve", ["A-1", 7, "Bo"], "!A-1: only 6 available"),
            ("reserve", ["A-1", 0, "Bo"], "!A-1: the quantity must be at least 1"),
            ("reserve", ["A-1", 1, " "], "!A-1: a reservation needs a customer"),
            ("reserve", ["C-3", 1, "Bo"], "!C-3: no such item"),
            ("reserve", ["A-1", 5, "Bo"], r2),
            ("reserve", ["B-2", 1, "Cy", "@2026-12-30"], r3),
            ("reservations", [], [r1, r2, r3]),
            ("reservations", ["A-1"], [r1, r2]),
            ("reservations", ["C-3"], "!C-3: no such item"),
            ("available", ["A-1"], 1),
            ("available", ["C-3"], "!C-3: no such item"),
            ("low", [], ["A-1"]),
            ("ship", ["A-1", 11], "!A-1: only 10 in stock"),
            ("ship", ["A-1", 10], "!A-1: only 1 available, 9 reserved"),
            ("ship", ["A-1", 1], "any"),
            ("ship", ["A-1", 1], "!A-1: only 0 available, 9 reserved"),
            ("quantity", ["A-1"], 9),
            ("expire", ["@2026-12-30"], []),
            ("expire", ["@2026-12-31"], [r3]),
            ("fulfil", ["R3"], "!R3: no such reservation"),
            ("save", [path], None),
            ("load", [path], None),
            ("reservations", [], [r1, r2]),
            ("fulfil", ["R1"], r1),
            ("quantity", ["A-1"], 5),
            ("available", ["A-1"], 0),
            ("release", ["R2"], r2),
            ("release", ["R2"], "!R2: no such reservation"),
            ("available", ["A-1"], 5),
            ("low", [], []),
            ("reserve", ["B-2", 2, "Di"], ["R4", "B-2", 2, "Di", None]),
            ("release", ["R4"], "any"),
            ("save", [path], None),
            ("load", [path], None),
            ("reserve", ["B-2", 1, "Di"], ["R5", "B-2", 1, "Di", None]),
        ]
    )


def order(path):
    """Twelve reservations: R10 comes after R9, not after R1; also from a file."""
    script = [("add", ["A-1", "Bolt"], "any"), ("receive", ["A-1", 20], "any")]
    script += [("reserve", ["A-1", 1, "Ada", "@2026-12-01"], "any")] * 12
    script += [("save", [path], None), ("load", [path], None)]
    ids = [[f"R{number}", "A-1", 1, "Ada", "2026-12-01"] for number in range(1, 13)]
    library([*script, ("reservations", [], ids), ("expire", ["@2027-01-01"], ids)])


def cli(path, *arguments):
    argv = [sys.executable, "-m", "inventory", str(path), *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout, done.stderr


def command_line(path):
    item = {"sku": "A-1", "name": "Bolt", "quantity": 10, "minimum": 0}
    path.write_text(json.dumps({"version": 1, "items": [item, {**item, "sku": "B-2", "name": "Nut"}]}))
    for arguments, expected in (
        (["list"], (0, "A-1\tBolt\t10\nB-2\tNut\t10\n", "")),
        (["reserve", "A-1", "4", "Ada", "--until", "2026-12-31"], (0, "R1\n", "")),
        (["reserve", "B-2", "1", "Bo B."], (0, "R2\n", "")),
        (["reserve", "A-1", "2", "Bo B."], (0, "R3\n", "")),
        (["list"], (0, "A-1\tBolt\t10\t6 reserved\nB-2\tNut\t10\t1 reserved\n", "")),
        (["reservations"], (0, "R1\tA-1\t4\tAda\t2026-12-31\nR2\tB-2\t1\tBo B.\t-\nR3\tA-1\t2\tBo B.\t-\n", "")),
        (["reservations", "--sku", "B-2"], (0, "R2\tB-2\t1\tBo B.\t-\n", "")),
        (["reserve", "A-1", "5", "Cy"], (1, "", "error: A-1: only 4 available\n")),
        (["ship", "A-1", "5"], (1, "", "error: A-1: only 4 available, 6 reserved\n")),
        (["release", "R9"], (1, "", "error: R9: no such reservation\n")),
        (["fulfil", "R2"], (0, "", "")),
        (["release", "R3"], (0, "", "")),
        (["list"], (0, "A-1\tBolt\t10\t4 reserved\nB-2\tNut\t9\n", "")),
        (["expire", "--today", "2026-12-31"], (0, "", "")),
    ):
        same(cli(path, *arguments), expected, f"(exit code, stdout, stderr) of {' '.join(arguments)}")
    data = json.loads(path.read_text(encoding="utf-8"))
    same((data.get("version"), data.get("last_reservation")), (2, 3), "version and last_reservation in the file")
    entry = {"id": "R1", "sku": "A-1", "quantity": 4, "customer": "Ada", "until": "2026-12-31"}
    same(data.get("reservations"), [entry], "reservations in the file")
    for wrong in (["expire", "--today", "2026-02-30"], ["reserve", "A-1", "1", "Bo", "--until", "soon"]):
        same(cli(path, *wrong)[:2], (2, ""), f"exit code and stdout of {' '.join(wrong)}")
    path.write_text(json.dumps({"version": 3, "items": []}))
    same(cli(path, "list")[0], 1, "exit code for a file of version 3")


def today(path):
    """What `expire` does without `--today`."""
    cli(path, "add", "A-1", "Bolt")
    cli(path, "receive", "A-1", "10")
    for days in (-2, 2):
        day = datetime.date.today() + datetime.timedelta(days=days)
        cli(path, "reserve", "A-1", "1", "Ada", "--until", day.isoformat())
    same(cli(path, "expire"), (0, "R1\n", ""), "(exit code, stdout, stderr) of expire")


def main():
    tests_as_given()
    with tempfile.TemporaryDirectory() as folder:
        rules(f"{folder}/rules.json")
        order(f"{folder}/order.json")
        command_line(Path(folder, "cli.json"))
        today(Path(folder, "today.json"))


main()
