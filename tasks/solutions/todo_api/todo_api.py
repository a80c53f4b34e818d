"""A TODO list as an HTTP API."""

import argparse
import json
import os
import re
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

MAX_BODY_BYTES = 65536
MAX_TITLE_CHARS = 200
MAX_DRAIN_BYTES = 1 << 20


class ApiError(Exception):
    """An answer that is an error."""

    def __init__(self, status, message, headers=None):
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class TodoList:
    """The todos, optionally kept in a file. Safe to use from several threads."""

    def __init__(self, path=None):
        self._path = Path(path) if path else None
        self._lock = threading.Lock()
        self._last_id = 0
        self._todos = {}
        if self._path and self._path.exists():
            data = json.loads(self._path.read_text(encoding="utf-8"))
            self._last_id = data["last_id"]
            self._todos = {todo["id"]: todo for todo in data["todos"]}

    def all(self, done=None):
        """The todos by ascending id, all or only those that are (not) done."""
        with self._lock:
            todos = [dict(self._todos[key]) for key in sorted(self._todos)]
        return [todo for todo in todos if done in (None, todo["done"])]

    def get(self, todo_id):
        """One todo."""
        with self._lock:
            return dict(self._existing(todo_id))

    def add(self, title, done=False):
        """A new todo."""
        with self._lock:
            todo = {"id": self._last_id + 1, "title": title, "done": done}
            self._save(todo["id"], {**self._todos, todo["id"]: todo})
            return dict(todo)

    def change(self, todo_id, changes):
        """Changes some values of a todo."""
        with self._lock:
            todo = {**self._existing(todo_id), **changes}
            self._save(self._last_id, {**self._todos, todo_id: todo})
            return dict(todo)

    def remove(self, todo_id):
        """Removes a todo."""
        with self._lock:
            self._existing(todo_id)
            left = {key: todo for key, todo in self._todos.items() if key != todo_id}
            self._save(self._last_id, left)

    def _existing(self, todo_id):
        if todo_id not in self._todos:
            raise ApiError(404, f"there is no todo {todo_id}")
        return self._todos[todo_id]

    def _save(self, last_id, todos):
        """Takes a new state over once it is in the file."""
        if self._path:
            data = {"last_id": last_id, "todos": list(todos.values())}
            temporary = self._path.with_name(self._path.name + ".new")
            temporary.write_text(json.dumps(data, indent=1), encoding="utf-8")
            os.replace(temporary, self._path)
        self._last_id, self._todos = last_id, todos


def checked(body, *, title_needed):
    """The title and the state in a request's body, checked."""
    if not isinstance(body, dict):
        raise ApiError(400, "the body must be a JSON object")
    unknown = sorted(body.keys() - {"title", "done"})
    if unknown:
        raise ApiError(400, f"unknown key: {', '.join(unknown)}")
    if title_needed and "title" not in body:
        raise ApiError(400, "title is missing")
    if not body:
        raise ApiError(400, "give title, done or both")
    values = {}
    if "title" in body:
        title = body["title"].strip() if isinstance(body["title"], str) else None
        if not title or len(title) > MAX_TITLE_CHARS:
            raise ApiError(400, f"title must be a text of 1 to {MAX_TITLE_CHARS} characters")
        values["title"] = title
    if "done" in body:
        if not isinstance(body["done"], bool):
            raise ApiError(400, "done must be true or false")
        values["done"] = body["done"]
    return values


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def answer(self):
        """Answers any request."""
        try:
            status, content, headers = self._dispatch()
        except ApiError as error:
            status, content, headers = error.status, {"error": str(error)}, error.headers
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if content is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = do_HEAD = do_OPTIONS = answer

    def _dispatch(self):
        raw = self._raw_body()
        url = urlsplit(self.path)
        one = re.fullmatch(r"/todos/(\d{1,18})", url.path, re.ASCII)
        if one:
            methods = {"GET": self._get, "PATCH": self._patch, "DELETE": self._delete}
            call = self._method(methods)
            return call(int(one[1]), raw)
        if url.path == "/todos":
            call = self._method({"GET": self._list, "POST": self._post})
            return call(parse_qs(url.query, keep_blank_values=True), raw)
        raise ApiError(404, f"there is nothing at {url.path}")

    def _method(self, methods):
        if self.command not in methods:
            allow = ", ".join(methods)
            raise ApiError(405, f"{self.command} is not possible here", {"Allow": allow})
        return methods[self.command]

    def _list(self, query, _raw):
        done = query.get("done", [None])[-1]
        if done not in (None, "true", "false"):
            raise ApiError(400, "done must be true or false")
        return 200, self.server.todos.all(None if done is None else done == "true"), {}

    def _post(self, _query, raw):
        todo = self.server.todos.add(**checked(self._json(raw), title_needed=True))
        return 201, todo, {"Location": f"/todos/{todo['id']}"}

    def _get(self, todo_id, _raw):
        return 200, self.server.todos.get(todo_id), {}

    def _patch(self, todo_id, raw):
        self.server.todos.get(todo_id)
        changes = checked(self._json(raw), title_needed=False)
        return 200, self.server.todos.change(todo_id, changes), {}

    def _delete(self, todo_id, _raw):
        self.server.todos.remove(todo_id)
        return 204, None, {}

    def _raw_body(self):
        """The body; always read, or the connection could not be used again."""
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if length < 0:
            self.close_connection = True
            raise ApiError(400, "Content-Length is not a number")
        if length > MAX_BODY_BYTES:
            self.close_connection = True
            # A client that is still sending when the connection closes may never see the answer.
            self.rfile.read(min(length, MAX_DRAIN_BYTES))
            raise ApiError(413, f"the body has more than {MAX_BODY_BYTES} bytes")
        return self.rfile.read(length)

    @staticmethod
    def _json(raw):
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise ApiError(400, "the body is not valid JSON") from None

    def log_message(self, format, *args):
        """Says nothing."""


class TodoServer(ThreadingHTTPServer):
    """The server with its list."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host, port, data=None):
        self.todos = TodoList(data)
        super().__init__((host, port), Handler)


def main():
    """Runs the server until it is told to stop."""
    parser = argparse.ArgumentParser(description="A TODO list as an HTTP API.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--data", metavar="FILE", help="keep the list in this JSON file")
    options = parser.parse_args()
    server = TodoServer(options.host, options.port, options.data)

    def stop(_number, _frame):
        # shutdown() waits for the loop, which runs in this very thread.
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(f"listening on http://{options.host}:{server.server_address[1]}", flush=True)
    server.serve_forever(poll_interval=0.05)
    server.server_close()


if __name__ == "__main__":
    main()
