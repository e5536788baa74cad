"""Translations that exist already: another language's file of the same dialogues.

Turns and values stand in the same order in both, so that they pair by position.
"""

from collections.abc import Mapping
from dataclasses import replace

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError, Place
from crosstalk.translation.segments import Pairs, Segment, by_dialogue
from crosstalk.translation.values import utterance_values


def with_translations(
    segments: list[Segment], translated: Mapping[str, Dialogue], *, file: str
) -> list[Segment]:
    """The segments with the other file's texts as the machine's; what does not pair is refused."""
    found = []
    for id, turns in by_dialogue(segments).items():
        dialogue = _same_turns(translated.get(id), turns, file)
        values = utterance_values(dialogue)
        for segment in turns:
            place = Place(file, dialogue=id, turn=segment.turn)
            pairs = _paired(segment.values, values[segment.turn], place)
            text = dialogue.turns[segment.turn].text
            found.append(replace(segment, machine=text, machine_values=pairs))
    return found


def _same_turns(dialogue: Dialogue | None, turns: list[Segment], file: str) -> Dialogue:
    place = Place(file, dialogue=turns[0].dialogue)
    if dialogue is None:
        raise FormatError(
            "this dialogue has no translation",
            place=place,
            remedy="Give the file that holds it, or leave it out of the source.",
        )
    if len(dialogue.turns) != len(turns):
        raise FormatError(
            f"the source has {len(turns)} turns, the translation {len(dialogue.turns)}",
            place=place,
            remedy="Add the missing turns: translations pair with their source turn by turn.",
        )
    return dialogue


def with_edits(segments: list[Segment], edited: Mapping[str, Dialogue]) -> list[Segment]:
    """The segments of dialogues that somebody has edited, with those texts, in that order."""
    dialogues = by_dialogue(segments)
    known = [segment for id in edited for segment in dialogues.get(id, ())]
    texts = with_translations(known, edited, file="the edited corpus")
    return [
        segment.with_edit(other.machine, other.machine_values)
        for segment, other in zip(known, texts, strict=True)
    ]


def _paired(source: Pairs, target: Pairs, place: Place) -> Pairs:
    if len(source) != len(target):
        raise FormatError(
            f"{len(source)} values in the source, {len(target)} in the translation",
            place=place,
            remedy="Both files must label the same turns with the same slots.",
        )
    return tuple((slot, value) for (slot, _), (_, value) in zip(source, target, strict=True))
