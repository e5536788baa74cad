"""Parallel corpora: files that hold the same dialogues in two languages, read and written.

Turns and values stand in the same order in both, so that they pair by position.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.corpora.native import write_native
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import FormatError, Place
from crosstalk.files import making_folder
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.written import written_generator
from crosstalk.translation.appendix_a import write_segments
from crosstalk.translation.glossary import write_glossary
from crosstalk.translation.segments import Pairs, Segment, by_dialogue
from crosstalk.translation.spoken_worlds import WorldTranslator, in_order
from crosstalk.translation.values import segments_of, utterance_values
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, languages_of, load_world


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


def write_parallel(
    dialogues: Sequence[Dialogue], world: str, out: Path, *, data: Path | None = None
) -> list[str]:
    """Write dialogues of a world's first language in all of its languages; their codes.

    LANGUAGE.jsonl for each, and for each language but the first a finished translation
    (FIRST-LANGUAGE.json, Appendix A) and a glossary (FIRST-LANGUAGE.glossary.json).
    """
    first = load_world(world, data=data)
    others = [code for code in languages_of(find_world(world)) if code != first.language.code]
    with making_folder(out):
        write_native(dialogues, out / f"{first.language.code}.jsonl")
        for code in others:
            other = load_world(world, language=code, data=data)
            _write(dialogues, first, other, voices_of(world, other), out)
    return [first.language.code, *others]


def voices_of(name: str, world: World) -> dict[Speaker, Generator]:
    """What each side says in a world's language, by the world's own templates."""
    folder = find_world(name)
    return {
        speaker: written_generator(folder, world.schema, world.language, speaker)
        for speaker in Speaker
    }


def _write(
    dialogues: Sequence[Dialogue],
    first: World,
    other: World,
    voices: Mapping[Speaker, Generator],
    out: Path,
) -> None:
    here, there = first.language.code, other.language.code
    translator = WorldTranslator(first, other)
    spoken = [translator.translate(dialogue, voices) for dialogue in dialogues]
    write_native(map(in_order, spoken), out / f"{there}.jsonl")
    by_id = {dialogue.id: dialogue for dialogue in spoken}
    segments = segments_of(dialogues, source=here, target=there)
    translated = with_translations(segments, by_id, file=f"{there}.jsonl")
    write_segments(with_edits(translated, by_id), out / f"{here}-{there}.json")
    write_glossary(translator.glossary(), out / f"{here}-{there}.glossary.json")
