"""Cross-lingual state tracking with shared value ids: train, cache and apply the trackers.

    run = TransferRun(find_task(data, "zh"), shots=0)
    for seed, states in track_with_best(run, dialogues, kept=folder): ...

Trackers are cached in folders named after a digest of their training data and settings; an
interrupted run resumes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError, OutputError
from crosstalk.files import making_folder, sha256_of
from crosstalk.language.state_words import StateWords
from crosstalk.model_folders import CARD, Card, Provenance, problem_of, write_card
from crosstalk.training import sentence_encoders
from crosstalk.training.identity import digest_of
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states import derived_words
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.state_dialogues import label_language, state_turns
from crosstalk.transfer.states.state_scorers import SentenceVectors
from crosstalk.transfer.states.state_tracker import (
    State,
    StateTracker,
    StateTrainingData,
    TrackerConfig,
    load,
    prepare,
)
from crosstalk.transfer.states.target_texts import TargetTexts, source_texts
from crosstalk.transfer.states.transfer_tasks import TransferTask
from crosstalk.transfer.transfer_corpora import SEEDS, SOURCE, draw_shots, refuse_share

FORMAT: Final = 2
"""Increased when training on the same files gives another tracker."""
PROTOCOLS: Final = ("corrected", "paper")
THRESHOLDS: Final = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55)
JUDGED: Final = 150
"""Target development dialogues on which `--protocol paper` selects the threshold."""
MANY: Final = 10
"""From this percentage of shots on, features of the target's own words are used."""
StepCallback = Callable[[str], None]
Guesses = list[list[State]]


@dataclass(frozen=True)
class TransferRun:
    """A transfer task with its shots and options; data is read once, never the test file."""

    task: TransferTask
    shots: int = 0
    protocol: str = "corrected"
    seeds: tuple[int, ...] = SEEDS
    sentences: bool = True
    """Use sentence vectors if the encoder is installed."""
    judged: frozenset[tuple[str, int]] = frozenset()
    """Ids and lengths of dialogues under judgement, which nothing is learnt from; with tables their
    originals in the source language are."""
    tables: bool = True
    """Use the hand-written words of the target and the translations of its values."""
    thresholds: derived_words.Thresholds = derived_words.THRESHOLDS
    """How sure a derived word has to be, without tables."""

    def __post_init__(self) -> None:
        refuse_share(self.shots)
        if self.protocol not in PROTOCOLS:
            raise InputError(
                f"--protocol {self.protocol}: not known", remedy=f"Give {' or '.join(PROTOCOLS)}."
            )
        learnt = self.shots and not self.task.named
        if not self.tables and (learnt or self.protocol == "paper"):
            raise InputError(
                "--no-tables: without tables nothing is learnt or chosen on the target's labels",
                remedy="Give --shots 0 and --protocol corrected, or name with --learn dialogues "
                "whose labels may be learnt from.",
            )
        if self.shots and not self.task.target_files:
            raise InputError(
                f"--shots {self.shots}: {self.task.name} has no dialogues of its own to learn from",
                remedy="Give --shots 0, or name dialogues with states with --learn.",
            )

    @cached_property
    def source(self) -> list[Dialogue]:
        read = self.task.source()
        if self.tables and self.task.target != SOURCE:
            return read
        return [each for each in read if identity(each) not in self.judged]

    @cached_property
    def target(self) -> list[Dialogue]:
        read = self.task.target_dialogues()
        if self.task.named:
            read = [each for each in read if identity(each) not in self.judged]
        return read

    @cached_property
    def ontology(self) -> Ontology:
        """The values of both languages. Without tables nothing but the score may ask for it."""
        return self.task.ontology(self.source)

    @cached_property
    def texts(self) -> TargetTexts:
        """What is read of the target without tables."""
        return self.task.target_texts()

    def shown(self, seed: int) -> list[Dialogue]:
        """Return the target dialogues drawn as shots."""
        return draw_shots(self.target, self.shots, seed=seed) if self.shots else []

    @cached_property
    def words_digest(self) -> str:
        """What words are derived from: the target's files with labels are not read."""
        english = (sha256_of(file) for file in self.task.source_files)
        learnt = [each.id for each in self.source]
        return digest_of((*english, learnt, self.texts))

    @cached_property
    def digest(self) -> str:
        if self.tables:
            some = self.task.share < 1 or self.task.target == SOURCE
            learnt = [[each.id for each in self.source]] if some else []
            return digest_of((*(sha256_of(file) for file in self.task.files), *learnt))
        if self.shots:
            labelled = (sha256_of(file) for file in self.task.target_files)
            return digest_of((self.words_digest, *labelled, [each.id for each in self.target]))
        return self.words_digest


def identity(dialogue: Dialogue) -> tuple[str, int]:
    """What a dialogue has in common with its translations."""
    return dialogue.id, len(state_turns(dialogue))


@dataclass(frozen=True, slots=True)
class PicklistOptions:
    """Options of the published tracker (`published_dst_transfer`)."""

    encoder: str = "nano"
    steps: int | None = None
    """Training steps; None: as published, or some minutes for `nano`."""
    shared: bool = False
    """Use one id per value in both languages instead of a string in each."""


