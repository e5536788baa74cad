"""An agent that finds things as our system does, and books with the tools at an address."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from tests.agents.scripted_endpoint import Answer, Endpoint, Json, endpoint
from tests.agents.tool_client import used

import crosstalk
from crosstalk.dialogue.dialogues import Speaker, Turn

STAY: Json = {"arrival": "2026-06-04", "nights": 1, "people": 1}
LAST_ROOM: Json = {"entity": "Grand Hotel Halmora", **STAY}


class BookingAgent:
    """Asks before it does what the user asks for, and then makes one call."""

    def __init__(self, call: tuple[str, Json] = ("book_room", LAST_ROOM)) -> None:
        self._system = crosstalk.build_system("harbour", language="en")
        self._call = call

    def answer(self, said: list[str], address: str) -> str:
        if said[-1].startswith("Yes."):
            (result,) = used(address, self._call)
            return f"The system says: {json.dumps(result)}"
        if any("a room" in text for text in said):
            return "Shall I do that?" if "a room" in said[-1] else "You are welcome."
        state = self._system.begin()
        for text in said:
            reply, state = self._system.reply(Turn(Speaker.USER, text), state)
        return reply.turn.text


@contextmanager
def http_agent(agent: BookingAgent) -> Iterator[Endpoint]:
    """The agent behind HTTP, with the default request."""

    def script(body: Json, number: int) -> Answer:
        said = [each["content"] for each in body["messages"] if each["role"] == "user"]
        return Answer(body={"text": agent.answer(said, body["mcp"])})

    with endpoint(script) as served:
        yield served
