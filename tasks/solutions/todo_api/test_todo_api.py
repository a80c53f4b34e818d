import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from todo_api import TodoServer


class Client:
    """Sends requests to a running server."""

    def __init__(self, port):
        self.port = port

    def __call__(self, method, path, body=None, raw=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, raw if body is None else json.dumps(body))
            answer = connection.getresponse()
            content = answer.read()
            if answer.status == 204:
                assert content == b""
                return 204, None, answer.headers
            assert answer.headers["Content-Type"] == "application/json"
            return answer.status, json.loads(content), answer.headers
        finally:
            connection.close()


@pytest.fixture
def serve():
    servers = []

    def start(data=None):
        server = TodoServer("127.0.0.1", 0, data)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        servers.append((server, thread))
        return Client(server.server_address[1])

    yield start
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()


def test_life_of_a_todo(serve):
    call = serve()
    assert call("GET", "/todos")[:2] == (200, [])
    status, todo, headers = call("POST", "/todos", {"title": "  Buy milk "})
    assert (status, todo) == (201, {"id": 1, "title": "Buy milk", "done": False})
    assert headers["Location"] == "/todos/1"
    changed = {"id": 1, "title": "Buy milk", "done": True}
    assert call("PATCH", "/todos/1", {"done": True})[:2] == (200, changed)
    assert call("GET", "/todos/1")[:2] == (200, changed)
    assert call("DELETE", "/todos/1")[0] == 204
    assert call("GET", "/todos/1")[0] == 404
    assert call("POST", "/todos", {"title": "next"})[1]["id"] == 2


def test_filter(serve):
    call = serve()
    call("POST", "/todos", {"title": "a"})
    call("POST", "/todos", {"title": "b", "done": True})
    assert [todo["title"] for todo in call("GET", "/todos?done=true")[1]] == ["b"]
    assert [todo["title"] for todo in call("GET", "/todos?done=false")[1]] == ["a"]
    assert call("GET", "/todos?done=maybe")[0] == 400


BAD_BODIES = (
    *("", "{", "[]", '"x"', "{}", '{"title": ""}', '{"title": "  "}', '{"title": 1}'),
    *('{"done": true}', '{"title": "x", "done": 1}', '{"title": "x", "more": 1}'),
    json.dumps({"title": "x" * 201}),
)


@pytest.mark.parametrize("raw", BAD_BODIES)
def test_bad_bodies(serve, raw):
    call = serve()
    status, content, _ = call("POST", "/todos", raw=raw)
    assert status == 400
    assert content["error"]
    assert call("GET", "/todos")[1] == []


def test_bad_changes_change_nothing(serve):
    call = serve()
    call("POST", "/todos", {"title": "x" * 200})
    for body in ({}, {"title": ""}, {"done": None}, {"title": "y", "done": "no"}, {"id": 3}):
        assert call("PATCH", "/todos/1", body)[0] == 400
    assert call("GET", "/todos/1")[1] == {"id": 1, "title": "x" * 200, "done": False}


@pytest.mark.parametrize("path", ["/", "/todo", "/todos/", "/todos/7", "/todos/x", "/todos/1/2"])
def test_unknown_places(serve, path):
    assert serve()("GET", path)[0] == 404


def test_other_methods(serve):
    call = serve()
    status, content, headers = call("DELETE", "/todos")
    assert (status, headers["Allow"]) == (405, "GET, POST")
    assert content["error"]
    assert call("POST", "/todos/1", {"title": "x"})[2]["Allow"] == "GET, PATCH, DELETE"


def test_a_body_that_is_too_large(serve):
    assert serve()("POST", "/todos", {"title": "x" * 70000})[0] == 413


def test_data_file(serve, tmp_path):
    data = tmp_path / "todos.json"
    call = serve(data)
    for title in "abc":
        call("POST", "/todos", {"title": title})
    call("DELETE", "/todos/3")
    again = serve(data)
    assert [todo["title"] for todo in again("GET", "/todos")[1]] == ["a", "b"]
    assert again("POST", "/todos", {"title": "d"})[1]["id"] == 4


def test_ids_are_unique_under_load(serve):
    call = serve()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: call("POST", "/todos", {"title": str(n)}), range(40)))
    assert sorted(todo["id"] for _, todo, _ in answers) == list(range(1, 41))


def test_the_program_says_where_it_listens_and_ends_well():
    program = Path(__file__).with_name("todo_api.py")
    with subprocess.Popen(
        [sys.executable, program, "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as server:
        line = server.stdout.readline().strip()
        assert line.startswith("listening on http://127.0.0.1:")
        assert Client(int(line.rsplit(":", 1)[1]))("GET", "/todos")[0] == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(10) == 0
