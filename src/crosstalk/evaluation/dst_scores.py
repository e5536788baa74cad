"""Scores of trackers: the RuleDST and TRADE rows of CrossWOZ's Table 8. One sample per system turn.

`score_tracking` (RuleDST): the tracker starts from the gold form of the turn before and reads gold
acts; its form must equal the wizard's *first* form of the turn (`sys_state_init`).

`score_words` (TRADE): the tracker reads only the texts up to the user's turn, no act and no form;
its filled fields must equal those of the same form, in all domains, as text. An early error that
stays in the state counts in every later turn.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from crosstalk.dialogue.acts import SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import GoalType
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.errors import InputError
from crosstalk.evaluation.nlu_scores import DialogueReader, reader_of
from crosstalk.evaluation.scores import BOOTSTRAP, Hits, Share, bootstrap, rounded, wilson_of
from crosstalk.system.dst.tracker import DialogueState, Tracker, empty_form, form_tracker
from crosstalk.system.nlu.understanding import Understanding

if TYPE_CHECKING:  # only words need the libraries of the trained parts
    from crosstalk.system.dst.predicted_acts import PredictActs
    from crosstalk.system.dst.text_tracker import TextTracker


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
    """Score from gold forms and acts; `hide_system_acts`: without system acts, as published.

    What the system says before the user has said anything is not judged.
    """
    overall, select = Share(), Share()
    by_type: dict[GoalType, Share] = {}
    by_dialogue: list[Share] = []
    for dialogue in dialogues:
        before = overall
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.first_query is None:
                continue
            history = dialogue.turns[:position]
            if not history or history[-1].speaker is not Speaker.USER:
                continue
            belief = DialogueState(_form_before(history, schema))
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


FormReader = Callable[[Sequence[Turn]], Sequence[SystemState]]
"""The texts of a whole dialogue -> the state after each of its user turns.

