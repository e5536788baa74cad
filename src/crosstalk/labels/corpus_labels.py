"""The label checker over a whole corpus: every finding, and how many there are of each rule.

report = check_labels(read_corpus(path), LabelCheckers())
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.labels.checker import LabelCheckers
from crosstalk.labels.findings import RULES, Finding


@dataclass(frozen=True, slots=True)
class LabelReport:
    """The findings of several dialogues."""

    findings: tuple[tuple[str, Finding], ...]
    """Id of the dialogue, and what was found in it."""
    dialogues: int
    turns: int

    @property
    def flagged(self) -> int:
        """Turns with a finding."""
        return len({(dialogue, finding.turn) for dialogue, finding in self.findings})

    @property
    def share(self) -> float:
        """Per cent of turns with a finding."""
        return 100 * self.flagged / self.turns if self.turns else 0.0

    def by_rule(self) -> Iterator[tuple[str, int, int]]:
        """Rule, findings, dialogues; the most frequent first."""
        found = Counter(finding.rule for _, finding in self.findings)
        for rule, count in found.most_common():
            yield rule, count, len({id for id, each in self.findings if each.rule == rule})

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "flagged_turns": self.flagged,
            "flagged_percent": round(self.share, 2),
            "rules": {
                rule: {"why": RULES[rule], "findings": count, "dialogues": dialogues}
                for rule, count, dialogues in self.by_rule()
            },
            "findings": [
                {"dialogue": dialogue, **finding.record()} for dialogue, finding in self.findings
            ],
        }


def check_labels(dialogues: Iterable[Dialogue], checkers: LabelCheckers) -> LabelReport:
    found: list[tuple[str, Finding]] = []
    count = turns = 0
    for dialogue in dialogues:
        count, turns = count + 1, turns + len(dialogue.turns)
        found += ((dialogue.id, finding) for finding in checkers.check(dialogue))
    return LabelReport(tuple(found), count, turns)
