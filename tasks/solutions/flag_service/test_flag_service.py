import pytest

from flag_service import bucket, create_app


@pytest.fixture
def client():
    return create_app().test_client()


def test_a_flag_from_its_making_to_its_end(client):
    made = client.put("/flags/dark-mode", json={"enabled": True})
    assert (made.status_code, made.json) == (201, {"name": "dark-mode", "enabled": True, "percentage": 100})
    assert client.put("/flags/dark-mode", json={"enabled": False, "percentage": 5}).status_code == 200
    assert client.get("/flags/dark-mode").json["percentage"] == 5
    assert client.delete("/flags/dark-mode").status_code == 204
    assert client.get("/flags/dark-mode").status_code == 404


def test_the_list_is_sorted_and_apps_are_independent(client):
    for name in ("b", "a", "c"):
        client.put(f"/flags/{name}", json={"enabled": True})
    assert [flag["name"] for flag in client.get("/flags").json] == ["a", "b", "c"]
    assert create_app().test_client().get("/flags").json == []


@pytest.mark.parametrize("percentage", [0, 30, 100])
def test_decisions_follow_the_bucket(client, percentage):
    client.put("/flags/new-ui", json={"enabled": True, "percentage": percentage})
    for user in ("ada", "bob", "zoë"):
        answer = client.get("/flags/new-ui/decision", query_string={"user": user}).json
        assert answer == {"flag": "new-ui", "user": user, "on": bucket("new-ui", user) < percentage}


@pytest.mark.parametrize(
    "body", [{}, {"enabled": 1}, {"enabled": True, "percentage": 101}, {"enabled": True, "percentage": True}, [1]]
)
def test_bad_bodies_change_nothing(client, body):
    client.put("/flags/f", json={"enabled": True})
    answer = client.put("/flags/f", json=body)
    assert answer.status_code == 400
    assert answer.json["error"]
    assert client.get("/flags/f").json == {"name": "f", "enabled": True, "percentage": 100}


def test_errors_are_json(client):
    for answer in (client.get("/nothing"), client.post("/flags"), client.put("/flags/UPPER", json={"enabled": True})):
        assert answer.status_code in (400, 404, 405)
        assert answer.json["error"]
