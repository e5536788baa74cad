"""The generators by name: what builds each, and what it needs (`docs/parts.md`)."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.language.world_files import SAYINGS
from crosstalk.model_folders import find_model, has_model
from crosstalk.system import part_models as models
from crosstalk.system.nlg.generator import Generator, ParaphrasingGenerator
from crosstalk.system.parts import PAPER, Kind, Part, PartContext
from crosstalk.worlds.world import is_fetched

if TYPE_CHECKING:
    from crosstalk.system.nlg.template_ranks import Ranks

RANKED: Final = "ranked-templates"
"""The generator whose wordings are checked by the speaker's own NLU."""
OWN: Final = SAYINGS
"""Folder of a world with hand-written corrections of corpus templates."""


def _template(context: PartContext) -> Generator:
    """Any fitting template; under the protocol `paper`, the published generator with its quirks."""
    from crosstalk.system.nlg import corpus_templates

    world, speaker = context.world, context.speaker
    if has_world_templates(context):
        return _answering(_written(context), context)
    said = _corpus_templates(context)
    if context.protocol == PAPER:
        return corpus_templates.published_generator(said, world.schema, world.language, speaker)
    return _answering(
        corpus_templates.random_generator(_template_files(context), world, speaker), context
    )


def _ranked_templates(context: PartContext) -> Generator:
    from crosstalk.system.nlg import corpus_templates

    if has_world_templates(context):
        return _answering(_written(context), context)
    ranks = _ranks(context)
    generator = corpus_templates.most_central_generator(
        _template_files(context), context.world, context.speaker, ranks
    )
    return _answering(generator, context)


def _answering(generator: ParaphrasingGenerator, context: PartContext) -> Generator:
    """The generator, extended by sentences for the system's acts beyond the published ones."""
    from crosstalk.system.nlg.answer_nlg import AnswerNLG

    if context.speaker is Speaker.USER or context.book is None:
        return generator
    return AnswerNLG(generator, context.world, context.book)


def _written(context: PartContext) -> ParaphrasingGenerator:
    from crosstalk.system.nlg.world_templates import written_generator

    world = context.world
    return written_generator(context.folder, world.schema, world.language, context.speaker)


def has_world_templates(context: PartContext) -> bool:
    """Whether the world ships templates of its own."""
    from crosstalk.system.nlg.world_templates import has_templates

    return context.templates is None and has_templates(context.folder, context.world.language.code)


def _corpus_templates(context: PartContext) -> Path:
    if context.templates is None and not is_fetched(context.folder):
        raise InputError(
            f"the world {context.world.name} has no templates in {context.world.language.name}",
            remedy=f"Write {context.folder / 'templates'}/{context.world.language.code}.toml "
            "(docs/nlg.md tells how), or name a folder of template files with --templates.",
        )
    return context.templates or fetched_templates(context.data)


def _template_files(context: PartContext) -> Any:
    from crosstalk.system.nlg.corpus_templates import TemplateFiles

    own = None if context.templates else context.folder / OWN
    return TemplateFiles(_corpus_templates(context), own)


def _has_templates(context: PartContext) -> bool:
    if has_world_templates(context):
        return True
    try:
        return _corpus_templates(context).is_dir()
    except InputError:
        return False


def _ranks(context: PartContext) -> "Ranks | None":
    """The ranks of a trained model, if there is one."""
    from crosstalk.system.nlg.template_ranks import load_ranks

    if not has_model(models.ranks_model(context.world), context.models):
        return None
    folder = find_model(models.ranks_model(context.world), context.models)
    return load_ranks(folder, context.speaker)


def _has_corpus_templates(context: PartContext) -> bool:
    """Whether there are corpus templates to rank; the few hand-written ones need no ranking."""
    return not has_world_templates(context) and _has_templates(context)


def _rank_models(context: PartContext) -> tuple[str, ...]:
    """Empty if the templates are hand-written or not ranked yet."""
    name = models.ranks_model(context.world)
    return (name,) if has_model(name, context.models) and not has_world_templates(context) else ()


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
    from crosstalk.system.nlg.act_keys import ActKeys

    world, speaker = context.world, context.speaker
    side = models.SIDES[speaker]
    folder = models.trained(
        models.sclstm_model(world.name, speaker),
        context.models,
        f"crosstalk train nlg --model sclstm --world {world.name} --side {side}",
    )
    from crosstalk.system.nlg.sclstm_nlg import SclstmGenerator

    keys = ActKeys.of(world.schema, world.language, speaker)
    code = world.language.code
    return SclstmGenerator.load(folder, keys, language=code, protocol=context.protocol)


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
            reads_tables=False,
        ),
    },
    best=(RANKED, "template"),
)
