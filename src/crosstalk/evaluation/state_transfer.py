"""Dialogue states learnt in English and tracked in another language, zero-shot and few-shot.

    result = evaluate_states(StateTransfer("zh", data, data / "multi2woz/test-zh.json"))
    result["joint_goal_accuracy"]

Joint goal accuracy and slot accuracy as published: a turn is right if all slots are; a slot is
right if the values are equal, or if the guess is one of the alternatives of the label (separated by
`|`). Slots without a value count: a tracker that predicts nothing has a slot accuracy of 81 on
MultiWOZ.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from crosstalk.corpora.multiwoz_labels import NONE
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.scores import Share
from crosstalk.evaluation.world_transfer import task_of_world
from crosstalk.language.state_words import words_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.sentence_encoders import cache_folder, is_installed
from crosstalk.training.steps import Step
from crosstalk.transfer.dst_transfer import (
    PicklistOptions,
    TransferRun,
    identity,
    track_with_best,
)
from crosstalk.transfer.states.ontology import Ontology, unknown_values
from crosstalk.transfer.states.state_dialogues import label_language, state_turns
from crosstalk.transfer.states.state_files import UnknownLabels
from crosstalk.transfer.states.state_slots import StateSlot
from crosstalk.transfer.states.transfer_tasks import TransferTask, find_task
from crosstalk.transfer.transfer_corpora import SOURCE, refuse_unknown_language

MODELS: Final = ("best", "published")
VALUES: Final = ("strings", "shared")
NAMED: Final = 5
"""Number of unknown slots or values that are named; the others are counted."""


State = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StateScore:
    """Joint goal accuracy, slot accuracy, and the number of errors per slot."""

    joint: Share = field(default_factory=Share)
    slots: Share = field(default_factory=Share)
    wrong: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "StateScore") -> "StateScore":
        return StateScore(
            self.joint + other.joint, self.slots + other.slots, self.wrong + other.wrong
        )


def score_states(
    guesses: Sequence[Sequence[State]], dialogues: Sequence[Dialogue], ontology: Ontology
) -> StateScore:
    """Score states of value ids; `guesses` has one state per turn."""

    def by_id(dialogue: Dialogue, state: State) -> State:
        return ontology.ids(state, label_language(dialogue))

    return _score(guesses, dialogues, ontology.slots, by_id)


def score_labels(
    guesses: Sequence[Sequence[State]],
    dialogues: Sequence[Dialogue],
    slots: tuple[StateSlot, ...],
) -> StateScore:
    """Score states of strings as in the files, as published; `guesses` has one state per turn."""
    return _score(guesses, dialogues, slots, lambda _, state: state)


def _score(
    guesses: Sequence[Sequence[State]],
    dialogues: Sequence[Dialogue],
    slots: tuple[StateSlot, ...],
    true: Callable[[Dialogue, State], State],
) -> StateScore:
    score = StateScore()
    keys = [slot.key for slot in slots]
    for dialogue, states in zip(dialogues, guesses, strict=True):
        turns = state_turns(dialogue)
        if len(states) != len(turns):
            raise InputError(
                f"dialogue {dialogue.id}: {len(states)} states for {len(turns)} turns",
                remedy="Give one state a turn.",
            )
        for turn, state in zip(turns, states, strict=True):
            score += score_turn(state, true(dialogue, turn.state), keys)
    return score


def score_turn(guess: State, true: State, slots: Sequence[str]) -> StateScore:
    wrong = [slot for slot in slots if not same_value(guess.get(slot, NONE), true.get(slot, NONE))]
    return StateScore(
        Share(int(not wrong), 1), Share(len(slots) - len(wrong), len(slots)), Counter(wrong)
    )


def same_value(guess: str, true: str) -> bool:
    return guess == true or guess in true.split("|")


@dataclass(frozen=True, slots=True)
class StateTransfer:
    """What to train on and to evaluate on."""

    target: str
    data: Path
    """Folder of fetched corpora."""
    test: Path
    """File with the test dialogues."""
    model: str = "best"
    source: str = SOURCE
    shots: int = 0
    """Percent of the target's dialogues to train on."""
    protocol: str = "corrected"
    seeds: int = 3
    encoder: str = "nano"
    """Of the published model."""
    steps: int | None = None
    """Of the published model; None: as published."""
    values: str = "strings"
    """Of the published model: strings of each language, or `shared`: one id in all languages."""
    out: Path | None = None
    """Folder for trained models; None: the user's cache."""
    sentences: bool = True
    """Whether the sentence encoder may be used, where it is installed."""
    tables: bool = True
    """Whether hand-written words of the target and translations of its values may be used."""
    learn: Path | None = None
    """File with dialogues of the target that shots are drawn from; None: those of the folder."""
    share: float | None = None
    """Share of the source's train; None: all for `published`, what the task says for `best`."""

    def refuse_unknown(self) -> None:
        """Raise for unknown names before anything is read."""
        if self.source != SOURCE:
            raise InputError(
                f"--source {self.source}: states are learnt from English",
                remedy="Give --source en.",
            )
        if self.model not in MODELS:
            raise InputError(
                f"there is no model called {self.model!r}", remedy="Give best or published."
            )
        refuse_unknown_language("--target", self.target)
        if self.kept.exists() and not self.kept.is_dir():
            raise InputError(
                f"--out {self.kept}: is a file; a folder is expected",
                remedy="Name another with --out.",
            )

    @property
    def kept(self) -> Path:
        """Where trained models are kept."""
        return self.out or cache_folder() / "transfer"

    def picking(self) -> PicklistOptions:
        if self.values not in VALUES:
            raise InputError(f"--values {self.values}: not known", remedy="Give strings or shared.")
        return PicklistOptions(self.encoder, self.steps, self.values == "shared")

    def task(self, reporter: Reporter = SILENT) -> TransferTask:
        """The task of the test file: that of its world, if the world has both languages."""
        found: TransferTask | None = task_of_world(
            self.test, self.target, self.data, self.kept, reporter
        )
        if found is None:
            found = find_task(self.data, self.target, self.test, learn=self.learn)
        elif self.tables or self.model != "best":
            raise InputError(
                f"{self.test}: dialogues of {found.name} are tracked without tables",
                remedy="Give --model best and --no-tables.",
            )
        usual = found.share if self.model == "best" else 1.0
        return replace(found, share=self.share or usual)

    def run(self, task: TransferTask, judged: frozenset[tuple[str, int]]) -> TransferRun:
        seeds = tuple(range(1, self.seeds + 1))
        return TransferRun(
            task, self.shots, self.protocol, seeds, self.sentences, judged, self.tables
        )


