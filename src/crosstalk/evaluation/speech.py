"""Speech of a run judged: values said and forgotten, claims that are true and that are not."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.turns import Ending
from crosstalk.errors import InputError
from crosstalk.evaluation.claims import ClaimChecker, Claims, check_claims
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import GIVEN, Setup, build
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.simulation.run_folders import open_run
from crosstalk.simulation.runner import world_of
from crosstalk.system.build import WORDS
from crosstalk.system.nlg.keys import ActKeys, SpokenAct
from crosstalk.system.pipeline import System, SystemSession
from crosstalk.worlds.queries import Database


@dataclass(slots=True)
class AnswerTally:
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
class ObservedSystem:
    """A system as a participant whose answers are checked."""

    system: System
    checker: ClaimChecker
    tally: AnswerTally

    def begin(self) -> SystemSession:
        return self.system.begin()

    def reply(self, heard: Turn | None, state: SystemSession) -> tuple[Reply, SystemSession]:
        began = time.process_time()
        reply, after = self.system.reply(heard, state)
        self.tally.seconds.append(time.process_time() - began)
        self.tally.false += self.checker.false_claims(after.history)
        return reply, after


def check_answers(
    world: str, language: str | None, *, dialogues: int, seed: int, data: Path | None = None
) -> AnswerTally:
    """So many dialogues; the same seed gives the same goals and the same words."""
    setup = Setup(world, language, data, level=WORDS, user_nlu=GIVEN, user_nlg="template")
    simulation = build(setup)
    observed = ObservedSystem(simulation.pipeline, ClaimChecker(simulation.database), AnswerTally())
    sampler = replace(goal_sampler(simulation.world), describer=None)  # nobody reads these goals
    for number in range(dialogues):
        goal = sampler.sample(goal_rng(seed, number))
        user, _ = simulation.cast(goal, f"answers {seed}:{number}")
        held = talk(user, observed, schema=simulation.world.schema, goal=goal, patience=0)
        observed.tally.dialogues += 1
        observed.tally.finished += held.ending is Ending.FINISHED
    return observed.tally


@dataclass(frozen=True, slots=True)
class SlotErrors:
    """Counts of values; they add over utterances."""

    values: int = 0
    """Values that were to be said."""
    missing: int = 0
    repeated: int = 0
    """Said once more than the acts have them."""

    def __add__(self, other: "SlotErrors") -> "SlotErrors":
        return SlotErrors(
            self.values + other.values,
            self.missing + other.missing,
            self.repeated + other.repeated,
        )

    @property
    def rate(self) -> float:
        """Errors a value; 0 where there was nothing to say."""
        return (self.missing + self.repeated) / self.values if self.values else 0.0


def slot_errors(text: str, spoken: Sequence[SpokenAct]) -> SlotErrors:
    """Which values of the acts a text says, letter for letter.

    Longer values first: a value inside another that is said as well does not count again.
    """
    wanted = Counter(each.value for each in spoken if each.has_hole)
    errors = SlotErrors()
    for value, count in sorted(wanted.items(), key=lambda pair: -len(pair[0])):
        said = text.count(value)
        text = text.replace(value, "\0")
        errors += SlotErrors(count, max(0, count - said), max(0, said - count))
    return errors


@dataclass(frozen=True, slots=True)
class SpeechScore:
    """What was said in some dialogues, against what was meant and what is true."""

    turns: dict[Speaker, int]
    errors: dict[Speaker, SlotErrors]
    claims: Claims

    @property
    def all_errors(self) -> SlotErrors:
        return sum(self.errors.values(), SlotErrors())

    def figures(self, examples: int = 5) -> dict[str, Any]:
        """As JSON, with the first false claims."""
        errors, claims = self.all_errors, self.claims
        return {
            "turns": sum(self.turns.values()),
            "slot_error_rate": round(errors.rate, 6),
            "values": errors.values,
            "missing": errors.missing,
            "repeated": errors.repeated,
            "by_side": {str(side): round(each.rate, 6) for side, each in self.errors.items()},
            "claims": claims.values,
            "false_claims": len(claims.false),
            "examples": [f"{each.dialogue}: {each.claim}" for each in claims.false[:examples]],
            "taken_for_words": list(claims.ordinary),
        }


def score_speech(dialogues: list[Dialogue], database: Database) -> SpeechScore:
    """Every turn that has words."""
    world = database.world
    keys = {side: ActKeys.of(world.schema, world.language, side) for side in Speaker}
    errors = dict.fromkeys(Speaker, SlotErrors())
    turns = dict.fromkeys(Speaker, 0)
    for turn in (turn for dialogue in dialogues for turn in dialogue.turns if turn.text):
        turns[turn.speaker] += 1
        errors[turn.speaker] += slot_errors(turn.text, keys[turn.speaker].in_order(turn.acts))
    return SpeechScore(turns, errors, check_claims(dialogues, database))


def up_to(dialogues: Iterable[Dialogue], turns: int) -> Iterator[Dialogue]:
    """The first dialogues, until they have so many turns."""
    held = 0
    for dialogue in dialogues:
        if held >= turns:
            return
        yield dialogue
        held += len(dialogue.turns)


def score_run_speech(folder: Path, turns: int, *, data: Path | None = None) -> SpeechScore:
    """The first turns of a run; raises where none of them has words."""
    run = open_run(folder)
    dialogues = list(up_to(run.dialogues(), turns))
    score = score_speech(dialogues, Database(world_of(run, data)))
    if not sum(score.turns.values()):
        raise InputError(
            f"{folder}: no turn has words", remedy="Simulate with --level words, or with --words."
        )
    return score
