"""What the task asks for. The agent's app runs in another process; its answers are compared with what they have to be."""

import base64
import hashlib
import hmac
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SCENARIO = [sys.executable, str(Path(__file__).with_name("scenario.py"))]
SECRETS = {"shop": "s3cret", "bank": "geh\u00e9im"}
NOW = 1_796_119_200  # 2026-12-01T10:00:00Z
FILE = "inbox.db"


def same(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


def run(folder, requests, now=NOW + 0.75, step=0, together=False, file=FILE, **options):
    """The answers: (status, JSON). All errors must have a message, and everything must be JSON."""
    plan = {"database": str(Path(folder, file)), "requests": requests, "now": now, "step": step}
    plan.update(together=together, options=options)
    try:
        done = subprocess.run(SCENARIO, input=json.dumps(plan), capture_output=True, text=True, timeout=50)
    except subprocess.TimeoutExpired:
        sys.exit("did not end within 50 s")
    if not done.stdout.strip():
        sys.exit(f"failed: {done.stderr.strip()[-300:] or 'ended early'}")
    answers = json.loads(done.stdout.splitlines()[-1])
    for request, (status, content, kind) in zip(requests, answers, strict=True):
        where = f"{request[0]} {request[1]} ({status})"
        same(kind, "application/json", f"content type of {where}")
        if status >= 400 and not (isinstance(content, dict) and isinstance(content.get("error"), str) and content["error"]):
            sys.exit(f"no error message in the answer to {where}: {content!r}")
    return [(status, content) for status, content, _ in answers]


def signed(body, event_id, at, source="shop"):
    message = f"{event_id}.{at}.".encode() + body
    return "v1=" + hmac.new(SECRETS.get(source, "x").encode(), message, hashlib.sha256).hexdigest()


def event(payload=None, event_id="e1", source="shop", at=NOW, body=None, drop=(), **headers):
    """A request that delivers an event; headers by the last part of their names."""
    body = json.dumps({"type": "t"} if payload is None else payload).encode() if body is None else body
    sent = {"Id": event_id, "Timestamp": str(at), "Signature": signed(body, event_id, at, source), **headers}
    named = {f"X-Webhook-{name}": value for name, value in sent.items() if name not in drop}
    return ["POST", f"/hooks/{source}", {**named, "Content-Type": "application/json"}, base64.b64encode(body).decode()]


def get(path):
    return ["GET", path, {}, ""]


def post(path):
    return ["POST", path, {}, ""]


def shown(seq, payload, event_id, source="shop", acked=False, at="2026-12-01T10:00:00Z"):
    values = {"seq": seq, "source": source, "id": event_id, "type": payload["type"], "received_at": at}
    return {**values, "acked": acked, "payload": payload}


def life(folder):
    payload = {"type": "order.paid", "text": "\u00e4 <b>", "nested": {"n": [1, 2.5, None]}}
    spaced = b' {"type" : "t",\n "a":1}'
    requests = [
        event(payload),
        event(payload),
        event({"type": "order.paid"}),
        event(payload, source="bank"),
        event(body=spaced, event_id="A-z_0.9"),
        event(body=b'{"type": "t", "a": 1}', event_id="A-z_0.9"),
        get("/events/1"),
        get("/events/2"),
        get("/events/3"),
        get("/events/4"),
        get("/events/0"),
        post("/events/2/ack"),
        post("/events/2/ack"),
        post("/events/4/ack"),
        get("/events"),
    ]
    first, second = shown(1, payload, "e1"), shown(2, payload, "e1", "bank")
    third = shown(3, {"type": "t", "a": 1}, "A-z_0.9")
    expected = [
        (202, {"status": "accepted", "seq": 1}),
        (200, {"status": "duplicate", "seq": 1}),
        (409, None),
        (202, {"status": "accepted", "seq": 2}),
        (202, {"status": "accepted", "seq": 3}),
        (409, None),
        (200, first),
        (200, second),
        (200, third),
        (404, None),
        (404, None),
        (200, {**second, "acked": True}),
        (200, {**second, "acked": True}),
        (404, None),
        (200, {"events": [first, {**second, "acked": True}, third], "next": None}),
    ]
    for request, answer, wanted in zip(requests, run(folder, requests), expected, strict=True):
        compare(request, answer, wanted)
    # Another process, later: everything is still there.
    again = run(folder, [event(payload, at=NOW + 90_000), get("/events/3"), event(event_id="new", at=NOW + 90_000)], now=NOW + 90_000)
    same(again[0], (200, {"status": "duplicate", "seq": 1}), "an event that comes again the next day")
    same(again[1], (200, third), "an event in another process")
    same(again[2][1].get("seq"), 4, "the next seq in another process")


def compare(request, answer, wanted):
    what = f"(status, answer) of {request[0]} {request[1]}"
    same(answer if wanted[1] is not None else answer[0], wanted if wanted[1] is not None else wanted[0], what)


def refusals(folder):
    good = signed(b'{"type": "t"}', "e1", NOW)
    large = b'{"type": "t", "x": "' + b"x" * 65536 + b'"}'
    cases = [
        (404, event(source="nobody")),
        (404, event(source="nobody", body=large)),
        (413, event(body=large)),
        (413, event(body=large, drop=("Id",))),
        *((400, event(drop=(name,))) for name in ("Id", "Timestamp", "Signature")),
        *((400, event(event_id=value)) for value in ("a b", "x" * 101, "a/b", "")),
        *((400, event(at=value)) for value in ("", "1.5", "-5", "soon", "1" * 13, "+5", "0x10")),
        *((400, event(Signature=value)) for value in ("", good[3:], "v2=" + good[3:], ",")),
        (400, event(event_id="a b", Signature="v1=00")),
        *((401, event(Signature=value)) for value in ("v1=", "v1=00", good.upper().replace("V1", "v1"), good + "0")),
        (401, event(Id="e2")),
        (401, event(Timestamp=str(NOW - 1))),
        (401, event(body=b'{"type": "x"}', Signature=good)),
        (401, event(Signature=signed(b'{"type": "t"}', "e1", NOW, "bank"))),
        (401, event(body=b"no JSON", Signature=good)),
        *((401, event(at=NOW + seconds)) for seconds in (-301, -300, 302, 10**6)),
        *((400, event(body=body)) for body in (b"", b"{", b"[]", b'"t"', b"null", b"{}", b'{"type": null}', b'{"type": 5}')),
        *((400, event({"type": value})) for value in ("", "x" * 101, ["t"])),
        *((400, event(body=b'{"type": "t", "x": %s}' % word)) for word in (b"NaN", b"Infinity", b"-Infinity")),
        (400, event(body=b'\xff{"type": "t"}')),
        (404, get("/nothing")),
        (404, get("/events/x")),
        (405, get("/hooks/shop")),
        (405, post("/events")),
    ]
    answers = run(folder, [request for _, request in cases])
    for (status, request), (found, content) in zip(cases, answers, strict=True):
        same(found, status, f"status of {request} ({content})"[:400])
    same(run(folder, [get("/events")])[0], (200, {"events": [], "next": None}), "events after refused requests")


def accepted(folder):
    good = signed(b'{"type": "t"}', "e1", NOW)
    requests = [
        event(Signature=f"v1=00,v1={'0' * 64} , v0=x,  {good}"),
        event(event_id="x" * 100, at=NOW - 299),
        event({"type": "y" * 100}, event_id="-", at=NOW + 300),
        event(event_id="f", body=json.dumps({"type": "t", "x": "x" * 65536}).encode()[: 65536 - 2] + b'"}'),
    ]
    statuses = [status for status, _ in run(folder, requests)]
    same(statuses, [202] * 4, "status of the signature among others, the limits of time, of the type and of the size")
    small = run(folder, [event(event_id="s", at=NOW - 2), event(event_id="s2")], tolerance=1, max_bytes=13, file="s.db")
    same([status for status, _ in small], [401, 202], "with a tolerance of 1 s and 13 bytes at most")
    small = run(folder, [event({"type": "tt"}, event_id="s3")], max_bytes=13, file="s.db")
    same(small[0][0], 413, "status of 14 bytes where 13 are allowed")


def pages(folder):
    requests = [
        event({"type": "ab"[number % 2], "n": number}, f"e{number}", "bank" if number % 3 == 2 else "shop")
        for number in range(30)
    ]
    statuses = {status for status, _ in run(folder, requests, now=NOW, step=0.5)}
    same(statuses, {202}, "status of 30 events")
    run(folder, [post(f"/events/{seq}/ack") for seq in (2, 3, 5, 8)])
    # From seq to (type, source, acked).
    facts = {n + 1: ("ab"[n % 2], "bank" if n % 3 == 2 else "shop", n + 1 in (2, 3, 5, 8)) for n in range(30)}
    queries = ["", "limit=100", "limit=30", "limit=29", "after=28", "after=30", "after=0&limit=1", "source=bank&limit=10"]
    queries += ["source=bank&limit=9", "type=a&source=shop", "acked=true", "acked=false&limit=3", "acked=true&type=b&limit=1"]
    queries += ["source=nobody", "type=", "type=a&after=7&limit=2", "acked=true&after=3&limit=2"]
    answers = run(folder, [get(f"/events?{query}") for query in queries])
    for query, (status, content) in zip(queries, answers, strict=True):
        wanted = dict(part.split("=") for part in query.split("&") if part)
        fits = [
            seq
            for seq, (kind, source, acked) in facts.items()
            if wanted.get("type", kind) == kind
            and wanted.get("source", source) == source
            and wanted.get("acked", str(acked).lower()) == str(acked).lower()
            and seq > int(wanted.get("after", 0))
        ]
        limit = int(wanted.get("limit", 20))
        same(status, 200, f"status of ?{query}")
        same([one["seq"] for one in content["events"]], fits[:limit], f"seqs of ?{query}")
        same(content["next"], fits[limit - 1] if len(fits) > limit else None, f"next of ?{query}")
    wrong = ["limit=0", "limit=101", "limit=x", "limit=", "limit=1.5", "after=-1", "after=x", "acked=1", "acked=True"]
    wrong += ["acked=", "sort=seq", "limit=1&limit=2", "type=a&type=a"]
    for query, (status, _) in zip(wrong, run(folder, [get(f"/events?{query}") for query in wrong]), strict=True):
        same(status, 400, f"status of ?{query}")


def at_once(folder):
    requests = [event({"type": "t"}, f"e{number % 5}") for number in range(60)]
    answers = run(folder, requests, together=True)
    for number in range(5):
        mine = [answer for request, answer in zip(requests, answers, strict=True) if request[2]["X-Webhook-Id"] == f"e{number}"]
        same(sorted(status for status, _ in mine), [200] * 11 + [202], "statuses of one event delivered 12 times at once")
        same(len({content["seq"] for _, content in mine}), 1, "different seqs of one event")
    (page,) = run(folder, [get("/events?limit=100")])
    same(sorted(one["id"] for one in page[1]["events"]), [f"e{number}" for number in range(5)], "events stored")


def main():
    for check in (life, refusals, accepted, pages, at_once):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)


main()
