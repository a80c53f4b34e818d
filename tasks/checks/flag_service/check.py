"""What the task asks for, tried through Flask's test client."""

import hashlib
import sys

sys.path.insert(0, ".")

from flag_service import create_app  # noqa: E402


def expect(found, wanted, what):
    assert found == wanted, f"{what}: found {found!r}, expected {wanted!r}"


client = create_app().test_client()
expect(client.get("/flags").get_json(), [], "the list of a new app")
made = client.put("/flags/zeta", json={"enabled": True})
expect((made.status_code, made.get_json()), (201, {"name": "zeta", "enabled": True, "percentage": 100}), "a new flag")
expect(client.put("/flags/alpha", json={"enabled": False, "percentage": 40}).status_code, 201, "a second flag")
expect(client.put("/flags/zeta", json={"enabled": True, "percentage": 37}).status_code, 200, "a flag put again")
expect([flag["name"] for flag in client.get("/flags").get_json()], ["alpha", "zeta"], "the list")
expect(create_app().test_client().get("/flags").get_json(), [], "the list of another app")

for user in [f"user{number}" for number in range(60)] + ["Zoë", "a b&c"]:
    place = int.from_bytes(hashlib.sha256(f"zeta:{user}".encode()).digest()[:4], "big") % 100
    answer = client.get("/flags/zeta/decision", query_string={"user": user})
    expect(answer.get_json(), {"flag": "zeta", "user": user, "on": place < 37}, f"the decision for {user}")
    off = client.get("/flags/alpha/decision", query_string={"user": user}).get_json()
    expect(off["on"], False, "the decision of a disabled flag")

for body in ({}, {"enabled": "yes"}, {"enabled": True, "percentage": -1}, {"enabled": True, "percentage": 101},
             {"enabled": True, "percentage": 1.5}, {"enabled": True, "percentage": True}, {"enabled": True, "x": 1},
             [], None):
    expect(client.put("/flags/zeta", json=body).status_code, 400, f"PUT {body!r}")
expect(client.put("/flags/zeta", data="{", content_type="application/json").status_code, 400, "PUT of no JSON")
expect(client.get("/flags/zeta").get_json()["percentage"], 37, "the flag after bad requests")

for name in ("Upper", "1st", "a" * 41, "a_b"):
    expect(client.put(f"/flags/{name}", json={"enabled": True}).status_code, 400, f"PUT {name}")
    expect(client.get(f"/flags/{name}").status_code, 404, f"GET {name}")
expect(client.put("/flags/" + "a" * 40, json={"enabled": True}).status_code, 201, "a name of 40 letters")

for answer, code in (
    (client.get("/flags/none"), 404),
    (client.delete("/flags/none"), 404),
    (client.get("/flags/none/decision?user=x"), 404),
    (client.get("/flags/zeta/decision"), 400),
    (client.get("/flags/zeta/decision?user="), 400),
    (client.get("/nowhere"), 404),
    (client.post("/flags", json={}), 405),
):
    expect(answer.status_code, code, f"{answer.request.method} {answer.request.path}")
    assert (answer.get_json(silent=True) or {}).get("error"), f"{answer.request.path}: the error is not as asked"

gone = client.delete("/flags/zeta")
expect((gone.status_code, gone.data), (204, b""), "DELETE")
expect(client.get("/flags/zeta").status_code, 404, "a deleted flag")
