"""The one table of a system's parts, and the one place where names become a system.

    system = build_system("harbour", language="en", nlu="trees", policy="rule")

One function a name, its imports inside; `docs/parts.md` lists the names. Parts from outside are
named `package.module:Object` or `file.py:Object` (`system/outside.py`).
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crosstalk.database.tables import World
from crosstalk.database.worlds import is_fetched
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model, has_model, is_weak
from crosstalk.system import part_models as models
from crosstalk.system.dst.conversation import SpokenTurns, WithTopic
from crosstalk.system.dst.tracker import Tracker
from crosstalk.system.nlg.generator import Generator, Rephrasing
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.system.parts import (
    BEST,
    CORRECTED,
    PAPER,
    BuiltPart,
    Kind,
    Part,
    PartContext,
    build_part,
    context_of,
    refuse_unknown,
    resolve,
)
from crosstalk.system.pipeline import System
from crosstalk.system.policy.policy import Policy
from crosstalk.system.speech import (
    CarefulVoice,
    NLUAdapter,
    Says,
    Understands,
    Voice,
    acts_as_given,
    without_words,
)

if TYPE_CHECKING:
    from crosstalk.system.nlg.ranks import Ranks

ACTS: Final = "acts"
WORDS: Final = "words"
LEVELS: Final = (ACTS, WORDS)
RANKED: Final = "ranked-templates"
"""Of the generators, the one whose speaker checks its own words."""
OWN: Final = "sayings"
"""Folder of a world: our own sentences where the corpus has no good one."""


# Understanding


def _trained_nlu(context: PartContext, name: str, options: str = "") -> Path:
    world = context.world
    command = f"crosstalk train nlu --world {world.name} --language {world.language.code}{options}"
    return models.trained(name, context.models, command)


def _trees(context: PartContext, name: str, options: str = "") -> Understanding:
    folder = _trained_nlu(context, name, options)
    from crosstalk.system.nlu.ranked import RankedUnderstanding

    return RankedUnderstanding.load(folder, context.world)


def _rules(context: PartContext) -> Understanding:
    from crosstalk.system.nlu.rules.nlu import RulesNLU

    return RulesNLU(context.world, context.folder)


def _rules_without_templates(context: PartContext) -> Understanding:
    from crosstalk.system.nlu.rules.nlu import RulesNLU

    return RulesNLU(context.world, context.folder, templates=False)


def _sentences(context: PartContext) -> Understanding:
    """A trained model helps where no sentence is known; each side has its own."""
    from crosstalk.system.nlu.sentences import SentenceNLU

    trained = [_trees(context, name) for name in _sentence_models(context)]
    return SentenceNLU(context.world, context.folder, trained[0] if trained else None)


def _sentence_models(context: PartContext) -> tuple[str, ...]:
    own = models.user_nlu_model if context.speaker is Speaker.USER else models.plain_model
    name = own(context.world)
    good = has_model(name, context.models) and not is_weak(find_model(name, context.models))
    return (name,) if good else ()


def _has_rules(context: PartContext) -> bool:
    """Whether somebody has written phrases in the world's language."""
    return context.book is not None


def _hybrid(context: PartContext) -> Understanding:
    from crosstalk.system.nlu import familiarity
    from crosstalk.system.nlu.hybrid import HybridNLU

    name = models.practised_model(context.world)
    trees = _trees(context, name, " --model practised")
    folder = find_model(name, context.models)
    has_known = (folder / familiarity.FILE).is_file()
    known = familiarity.Familiarity.load(folder) if has_known else None
    return HybridNLU(trees, _rules(context), context.world.schema, known)


def _bert(context: PartContext, name: str) -> Understanding:
    folder = _trained_nlu(context, _bert_models(name)(context)[0], f" --model {name}")
    from crosstalk.system.nlu.bert import BertUnderstanding, spare_threads

    spare_threads(folder)
    return BertUnderstanding.load(folder, context.world.schema)


def _bert_models(name: str) -> Callable[[PartContext], tuple[str, ...]]:
    return lambda context: (models.bert_model(name, context.world, context.models),)


