"""Scores of derived acts: against the acts of a corpus, and rule by rule.

The annotator never sees the acts it is compared with.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from crosstalk.annotation.act_rules import SYSTEM_RULES, USER_RULES
from crosstalk.annotation.annotator import Annotator, Annotators, Reasons
from crosstalk.annotation.expert_sample import without_acts
from crosstalk.dialogue.dialogues import RULES, Dialogue, Speaker, Turn
from crosstalk.evaluation.nlu_scores import UnderstandingScore, score_turn
from crosstalk.evaluation.scores import Hits, Share, rounded

RuleName = tuple[Speaker, str]
INPUTS: Final = (
    "words, user states of all turns, first and last queries with their selections, goal, tables, "
    "keywords; no act"
)
"""The inputs of the annotator."""


@dataclass(frozen=True, slots=True)
class AnnotationScore:
    """Scores over all turns, and the precision of each rule."""

    acts: UnderstandingScore = field(default_factory=UnderstandingScore)
    rules: dict[RuleName, Share] = field(default_factory=dict)
    """Rule -> right acts of all it found; an act found by two rules counts for both."""
    derived: int = 0
    """Turns whose acts our rules made: their agreement says nothing about the rules."""

    def __add__(self, other: "AnnotationScore") -> "AnnotationScore":
        names = dict.fromkeys((*self.rules, *other.rules))
        rules = {
            name: self.rules.get(name, Share()) + other.rules.get(name, Share()) for name in names
        }
        return AnnotationScore(self.acts + other.acts, rules, self.derived + other.derived)

    def figures(self) -> dict[str, Any]:
        """In percent, as JSON."""
        acts = self.acts
        sides = {side: acts.by_side.get(side, Hits()) for side in Speaker}
        return {
            "f1": rounded(acts.overall.f1),
            "usr_f1": rounded(sides[Speaker.USER].f1),
            "sys_f1": rounded(sides[Speaker.SYSTEM].f1),
            "precision": rounded(acts.overall.precision),
            "recall": rounded(acts.overall.recall),
            "by_intent": {name: rounded(hits.f1) for name, hits in sorted(acts.by_intent.items())},
            "turns": acts.utterances,
        }

    def rule_figures(self) -> list[dict[str, Any]]:
        """Every rule, also those that found nothing, with its precision in percent."""
        rules: list[tuple[Speaker, str, str]] = [
            *((Speaker.USER, rule.name, rule.why) for rule in USER_RULES),
            *((Speaker.SYSTEM, rule.name, rule.why) for rule in SYSTEM_RULES),
        ]
        figures = []
        for side, name, why in rules:
            share = self.rules.get((side, name), Share())
            found = {"found": share.total, "precision": rounded(share.percent)}
            figures.append({"rule": f"{side}: {name}", "why": why, **found})
        return figures


def score_annotation(
    annotator: Annotator | Annotators, dialogues: Iterable[Dialogue]
) -> AnnotationScore:
    """Score one annotator, or that of each dialogue's world."""
    score = AnnotationScore()
    for dialogue in dialogues:
        own = annotator.of(dialogue) if isinstance(annotator, Annotators) else annotator
        score += score_dialogue(own, dialogue)
    return score


def score_dialogue(annotator: Annotator, dialogue: Dialogue) -> AnnotationScore:
    score = AnnotationScore()
    derived = annotator.reasons(without_acts(dialogue))
    for turn, reasons in zip(dialogue.turns, derived, strict=True):
        kind = dialogue.goal.type if dialogue.goal else None
        acts = score_turn(tuple(sorted(reasons)), turn, kind)
        by_rules = int(turn.acts_from == RULES and bool(turn.acts))
        score += AnnotationScore(acts, _by_rule(turn, reasons), by_rules)
    return score


def _by_rule(turn: Turn, reasons: Reasons) -> dict[RuleName, Share]:
    found: dict[RuleName, Share] = {}
    for act, rules in reasons.items():
        for rule in rules:
            share = Share(int(act in turn.acts), 1)
            found[turn.speaker, rule] = found.get((turn.speaker, rule), Share()) + share
    return found
