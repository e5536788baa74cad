"""The trackers by name: what builds each, and what it needs (`docs/parts.md`)."""

from dataclasses import replace
from functools import partial
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model
from crosstalk.system import part_models as models
from crosstalk.system.dst.tracker import FormAndTopic, Tracker, VerbalisedTurns
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.parts import NLG
from crosstalk.system.parts import BEST, Kind, Part, PartContext, build_part


def _rule_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.rule_tracker import RuleTracker

    return RuleTracker(context.world.schema, context.world.language)


def _search_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.search_tracker import SearchTracker

    return SearchTracker(context.world.schema, context.world.language, context.database)


def _edit_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.tree_tracker import TreeTracker

    folder = find_model(models.EDITS, context.models)
    tracker = TreeTracker.load(folder, context.database)
    return _with_texts(
        FormAndTopic(tracker, _search_tracker(context), from_last_query=True), context
    )


def _words_tracker(context: PartContext) -> Tracker:
    from crosstalk.system.dst.text_tracker import TextTracker

    folder = find_model(models.WORDS, context.models)
    return _with_texts(TextTracker.load(folder, context.database), context)


def _trade(context: PartContext) -> Tracker:
    world = context.world
    command = f"crosstalk train dst --model trade --world {world.name}"
    folder = models.trained(_trade_models(context)[0], context.models, command)
    from crosstalk.system.dst.trade_tracker import TradeTracker
    from crosstalk.training.compute import use_single_thread

    use_single_thread()
    tracker = TradeTracker.load(folder, world.schema, language=world.language.code)
    return _with_texts(FormAndTopic(tracker, _search_tracker(context)), context)


def _with_texts(tracker: Tracker, context: PartContext) -> Tracker:
    """A tracker that reads texts, made to work in conversations held in acts."""
    return VerbalisedTurns(tracker, partial(_generators, context))


def _generators(context: PartContext) -> dict[Speaker, Generator]:
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
