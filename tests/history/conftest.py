"""Histories to test with: SQLite files, and databases of a real PostgreSQL server where one can be started."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_bench.history.store import History, open_history

TESTS = Path(__file__).parent.parent


def _postgres_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


def _other_user() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: whose processes it is to be then."""
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("root cannot run PostgreSQL, and there is no user 'postgres'")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[str], str]]:
    """A running server: gives the URL of a database on it."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'agent-bench[postgres]'")
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    as_user = _other_user()
    # Not in tmp_path: that is closed to others, and too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="ab-pg-"))
    if as_user:
        os.chown(folder, as_user["user"], as_user["group"])
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "cwd": folder, **as_user}
    data, log = folder / "data", (folder / "log").open("wb")
    try:
        arguments = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"]
        subprocess.run([programs / "initdb", *arguments], check=True, stdout=log, stderr=log, timeout=60, **quiet)
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
            stdout=log,
            stderr=log,
            **quiet,
        )
        try:
            deadline = time.monotonic() + 30
            while True:
                try:
                    psycopg.connect(host=str(folder), user="bench", dbname="postgres").close()
                    break
                except psycopg.OperationalError:
                    assert time.monotonic() < deadline, (folder / "log").read_text()
                    assert server.poll() is None, (folder / "log").read_text()
                    time.sleep(0.05)
            yield lambda name: f"postgresql+psycopg://bench@/{name}?host={folder}"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
    finally:
        log.close()
        shutil.rmtree(folder)


@pytest.fixture
def postgres_place(postgres: Callable[[str], str], request: pytest.FixtureRequest) -> Iterator[str]:
    """A new, empty PostgreSQL database."""
    import psycopg

    name = f"t{abs(hash(request.node.nodeid))}"
    admin = postgres("postgres").replace("+psycopg", "")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield postgres(name)
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new history can be: once in SQLite, once in PostgreSQL."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_place"))
    return str(tmp_path / "bench.db")


@pytest.fixture
def history(place: str) -> Iterator[History]:
    """A new history: once in SQLite, once in PostgreSQL."""
    with open_history(place) as opened:
        yield opened


@pytest.fixture
def start_writer() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts processes that wait for a line on stdin and then write into a history: see scripted/write_records.py."""
    started: list[subprocess.Popen[str]] = []

    def start(place: str, run: str, count: int, batch: int) -> "subprocess.Popen[str]":
        program = TESTS / "history" / "scripted" / "write_records.py"
        paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        process = subprocess.Popen(
            [sys.executable, "-W", "error", program, place, run, str(count), str(batch)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
