"""One corpus in every language of a world, said from the same acts.

write_parallel(dialogues, "harbour", Path("parallel"))
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from crosstalk.database.tables import World
from crosstalk.database.worlds import find_world, languages_of, load_world
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.files import making_folder
from crosstalk.formats.native import write_native
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.written import written_generator
from crosstalk.translation.appendix_a import write_segments
from crosstalk.translation.glossary import write_glossary
from crosstalk.translation.new_segments import segments_of
from crosstalk.translation.parallel import with_edits, with_translations
from crosstalk.translation.spoken_worlds import WorldTranslator, in_order


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