NEURAL: Final = ("torch", "transformers")
NLU: Final = Kind(
    "nlu",
    "NLU",
    {
        "rules": Part(_rules, fits=_has_rules),
        "rules-no-templates": Part(_rules_without_templates, fits=_has_rules),
        "sentences": Part(_sentences, _sentence_models, fits=lambda context: _has_written(context)),
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


# Tracking


def _rule_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.rule import RuleTracker

    return RuleTracker(context.world.schema, context.world.language)


def _search_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.search import SearchTracker

    return SearchTracker(context.world.schema, context.world.language, context.database)


def _edit_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.tree_tracker import TreeTracker

    folder = find_model(models.EDITS, context.models)
    tracker = TreeTracker.load(folder, context.database)
    return _speaking(WithTopic(tracker, _search_tracker(context), from_last_query=True), context)


def _words_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.words import WordsTracker

    folder = find_model(models.WORDS, context.models)
    return _speaking(WordsTracker.load(folder, context.database), context)


def _trade(context: PartContext) -> Tracker:
    world = context.world
    command = f"crosstalk train dst --model trade --world {world.name}"
    folder = models.trained(_trade_models(context)[0], context.models, command)
    import torch

    from crosstalk.system.dst.trade import TradeTracker

    torch.set_num_threads(1)  # a network of this size is slower on several
    tracker = TradeTracker.load(folder, world.schema, language=world.language.code)
    return _speaking(WithTopic(tracker, _search_tracker(context)), context)


def _speaking(tracker: Tracker, context: PartContext) -> Tracker:
    """A tracker that reads words needs some where conversations are held in acts."""
    return SpokenTurns(tracker, partial(_voices, context))


def _voices(context: PartContext) -> dict[Speaker, Generator]:
    sides = (replace(context, speaker=speaker) for speaker in Speaker)
    return {side.speaker: build_part(NLG, BEST, side).part for side in sides}


def _trade_models(context: PartContext) -> tuple[str, ...]:
    return (models.trade_model(context.world, context.models),)


def _trade_fits(context: PartContext) -> bool:
    try:
        _trade(context)
    except InputError:
        return False
    return True


DST: Final = Kind(
    "dst",
    "tracker",
    {
        "rule": Part(_rule_tracker, reads_tables=False),
        "search": Part(_search_tracker),
        "trees": Part(_edit_tracker, lambda context: (models.EDITS,)),
        "trees-words": Part(_words_tracker, lambda context: (models.WORDS,)),
        "trade": Part(_trade, _trade_models, ("torch",), _trade_fits, reads_tables=False),
    },
    best=("search",),
    aliases={"edits": "trees", "words": "trees-words"},
)


# Deciding


def _rule_policy(context: PartContext) -> Policy:
    from crosstalk.system.policy.rule import RulePolicy

    return RulePolicy(context.database)


def _sl_policy(context: PartContext) -> Policy:
    from crosstalk.system.policy.sl import SLPolicy

    folder = find_model(models.SL, context.models)
    return SLPolicy.load(folder, context.world, protocol=context.protocol)


def _sl_fits(context: PartContext) -> bool:
    """It was trained for the acts of one world."""
    try:
        _sl_policy(context)
    except InputError:
        return False
    return True


def _tree_policy(context: PartContext) -> Policy:
    from crosstalk.system.policy.tree_policy import TreePolicy

    folder = find_model(models.POLICY, context.models)
    return TreePolicy.load(folder, context.database, always_answers=True)


POLICY: Final = Kind(
    "policy",
    "policy",
    {
        "rule": Part(_rule_policy),
        "sl": Part(_sl_policy, lambda context: (models.SL,), fits=_sl_fits),
        "trees": Part(_tree_policy, lambda context: (models.POLICY,)),
    },
    best=("rule",),
)


# Generation


def _template(context: PartContext) -> Generator:
    """Any fitting template; under the protocol `paper`, the published generator with its quirks."""
    from crosstalk.system.nlg import crosswoz

    world, speaker = context.world, context.speaker
    if _has_written(context):
        return _answering(_written(context), context)
    said = _corpus_templates(context)
    if context.protocol == PAPER:
        return crosswoz.published_generator(said, world.schema, world.language, speaker)
    return _answering(crosswoz.any_generator(_sayings(context), world, speaker), context)


def _ranked_templates(context: PartContext) -> Generator:
    from crosstalk.system.nlg import crosswoz

    if _has_written(context):
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


def _has_written(context: PartContext) -> bool:
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
    from crosstalk.system.nlg.crosswoz import Sayings

    own = None if context.templates else context.folder / OWN
    return Sayings(_corpus_templates(context), own)


def _has_templates(context: PartContext) -> bool:
    if _has_written(context):
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
    return not _has_written(context) and _has_templates(context)


def _rank_models(context: PartContext) -> tuple[str, ...]:
    """None where the templates are written, or still to be ranked."""
    name = models.ranks_model(context.world)
    return (name,) if has_model(name, context.models) and not _has_written(context) else ()


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

PUBLISHED_TRACKERS: Final = {"sl": "rule"}
"""Policy -> the tracker it was published with, where that is not the best one."""
KINDS: Final = (NLU, DST, POLICY, NLG)


# The system


@dataclass(frozen=True, slots=True)
class SystemCard:
    """What a system was built from; `simulate` takes the world from it."""

    world: World
    level: str
    protocol: str
    parts: Mapping[str, BuiltPart]
    """Kind -> what its name stood for. At act level nobody understands or generates."""


def build_system(
    world: World | str | Path,
    *,
    language: str | None = None,
    data: Path | None = None,
    models: Path | None = None,
    nlu: str | Understanding = BEST,
    dst: str | Tracker = BEST,
    policy: str | Policy = BEST,
    nlg: str | Generator = BEST,
    protocol: str = CORRECTED,
    level: str = WORDS,
) -> System:
    """A system for a world: each part by its name, from outside, or as a live object.

    At level `words` it understands and says text; at level `acts` it is handed the user's acts.
    Raises in words for names nobody knows and models that are missing.
    """
    context = context_of(world, language=language, data=data, models=models, protocol=protocol)
    names = {"nlu": nlu, "dst": dst, "policy": policy, "nlg": nlg}
    return system_of(context, names, level)


def system_of(context: PartContext, names: Mapping[str, Any], level: str) -> System:
    """The same in a context; `names` has a name or an object for each of the four kinds."""
    if level not in LEVELS:
        refuse_unknown("level", level, LEVELS)
    parts = {
        "dst": build_part(DST, _fitting_tracker(names, context), context),
        "policy": build_part(POLICY, names["policy"], context),
    }
    understand: Understands = acts_as_given
    say: Says = without_words
    if level == WORDS:
        parts |= {
            "nlu": build_part(NLU, names["nlu"], context),
            "nlg": build_part(NLG, names["nlg"], context),
        }
        understand = NLUAdapter(parts["nlu"].part)
        say = Speech(parts["nlg"], parts["nlu"].part, Speaker.SYSTEM)("system")
    else:
        resolved_names(context, names)  # names nobody knows are refused at either level
    card = SystemCard(context.world, level, context.protocol, parts)
    schema = context.world.schema
    tracker, policy = parts["dst"].part, parts["policy"].part
    return System(schema, tracker, policy, understand, say, context.database, card)


def resolved_names(context: PartContext, names: Mapping[str, Any]) -> dict[str, str]:
    """What the names of NLU and generator stand for."""
    kinds = {"nlu": NLU, "nlg": NLG}
    return {
        key: resolve(kind, names[key], context)
        for key, kind in kinds.items()
        if isinstance(names[key], str)
    }


def _fitting_tracker(names: Mapping[str, Any], context: PartContext) -> Any:
    """`best` is the tracker that the policy is made for."""
    if names["dst"] != BEST or not isinstance(names["policy"], str):
        return names["dst"]
    return PUBLISHED_TRACKERS.get(resolve(POLICY, names["policy"], context), BEST)


@dataclass(frozen=True, slots=True)
class Speech:
    """How one side speaks: with `ranked-templates` it checks its words with its own NLU first."""

    built: BuiltPart
    listener: Understanding | None
    """None: it checks nothing."""
    speaker: Speaker

    def __call__(self, seed: str) -> Says:
        """The voice of a session."""
        if self.built.name == RANKED and self.listener:
            return CarefulVoice(self.built.part, self.listener, self.speaker, seed)
        return Voice(self.built.part, seed)
