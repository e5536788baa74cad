"""`crosstalk evaluate nlg`: generated utterances against what people said."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, CorpusOption, Language, Models, Protocol, Seed, World
from crosstalk.cli.output import print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.dialogue.languages import LanguagePack
    from crosstalk.dialogue.schema import Schema
    from crosstalk.evaluation.generation import GenerationScore
    from crosstalk.evaluation.slot_errors import SlotErrors
    from crosstalk.modules.nlg.generator import Generator
    from crosstalk.modules.nlg.keys import ActKeys

PUBLISHED = {
    "user": {"template-random": 0.5780, "SC-LSTM": 0.7858},
    "system": {"template-random": 0.6828, "SC-LSTM": 0.8595},
}
"""The paper's figures, on the whole CrossWOZ test."""
SIDES = {"user": "usr", "system": "sys"}
"""How --side calls the speakers."""


def evaluate_nlg(
    data: CorpusOption,
    side: Annotated[str, typer.Option("--side", help="usr | sys")],
    model: Annotated[str, typer.Option("--model", help="template-random | sclstm | best")] = "best",
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="Folder of template files; default: the world's own, else those of CrossWOZ in "
            "the data folder (CROSSTALK_DATA).",
        ),
    ] = None,
    world: World = "crosswoz",
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
    from random import Random

    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.dialogue.acts import Act
    from crosstalk.evaluation.generation import score_generation
    from crosstalk.evaluation.slot_errors import SlotErrors, slot_errors
    from crosstalk.files import sha256_of
    from crosstalk.formats.corpus import corpus_file, read_corpus
    from crosstalk.modules.nlg.keys import ActKeys

    speaker = speaker_of(side)
    schema, pack = load_schema(world, language=language)
    folder = find_world(world)
    if model == "sclstm":
        generator = _sclstm(folder.name, models, ActKeys.of(schema, pack, speaker), pack, protocol)
    else:
        generator = _build(model, folder, templates, schema, pack, speaker)
    rng = Random(seed)
    keys = ActKeys.of(schema, pack, speaker)
    dialogues = track(read_corpus(data), doing="reading")
    errors = SlotErrors()

    def say(acts: tuple[Act, ...]) -> str:
        nonlocal errors
        text = generator.say(acts, rng)
        errors += slot_errors(text, keys.in_order(acts))
        return text

    score = score_generation(say, dialogues, keys, language=pack.code)
    if not score.bleu.sentences:
        raise InputError(
            f"{data}: no turn of the {speaker} to compare with",
            remedy="Give a corpus that holds the texts and acts of both sides.",
        )
    if as_json:
        facts = {"model": model, "side": side, "seed": seed, "sha256": sha256_of(corpus_file(data))}
        if model == "sclstm":
            facts["services"] = "dropped, as published" if protocol == "paper" else "mended"
        print_json({**_figures(score, errors), **facts, "published": PUBLISHED[speaker]})
    else:
        rows = [[name, str(value)] for name, value in _figures(score, errors).items()]
        print_table(f"Generation, {model}, {side}", ["", ""], rows)


def _figures(score: "GenerationScore", errors: "SlotErrors") -> dict[str, Any]:
    bleu = score.bleu
    return {
        "bleu": round(bleu.score, 4),
        "slot_error_rate": round(errors.rate, 4),
        "values": {
            "said": errors.values - errors.missing,
            "missing": errors.missing,
            "repeated": errors.repeated,
        },
        "precisions": [round(each, 4) for each in bleu.precisions],
        "brevity_penalty": round(bleu.brevity, 4),
        "turns": bleu.sentences,
        "groups": score.groups,
        "protocol": "grouped references, own included; BLEU-4, smoothing method 1 of NLTK",
    }


def speaker_of(side: str) -> "Speaker":
    from crosstalk.dialogue.dialogues import Speaker

    match side:
        case "usr" | "user":
            return Speaker.USER
        case "sys" | "system":
            return Speaker.SYSTEM
        case _:
            raise InputError(f"--side {side}: there is no such side", remedy="Give usr or sys.")


def _build(
    model: str,
    folder: Path,
    templates: Path | None,
    schema: "Schema",
    pack: "LanguagePack",
    speaker: "Speaker",
) -> "Generator":
    from crosstalk.modules.nlg.crosswoz import central_generator, published_generator
    from crosstalk.modules.nlg.written import file_name, written_generator

    match model:
        case "best" if not templates and (folder / file_name(pack.code)).exists():
            return written_generator(folder, schema, pack, speaker)
        case "best":
            return central_generator(templates or shipped_templates(), schema, pack, speaker)
        case "template-random":
            return published_generator(templates or shipped_templates(), schema, pack, speaker)
        case _:
            raise InputError(
                f"there is no generator called {model!r}",
                remedy="Known: template-random, best, sclstm.",
            )


def _sclstm(
    world: str, models: Path | None, keys: "ActKeys", pack: "LanguagePack", protocol: str
) -> "Generator":
    from crosstalk.model_folders import find_model
    from crosstalk.modules.nlg.sclstm import SpokenBySCLSTM, folder_name

    side = SIDES[keys.speaker]
    try:
        folder = find_model(folder_name(world, keys.speaker), models)
    except InputError as error:
        raise InputError(
            error.message,
            remedy=f"Train it: crosstalk train nlg --model sclstm --world {world} --side {side} "
            f"--out {models or 'models'}; then name its folder with --models.",
        ) from error
    return SpokenBySCLSTM.load(folder, keys, language=pack.code, protocol=protocol)


def shipped_templates() -> Path:
    """The template files that come with CrossWOZ."""
    if not os.environ.get("CROSSTALK_DATA"):
        raise InputError(
            "no templates are known: CROSSTALK_DATA is not set",
            remedy="Run `crosstalk fetch crosswoz`, then name the data folder with CROSSTALK_DATA; "
            "or name a folder of template files with --templates.",
        )
    return Path(os.environ["CROSSTALK_DATA"]) / "crosswoz" / "templates"
