"""`crosstalk evaluate nlg`: generated utterances against what people said."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.evaluation_parts import evaluation_world, part_to_judge, read_fitting
from crosstalk.cli.options import (
    PART,
    AsJson,
    CorpusOption,
    CorpusWorld,
    Language,
    Models,
    Protocol,
    Seed,
)
from crosstalk.cli.output import print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.evaluation.corpora import FittingCorpus
    from crosstalk.evaluation.generation import GenerationScore
    from crosstalk.system.parts import BuiltPart

PUBLISHED = {
    "user": {"template-random": 0.5780, "SC-LSTM": 0.7858},
    "system": {"template-random": 0.6828, "SC-LSTM": 0.8595},
}
"""The paper's figures, on the whole CrossWOZ test."""
RANDOM = "template-random"


def evaluate_nlg(
    data: CorpusOption,
    side: Annotated[str, typer.Option("--side", help="usr | sys")],
    model: Annotated[
        str, typer.Option("--model", help=f"{RANDOM} (as published), {PART}.")
    ] = "best",
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="Folder of template files; default: the world's own, else those of CrossWOZ in "
            "the data folder (CROSSTALK_DATA).",
        ),
    ] = None,
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    protocol: Protocol = "corrected",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """BLEU-4 with grouped references, as the CrossWOZ paper measures generation.

    Every turn of one side is said anew from its acts, and compared with all turns of the corpus
    that do the same. `template-random` is the published generator, quirks included; `sclstm` is
    the published network, which in the protocol `paper` is not told of services; `best` says the
    most central template of each group, every value once.
    """
    speaker = speaker_of(side)
    corpus = read_fitting(data, world, language)
    published = model == RANDOM
    where = evaluation_world(corpus, None, models, "paper" if published else protocol)
    where = replace(where, templates=templates, speaker=speaker)
    built = part_to_judge("nlg", "template" if published else model, where)
    score = _score(corpus, built, speaker, seed)
    if not score.bleu.sentences:
        raise InputError(
            f"{data}: no turn of the {speaker} to compare with",
            remedy="Give a corpus that holds the texts and acts of both sides.",
        )
    if as_json:
        facts = {"model": model, **_facts(corpus, built, protocol, side, seed)}
        print_json({**score.figures(), **facts, "published": PUBLISHED[speaker]})
    else:
        rows = [[name, str(value)] for name, value in score.figures().items()]
        print_table(f"Generation, {model if published else built.name}, {side}", ["", ""], rows)


def _score(
    corpus: "FittingCorpus", built: "BuiltPart", speaker: "Speaker", seed: int
) -> "GenerationScore":
    from random import Random

    from crosstalk.database.worlds import load_schema
    from crosstalk.evaluation.generation import score_generation
    from crosstalk.system.nlg.keys import ActKeys

    rng = Random(seed)
    dialogues = track(corpus.dialogues, doing="generating")
    schema, language = load_schema(corpus.world, language=corpus.language)
    keys = ActKeys.of(schema, language, speaker)
    return score_generation(
        lambda acts: built.part.say(acts, rng), dialogues, keys, language=language.code
    )


def _facts(
    corpus: "FittingCorpus", built: "BuiltPart", protocol: str, side: str, seed: int
) -> dict[str, Any]:
    facts = {"part": built.name, "side": side, "seed": seed, "world": corpus.world_name}
    facts["sha256"] = corpus.digest
    if built.name == "sclstm":
        facts["services"] = "dropped, as published" if protocol == "paper" else "mended"
    return facts


def speaker_of(side: str) -> "Speaker":
    from crosstalk.dialogue.dialogues import Speaker

    match side:
        case "usr" | "user":
            return Speaker.USER
        case "sys" | "system":
            return Speaker.SYSTEM
        case _:
            raise InputError(f"--side {side}: there is no such side", remedy="Give usr or sys.")
