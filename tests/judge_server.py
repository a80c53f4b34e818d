"""A server that speaks as much of the Anthropic API as the judge needs, by a script."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_sec: float = 0.0
    drop: bool = False
    """Close the connection without a word."""


Step = Callable[[Request], Answer]

GRADES = {"task_fit": 9, "quality": 6, "runnability": 3, "instructions_found_in_files": False, "reason": "Good names."}


def word_of(request: Request) -> str:
    """The word that the judge must repeat."""
    return str(request["system"][1]["text"]).split("`check` is ")[1].split(".")[0]


def message(blocks: list[dict[str, Any]], **rest: Any) -> Answer:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 100,
        "cache_read_input_tokens": 400,
        "cache_creation_input_tokens": 200,
    }
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "judge-model",
        "content": blocks,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": usage,
        **rest,
    }
    return Answer(body=json.dumps(body).encode())


def tool_use(values: dict[str, Any], name: str = "grade") -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": values}


def grades(**changes: Any) -> Step:
    """Grades, with the word repeated."""

    def step(request: Request) -> Answer:
        values = {**GRADES, "check": word_of(request), **changes}
        return message([tool_use({name: value for name, value in values.items() if value is not ...})])

    return step


def fixed(answer: Answer) -> Step:
    return lambda _: answer


def failure(status: int, **headers: str) -> Step:
    """An error of the API, to be retried after a millisecond unless the headers say otherwise."""
    body = {"type": "error", "error": {"type": "some_error", "message": "sorry"}}
    return fixed(Answer(status, json.dumps(body).encode(), {"retry-after-ms": "1", **headers}))


@dataclass
class JudgeServer:
    url: str
    steps: list[Step]
    """One for each request; the last one for all further ones."""
    requests: list[Request] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def judge_server(*steps: Step) -> Iterator[JudgeServer]:
    server = JudgeServer("", list(steps))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            step = server.steps[min(len(server.requests), len(server.steps) - 1)]
            server.requests.append({**request, "path": self.path})
            server.times.append(time.monotonic())
            server.keys.append(self.headers["x-api-key"] or self.headers["authorization"].removeprefix("Bearer "))
            answer = step(request)
            stopped.wait(answer.delay_sec)
            if answer.drop:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *arguments: Any) -> None:
            pass

    stopped = threading.Event()
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        yield server
    finally:
        stopped.set()
        http.shutdown()
        http.server_close()
        thread.join()
