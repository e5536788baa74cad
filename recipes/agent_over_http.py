"""An agent behind HTTP, judged by simulated users like any other system.

    python recipes/agent_over_http.py

The server below stands for yours, in any programming language: it gets what the user said, in
words, and answers in words, with the acts it meant (by which its claims are judged). The client is
a participant: one method to begin, one to reply. The run it gives is judged and reported like any.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

import crosstalk
from crosstalk.corpora.record_encoding import decode_turn, encode_turn
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.participants import Reply
from crosstalk.system.pipeline import System, SystemSession


@dataclass(frozen=True)
class Remote:
    """The client's side: a participant whose state is elsewhere."""

    url: str

    def begin(self) -> str:
        return uuid4().hex

    def reply(self, heard: Turn | None, state: str) -> tuple[Reply, str]:
        assert heard is not None
        body = json.dumps({"session": state, "heard": encode_turn(heard)}).encode()
        with urlopen(Request(self.url, body), timeout=10) as answer:
            return Reply(decode_turn(json.load(answer))), state


@contextmanager
def served(system: System) -> Iterator[str]:
    """Your agent; here, one of ours."""
    sessions: dict[str, SystemSession] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name = asked["session"]
            state = sessions.get(name) or system.begin()
            reply, sessions[name] = system.reply(decode_turn(asked["heard"]), state)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(encode_turn(reply.turn)).encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def main(count: int = 5) -> None:
    agent = crosstalk.build_system("harbour", language="en")
    with served(agent) as url:
        run = crosstalk.simulate(Remote(url), goals=count, seed=1, world="harbour", level="words")
    judged = crosstalk.judge(run)
    print(f"{judged.dialogues} conversations held over HTTP, kept in {run.folder}")
    print(
        f"finished: {judged.finish['overall']} %, verified success: {judged.success['overall']} %"
    )
    print(f"More: crosstalk report {run.folder}")


if __name__ == "__main__":
    main()
