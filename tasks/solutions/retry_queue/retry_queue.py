"""A durable job queue with retries, leases and dead letters, in a SQLite file."""

import json
import secrets
import sqlite3
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    payload TEXT NOT NULL,
    key TEXT,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',
    due REAL NOT NULL, -- while running: the end of the lease
    error TEXT NOT NULL DEFAULT ''
)
"""
INDEX = "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, due, id)"
BUSY_SECONDS = 30.0
STATES = ("waiting", "running", "done", "dead")


@dataclass(frozen=True)
class Job:
    """A job in one attempt."""

    id: int
    payload: object
    attempt: int
    token: str
    """Of this attempt and no other: after ``revive`` the same numbers come again."""
    lease_until: float


@dataclass(frozen=True)
class DeadJob:
    """A job that will not be tried again."""

    id: int
    payload: object
    attempts: int
    error: str


class RetryQueue:
    """The queue in a file. Each process and each thread needs an object of its own."""

    def __init__(
        self,
        path,
        *,
        clock=time.time,
        max_attempts=5,
        base_delay=1.0,
        max_delay=3600.0,
        lease=30.0,
    ):
        if max_attempts < 1:
            raise ValueError(f"max_attempts must be at least 1, not {max_attempts}")
        if not lease > 0:
            raise ValueError(f"lease must be above 0, not {lease}")
        if base_delay < 0 or max_delay < 0:
            raise ValueError("delays must not be negative")
        self._clock = clock
        self._max_attempts = max_attempts
        self._base_delay = base_delay
        self._max_delay = max_delay
        self._lease = lease
        self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        with self._writing():
            self._db.execute(SCHEMA)
            self._db.execute(INDEX)

    def put(self, payload, *, key=None, delay=0.0):
        """Stores a job; returns its id, or that of the job that has the key already."""
        text = json.dumps(payload, allow_nan=False)
        if delay < 0:
            raise ValueError(f"delay must not be negative, not {delay}")
        due = self._clock() + delay
        with self._writing():
            if key is not None:
                same = self._db.execute(
                    "SELECT min(id) FROM jobs WHERE key = ? AND state IN ('waiting', 'running')",
                    (key,),
                ).fetchone()
                if same[0] is not None:
                    return same[0]
            return self._db.execute(
                "INSERT INTO jobs (payload, key, due) VALUES (?, ?, ?)", (text, key, due)
            ).lastrowid

    def take(self):
        """Begins the next attempt of the job that is due the longest; None if none is."""
        now = self._clock()
        with self._writing():
            self._end_leases(now)
            row = self._db.execute(
                "SELECT id, payload, attempts FROM jobs WHERE state = 'waiting' AND due <= ?"
                " ORDER BY due, id LIMIT 1",
                (now,),
            ).fetchone()
            if row is None:
                return None
            token = secrets.token_hex(8)
            job = Job(row[0], json.loads(row[1]), row[2] + 1, token, now + self._lease)
            self._db.execute(
                "UPDATE jobs SET state = 'running', attempts = ?, token = ?, due = ? WHERE id = ?",
                (job.attempt, job.token, job.lease_until, job.id),
            )
            return job

    def _end_leases(self, now):
        self._db.execute(
            "UPDATE jobs SET error = 'lease expired',"
            " state = CASE WHEN attempts >= ? THEN 'dead' ELSE 'waiting' END"
            " WHERE state = 'running' AND due <= ?",
            (self._max_attempts, now),
        )

    def done(self, job):
        """Ends an attempt well; False if the job is no longer in it."""
        return self._end(job, "state = 'done'")

    def fail(self, job, error, *, retry=True):
        """Ends an attempt badly; False if the job is no longer in it."""
        now = self._clock()
        if not retry or job.attempt >= self._max_attempts:
            return self._end(job, "state = 'dead', error = ?", error)
        # A huge exponent must not overflow: beyond 2 ** 62 every delay is the longest one.
        delay = min(self._max_delay, self._base_delay * 2 ** min(job.attempt - 1, 62))
        return self._end(job, "state = 'waiting', error = ?, due = ?", error, now + delay)

    def extend(self, job):
        """The job with a new lease; None if it is no longer in this attempt."""
        until = self._clock() + self._lease
        return replace(job, lease_until=until) if self._end(job, "due = ?", until) else None

    def _end(self, job, change, *values):
        with self._writing():
            changed = self._db.execute(
                f"UPDATE jobs SET {change} WHERE id = ? AND token = ? AND state = 'running'",
                (*values, job.id, job.token),
            )
            return changed.rowcount == 1

    def dead(self):
        """The dead jobs by id."""
        rows = self._db.execute(
            "SELECT id, payload, attempts, error FROM jobs WHERE state = 'dead' ORDER BY id"
        )
        return [DeadJob(row[0], json.loads(row[1]), row[2], row[3]) for row in rows]

    def revive(self, job_id):
        """Makes a dead job due, as if it had never been tried; False if there is none."""
        now = self._clock()
        with self._writing():
            changed = self._db.execute(
                "UPDATE jobs SET state = 'waiting', attempts = 0, due = ?, error = ''"
                " WHERE id = ? AND state = 'dead'",
                (now, job_id),
            )
            return changed.rowcount == 1

    def counts(self):
        """How many jobs are in each state."""
        rows = dict(self._db.execute("SELECT state, count(*) FROM jobs GROUP BY state"))
        return {state: rows.get(state, 0) for state in STATES}

    def close(self):
        """Closes the file."""
        self._db.close()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    @contextmanager
    def _writing(self):
        """A transaction that may write from its start, so that it cannot fail later."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
