"""Derived acts judged: against the acts a corpus has, and rule by rule.

The annotator never sees the acts it is compared with.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from crosstalk.annotation.annotator import Annotator, Reasons
from crosstalk.annotation.sampling import without_acts
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.counts import Share
from crosstalk.evaluation.understanding import UnderstandingScore, score_turn

RuleName = tuple[Speaker, str]


@dataclass(frozen=True, slots=True)
class AnnotationScore:
    """Acts over all turns, and what each rule contributed."""

    acts: UnderstandingScore = field(default_factory=UnderstandingScore)
    rules: dict[RuleName, Share] = field(default_factory=dict)
    """Right acts of all that the rule found; an act that two rules found counts for both."""

    def __add__(self, other: "AnnotationScore") -> "AnnotationScore":
        names = dict.fromkeys((*self.rules, *other.rules))
        rules = {
            name: self.rules.get(name, Share()) + other.rules.get(name, Share()) for name in names
        }
        return AnnotationScore(self.acts + other.acts, rules)


def score_annotation(annotator: Annotator, dialogues: Iterable[Dialogue]) -> AnnotationScore:
    score = AnnotationScore()
    for dialogue in dialogues:
        score += score_dialogue(annotator, dialogue)
    return score


def score_dialogue(annotator: Annotator, dialogue: Dialogue) -> AnnotationScore:
    score = AnnotationScore()
    derived = annotator.reasons(without_acts(dialogue))
    for turn, reasons in zip(dialogue.turns, derived, strict=True):
        kind = dialogue.goal.type if dialogue.goal else None
        acts = score_turn(tuple(sorted(reasons)), turn, kind)
        score += AnnotationScore(acts, _by_rule(turn, reasons))
    return score


def _by_rule(turn: Turn, reasons: Reasons) -> dict[RuleName, Share]:
    found: dict[RuleName, Share] = {}
    for act, rules in reasons.items():
        for rule in rules:
            share = Share(int(act in turn.acts), 1)
            found[turn.speaker, rule] = found.get((turn.speaker, rule), Share()) + share
    return found
