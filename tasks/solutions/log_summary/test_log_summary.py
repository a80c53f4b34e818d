import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from log_summary import Summary, parse_time

PROGRAM = Path(__file__).with_name("log_summary.py")


def line(
    address="192.0.2.1",
    time="01/Dec/2026:10:00:00 +0000",
    request="GET / HTTP/1.1",
    status="200",
    size="10",
    agent="curl",
):
    return f'{address} - - [{time}] "{request}" {status} {size} "-" "{agent}"'


def summary(*lines, top=5):
    found = Summary()
    for text in lines:
        found.add(text + "\n")
    return found.result(top)


def run(*arguments, stdin=b""):
    return subprocess.run([sys.executable, PROGRAM, *arguments], input=stdin, capture_output=True)


def test_nothing():
    assert summary("", "  ") == {
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


def test_counts():
    found = summary(
        line(time="01/Dec/2026:10:00:05 +0200", request="GET /b?x=1 HTTP/1.1"),
        line(time="01/Dec/2026:10:00:00 +0200", request="GET /b?x=2 HTTP/1.1", size="-"),
        line(address="2001:db8::1", request="POST /a HTTP/1.1", status="503"),
    )
    assert (found["requests"], found["bytes"], found["clients"]) == (3, 20, 2)
    assert (found["first"], found["last"]) == ("2026-12-01T08:00:00Z", "2026-12-01T10:00:00Z")
    assert list(found["statuses"].items()) == [("2xx", 2), ("5xx", 1)]
    assert found["error_rate"] == 0.3333
    assert found["top_paths"] == [{"path": "/b", "count": 2}, {"path": "/a", "count": 1}]


def test_equal_counts_are_ordered_by_path():
    lines = [line(request=f"GET /{name} HTTP/1.1") for name in "dbcaa"]
    assert [entry["path"] for entry in summary(*lines, top=3)["top_paths"]] == ["/a", "/b", "/c"]


@pytest.mark.parametrize(
    "text",
    ["nonsense", line(status="20"), line(size="x"), line(request="GET /"), line(request="-")]
    + [line(time="31/Feb/2026:10:00:00 +0000"), line()[:-1], line() + " more"],
)
def test_bad_lines(text):
    found = summary(text, line())
    assert (found["requests"], found["bad_lines"]) == (1, 1)


def test_escaped_quotes():
    assert summary(line(agent=r"a \"quoted\" word \\"))["requests"] == 1


def test_times():
    assert parse_time("01/Dec/2026:00:30:00 +0100").isoformat() == "2026-11-30T23:30:00+00:00"
    assert parse_time("yesterday") is None


def test_program(tmp_path):
    content = (line() + "\n").encode() + b"\xff\xfe\n"
    plain, packed = tmp_path / "access.log", tmp_path / "access.log.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    for done in (run(str(plain)), run(str(packed)), run("-", stdin=content)):
        assert done.returncode == 0
        found = json.loads(done.stdout)
        assert (found["requests"], found["bad_lines"]) == (1, 1)


def test_wrong_use(tmp_path):
    broken = tmp_path / "broken.gz"
    broken.write_bytes(b"no gzip")
    for arguments in (["missing.log"], [str(broken)], ["--top", "0", "-"], ["--top", "x", "-"], []):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr
