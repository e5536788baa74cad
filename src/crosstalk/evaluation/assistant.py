"""Simulated users talk to the assistant in words, and every answer is judged.

    tally = judge_assistant("harbour", "en", dialogues=50, seed=1)
    tally.turns, tally.finished, tally.false

The user's side decides in acts and speaks by the world's templates; the assistant hears nothing but
the words. What it answers reaches the user as acts, so that only its own understanding is tried.
"""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from crosstalk.conversation.participants import Reply
from crosstalk.conversation.turns import Ending
from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.evaluation.claims import false_claims
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.assistant.assistant import Assistant
from crosstalk.simulation.assistant.build import build_assistant
from crosstalk.simulation.assistant.session import Session
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.simulation.spoken_user import SpokenUser
from crosstalk.system.speech import Voice, acts_as_given
from crosstalk.users.simulator import SimulatedUser


@dataclass(slots=True)
class Tally:
    """What came of the talks."""

    dialogues: int = 0
    finished: int = 0
    """Dialogues in which the user got an answer to everything."""
    false: list[str] = field(default_factory=list)
    """Claims that the tables do not bear out, in words."""
    seconds: list[float] = field(default_factory=list)
    """The processor's time of each turn."""

    @property
    def turns(self) -> int:
        return len(self.seconds)


@dataclass(frozen=True, slots=True)
class Judged:
    """The assistant as a participant under observation."""

    assistant: Assistant
    database: Database
    tally: Tally

    def begin(self) -> Session:
        return self.assistant.begin()

    def reply(self, heard: Turn | None, state: Session) -> tuple[Reply, Session]:
        began = time.process_time()
        answer, after = self.assistant.reply(heard.text if heard else "", state)
        self.tally.seconds.append(time.process_time() - began)
        self.tally.false += false_claims(self.database, answer, after)
        return Reply(after.history[-1]), after


def judge_assistant(
    world: str,
    language: str | None,
    *,
    dialogues: int,
    seed: int,
    data: Path | None = None,
    assistant: Assistant | None = None,
) -> Tally:
    """So many talks; the same seed gives the same goals and the same words."""
    simulation = build(Setup(world, language, data, words=True))
    assistant = assistant or build_assistant(world, language=language, data=data)
    judged = Judged(assistant, simulation.database, Tally())
    sampler = replace(goal_sampler(simulation.world), describer=None)  # nobody reads these goals
    for number in range(dialogues):
        name, goal = f"assistant {seed}:{number}", sampler.sample(goal_rng(seed, number))
        voice = Voice(simulation.voices[Speaker.USER], name)
        user = SpokenUser(SimulatedUser(simulation.simulator, goal, name), acts_as_given, voice)
        held = talk(user, judged, schema=simulation.world.schema, goal=goal, patience=0)
        judged.tally.dialogues += 1
        judged.tally.finished += held.ending is Ending.FINISHED
    return judged.tally
