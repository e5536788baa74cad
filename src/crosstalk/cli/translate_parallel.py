"""`crosstalk translate parallel`: one corpus in every language of a world."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, track, warn

if TYPE_CHECKING:
    from crosstalk.database.tables import World
    from crosstalk.dialogue.dialogues import Dialogue, Speaker
    from crosstalk.system.nlg.generator import Generator

Count = Annotated[int, typer.Option("-n", "--count", min=1, help="How many dialogues.")]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


def parallel(
    out: Out,
    world: options.World = "harbour",
    count: Count = 20,
    seed: options.Seed = 0,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Simulate dialogues and say them in each of a world's languages, from the same acts.

    Writes LANGUAGE.jsonl for each, and for each language but the first a finished translation
    (FIRST-LANGUAGE.json, Appendix A) and a glossary (FIRST-LANGUAGE.glossary.json).
    """
    from crosstalk.database.worlds import find_world, languages_of, load_world
    from crosstalk.files import making_folder
    from crosstalk.formats.native import write_native

    first = load_world(world, data=data)
    dialogues = list(track(_held(world, count, seed, data), doing="Talking", total=count))
    others = [code for code in languages_of(find_world(world)) if code != first.language.code]
    with making_folder(out):
        write_native(dialogues, out / f"{first.language.code}.jsonl")
        for code in others:
            _write(dialogues, first, load_world(world, language=code, data=data), world, out)
    if as_json:
        print_json({"folder": str(out), "languages": [first.language.code, *others]})
    else:
        warn(f"{count:,} dialogues in {', '.join([first.language.code, *others])} in {out}")


def _held(world: str, count: int, seed: int, data: Path | None) -> "Iterator[Dialogue]":
    from crosstalk.evaluation.sessions import Plan, Rules, hold, sessions
    from crosstalk.simulation.build import Setup, build

    simulation = build(Setup(world, data=data, words=True))
    for session in sessions(Plan(seed, count=count), simulation.world):
        yield hold(session, simulation, Rules(seed))


def _write(
    dialogues: "list[Dialogue]", first: "World", other: "World", folder: str, out: Path
) -> None:
    from crosstalk.formats.native import write_native
    from crosstalk.translation.appendix_a import write_segments
    from crosstalk.translation.glossary import write_glossary
    from crosstalk.translation.new_segments import segments_of
    from crosstalk.translation.parallel import with_edits, with_translations
    from crosstalk.translation.spoken_worlds import WorldTranslator, in_order

    here, there = first.language.code, other.language.code
    translator, voices = WorldTranslator(first, other), _voices(folder, other)
    spoken = [translator.translate(dialogue, voices) for dialogue in dialogues]
    write_native(map(in_order, spoken), out / f"{there}.jsonl")
    by_id = {dialogue.id: dialogue for dialogue in spoken}
    segments = segments_of(dialogues, source=here, target=there)
    translated = with_translations(segments, by_id, file=f"{there}.jsonl")
    write_segments(with_edits(translated, by_id), out / f"{here}-{there}.json")
    write_glossary(translator.glossary(), out / f"{here}-{there}.glossary.json")


def _voices(folder: str, world: "World") -> "dict[Speaker, Generator]":
    from crosstalk.database.worlds import find_world
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.system.nlg.written import written_generator

    place = find_world(folder)
    return {
        speaker: written_generator(place, world.schema, world.language, speaker)
        for speaker in Speaker
    }
