"""Rankers trained into model folders, each with a card that says how to make it again.

source = read_source(Path("train.csv"))
train_into(Order("best", Path("models/best")), source, data=Path("train.csv"))
"""

from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import CARD, Card, Provenance, read_card, write_card
from crosstalk.retrieval.files import read_pairs
from crosstalk.retrieval.models import BEST, KIND, RECURRENT, refuse_other, save_ranker
from crosstalk.retrieval.training import RankerJob, Source, TrainedRanker, train_ranker
from crosstalk.retrieval.turns import read_turns
from crosstalk.training.reporter import SILENT, Reporter


def read_source(data: Path, reporter: Reporter = SILENT) -> Source:
    """The pairs of a training file, or the dialogues of a folder that `logs extract` wrote."""
    if data.is_dir():
        return read_turns(data)
    pairs = list(reporter.track(read_pairs(data), doing="reading"))
    if not any(right for _, _, right in pairs):
        raise InputError(
            f"{data}: no true response to learn from",
            remedy="A training file has rows with the label 1; "
            "`crosstalk retrieve triples` makes some.",
        )
    return pairs


def train_into(
    order: RankerJob, source: Source, *, data: Path, reporter: Reporter = SILENT
) -> Path:
    """Train a ranker and write its folder, card last; a stopped training goes on."""
    folder = _folder(order)
    refuse_other(folder)
    use_one_thread(order.name)
    with reporter.training(folder) as told:
        taught = train_ranker(order, source, told)
        save_ranker(folder, order.name, taught.ranker)
        _write_card(order, taught, data, len(source), told.minutes)
    return folder


def train_or_reuse(
    order: RankerJob, source: Source, *, data: Path, reporter: Reporter = SILENT
) -> Path:
    """The folder of an earlier run where it holds the same ranker, else of a new training."""
    folder = _folder(order)
    refuse_other(folder)
    if not (folder / CARD).exists():
        return train_into(order, source, data=data, reporter=reporter)
    card = read_card(folder)
    if (card.get("command"), card.get("sha256", "")) != (command_of(order, data), _digest(data)):
        raise InputError(
            f"{folder} was trained otherwise, or on other data: {card.get('command')}",
            remedy="Give another folder with --out.",
        )
    return folder


def use_one_thread(name: str) -> None:
    """Sums in one order: the same bytes whatever the number of cores."""
    if name in (BEST, *RECURRENT):
        import crosstalk.training.loop  # noqa: F401  # says in words that torch is missing

        import torch  # isort: skip

        torch.set_num_threads(1)


def command_of(order: RankerJob, data: Path) -> str:
    """As it stands on the card."""
    options = f" --vectors {order.vectors.name}" if order.vectors else ""
    options += f" --epochs {order.epochs}" if order.epochs else ""
    return (
        f"crosstalk retrieve train --model {order.name} --data {data.name}{options} "
        f"--seed {order.seed}"
    )


def _folder(order: RankerJob) -> Path:
    assert order.folder is not None, "a ranker that is kept has a folder"
    return order.folder


def _digest(data: Path) -> str:
    """Of a file; a folder of dialogues has none."""
    return "" if data.is_dir() else sha256_of(data)


def _write_card(
    order: RankerJob, taught: TrainedRanker, data: Path, rows: int, minutes: float
) -> None:
    score = {} if taught.score is None else {"r10@1 on what was held out": round(taught.score, 2)}
    card = Card(
        what=f"ranker of responses: {order.name}",
        command=command_of(order, data),
        data=Provenance(data.name, _digest(data), rows),
        seed=order.seed,
        kind=KIND,
        figures=score,
        minutes=minutes,
    )
    write_card(_folder(order), card)
