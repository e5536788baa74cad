"""Dialogues of a run that a language model may learn from: verified, each once, balanced if asked.

    chosen = training_dialogues(Path("runs/one"), balance=Balance.TYPE)
    chosen.dialogues, chosen.told

A dialogue is verified if the tables say that it succeeded (`outcomes.py`); undecided ones are left
out. Dialogues with the same words count once.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.success_rates import judged
from crosstalk.simulation.run_folders import open_run
from crosstalk.simulation.runner import world_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.worlds.queries import Database


class Balance(StrEnum):
    """What the groups are that are given the same size."""

    NONE = "none"
    TYPE = "type"
    """The goal type: S, M, M+T, CM, CM+T."""
    DOMAIN = "domain"
    """The domains of the goal together: `hotel+museum`."""
    LANGUAGE = "language"


GROUPS: Final[Mapping[Balance, Callable[[Dialogue], str]]] = {
    Balance.TYPE: lambda dialogue: str(dialogue.goal.type) if dialogue.goal else "",
    Balance.DOMAIN: lambda dialogue: "+".join(_domains(dialogue)),
    Balance.LANGUAGE: lambda dialogue: dialogue.language,
}


@dataclass(frozen=True, slots=True)
class TrainingDialogues:
    """The chosen dialogues, in the order of the run, and what was left out."""

    dialogues: tuple[Dialogue, ...]
    held: int
    """Dialogues of the run."""
    succeeded: int
    repeated: int
    """Those whose words another one has."""
    surplus: int
    """Those of groups that have more than the smallest."""

    @property
    def told(self) -> str:
        return (
            f"{self.held:,} dialogues, {self.succeeded:,} verified, {self.repeated:,} repeated, "
            f"{self.surplus:,} left out for balance"
        )

    def record(self) -> dict[str, int]:
        """As JSON."""
        counts = {"held": self.held, "succeeded": self.succeeded}
        return {**counts, "repeated": self.repeated, "surplus": self.surplus}


def training_dialogues(
    folder: Path,
    *,
    balance: Balance = Balance.NONE,
    data: Path | None = None,
    reporter: Reporter = SILENT,
) -> TrainingDialogues:
    """Choose from the run in a folder; raises InputError if nothing is left."""
    run = open_run(folder)
    pairs = judged(run, Database(world_of(run, data)))
    held, verified = 0, []
    for dialogue, outcome in reporter.track(pairs, doing="judging"):
        held += 1
        if outcome.verdict:
            verified.append(dialogue)
    _refuse_nothing(folder, held, verified)
    once = list(without_repetitions(verified))
    chosen = balanced(once, balance)
    counts = held, len(verified), len(verified) - len(once), len(once) - len(chosen)
    return TrainingDialogues(tuple(chosen), *counts)


def _refuse_nothing(folder: Path, held: int, verified: list[Dialogue]) -> None:
    if not verified:
        raise InputError(
            f"{folder}: none of {held:,} dialogues succeeded, so there is nothing to learn from",
            remedy=f"`crosstalk report {folder}` says why; --unverified writes them all the same.",
        )
    if not any(turn.text for dialogue in verified for turn in dialogue.turns):
        raise InputError(
            f"{folder}: its dialogues have acts and no words",
            remedy="Simulate with --level words, or with --words.",
        )


def without_repetitions(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """The dialogues without those whose words, whatever the case, an earlier one has."""
    seen: set[str] = set()
    for dialogue in dialogues:
        words = "\n".join(" ".join(turn.text.casefold().split()) for turn in dialogue.turns)
        if words not in seen:
            seen.add(words)
            yield dialogue


def balanced(dialogues: list[Dialogue], by: Balance) -> list[Dialogue]:
    """As many dialogues of every group as the smallest has, in their order.

    Which ones depends on their ids alone.
    """
    if by is Balance.NONE:
        return dialogues
    groups = [GROUPS[by](dialogue) for dialogue in dialogues]
    least = min(Counter(groups).values(), default=0)
    taken: Counter[str] = Counter()
    chosen = set()
    for position in sorted(range(len(dialogues)), key=lambda each: _order(dialogues[each])):
        if taken[groups[position]] < least:
            taken[groups[position]] += 1
            chosen.add(position)
    return [dialogue for position, dialogue in enumerate(dialogues) if position in chosen]


def _order(dialogue: Dialogue) -> str:
    return hashlib.sha256(dialogue.id.encode()).hexdigest()


def _domains(dialogue: Dialogue) -> list[str]:
    return sorted({each.domain for each in dialogue.goal.tuples}) if dialogue.goal else []
