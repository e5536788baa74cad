"""A chat-completions server that does what a test wants, faults included: real sockets, no mock."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Answer:
    """One answer of the server."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    wait: float = 0.0
    cut: bool = False
    """Close the connection half way."""


def says(text: str, **more: Any) -> Answer:
    message = {"role": "assistant", "content": text, **more}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return Answer(body={"id": "x", "model": "scripted", "choices": [choice], "usage": usage})


def calls(name: str, arguments: str) -> Answer:
    function = {"name": name, "arguments": arguments}
    return says("", tool_calls=[{"id": "call_1", "type": "function", "function": function}])


def fails(status: int, code: str = "", **headers: str) -> Answer:
    error = {"message": "no", "type": "error", "code": code}
    return Answer(status, {"error": error}, {k.replace("_", "-"): v for k, v in headers.items()})


@dataclass
class Endpoint:
    """A running server."""

    url: str
    requests: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def endpoint(script: Callable[[Json, int], Answer]) -> Iterator[Endpoint]:
    """`script` gets the body of a request and its number, and gives the answer."""
    running = Endpoint("")
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(running.requests)
                running.requests.append(body)
                running.headers.append(dict(self.headers))
            self._send(script(body, number))

        def _send(self, answer: Answer) -> None:
            time.sleep(answer.wait)
            raw = answer.raw if answer.raw is not None else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(raw)))
            for key, value in answer.headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(raw[: len(raw) // 2] if answer.cut else raw)
            if answer.cut:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    running.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