The state after a turn must depend only on the texts up to it.
"""


@dataclass(frozen=True, slots=True)
class WordsScore:
    """Counts over all turns, and in parts."""

    joint: Share = field(default_factory=Share)
    """Turns in which every field is right."""
    slots: Hits = field(default_factory=Hits)
    """Filled fields: domain, slot and value."""
    select: Share = field(default_factory=Share)
    """Joint accuracy of turns with a Select act."""
    by_type: dict[GoalType, Share] = field(default_factory=dict)
    by_dialogue: tuple[Share, ...] = ()
    """Joint accuracy, for intervals."""

    def __add__(self, other: "WordsScore") -> "WordsScore":
        return WordsScore(
            self.joint + other.joint,
            self.slots + other.slots,
            self.select + other.select,
            added(self.by_type, other.by_type),
            self.by_dialogue + other.by_dialogue,
        )

    def figures(self) -> dict[str, Any]:
        """In percent, as JSON."""
        return {
            "joint_accuracy": rounded(self.joint.percent),
            "slot_f1": rounded(self.slots.f1),
            "select": rounded(self.select.percent),
            "by_type": {
                str(kind): rounded(share.percent) for kind, share in sorted(self.by_type.items())
            },
            "turns": self.joint.total,
            "select_turns": self.select.total,
            "intervals": {
                "joint_accuracy": bootstrap(self.by_dialogue, lambda share: share.percent),
                "select": wilson_of(self.select),
            },
            "interval": f"{BOOTSTRAP}; Select turns: Wilson",
        }


def score_forms(dialogue: Dialogue, forms: Sequence[SystemState]) -> WordsScore:
    """`forms`: one for each system turn that has a form."""
    kind = dialogue.goal.type if dialogue.goal else None
    score = WordsScore()
    answered = [at for at, turn in enumerate(dialogue.turns) if turn.first_query is not None]
    for at, form in zip(answered, forms, strict=True):
        typed = dialogue.turns[at].first_query
        assert typed is not None
        ours, theirs = filled(form), filled(typed)
        share = Share(int(ours == theirs), 1)
        selects = at > 0 and any(act.intent == SELECT for act in dialogue.turns[at - 1].acts)
        score += WordsScore(
            share,
            Hits.of(ours, theirs),
            share if selects else Share(),
            {kind: share} if kind else {},
        )
    return replace(score, by_dialogue=(score.joint,))


def filled(form: SystemState) -> frozenset[tuple[str, str, SlotValue]]:
    """The filled fields, without selected results."""
    return frozenset((tab.domain, *each) for tab in form for each in tab.constraints.items())


def score_words(read: FormReader, dialogues: Iterable[Dialogue]) -> WordsScore:
    """Score from texts alone: no act, state or goal is given to the tracker."""
    score = WordsScore()
    for dialogue in dialogues:
        refuse_other_order(dialogue)
        forms = iter(read([Turn(turn.speaker, turn.text) for turn in dialogue.turns]))
        now = SystemState()
        answers = []
        for turn in dialogue.turns:
            if turn.speaker is Speaker.USER:
                now = next(forms)
            elif turn.first_query is not None:
                answers.append(now)
        score += score_forms(dialogue, answers)
    return score


def refuse_other_order(dialogue: Dialogue) -> None:
    """Refuse a dialogue in which user and system do not alternate."""
    speakers = [turn.speaker for turn in dialogue.turns]
    if speakers != [(Speaker.USER, Speaker.SYSTEM)[at % 2] for at in range(len(speakers))]:
        raise InputError(
            f"dialogue {dialogue.id}: user and system do not take turns",
            remedy="Leave it out, or join the turns that one side says in a row.",
        )


@runtime_checkable
class ReadsForms(Protocol):
    """A tracker that reads the texts of whole dialogues."""

    def read(self, turns: Sequence[Turn]) -> Sequence[SystemState]: ...


def form_reader(
    tracker: Tracker, understanding: Callable[[], Understanding], schema: Schema
) -> FormReader:
    """A reader of texts for any tracker; trackers of acts get those that an NLU understands."""
    forms = form_tracker(tracker)
    if isinstance(forms, ReadsForms):
        return forms.read
    from crosstalk.system.dst.text_tracker import TextTracker
    from crosstalk.system.nlu.ranked import RankedNLU

    nlu = understanding()
    if isinstance(forms, TextTracker) and isinstance(nlu, RankedNLU):
        return tracked(nlu.weigh_all, forms, schema)
    return _understood_and_tracked(reader_of(nlu), forms, schema)


def _understood_and_tracked(
    understand: DialogueReader, tracker: Tracker, schema: Schema
) -> FormReader:
    def read(turns: Sequence[Turn]) -> list[SystemState]:
        pairs = zip(turns, understand(turns), strict=True)
        heard = tuple(replace(turn, acts=acts) for turn, acts in pairs)
        belief = DialogueState(empty_form(schema))
        forms = []
        for at, turn in enumerate(heard):
            if turn.speaker is Speaker.USER:
                belief = tracker.update(belief, heard[: at + 1])
                forms.append(belief.form)
        return forms

    return read


def tracked(weigh: "PredictActs", tracker: "TextTracker", schema: Schema) -> FormReader:
    """A reader of texts: an NLU and a tracker together."""
    from crosstalk.system.nlu.ranked import likely

    def read(turns: Sequence[Turn]) -> list[SystemState]:
        doubts = weigh(turns)
        pairs = zip(turns, doubts, strict=True)
        heard = tuple(replace(turn, acts=likely(weighed)) for turn, weighed in pairs)
        belief: DialogueState = DialogueState(empty_form(schema))
        forms = []
        for at, turn in enumerate(heard):
            if turn.speaker is Speaker.USER:
                belief = tracker.update(belief, heard[: at + 1], doubts[at])
                forms.append(belief.form)
        return forms

    return read
