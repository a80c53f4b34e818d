"""What the task asks for, tried from outside: a real server, real requests."""

import json
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path


def expect(condition, message):
    if not condition:
        sys.exit(message)


class Server:
    """A server of the agent's, on a free port."""

    def __init__(self, *options):
        argv = [sys.executable, "todo_api.py", "--port", "0", *options]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        watchdog = threading.Timer(15, self.process.kill)
        watchdog.start()
        line = self.process.stdout.readline().strip()
        watchdog.cancel()
        expect(line.startswith("listening on http://127.0.0.1:"), f"said {line!r} when it started")
        self.port = int(line.rsplit(":", 1)[1])

    def __call__(self, method, path, body=None, raw=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        content = raw if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, content, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, HTTPException) as error:
            sys.exit(f"{method} {path}: {error!r}")
        finally:
            connection.close()
        if answer.status == 204:
            expect(not text, f"{method} {path}: 204 with a body")
            return 204, None, answer.headers
        kind = answer.headers.get_content_type()
        expect(kind == "application/json", f"{method} {path}: Content-Type {kind}")
        try:
            found = json.loads(text)
        except ValueError:
            sys.exit(f"{method} {path}: the answer is not JSON: {text[:80]!r}")
        if answer.status >= 400:
            said = found.get("error") if isinstance(found, dict) else None
            expect(isinstance(said, str) and said, f"{method} {path}: no error message in {found!r}")
        return answer.status, found, answer.headers

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit(f"did not end within 10 s of signal {number}")
        expect(code == 0, f"ended with exit code {code} after signal {number}")


def same(found, expected, what):
    expect(found == expected, f"{what}: found {found!r}, expected {expected!r}")


def life(call):
    same(call("GET", "/todos")[:2], (200, []), "an empty list")
    status, todo, headers = call("POST", "/todos", {"title": "\t Buy milk & \u00e4pples  "})
    same((status, todo), (201, {"id": 1, "title": "Buy milk & \u00e4pples", "done": False}), "POST")
    expect(headers["Location"] == "/todos/1", f"Location {headers['Location']!r}")
    same(call("POST", "/todos", {"title": "two", "done": True})[1]["done"], True, "POST with done")
    call("POST", "/todos", {"title": "three"})
    same(call("GET", "/todos/2")[:2], (200, {"id": 2, "title": "two", "done": True}), "GET of one")
    changed = {"id": 2, "title": "zwei", "done": False}
    same(call("PATCH", "/todos/2", {"title": " zwei ", "done": False})[:2], (200, changed), "PATCH")
    same(call("PATCH", "/todos/3", {"done": True})[1]["title"], "three", "title after a PATCH of done")
    same([t["id"] for t in call("GET", "/todos")[1]], [1, 2, 3], "ids of the list")
    same([t["id"] for t in call("GET", "/todos?done=true")[1]], [3], "done=true")
    same([t["id"] for t in call("GET", "/todos?done=false")[1]], [1, 2], "done=false")
    for value in ("1", "True", "yes"):
        same(call("GET", f"/todos?done={value}")[0], 400, f"done={value!r}")
    same(call("DELETE", "/todos/3")[0], 204, "DELETE")
    for method in ("GET", "DELETE", "PATCH"):
        same(call(method, "/todos/3", {"done": True})[0], 404, f"{method} of a deleted todo")
    same(call("POST", "/todos", {"title": "four"})[1]["id"], 4, "id after the last one was deleted")


def refusals(call):
    before = call("GET", "/todos")[1]
    bad = [b"", b"{", b"nonsense", b"\xff\xfe", b"[]", b"null", b'"x"', b"{}", b'{"done": true}', b'{"title": null}']
    bad += [b'{"title": ""}', b'{"title": " \\n "}', b'{"title": 5}', b'{"title": ["x"]}', b'{"title": "x", "id": 9}']
    bad += [b'{"title": "x", "done": "true"}', b'{"title": "x", "done": 0}', b'{"title": "x", "done": null}']
    bad += [json.dumps({"title": "x" * 201}).encode()]
    for raw in bad:
        same(call("POST", "/todos", raw=raw)[0], 400, f"POST of {raw[:40]!r}")
    for raw in (b"{}", b"[]", b"{", b'{"title": ""}', b'{"title": "y", "done": 1}', b'{"id": 7}'):
        same(call("PATCH", "/todos/1", raw=raw)[0], 400, f"PATCH of {raw!r}")
    same(call("GET", "/todos")[1], before, "the list after refused requests")
    same(len(call("POST", "/todos", {"title": " " + "x" * 200})[1]["title"]), 200, "length of a long title")
    for path in ("/", "/nothing", "/todos/99", "/todos/abc", "/todos/1/x"):
        same(call("GET", path)[0], 404, f"GET {path}")
    same(too_large(call), 413, "a body of 66000 bytes")
    for method, path, allowed in (("DELETE", "/todos", {"GET", "POST"}), ("PUT", "/todos", {"GET", "POST"})) + tuple(
        (method, "/todos/1", {"GET", "PATCH", "DELETE"}) for method in ("POST", "PUT")
    ):
        status, _, headers = call(method, path, {"title": "x"})
        same(status, 405, f"{method} {path}")
        listed = {word.strip() for word in (headers["Allow"] or "").split(",")} - {"HEAD", "OPTIONS"}
        same(listed, allowed, f"Allow of {method} {path}")


def too_large(call):
    """The status; a server that does not read what it refuses may break the connection while we still send."""
    connection = HTTPConnection("127.0.0.1", call.port, timeout=10)
    try:
        connection.request("POST", "/todos", json.dumps({"title": "x" * 66000}))
        return connection.getresponse().status
    except ConnectionError:
        connection.close()
        connection.putrequest("POST", "/todos")
        connection.putheader("Content-Length", "66000")
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


def together(call):
    first = max(todo["id"] for todo in call("GET", "/todos")[1])
    slow = HTTPConnection("127.0.0.1", call.port, timeout=10)
    slow.connect()  # a client that says nothing must keep no one else waiting
    with ThreadPoolExecutor(10) as pool:
        ids = list(pool.map(lambda n: call("POST", "/todos", {"title": f"n{n}"})[1]["id"], range(40)))
    slow.close()
    same(len(set(ids)), 40, "number of different ids of 40 requests at once")
    expect(min(ids) > first, "an id was given out twice")


def restart(folder):
    data = folder / "todos.json"
    call = Server("--data", str(data))
    for title in ("a", "b", "c"):
        call("POST", "/todos", {"title": title})
    json.loads(data.read_text(encoding="utf-8"))
    call("PATCH", "/todos/1", {"done": True})
    call("DELETE", "/todos/3")
    call.process.kill()  # each change is in the file before its response is sent
    call.process.wait()
    call = Server("--data", str(data))
    left = [{"id": 1, "title": "a", "done": True}, {"id": 2, "title": "b", "done": False}]
    same(call("GET", "/todos")[1], left, "the list after a restart")
    same(call("POST", "/todos", {"title": "d"})[1]["id"], 4, "the next id after a restart")
    call.stop(signal.SIGINT)


def main():
    call = Server()
    try:
        life(call)
        refusals(call)
        together(call)
        call.stop()
        with tempfile.TemporaryDirectory() as folder:
            restart(Path(folder))
    finally:
        call.process.kill()


main()
