"""All trainers by kind and name: the one table of `crosstalk train` and `crosstalk.train`.

    find_trainer("nlu", "bert").train(job, encoder="bert-base-chinese")

A trainer is imported when it is used, so that the table needs no heavy library.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.trainers.job import Job, JobKeywords

Folders = list[Path]
NOUNS: Final = {
    "nlu": "NLU",
    "dst": "tracker",
    "policy": "policy",
    "nlg": "generator",
    "user": "user",
}
"""Kinds of modules, and what messages call them."""


class TrainKeywords(JobKeywords, total=False):
    """Keywords of `crosstalk.train`: those of a job and the options of single trainers."""

    templates: str | Path | None
    passes: int
    quick: bool
    apart_from: Sequence[str | Path]
    encoder: str
    steps: int | None
    rate: float | None
    models: str | Path | None
    more: Sequence[str | Path]
    share: float
    epochs: int | None
    vectors: str | Path | None
    side: str | None
    validation: str | Path | None
    protocol: str


@dataclass(frozen=True, slots=True)
class Trainer:
    """One row of the table."""

    kind: str
    name: str
    train: Callable[..., Folders]
    """Takes a job and the options of this trainer; returns the folders of the trained models."""

    @property
    def options(self) -> frozenset[str]:
        """Names of the options beside those of the job."""
        return frozenset(list(inspect.signature(self.train).parameters)[1:])


def _nlu(job: Job, templates: Path | None = None, passes: int = 0, quick: bool = False) -> Folders:
    from crosstalk.trainers.nlu import NLUOptions, train_nlu

    return [train_nlu(job, NLUOptions(templates, passes, quick))]


def _nlu_practised(job: Job) -> Folders:
    from crosstalk.trainers.nlu import train_practised

    return [train_practised(job)]


def _nlu_user(job: Job, apart_from: Sequence[Path] = (), passes: int = 0) -> Folders:
    from crosstalk.trainers.nlu_user import train_user_nlu

    return [train_user_nlu(job, apart_from, passes)]


def _bert_trainer(model: str) -> Callable[..., Folders]:
    def train(
        job: Job,
        encoder: str = "",
        templates: Path | None = None,
        steps: int | None = None,
        rate: float | None = None,
        patience: int | None = None,
        protocol: str = "corrected",
    ) -> Folders:
        from crosstalk.trainers.bert import BertOptions, train_bert

        options = BertOptions(encoder, templates, steps, rate, patience, protocol)
        return train_bert(job, model, options)

    return train


def _tracker_trainer(model: str) -> Callable[..., Folders]:
    def train(job: Job, models: Path | None = None, share: float = 1.0) -> Folders:
        from crosstalk.trainers.dst import train_tracker

        return [train_tracker(job, model, models=models, share=share)]

    return train


def _trade(
    job: Job, epochs: int | None = None, quick: bool = False, vectors: Path | None = None
) -> Folders:
    from crosstalk.trainers.trade import TradeOptions, train_trade

    return train_trade(job, TradeOptions(epochs, quick, vectors))


def _states(job: Job, more: Sequence[Path] = (), share: float = 1.0) -> Folders:
    from crosstalk.trainers.states import train_states

    return [train_states(job, more, share=share)]


def _policy_trainer(model: str) -> Callable[..., Folders]:
    def train(job: Job) -> Folders:
        from crosstalk.trainers.policy import train_policy

        return [train_policy(job, model)]

    return train


def _templates(job: Job) -> Folders:
    from crosstalk.trainers.nlg import train_templates

    return [train_templates(job)]


def _ranks(job: Job, templates: Path | None = None) -> Folders:
    from crosstalk.trainers.nlg import rank_template_files

    return [rank_template_files(job, templates)]


def _sclstm(
    job: Job,
    side: str | None = None,
    templates: Path | None = None,
    validation: Path | None = None,
    epochs: int | None = None,
) -> Folders:
    from crosstalk.evaluation.evaluator import speaker_of
    from crosstalk.trainers.sclstm import EPOCHS, SCLSTMOptions, train_sclstm

    speaker = speaker_of(side) if side else None
    epochs = EPOCHS if epochs is None else epochs
    return train_sclstm(job, SCLSTMOptions(speaker, templates, validation, epochs))


def _user(job: Job) -> Folders:
    from crosstalk.trainers.user import train_user

    return [train_user(job)]


TRAINERS: Final = (
    Trainer("nlu", "best", _nlu),
    Trainer("nlu", "practised", _nlu_practised),
    Trainer("nlu", "user", _nlu_user),
    Trainer("nlu", "bert", _bert_trainer("bert")),
    Trainer("nlu", "bert-no-context", _bert_trainer("bert-no-context")),
    Trainer("dst", "edits", _tracker_trainer("edits")),
    Trainer("dst", "words", _tracker_trainer("words")),
    Trainer("dst", "trade", _trade),
    Trainer("dst", "states", _states),
    Trainer("policy", "best", _policy_trainer("best")),
    Trainer("policy", "sl", _policy_trainer("sl")),
    Trainer("nlg", "templates", _templates),
    Trainer("nlg", "best", _ranks),
    Trainer("nlg", "sclstm", _sclstm),
    Trainer("user", "best", _user),
)
"""The first trainer of a kind is its default."""
_PATHS: Final = frozenset({"templates", "models", "vectors", "validation"})


def trainers_of(kind: str) -> dict[str, Trainer]:
    """The trainers of a kind by name; empty if there is no such kind."""
    return {each.name: each for each in TRAINERS if each.kind == kind}


def find_trainer(kind: str, name: str) -> Trainer:
    """Raises `InputError` if there is no trainer of this kind and name."""
    known = trainers_of(kind)
    if name not in known:
        raise InputError(
            f"there is no {NOUNS.get(kind, kind)} called {name!r} to train",
            remedy=f"Known: {', '.join(known)}.",
        )
    return known[name]


def given_options(trainer: Trainer, keywords: dict[str, Any]) -> dict[str, Any]:
    """The options of a trainer among keywords, paths as `Path`; refuses any other keyword."""
    job = JobKeywords.__annotations__.keys()
    for name in keywords:
        if name not in trainer.options and name not in job:
            raise InputError(
                f"{name}: the trainer of {trainer.kind} {trainer.name} has no such option",
                remedy=f"Its options: {', '.join(sorted(trainer.options) or ['none'])}; "
                f"those of every training: {', '.join(job)}.",
            )
    given = {name: value for name, value in keywords.items() if name in trainer.options}
    for name, value in given.items():
        if name in _PATHS and value is not None:
            given[name] = Path(value)
        elif name in ("apart_from", "more"):
            given[name] = [Path(each) for each in value]
    return given
