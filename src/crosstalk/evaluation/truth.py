"""Simulated users talk to a system in words, and every answer is checked against the tables.

    tally = check_answers("harbour", "en", dialogues=50, seed=1)
    tally.turns, tally.finished, tally.false

The user decides in acts and speaks by the world's templates, drawn at random; the system hears
nothing but the words. What it answers reaches the user as acts, so that only its own understanding
is tried.
"""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from crosstalk.conversation.participants import Reply
from crosstalk.conversation.turns import Ending
from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Turn
from crosstalk.evaluation.claims import false_claims
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import GIVEN, Setup, build
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.system.build import WORDS
from crosstalk.system.pipeline import System, SystemSession


@dataclass(slots=True)
class Tally:
    """What came of the dialogues."""

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
class Observed:
    """A system as a participant whose answers are checked."""

    system: System
    database: Database
    tally: Tally

    def begin(self) -> SystemSession:
        return self.system.begin()

    def reply(self, heard: Turn | None, state: SystemSession) -> tuple[Reply, SystemSession]:
        began = time.process_time()
        reply, after = self.system.reply(heard, state)
        self.tally.seconds.append(time.process_time() - began)
        self.tally.false += false_claims(self.database, after.history)
        return reply, after


def check_answers(
    world: str, language: str | None, *, dialogues: int, seed: int, data: Path | None = None
) -> Tally:
    """So many dialogues; the same seed gives the same goals and the same words."""
    setup = Setup(world, language, data, level=WORDS, user_nlu=GIVEN, user_nlg="template")
    simulation = build(setup)
    observed = Observed(simulation.pipeline, simulation.database, Tally())
    sampler = replace(goal_sampler(simulation.world), describer=None)  # nobody reads these goals
    for number in range(dialogues):
        goal = sampler.sample(goal_rng(seed, number))
        user, _ = simulation.cast(goal, f"answers {seed}:{number}")
        held = talk(user, observed, schema=simulation.world.schema, goal=goal, patience=0)
        observed.tally.dialogues += 1
        observed.tally.finished += held.ending is Ending.FINISHED
    return observed.tally
