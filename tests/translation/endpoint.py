"""A small OpenAI-compatible server for tests: it answers what it is told to, in turn."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], str]
Answer = Callable[[list[dict[str, str]]], Reply]


def completion(content: str) -> str:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]})


def upper(texts: list[dict[str, str]]) -> Reply:
    """Every text in capitals; marks stay as they are."""
    said = [each["text"].upper().replace("<V", "<v").replace("</V", "</v") for each in texts]
    return 200, {}, completion(json.dumps({"translations": said}))


class Endpoint:
    """Answers one after the other; the last one serves for ever."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[list[dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []

    def reply(self, texts: list[dict[str, str]]) -> Reply:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(texts)


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body: Any = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = json.loads(body["messages"][-1]["content"])
            endpoint.asked.append(texts)
            endpoint.headers.append(dict(self.headers))
            status, headers, text = endpoint.reply(texts)
            raw = text.encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *about: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
