"""Speech of a run judged: values said and forgotten, claims that are true and that are not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.runs import open_run
from crosstalk.evaluation.simulation import world_of
from crosstalk.evaluation.slot_errors import SlotErrors, slot_errors
from crosstalk.evaluation.spoken_claims import Claims, check_claims
from crosstalk.system.nlg.keys import ActKeys


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
