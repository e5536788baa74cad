"""The generators by name: what builds each, and what it needs (`docs/parts.md`)."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.language.world_files import SAYINGS
from crosstalk.model_folders import find_model, has_model
from crosstalk.system import part_models as models
from crosstalk.system.nlg.generator import Generator, Rephrasing
from crosstalk.system.parts import PAPER, Kind, Part, PartContext
from crosstalk.worlds.world import is_fetched

if TYPE_CHECKING:
    from crosstalk.system.nlg.ranks import Ranks

RANKED: Final = "ranked-templates"
"""Of the generators, the one whose speaker checks its own words."""
OWN: Final = SAYINGS
"""Folder of a world: our own sentences where the corpus has no good one."""


def _template(context: PartContext) -> Generator:
    """Any fitting template; under the protocol `paper`, the published generator with its quirks."""
    from crosstalk.system.nlg import crosswoz

    world, speaker = context.world, context.speaker
    if has_written(context):
        return _answering(_written(context), context)
    said = _corpus_templates(context)
    if context.protocol == PAPER:
        return crosswoz.published_generator(said, world.schema, world.language, speaker)
    return _answering(crosswoz.any_generator(_sayings(context), world, speaker), context)


def _ranked_templates(context: PartContext) -> Generator:
    from crosstalk.system.nlg import crosswoz

    if has_written(context):
        return _answering(_written(context), context)
    ranks = _ranks(context)
    generator = crosswoz.central_generator(_sayings(context), context.world, context.speaker, ranks)
    return _answering(generator, context)


def _answering(generator: Rephrasing, context: PartContext) -> Generator:
    """The generator with words for the system's acts beyond the published ones."""
    from crosstalk.system.nlg.answers import AnswerNLG

    if context.speaker is Speaker.USER or context.book is None:
        return generator
    return AnswerNLG(generator, context.world, context.book)


def _written(context: PartContext) -> Rephrasing:
    from crosstalk.system.nlg.written import written_generator

    world = context.world
    return written_generator(context.folder, world.schema, world.language, context.speaker)


def has_written(context: PartContext) -> bool:
    """Whether the world brings templates of its own along."""
    from crosstalk.system.nlg.written import has_templates

    return context.templates is None and has_templates(context.folder, context.world.language.code)


def _corpus_templates(context: PartContext) -> Path:
    if context.templates is None and not is_fetched(context.folder):
        raise InputError(
            f"the world {context.world.name} has no templates in {context.world.language.name}",
            remedy=f"Write {context.folder / 'templates'}/{context.world.language.code}.toml "
            "(docs/nlg.md tells how), or name a folder of template files with --templates.",
        )
    return context.templates or fetched_templates(context.data)


def _sayings(context: PartContext) -> Any:
    from crosstalk.system.nlg.crosswoz import SayingFiles

    own = None if context.templates else context.folder / OWN
    return SayingFiles(_corpus_templates(context), own)


def _has_templates(context: PartContext) -> bool:
    if has_written(context):
        return True
    try:
        return _corpus_templates(context).is_dir()
    except InputError:
        return False


def _ranks(context: PartContext) -> "Ranks | None":
    """Ranks that were worked out before, where there are any."""
    from crosstalk.system.nlg.ranks import load_ranks

    if not has_model(models.ranks_model(context.world), context.models):
        return None
    folder = find_model(models.ranks_model(context.world), context.models)
    return load_ranks(folder, context.speaker)


def _has_corpus_templates(context: PartContext) -> bool:
    """Whether there are templates to rank: those a world brings along are few and all good."""
    return not has_written(context) and _has_templates(context)


def _rank_models(context: PartContext) -> tuple[str, ...]:
    """None where the templates are written, or still to be ranked."""
    name = models.ranks_model(context.world)
    return (name,) if has_model(name, context.models) and not has_written(context) else ()


def fetched_templates(data: Path | None = None) -> Path:
    """The template files that come with CrossWOZ."""
    data = data or (Path(os.environ["CROSSTALK_DATA"]) if os.getenv("CROSSTALK_DATA") else None)
    if data is None:
        raise InputError(
            "no templates are known: CROSSTALK_DATA is not set",
            remedy="Run `crosstalk fetch crosswoz`, then name the data folder with CROSSTALK_DATA; "
            "or name a folder of template files with --templates.",
        )
    return data / "crosswoz" / "templates"


def _sclstm(context: PartContext) -> Generator:
    from crosstalk.system.nlg.keys import ActKeys

    world, speaker = context.world, context.speaker
    side = models.SIDES[speaker]
    folder = models.trained(
        models.sclstm_model(world.name, speaker),
        context.models,
        f"crosstalk train nlg --model sclstm --world {world.name} --side {side}",
    )
    from crosstalk.system.nlg.sclstm import SpokenBySCLSTM

    keys = ActKeys.of(world.schema, world.language, speaker)
    code = world.language.code
    return SpokenBySCLSTM.load(folder, keys, language=code, protocol=context.protocol)


NLG: Final = Kind(
    "nlg",
    "generator",
    {
        "template": Part(_template, fits=_has_templates),
        RANKED: Part(_ranked_templates, _rank_models, fits=_has_corpus_templates),
        "sclstm": Part(
            _sclstm,
            lambda context: (models.sclstm_model(context.world.name, context.speaker),),
            ("torch",),
        ),
    },
    best=(RANKED, "template"),
)
