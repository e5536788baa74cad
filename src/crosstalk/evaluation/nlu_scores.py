"""Scores of NLU: the NLU rows of CrossWOZ's Tables 8 and 9.

Every utterance of both sides is a sample. An act is right when all four of its fields are; counts
are micro-averaged. The rows of Table 9 are the same counts, restricted to acts of one intent. Gold
values are taken as they stand in the corpus ("raw"), whether or not the words hold them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.scores import BOOTSTRAP, Hits, bootstrap, rounded
from crosstalk.system.nlu.understanding import Acts, Understanding

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class UnderstandingScore:
    """Counts over all utterances, and in parts."""

    overall: Hits = field(default_factory=Hits)
    by_intent: dict[str, Hits] = field(default_factory=dict)
    by_type: dict[GoalType, Hits] = field(default_factory=dict)
    by_side: dict[Speaker, Hits] = field(default_factory=dict)
    utterances: int = 0
    perfect: int = 0
    """Utterances with all acts right."""
    by_dialogue: tuple[Hits, ...] = ()
    """For intervals; empty for single utterances."""

    def __add__(self, other: "UnderstandingScore") -> "UnderstandingScore":
        return UnderstandingScore(
            self.overall + other.overall,
            _added(self.by_intent, other.by_intent),
            _added(self.by_type, other.by_type),
            _added(self.by_side, other.by_side),
            self.utterances + other.utterances,
            self.perfect + other.perfect,
            self.by_dialogue + other.by_dialogue,
        )

    def figures(self) -> dict[str, Any]:
        """In percent, as JSON."""
        sides = {str(side): _three(counts) for side, counts in self.by_side.items()}
        return {
            **_three(self.overall),
            "by_intent": _f1s(self.by_intent),
            "by_type": _f1s(self.by_type),
            **sides,
            "intervals": {"f1": bootstrap(self.by_dialogue, lambda hits: hits.f1)},
            "interval": BOOTSTRAP,
            "utterances": self.utterances,
            "utterance_accuracy": round(100 * self.perfect / self.utterances, 2),
        }


def _f1s(parts: Mapping[Any, Hits]) -> dict[str, float | None]:
    return {str(key): rounded(parts[key].f1) for key in sorted(parts)}


def _three(counts: Hits) -> dict[str, float | None]:
    return {
        "f1": rounded(counts.f1),
        "precision": rounded(counts.precision),
        "recall": rounded(counts.recall),
    }


def _added(left: dict[K, Hits], right: dict[K, Hits]) -> dict[K, Hits]:
    keys = [*left, *(key for key in right if key not in left)]
    return {key: left.get(key, Hits()) + right.get(key, Hits()) for key in keys}


def score_turn(understood: Acts, turn: Turn, kind: GoalType | None) -> UnderstandingScore:
    """One utterance; wrong acts count under their own intent, missed ones under theirs."""
    counts = Hits.of(understood, turn.acts)
    intents = sorted({act.intent for act in (*understood, *turn.acts)})
    return UnderstandingScore(
        counts,
        {intent: Hits.of(_of(intent, understood), _of(intent, turn.acts)) for intent in intents},
        {kind: counts} if kind else {},
        {turn.speaker: counts},
        1,
        int(not counts.wrong and not counts.missed),
    )


def _of(intent: str, acts: Iterable[Act]) -> list[Act]:
    return [act for act in acts if act.intent == intent]


DialogueReader = Callable[[Sequence[Turn]], Sequence[Acts]]
"""The turns of a dialogue without acts -> the understood acts of each turn."""


def score_understanding(
    understand: DialogueReader, dialogues: Iterable[Dialogue]
) -> UnderstandingScore:
    """Score an NLU, which gets the texts without any act, state or goal."""
    score = UnderstandingScore()
    for dialogue in dialogues:
        kind = dialogue.goal.type if dialogue.goal else None
        bare = [Turn(turn.speaker, turn.text) for turn in dialogue.turns]
        pairs = zip(understand(bare), dialogue.turns, strict=True)
        turns = (score_turn(acts, turn, kind) for acts, turn in pairs)
        found = sum(turns, UnderstandingScore())
        score += replace(found, by_dialogue=(found.overall,))
    return score


@runtime_checkable
class ReadsDialogues(Protocol):
    """An NLU that takes a whole dialogue at once, which is faster than turn by turn."""

    def understand_all(self, turns: Sequence[Turn]) -> Sequence[Acts]: ...


def reader_of(understanding: Understanding) -> DialogueReader:
    """A reader of whole dialogues for an NLU."""
    if isinstance(understanding, ReadsDialogues):
        return understanding.understand_all
    return turn_by_turn(understanding)


def turn_by_turn(understanding: Understanding) -> DialogueReader:
    """A reader that calls an NLU for each turn, with the acts it understood before."""

    def understand(turns: Sequence[Turn]) -> list[Acts]:
        return list(_understood(understanding, turns))

    return understand


def _understood(understanding: Understanding, turns: Sequence[Turn]) -> Iterator[Acts]:
    history: list[Turn] = []
    for turn in turns:
        acts = understanding.understand(turn, history)
        history.append(replace(turn, acts=acts))
        yield acts
