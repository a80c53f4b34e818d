"""What the task asks for, tried from outside."""

import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path


def expect(condition, message):
    if not condition:
        sys.exit(message)


def run(*arguments, stdin=b""):
    argv = [sys.executable, "log_summary.py", *map(str, arguments)]
    return subprocess.run(argv, input=stdin, capture_output=True, timeout=30)


def summary(content, *options):
    done = run(*options, "-", stdin=content)
    expect(done.returncode == 0, f"exit code {done.returncode} for {content[:80]!r}")
    return json.loads(done.stdout)


def line(time="01/Dec/2026:10:00:00 +0000", request="GET / HTTP/1.1", rest='200 10 "-" "curl"', address="192.0.2.1"):
    return f'{address} - - [{time}] "{request}" {rest}\n'.encode()


def same(found, expected, what):
    expect(found == expected, f"{what}: found {found!r}, expected {expected!r}")


EMPTY = {
    "requests": 0,
    "bad_lines": 0,
    "bytes": 0,
    "clients": 0,
    "first": None,
    "last": None,
    "statuses": {},
    "error_rate": 0.0,
    "top_paths": [],
}


def random_log(seed):
    """A log, and what it comes to."""
    chance = random.Random(seed)
    lines, times, paths, statuses, clients = [], [], Counter(), Counter(), set()
    size = errors = bad = 0
    for _ in range(400):
        kind = chance.random()
        if kind < 0.1:
            bad += 1
            lines.append(chance.choice([b"-\n", b"\xff\xfe broken\n", line(request="GET"), line(rest='200 ten "-" "-"')]))
            continue
        if kind < 0.15:
            lines.append(b"\n")
            continue
        zone = timezone(timedelta(minutes=chance.choice([-570, -60, 0, 60, 345])))
        time = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(10**6))
        path, status = f"/p{chance.randrange(12)}", chance.choice([200, 204, 301, 404, 500, 503])
        count, address = chance.choice(["-", str(chance.randrange(10**5))]), f"192.0.2.{chance.randrange(40)}"
        target = path + chance.choice(["", "?", "?a=b?c"])
        agent = chance.choice(["curl", r"say \"hi\"", "M\u00f6zilla", r"back\\"])
        moment = time.astimezone(zone).strftime("%d/%b/%Y:%H:%M:%S %z")
        lines.append(f'{address} - ada [{moment}] "GET {target} HTTP/2" {status} {count} "-" "{agent}"\n'.encode())
        times.append(time)
        clients.add(address)
        paths[path] += 1
        statuses[f"{status // 100}xx"] += 1
        size += 0 if count == "-" else int(count)
        errors += status >= 500
    ranked = sorted(paths.items(), key=lambda item: (-item[1], item[0]))
    return b"".join(lines), {
        "requests": len(times),
        "bad_lines": bad,
        "bytes": size,
        "clients": len(clients),
        "first": f"{min(times):%Y-%m-%dT%H:%M:%SZ}",
        "last": f"{max(times):%Y-%m-%dT%H:%M:%SZ}",
        "statuses": dict(sorted(statuses.items())),
        "error_rate": round(errors / len(times), 4),
        "top_paths": [{"path": path, "count": number} for path, number in ranked[:7]],
    }


def main():
    same(summary(b""), EMPTY, "an empty log")
    same(summary(b"\n\n"), EMPTY, "empty lines")
    for seed in range(3):
        content, expected = random_log(seed)
        found = summary(content, "--top", "7")
        for key in expected:
            same(found.get(key), expected[key], f"{key} of a log of 400 lines")
        same(set(found), set(expected), "the keys")
        same(list(found["statuses"]), list(expected["statuses"]), "the order of statuses")
    same(summary(line(time="31/Feb/2026:10:00:00 +0000"))["bad_lines"], 1, "bad lines, 31/Feb")
    same(summary(line(request="GET /a b HTTP/1.1"))["bad_lines"], 1, "bad lines, four words in the request")
    same(summary(line(rest='200 10 "-" "curl" x'))["bad_lines"], 1, "bad lines, something at the end")
    same(summary(line()[:-1])["requests"], 1, "requests, no newline at the end")
    same(len(summary(b"".join(line(request=f"GET /{n} HTTP/1.1") for n in range(9)))["top_paths"]), 5, "top by default")
    with tempfile.TemporaryDirectory() as folder:
        content, expected = random_log(7)
        for name, stored in (("a.log", content), ("a.log.gz", gzip.compress(content))):
            path = Path(folder, name)
            path.write_bytes(stored)
            done = run(path)
            same(done.returncode, 0, f"exit code for {name}")
            same(json.loads(done.stdout)["bytes"], expected["bytes"], f"bytes of {name}")
        Path(folder, "broken.gz").write_bytes(b"this is no gzip file")
        wrong = [["--top", value, path] for value in ("0", "-1", "x", "1.5")]
        wrong += [[f"{folder}/missing"], [folder], [f"{folder}/broken.gz"]]
        for arguments in wrong:
            done = run(*arguments)
            same((done.returncode, done.stdout), (2, b""), f"exit code and output for {arguments[0]}")
            expect(done.stderr.strip(), f"nothing on stderr for {arguments[0]}")


main()
