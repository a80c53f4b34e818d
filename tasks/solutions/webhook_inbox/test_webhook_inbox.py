import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from webhook_inbox import create_app, signature

NOW = 1_796_119_200
SECRETS = {"shop": "s3cret", "bank": "gehé1m"}


class Inbox:
    """An app, and a sender that signs."""

    def __init__(self, database):
        self.now = NOW + 0.75
        self.app = create_app(database, SECRETS, clock=lambda: self.now)

    def send(self, payload=None, event_id="e1", source="shop", at=NOW, raw=None, **headers):
        body = json.dumps(payload or {"type": "t"}).encode() if raw is None else raw
        sign = signature(SECRETS.get(source, ""), event_id, str(at), body)
        usual = {
            "X-Webhook-Id": event_id,
            "X-Webhook-Timestamp": str(at),
            "X-Webhook-Signature": f"v1={sign}",
        }
        changed = {f"X-Webhook-{name.capitalize()}": value for name, value in headers.items()}
        sent = {name: value for name, value in {**usual, **changed}.items() if value is not None}
        return self.app.test_client().post(f"/hooks/{source}", data=body, headers=sent)

    def get(self, path):
        answer = self.app.test_client().get(path)
        return answer.status_code, answer.json


@pytest.fixture
def inbox(tmp_path):
    return Inbox(str(tmp_path / "inbox.db"))


def test_an_event(inbox):
    answer = inbox.send({"type": "order.paid", "amount": 5})
    assert (answer.status_code, answer.json) == (202, {"status": "accepted", "seq": 1})
    event = {
        "seq": 1,
        "source": "shop",
        "id": "e1",
        "type": "order.paid",
        "received_at": "2026-12-01T10:00:00Z",
        "acked": False,
        "payload": {"type": "order.paid", "amount": 5},
    }
    assert inbox.get("/events/1") == (200, event)
    assert inbox.get("/events/2")[0] == 404


def test_duplicates(inbox):
    inbox.send()
    again = inbox.send()
    assert (again.status_code, again.json) == (200, {"status": "duplicate", "seq": 1})
    assert inbox.send({"type": "other"}).status_code == 409
    assert inbox.send(source="bank").json["seq"] == 2
    assert len(inbox.get("/events")[1]["events"]) == 2


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (404, {"source": "nobody"}),
        (413, {"raw": b"x" * 65537, "id": None}),
        (400, {"id": None}),
        (400, {"id": "a b"}),
        (400, {"id": "x" * 101}),
        (400, {"timestamp": None}),
        (400, {"timestamp": "1.5"}),
        (400, {"timestamp": "-1"}),
        (400, {"signature": None}),
        (400, {"signature": "v2=abc"}),
        (401, {"signature": "v1=abc"}),
        (401, {"signature": "v1=é"}),
        (401, {"id": "e2"}),
        (401, {"timestamp": str(NOW - 1)}),
        (401, {"at": NOW - 300}),
        (401, {"at": NOW + 302}),
        (400, {"raw": b"{"}),
        (400, {"raw": b"[]"}),
        (400, {"raw": b'{"type": 1}'}),
        (400, {"raw": b'{"type": ""}'}),
        (400, {"raw": b'{"type": "t", "x": NaN}'}),
        (400, {"raw": b"\xff"}),
    ],
)
def test_refusals(inbox, status, changes):
    answer = inbox.send(**changes)
    assert answer.status_code == status
    assert answer.json["error"]
    assert inbox.get("/events")[1]["events"] == []


def test_one_right_signature_is_enough(inbox):
    sign = signature("s3cret", "e1", str(NOW), b'{"type": "t"}')
    assert inbox.send(signature=f"v0=x, v1=old ,v1={sign}").status_code == 202


def test_the_limits_of_time(inbox):
    assert inbox.send(at=NOW - 299).status_code == 202
    assert inbox.send(at=NOW + 300, event_id="e2").status_code == 202


def test_pages_and_filters(inbox):
    for number in range(5):
        inbox.send({"type": "ab"[number % 2]}, f"e{number}", "shop" if number < 4 else "bank")
    inbox.app.test_client().post("/events/2/ack")

    def seqs(query):
        page = inbox.get(f"/events?{query}")[1]
        return [event["seq"] for event in page["events"]], page["next"]

    assert seqs("") == ([1, 2, 3, 4, 5], None)
    assert seqs("limit=2") == ([1, 2], 2)
    assert seqs("limit=2&after=2") == ([3, 4], 4)
    assert seqs("limit=1&after=4") == ([5], None)
    assert seqs("type=a") == ([1, 3, 5], None)
    assert seqs("type=a&source=shop&limit=2") == ([1, 3], None)
    assert seqs("acked=true") == ([2], None)
    assert seqs("acked=false&limit=1") == ([1], 1)
    assert seqs("source=nobody") == ([], None)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "after=-1", "acked=1", "sort=seq", "limit=1&limit=2"],
)
def test_wrong_queries(inbox, query):
    status, content = inbox.get(f"/events?{query}")
    assert status == 400
    assert content["error"]


def test_ack(inbox):
    inbox.send()
    for _ in range(2):
        answer = inbox.app.test_client().post("/events/1/ack")
        assert (answer.status_code, answer.json["acked"]) == (200, True)
    assert inbox.app.test_client().post("/events/7/ack").status_code == 404


def test_errors_are_json(inbox):
    assert inbox.get("/nothing")[1]["error"]
    answer = inbox.app.test_client().get("/hooks/shop")
    assert answer.status_code == 405
    assert answer.json["error"]


def test_the_same_event_at_once(inbox, tmp_path):
    other = Inbox(str(tmp_path / "inbox.db"))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: (inbox, other)[n % 2].send(), range(16)))
    assert sorted(answer.status_code for answer in answers) == [200] * 15 + [202]
    assert {answer.json["seq"] for answer in answers} == {1}