def track_with_best(
    run: TransferRun,
    dialogues: Sequence[Dialogue],
    *,
    kept: Path,
    told: StepCallback = lambda words: None,
) -> Iterator[tuple[int, Guesses]]:
    """Yield for every seed the predicted states (value ids) of every turn."""
    sentences = _sentences(run, told)
    reading = _reading_ontology(run, sentences, kept, told)
    lessons: dict[int, StateTrainingData] = {}
    for seed in run.seeds:
        tracker = _tracker(run, seed, reading, sentences, lessons, kept, told)
        if run.protocol == "paper" and run.target:
            tracker = replace(tracker, config=_chosen_on_target(tracker, run.target))
        told(f"seed {seed}: tracking {len(dialogues)} dialogues")
        guesses = tracker.track(dialogues)
        if not run.tables:
            guesses = [[_scored_ids(each, reading, run) for each in states] for states in guesses]
        yield seed, guesses


def config_for(shots: int) -> TrackerConfig:
    """Use language-independent features only; with enough shots, also lexical ones."""
    many = shots >= MANY
    return TrackerConfig(directed=many, words=many)


def _sentences(run: TransferRun, told: StepCallback) -> SentenceVectors | None:
    if not run.sentences or not sentence_encoders.is_installed():
        told("without sentence vectors: states are read from words alone")
        return None
    sentences = SentenceVectors(sentence_encoders.open_cached_encoder())
    told("sentence vectors (kept on disk once made)")
    sentences.meet(SOURCE, run.source)
    if not run.tables:
        sentences.meet_texts(run.task.target, run.texts.users, run.texts.systems)
    elif run.task.target != SOURCE:
        sentences.meet(run.task.target, run.target)
    return sentences


def _reading_ontology(
    run: TransferRun, sentences: SentenceVectors | None, kept: Path, told: StepCallback
) -> Ontology:
    """What texts are read with: the word table, or words derived from texts."""
    if run.tables:
        return run.ontology
    encoder = None if sentences is None else sentences.encoder
    words = _derived_words(run, encoder, kept, told)
    return run.task.reading_ontology(run.source, words, encoder)


def _derived_words(
    run: TransferRun, encoder: CachedEncoder | None, kept: Path, told: StepCallback
) -> StateWords:
    target = run.task.target
    key = digest_of((FORMAT, run.words_digest, encoder is not None, run.thresholds))[:20]
    file = kept / f"words-{target}-{key}.json"
    if file.exists():
        told(f"words of {target}: derived before")
        return derived_words.load(file, target)
    told(f"deriving words of {target} from {len(run.texts.raw)} texts, "
         f"{len(run.texts.pairs)} of them translated")  # fmt: skip
    english = run.task.english_ontology(run.source)
    said = source_texts(run.source, users_only=run.texts.bilingual)
    words = derived_words.derive_words(run.texts, english, said, encoder, run.thresholds)
    derived_words.save(words, file)
    return words


def _scored_ids(state: State, reading: Ontology, run: TransferRun) -> State:
    """A predicted state as the score names values: through the label that a file would have."""
    target, scored = run.task.target, {}
    for slot, id in state.items():
        labels = reading.labels[target].get(slot, {})
        label = next((label for label, meant in labels.items() if meant == id), None)
        language = SOURCE if label is None else target
        scored[slot] = run.ontology.id_of(slot, label or id, language)
    return scored


def _tracker(
    run: TransferRun,
    seed: int,
    reading: Ontology,
    sentences: SentenceVectors | None,
    lessons: dict[int, StateTrainingData],
    kept: Path,
    told: StepCallback,
) -> StateTracker:
    config = config_for(run.shots)
    vectors = "" if sentences is None else sentence_encoders.UNIVERSAL
    learnt: tuple[object, ...] = (FORMAT, run.digest, config, run.shots, seed, vectors)
    key = digest_of(learnt)[:20]
    folder = kept / f"dst-best-{run.task.target}-{run.shots}-{seed}-{key}"
    if (folder / CARD).exists() and problem_of(folder) is None:
        told(f"seed {seed}: learnt before")
        return load(folder, reading, sentences)
    draw = seed if 0 < run.shots < 100 else 0  # the same dialogues for every seed
    if draw not in lessons:
        lessons.clear()
        lessons[draw] = prepare(
            [*run.source, *run.shown(seed)], reading, config, sentences=sentences, told=told
        )
    told(f"seed {seed}: growing trees")
    tracker = lessons[draw].tracker(seed=seed)
    try:
        _keep(tracker, run, seed, folder)
    except (OSError, OutputError) as error:
        told(f"the model could not be kept, and is used all the same: {error}")
    return tracker


def _keep(tracker: StateTracker, run: TransferRun, seed: int, folder: Path) -> None:
    with making_folder(folder):
        tracker.save(folder)
        write_card(
            folder,
            Card(
                what=f"states of {run.task.name} with {run.shots} % of its dialogues, seed {seed}",
                command="crosstalk transfer dst --model best --source en "
                f"--target {run.task.target} --shots {run.shots}",
                data=Provenance(
                    ", ".join(file.name for file in run.task.files),
                    run.digest,
                    len(run.source) + len(run.shown(seed)),
                ),
                seed=seed,
                kind="dst",
                language=run.task.target,
            ),
        )


def _chosen_on_target(tracker: StateTracker, target: Sequence[Dialogue]) -> TrackerConfig:
    """Select the threshold on the target's development labels: the published protocol's leak."""
    judged = target[:JUDGED]

    def right(threshold: float) -> int:
        guesses = replace(tracker, config=replace(tracker.config, threshold=threshold)).track(
            judged
        )
        return sum(
            state == tracker.readers.ontology.ids(turn.state, label_language(dialogue))
            for dialogue, states in zip(judged, guesses, strict=True)
            for turn, state in zip(state_turns(dialogue), states, strict=True)
        )

    return replace(tracker.config, threshold=max(THRESHOLDS, key=right))
