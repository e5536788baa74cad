"""The NLUs by name: how each is built and what it needs (`docs/parts.md`)."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.model_folders import find_model, has_model, is_weak
from crosstalk.system import part_models as models
from crosstalk.system.nlg.parts import has_world_templates
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.system.parts import Kind, Part, PartContext


def _trained_nlu(context: PartContext, name: str, options: str = "") -> Path:
    world = context.world
    command = f"crosstalk train nlu --world {world.name} --language {world.language.code}{options}"
    return models.trained(name, context.models, command)


def _trees(context: PartContext, name: str, options: str = "") -> Understanding:
    folder = _trained_nlu(context, name, options)
    from crosstalk.system.nlu.ranked import RankedNLU

    return RankedNLU.load(folder, context.world)


def _rules(context: PartContext) -> Understanding:
    from crosstalk.system.nlu.rules.nlu import RulesNLU

    return RulesNLU(context.world, context.folder)


def _rules_without_templates(context: PartContext) -> Understanding:
    from crosstalk.system.nlu.rules.nlu import RulesNLU

    return RulesNLU(context.world, context.folder, templates=False)


def _sentences(context: PartContext) -> Understanding:
    """Sentences of templates, with a trained model for all others; each side has its own model."""
    from crosstalk.system.nlu.rules.written import SentenceNLU

    trained = [_trees(context, name) for name in _sentence_models(context)]
    return SentenceNLU(context.world, context.folder, trained[0] if trained else None)


def _sentence_models(context: PartContext) -> tuple[str, ...]:
    own = models.user_nlu_model if context.speaker is Speaker.USER else models.plain_model
    name = own(context.world)
    good = has_model(name, context.models) and not is_weak(find_model(name, context.models))
    return (name,) if good else ()


def _has_rules(context: PartContext) -> bool:
    """Whether there is a phrase book in the world's language."""
    return context.book is not None


def _hybrid(context: PartContext) -> Understanding:
    from crosstalk.system.nlu import hybrid
    from crosstalk.system.nlu.hybrid import HybridNLU

    name = models.practised_model(context.world)
    trees = _trees(context, name, " --model practised")
    folder = find_model(name, context.models)
    has_known = (folder / hybrid.FILE).is_file()
    known = hybrid.Familiarity.load(folder) if has_known else None
    return HybridNLU(trees, _rules(context), context.world.schema, known)


def _bert(context: PartContext, name: str) -> Understanding:
    folder = _trained_nlu(context, _bert_models(name)(context)[0], f" --model {name}")
    from crosstalk.system.nlu.bert import BertNLU, spare_threads

    spare_threads(folder)
    return BertNLU.load(folder, context.world.schema)


def _bert_models(name: str) -> Callable[[PartContext], tuple[str, ...]]:
    return lambda context: (models.bert_model(name, context.world, context.models),)


NEURAL: Final = ("torch", "transformers")
NLU: Final = Kind(
    "nlu",
    "NLU",
    {
        "rules": Part(_rules, fits=_has_rules),
        "rules-no-templates": Part(_rules_without_templates, fits=_has_rules),
        "sentences": Part(_sentences, _sentence_models, fits=has_world_templates),
        "trees": Part(
            lambda context: _trees(context, models.plain_model(context.world)),
            lambda context: (models.plain_model(context.world),),
        ),
        "trees-practised": Part(
            lambda context: _trees(
                context, models.practised_model(context.world), " --model practised"
            ),
            lambda context: (models.practised_model(context.world),),
        ),
        "trees-user": Part(
            lambda context: _trees(context, models.user_nlu_model(context.world)),
            lambda context: (models.user_nlu_model(context.world),),
        ),
        "hybrid": Part(
            _hybrid,
            lambda context: (models.practised_model(context.world),),
            fits=_has_rules,
        ),
        "bert": Part(
            lambda context: _bert(context, "bert"),
            _bert_models("bert"),
            NEURAL,
            reads_tables=False,
        ),
        "bert-no-context": Part(
            lambda context: _bert(context, "bert-no-context"),
            _bert_models("bert-no-context"),
            NEURAL,
            reads_tables=False,
        ),
    },
    best=("hybrid", "rules", "sentences", "trees"),
    aliases={"plain": "trees", "practised": "trees-practised"},
)
