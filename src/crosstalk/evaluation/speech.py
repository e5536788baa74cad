"""Speech of a run judged: values said and forgotten, claims that are true and that are not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Dialogue, Speaker
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
