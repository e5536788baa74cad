"""Single-turn state tracking: the protocol of the RuleDST row of CrossWOZ's Table 8.

One sample a system turn. The tracker starts from the *last* form of the previous system turn as
it really was, hears the user's turn, and must give the *first* form of this turn, every field of
every domain equal as text. What it may see of the dialogue before is the protocol's business.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from crosstalk.dialogue.acts import SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import GoalType
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.evaluation.counts import Share
from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap, wilson_of
from crosstalk.system.dst.tracker import Belief, Tracker, empty_form


@dataclass(frozen=True, slots=True)
class TrackingScore:
    """Joint accuracy over all turns, over turns with a Select act, and by goal type."""

    overall: Share = field(default_factory=Share)
    select: Share = field(default_factory=Share)
    by_type: dict[GoalType, Share] = field(default_factory=dict)
    by_dialogue: tuple[Share, ...] = ()
    """Of all turns, for intervals."""

    def __add__(self, other: "TrackingScore") -> "TrackingScore":
        return TrackingScore(
            self.overall + other.overall,
            self.select + other.select,
            added(self.by_type, other.by_type),
            self.by_dialogue + other.by_dialogue,
        )

    def figures(self) -> dict[str, Any]:
        """In percent, as JSON."""
        return {
            "overall": self.overall.percent,
            "select": self.select.percent,
            "by_type": {str(kind): share.percent for kind, share in sorted(self.by_type.items())},
            "turns": self.overall.total,
            "select_turns": self.select.total,
            "intervals": {
                "overall": bootstrap(self.by_dialogue, lambda share: share.percent),
                "select": wilson_of(self.select),
            },
            "interval": f"{BOOTSTRAP}; Select turns: Wilson",
        }


def added(one: dict[GoalType, Share], other: dict[GoalType, Share]) -> dict[GoalType, Share]:
    """The counts of both, type by type."""
    kinds = [*one, *(kind for kind in other if kind not in one)]
    return {kind: one.get(kind, Share()) + other.get(kind, Share()) for kind in kinds}


def score_tracking(
    tracker: Tracker, dialogues: Iterable[Dialogue], schema: Schema, *, hide_system_acts: bool
) -> TrackingScore:
    """`hide_system_acts` is the published protocol: rules about system acts are then idle."""
    overall, select = Share(), Share()
    by_type: dict[GoalType, Share] = {}
    by_dialogue: list[Share] = []
    for dialogue in dialogues:
        before = overall
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.first_query is None:
                continue
            history = dialogue.turns[:position]
            belief = Belief(_form_before(history, schema))
            seen = tuple(map(_without_acts, history)) if hide_system_acts else history
            guess = tracker.update(belief, seen).form
            share = Share(int(guess.same_constraints(turn.first_query)), 1)
            overall += share
            if any(act.intent == SELECT for act in history[-1].acts):
                select += share
            if dialogue.goal and dialogue.goal.type:
                kind = dialogue.goal.type
                by_type[kind] = by_type.get(kind, Share()) + share
        by_dialogue.append(Share(overall.right - before.right, overall.total - before.total))
    return TrackingScore(overall, select, by_type, tuple(by_dialogue))


def _form_before(history: tuple[Turn, ...], schema: Schema) -> SystemState:
    forms = [turn.last_query for turn in history if turn.last_query is not None]
    return forms[-1] if forms else empty_form(schema)


def _without_acts(turn: Turn) -> Turn:
    return replace(turn, acts=()) if turn.speaker is Speaker.SYSTEM else turn