def evaluate_states(asked: StateTransfer, reporter: Reporter = SILENT) -> dict[str, Any]:
    """Joint goal accuracy and slot accuracy, means over seeds, as JSON."""
    asked.refuse_unknown()
    task = asked.task(reporter)
    if asked.model == "best" and asked.tables:
        words_of(asked.target)
    asked.run(task, frozenset())  # both refuse before anything is read
    picking, strange = asked.picking(), UnknownLabels()
    dialogues = task.read(asked.test, asked.target, strange)
    run = asked.run(task, frozenset(map(identity, dialogues)))
    if asked.model == "best":
        scores = dict(_best(run, dialogues, asked.kept, reporter))
    else:
        scores = dict(_published(run, dialogues, asked.kept, picking, reporter))
    _tell_unknown(run, dialogues, strange, reporter)
    found = {"task": task.name_for(asked.test), **_figures(run, asked.model, dialogues, scores)}
    if asked.model == "published":
        return {**found, "encoder": Path(asked.encoder).name, "values": asked.values}
    forms = words_of(asked.target).forms if asked.tables else 0
    sentences = asked.sentences and is_installed()
    return {**found, "sentences": sentences, "tables": asked.tables, "hand_written_forms": forms}


def _best(
    run: TransferRun, dialogues: Sequence[Dialogue], kept: Path, reporter: Reporter
) -> Iterator[tuple[int, StateScore]]:
    for seed, guesses in track_with_best(run, dialogues, kept=kept, told=reporter.notice):
        yield seed, score_states(guesses, dialogues, run.ontology)


def _published(
    run: TransferRun,
    dialogues: Sequence[Dialogue],
    kept: Path,
    picking: PicklistOptions,
    reporter: Reporter,
) -> Iterator[tuple[int, StateScore]]:
    from crosstalk.transfer.published_dst_transfer import PublishedTracker

    def told(step: Step) -> None:
        reporter.notice(f"step {step.step} of {step.total}: {step.words}")

    for seed, guesses in PublishedTracker(run, picking, kept, told).track(dialogues):
        if picking.shared:
            yield seed, score_states(guesses, dialogues, run.ontology)
        else:
            yield seed, score_labels(guesses, dialogues, run.task.slots)


def _tell_unknown(
    run: TransferRun, dialogues: Sequence[Dialogue], strange: UnknownLabels, reporter: Reporter
) -> None:
    if strange.silent:
        reporter.notice(f"{strange.silent} turns of users without a word")
    unknown = unknown_values(dialogues, run.ontology)
    for what, found in (("slots", strange.slots), ("values", unknown)):
        if found:
            named = ", ".join(name for name, _ in found.most_common(NAMED))
            more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
            reporter.notice(f"{found.total()} times {what} that are not known: {named}{more}")


def _spread(by_seed: Sequence[Mapping[str, float]], name: str) -> list[float] | None:
    """The lowest and the highest figure of several seeds."""
    values = [each[name] for each in by_seed]
    return [min(values), max(values)] if len(values) > 1 else None


def _figures(
    run: TransferRun, model: str, dialogues: Sequence[Dialogue], scores: dict[int, StateScore]
) -> dict[str, Any]:
    by_seed = [
        {
            "seed": seed,
            "joint_goal_accuracy": round(score.joint.percent or 0.0, 2),
            "slot_accuracy": round(score.slots.percent or 0.0, 2),
        }
        for seed, score in scores.items()
    ]
    return {
        "model": model,
        "source": SOURCE,
        "target": run.task.target,
        "shots": run.shots,
        "protocol": run.protocol,
        "learnt_from": run.digest,
        "dialogues": len(dialogues),
        "turns": sum(len(state_turns(each)) for each in dialogues),
        "joint_goal_accuracy": round(fmean(each["joint_goal_accuracy"] for each in by_seed), 2),
        "slot_accuracy": round(fmean(each["slot_accuracy"] for each in by_seed), 2),
        "spread": {
            name: _spread(by_seed, name) for name in ("joint_goal_accuracy", "slot_accuracy")
        },
        "seeds": by_seed,
    }
