"""Agents of others as machine partners: they take one seat of a room, beside a person.

    build_agent_partners(AgentSeat("openai:qwen@http://localhost:8080/v1"), context, NoMachines())

An agent has words and tool calls (in the extras of its turns), no acts and no form. Its state is
kept in memory, room by room; after a restart it is made again from the turns of the room. An agent
that fails says so in words, and is asked again with the next turn.
"""

import json
import logging
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final

from crosstalk.agents.build import AgentOptions, Agents, build_agents, resumed
from crosstalk.agents.chat_agent import ChatAgent
from crosstalk.agents.prompts import fixed_words, user_prompt
from crosstalk.collection.commands import LONGEST_TEXT
from crosstalk.collection.events import Role
from crosstalk.collection.rooms import Room
from crosstalk.collection.wizard_form import is_sound
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.files import read_text
from crosstalk.simulation.dialogue_loop import TurnTimeoutError, within_time
from crosstalk.system.parts import PartContext
from crosstalk.web.collect.startup import Machines
from crosstalk.worlds.tables import World

MOST_ROOMS: Final = 500
"""Rooms whose agents are kept in memory; the state of one that was dropped is made again."""
DONE: Final = "[done]"
"""What an agent in the user's seat writes when it knows everything."""
FAILED: Final = "failed"
"""Key in `extras["agent"]` of a turn that stands in place of an agent's."""
GRACE: Final = 2.0
"""Seconds after an agent's time-out in which it may report that itself."""
log_ = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AgentSeat:
    """An agent by its name, the role it plays, and how it is asked."""

    agent: str
    role: Role = Role.WIZARD
    options: AgentOptions = field(default_factory=AgentOptions)


@dataclass(slots=True)
class _Partner:
    """The agent of one room."""

    participant: Participant[Any]
    state: Any
    turns: int
    """Turns of the room that the state reflects."""

    def end(self) -> None:
        """Let a process or a connection go."""
        if end := getattr(self.participant, "end", None):
            end(self.state)


@dataclass(slots=True)
class _Memory:
    """The agents of the rooms that spoke last."""

    partners: OrderedDict[str, _Partner] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def take(self, room: str, turns: int) -> _Partner | None:
        """The agent of a room, if its state is that after `turns` turns."""
        with self.lock:
            partner = self.partners.pop(room, None)
        if partner is not None and partner.turns != turns:
            partner.end()
            return None
        return partner

    def keep(self, room: str, partner: _Partner) -> None:
        with self.lock:
            self.partners[room] = partner
            dropped = (
                self.partners.popitem(last=False)[1] if len(self.partners) > MOST_ROOMS else None
            )
        if dropped:
            dropped.end()


@dataclass(frozen=True)
class AgentPartners:
    """An agent plays one role of any room; other machines play the other role."""

    agents: Agents
    seat: AgentSeat
    world: World
    others: Machines
    memory: _Memory = field(default_factory=_Memory)

    def can_play(self, role: Role) -> bool:
        return role is self.seat.role or self.others.can_play(role)

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        if role is not self.seat.role:
            return self.others.reply(room, role, seed)
        try:
            limit = self.seat.options.timeout
            turn, after = within_time(lambda: self._answer(room, seed), limit and limit + GRACE)
        except (Exception, SystemExit, TurnTimeoutError) as error:  # third-party code
            log_.exception("the agent failed in room %s", seed)
            return self._failed(f"{type(error).__name__}: {error}")
        if room.conversation.user_is_done:
            after.end()  # that was the answer to the user's last words
        else:
            self.memory.keep(seed, after)
        return self._as_reply(turn)

    def _answer(self, room: Room, seed: str) -> tuple[Turn, _Partner]:
        """The agent's next turn, and the agent after it."""
        *before, (heard, _) = self._exchanges(room)
        turns = len(room.conversation.turns)
        partner = self.memory.take(seed, turns) or self._begin(room, seed, before)
        try:
            reply, state = partner.participant.reply(heard, partner.state)
        except BaseException:
            partner.end()
            raise
        return reply.turn, _Partner(partner.participant, state, turns + 2)

    def _begin(self, room: Room, seed: str, before: list[tuple[Turn, Turn]]) -> _Partner:
        """The agent of a room as it is after everything said so far."""
        participant = self.agents.of_session(seed)
        if self.seat.role is Role.USER and isinstance(participant, ChatAgent):
            participant = replace(participant, prompt=self._user_prompt(room))
        state = resumed(participant, before)
        return _Partner(participant, state, len(room.conversation.turns))

    def _exchanges(self, room: Room) -> Iterator[tuple[Turn, Turn]]:
        """What the agent heard and said; last what it hears now, with a turn without words.

        Turns on which it failed are heard together with the next one.
        """
        turns = list(room.conversation.turns)
        if self.seat.role is Role.USER:
            turns.insert(0, self._opening(room))
        turns.append(Turn(self.seat.role.speaker, ""))
        unanswered = list[str]()
        for heard, said in zip(turns[::2], turns[1::2], strict=True):
            unanswered.append(heard.text)
            if FAILED not in said.extras.get("agent", {}):
                yield replace(heard, text="\n".join(unanswered)), said
                unanswered.clear()

    # The user's seat

    def _user_prompt(self, room: Room) -> str:
        own = self.seat.options.prompt
        if own is None:
            return user_prompt(self.world, room.goal.description)
        return "\n\n".join((read_text(own).strip(), "\n".join(room.goal.description)))

    def _opening(self, room: Room) -> Turn:
        """What an agent hears before anybody has spoken: its goal, unless that is its prompt."""
        has_prompt = isinstance(self.agents.agent, ChatAgent)
        text = self._words("opening") if has_prompt else self._user_prompt(room)
        return Turn(Speaker.SYSTEM, text)

    # Turns for the room

    def _as_reply(self, said: Turn) -> Reply:
        speaker = self.seat.role.speaker
        is_done = speaker is Speaker.USER and DONE in said.text
        text = _storable(said.text.replace(DONE, "") if is_done else said.text)[:LONGEST_TEXT]
        if is_done and not text:
            text = self._words("goodbye")
        if not text:
            return self._failed("said nothing")
        extras = json.loads(_storable(json.dumps(said.extras, ensure_ascii=False, default=str)))
        return Reply(Turn(speaker, text, extras=extras), done=is_done)

    def _failed(self, problem: str) -> Reply:
        extras = {"agent": {FAILED: problem[:200]}}
        return Reply(Turn(self.seat.role.speaker, self._words("failed"), extras=extras))

    def _words(self, key: str) -> str:
        return fixed_words(self.world.language.code, key)


def _storable(text: str) -> str:
    """A text without characters that are none, which no store takes."""
    return "".join(each for each in text if each in "\n\t" or is_sound(each)).strip()


def build_agent_partners(seat: AgentSeat, context: PartContext, others: Machines) -> AgentPartners:
    """Raises InputError if the name stands for no agent that can be asked."""
    agents = build_agents(seat.agent, context, seat.options, offered=seat.role is Role.WIZARD)
    return AgentPartners(agents, seat, context.world, others)
