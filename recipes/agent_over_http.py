"""An agent behind HTTP, judged by simulated users like any other system.

    python recipes/agent_over_http.py

The server below stands for yours, in any language: it gets what the user said (acts and words) and
answers with acts. The client is a participant: one method to begin, one to reply.
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

from crosstalk.conversation.participants import Reply
from crosstalk.dialogue.dialogues import Turn
from crosstalk.formats.encoding import decode_turn, encode_turn
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.system.pipeline import System, SystemSession


@dataclass(frozen=True)
class Remote:
    """The client's side: a participant whose mind is elsewhere."""

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
    minds: dict[str, SystemSession] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            mind = minds.get(asked["session"]) or system.begin()
            reply, minds[asked["session"]] = system.reply(decode_turn(asked["heard"]), mind)
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
    simulation = build(Setup("harbour", "en"))
    sampler = goal_sampler(simulation.world)
    with served(simulation.pipeline) as url:
        for number in range(count):
            goal = sampler.sample(goal_rng(1, number))
            user, _ = simulation.cast(goal, f"talk {number}")
            held = talk(user, Remote(url), schema=simulation.world.schema, goal=goal)
            print(f"{goal.type}: {held.ending} after {len(held.turns)} turns {held.fault}")


if __name__ == "__main__":
    main()
