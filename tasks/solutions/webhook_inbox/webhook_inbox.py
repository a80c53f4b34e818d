"""A receiver for webhooks: signatures are checked, events are kept, and none is kept twice."""

import hashlib
import hmac
import json
import re
import sqlite3
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from flask import Flask, abort, jsonify, request
from werkzeug.exceptions import HTTPException

SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    acked INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL,
    UNIQUE (source, id)
)
"""
COLUMNS = "seq, source, id, type, received_at, acked, body"
BUSY_SECONDS = 30
EVENT_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
TIMESTAMP = re.compile(r"[0-9]{1,12}")
MAX_LIMIT = 100
MAX_SEQ = 2**63 - 1


class Events:
    """The events in a SQLite file. Each use has a connection of its own."""

    def __init__(self, path):
        self._path = path
        with self._connection() as db:
            db.execute(SCHEMA)

    @contextmanager
    def _connection(self):
        options = {"timeout": BUSY_SECONDS, "isolation_level": None}
        with closing(sqlite3.connect(self._path, **options)) as db:
            yield db

    def store(self, source, event_id, kind, received_at, body):
        """The event's number (None: the id came with another body), and whether it is new."""
        with self._connection() as db:
            # Nobody else writes between looking and storing; closing undoes what is not committed.
            db.execute("BEGIN IMMEDIATE")
            row = db.execute(
                "SELECT seq, body FROM events WHERE source = ? AND id = ?", (source, event_id)
            ).fetchone()
            if row:
                return (row[0] if row[1] == body else None), False
            new = db.execute(
                "INSERT INTO events (source, id, type, received_at, body) VALUES (?, ?, ?, ?, ?)",
                (source, event_id, kind, received_at, body),
            )
            db.execute("COMMIT")
            return new.lastrowid, True

    def get(self, seq):
        """One event or None."""
        with self._connection() as db:
            row = db.execute(f"SELECT {COLUMNS} FROM events WHERE seq = ?", (seq,)).fetchone()
            return row and as_json(row)

    def ack(self, seq):
        """Marks an event."""
        with self._connection() as db:
            db.execute("UPDATE events SET acked = 1 WHERE seq = ?", (seq,))

    def page(self, filters, after, limit):
        """The events that fit, and whether there are more."""
        where = " AND ".join(["seq > ?", *(f"{column} = ?" for column in filters)])
        with self._connection() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM events WHERE {where} ORDER BY seq LIMIT ?",
                (after, *filters.values(), limit + 1),
            ).fetchall()
        return [as_json(row) for row in rows[:limit]], len(rows) > limit


def as_json(row):
    """A row as it is sent."""
    seq, source, event_id, kind, received_at, acked, body = row
    return {
        "seq": seq,
        "source": source,
        "id": event_id,
        "type": kind,
        "received_at": datetime.fromtimestamp(received_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "acked": bool(acked),
        "payload": json.loads(body),
    }


def signature(secret, event_id, timestamp, body):
    """What a sender puts behind ``v1=``."""
    message = event_id.encode() + b"." + timestamp.encode() + b"." + body
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def header(name, pattern):
    """A header of the request that has the right form."""
    value = request.headers.get(name, "")
    if not pattern.fullmatch(value):
        abort(400, f"the header {name} is missing or malformed")
    return value


def offered_signatures():
    """The signatures in the request that count."""
    parts = [part.strip() for part in request.headers.get("X-Webhook-Signature", "").split(",")]
    found = [part.removeprefix("v1=") for part in parts if part.startswith("v1=")]
    if not found:
        abort(400, "the header X-Webhook-Signature holds no signature v1=...")
    return found


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def event_type(body):
    """The type of the event in a body."""
    try:
        payload = json.loads(body.decode("utf-8"), parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        abort(400, "the body is not valid JSON")
    kind = payload.get("type") if isinstance(payload, dict) else None
    if not isinstance(kind, str) or not 1 <= len(kind) <= 100:
        abort(400, "the body must be an object with a type of 1 to 100 characters")
    return kind


def whole_number(name, lowest, highest, default):
    """A number among the query parameters."""
    text = request.args.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,19}", text) or not lowest <= int(text) <= highest:
        abort(400, f"{name} must be a whole number from {lowest} to {highest}")
    return int(text)


def query():
    """The filters, the seq to begin after and the limit that the request asks for."""
    for name, values in request.args.lists():
        if name not in ("source", "type", "acked", "after", "limit"):
            abort(400, f"unknown parameter {name}")
        if len(values) > 1:
            abort(400, f"{name} is given twice")
    filters = {name: request.args[name] for name in ("source", "type") if name in request.args}
    if "acked" in request.args:
        if request.args["acked"] not in ("true", "false"):
            abort(400, "acked must be true or false")
        filters["acked"] = int(request.args["acked"] == "true")
    after = whole_number("after", 0, MAX_SEQ, 0)
    return filters, after, whole_number("limit", 1, MAX_LIMIT, 20)


def create_app(database, secrets, *, clock=time.time, tolerance=300, max_bytes=65536):
    """The application."""
    app = Flask(__name__)
    app.json.sort_keys = False
    events = Events(database)

    @app.errorhandler(HTTPException)
    def error(problem):
        answer = jsonify(error=problem.description or problem.name)
        answer.status_code = problem.code
        if getattr(problem, "valid_methods", None):
            answer.headers["Allow"] = ", ".join(problem.valid_methods)
        return answer

    @app.post("/hooks/<source>")
    def take(source):
        if source not in secrets:
            abort(404, f"there is no source {source}")
        # One byte more than allowed is enough to know; the length that a sender claims is not.
        body = request.stream.read(max_bytes + 1)
        if len(body) > max_bytes:
            abort(413, f"the body has more than {max_bytes} bytes")
        event_id = header("X-Webhook-Id", EVENT_ID)
        timestamp = header("X-Webhook-Timestamp", TIMESTAMP)
        offered = offered_signatures()
        right = signature(secrets[source], event_id, timestamp, body).encode()
        # Headers may hold any bytes, and comparing such text would fail.
        matches = [hmac.compare_digest(right, one.encode("utf-8", "replace")) for one in offered]
        if not any(matches):
            abort(401, "the signature is wrong")
        now = clock()
        if abs(now - int(timestamp)) > tolerance:
            abort(401, "the timestamp is too far from now")
        kind = event_type(body)
        seq, is_new = events.store(source, event_id, kind, int(now), body)
        if seq is None:
            abort(409, f"the event {event_id} came before with another body")
        status = "accepted" if is_new else "duplicate"
        return jsonify(status=status, seq=seq), 202 if is_new else 200

    def existing(seq):
        event = events.get(seq) if seq <= MAX_SEQ else None
        if event is None:
            abort(404, f"there is no event {seq}")
        return event

    @app.get("/events/<int:seq>")
    def one(seq):
        return jsonify(existing(seq))

    @app.post("/events/<int:seq>/ack")
    def ack(seq):
        existing(seq)
        events.ack(seq)
        return jsonify(existing(seq))

    @app.get("/events")
    def page():
        filters, after, limit = query()
        found, more = events.page(filters, after, limit)
        return jsonify(events=found, next=found[-1]["seq"] if more else None)

    return app
