"""Objectives of specialisation (MLM, TLM, RS-X, RS-Mono, TOD): losses, paces, training, scores.

Held-out scores: the loss on text for mlm and tlm, weighted F1 on rows for rs-x and rs-mono, the
loss on dialogues for tod.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from crosstalk.errors import InputError
from crosstalk.training.progress import Progress
from crosstalk.training.transformer_encoders import TransformerEncoder
from crosstalk.transfer.specialisation.instance_sampling import ResponseRow
from crosstalk.transfer.specialisation.training_instances import OBJECTIVES
from crosstalk.transfer.step_training import Pace, TrainingSetup, train_in_steps
from crosstalk.transfer.transfer_corpora import DialogueTexts

HIDDEN: Final = 0.15
"""Share of word pieces to predict; 80 % are masked, 10 % replaced, 10 % kept."""
IGNORED: Final = -100


class MaskedLanguageModel(nn.Module):
    """MLM, and TLM if texts hold two languages. A batch is texts and a random generator."""

    def __init__(self, encoder: TransformerEncoder, longest: int = 256) -> None:
        super().__init__()
        self.network = encoder.network
        self._encoder = encoder
        self._longest = min(longest, encoder.longest)

    def forward(self, batch: tuple[Sequence[str], Random]) -> Tensor:
        texts, rng = batch
        return masked_language_model_loss(self._encoder, [self.row(text) for text in texts], rng)[0]

    def row(self, text: str) -> list[int]:
        start, end = _ends(self._encoder)
        return [start, *self._encoder.pieces(text)[: self._longest - 2], end]


class ResponseClassifier(nn.Module):
    """RS: classifies a context-response pair by the first hidden state."""

    def __init__(self, encoder: TransformerEncoder, side: int = 128) -> None:
        super().__init__()
        self.body = encoder.body
        self.dense = nn.Linear(encoder.width, encoder.width)
        self.out = nn.Linear(encoder.width, 2)
        self._encoder = encoder
        self._side = min(side, encoder.longest // 2)

    def forward(self, batch: Sequence[tuple[str, str, int]]) -> Tensor:
        labels = torch.tensor([label for _, _, label in batch])
        logits = self.logits([(context, response) for context, response, _ in batch])
        return cross_entropy(logits, labels.to(logits.device))

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        numbers = self._encoder.padded([self._row(*pair) for pair in pairs])
        first = self._encoder.states(numbers.to(self.out.weight.device))[:, 0]
        logits: Tensor = self.out(torch.tanh(self.dense(first)))
        return logits

    def _row(self, context: str, response: str) -> list[int]:
        """Join the end of the context and the start of the response."""
        start, end = _ends(self._encoder)
        before = self._encoder.pieces(context)[-(self._side - 2) :]
        after = self._encoder.pieces(response)[: self._side - 2]
        return [start, *before, end, end, *after, end]


class DialogueObjective(nn.Module):
    """TOD: MLM on a dialogue plus response selection within the batch.

    A batch is dialogues as lists of turns, the system's first, and a random generator.
    """

    def __init__(
        self, encoder: TransformerEncoder, context: int = 512, response: int = 150
    ) -> None:
        super().__init__()
        self.network = encoder.network
        self._encoder = encoder
        self._context = min(context, encoder.longest)
        self._response = min(response, encoder.longest)

    def forward(self, batch: "tuple[Sequence[Sequence[SpokenTurn]], Random]") -> Tensor:
        dialogues, rng = batch
        pairs = [split_at(turns, rng) for turns in dialogues]
        contexts = [self.row(before, self._context, last=True) for before, _ in pairs]
        responses = [self.row(after, self._response, last=False) for _, after in pairs]
        words, states = masked_language_model_loss(self._encoder, contexts, rng)
        first, device = states[:, 0], states.device
        answers = self._encoder.states(self._encoder.padded(responses).to(device))[:, 0]
        return words + cross_entropy(first @ answers.T, torch.arange(len(pairs)).to(device))

    def row(self, turns: "Sequence[SpokenTurn]", room: int, *, last: bool) -> list[int]:
        """Return the start token and the turns with their speaker tokens, cut to `room`."""
        pieces: list[int] = []
        for turn in turns:
            pieces += [self._encoder.mark(turn.mark), *self._encoder.pieces(turn.text)]
        kept = pieces[-(room - 1) :] if last else pieces[: room - 1]
        return [_ends(self._encoder)[0], *kept]


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn and its speaker."""

    mark: str
    """`[SYS]` or `[USR]`"""
    text: str


def split_at(turns: Sequence[SpokenTurn], rng: Random) -> tuple[list[SpokenTurn], list[SpokenTurn]]:
    """Split at a system turn: all turns before it, and that turn.

    As published: if both speak more than twice, a random system turn after the first that a
    user answers; else the last one.
    """
    systems = [place for place, turn in enumerate(turns) if turn.mark == "[SYS]"]
    fewest = min(len(systems), len(turns) - len(systems))
    place = systems[rng.randint(1, fewest - 1)] if fewest > 2 else max(systems, default=0)
    if not place:
        middle = max(len(turns) // 2, 1)
        return list(turns[:middle]), list(turns[middle:] or turns[:1])
    return list(turns[:place]), [turns[place]]


def masked_language_model_loss(
    encoder: TransformerEncoder, rows: Sequence[Sequence[int]], rng: Random
) -> tuple[Tensor, Tensor]:
    """Return the MLM loss of randomly masked rows, and the hidden states."""
    hidden, labels = mask_pieces(encoder, rows, rng)
    device = next(encoder.network.parameters()).device
    asked = labels != IGNORED
    states, guesses = encoder.masked_predictions(hidden.to(device), asked.to(device))
    return cross_entropy(guesses, labels[asked].to(device)), states


def mask_pieces(
    encoder: TransformerEncoder, rows: Sequence[Sequence[int]], rng: Random
) -> tuple[Tensor, Tensor]:
    """Return masked rows and their labels; special tokens are never masked."""
    special = set(encoder.tokenizer.all_special_ids)
    mask, words = int(encoder.tokenizer.mask_token_id), len(encoder.tokenizer)
    hidden, labels = [], []
    for row in rows:
        places = [place for place, piece in enumerate(row) if piece not in special]
        chosen = {place for place in places if rng.random() < HIDDEN}
        if places and not chosen:
            chosen = {rng.choice(places)}
        hidden.append([_hidden(row[at], rng, mask, words) if at in chosen else row[at]
                       for at in range(len(row))])  # fmt: skip
        labels.append([row[at] if at in chosen else IGNORED for at in range(len(row))])
    longest = max(map(len, rows))
    padded = [[*row, *[IGNORED] * (longest - len(row))] for row in labels]
    return encoder.padded(hidden), torch.tensor(padded)


def _hidden(piece: int, rng: Random, mask: int, words: int) -> int:
    toss = rng.random()
    if toss < 0.8:
        return mask
    return rng.randrange(words) if toss < 0.9 else piece


def _ends(encoder: TransformerEncoder) -> tuple[int, int]:
    return int(encoder.tokenizer.cls_token_id), int(encoder.tokenizer.sep_token_id)


JUDGED_AT_ONCE: Final = 32
MOST_JUDGED: Final = 2_000
"""Maximum number of held-out instances scored at every check."""


@dataclass(frozen=True, slots=True)
class ObjectiveData:
    """Training and held-out instances of an objective: texts, rows or dialogues."""

    learnt: Sequence[Any]
    held_out: Sequence[Any]


def published_pace(objective: str, instances: int) -> Pace:
    """Return the published pace: up to 30 epochs (300 for tod), one check each, with patience.

    For mlm and tlm the loss must fall by 0.0001 to count as better.
    """
    if objective == "tod":
        return Pace(300 * instances // 8, 2500, 5e-5, batch=2, gathered=4, patience=15)
    masked_language_model_loss = objective in ("mlm", "tlm")
    batch, least = (4, 1e-4) if masked_language_model_loss else (8, 0.0)
    once = max(instances // (batch * 4), 1)
    return Pace(30 * once, once, 1e-5, batch, patience=3, least_gain=least, gathered=4)


def corrected_pace(objective: str, instances: int) -> Pace:
    """Return the published pace, with a batch of 8 for tod: seven negatives instead of one.

    The published batch of 2 with 4 accumulated batches gives each context a single negative.
    """
    pace = published_pace(objective, instances)
    return replace(pace, batch=8, gathered=1) if objective == "tod" else pace


def nano_pace(objective: str) -> Pace:
    """Return the pace for `nano`: one to three minutes of one core."""
    if objective in ("mlm", "tlm"):
        return Pace(1200, 200, 2e-3, batch=24, patience=3, warm_up=100)
    if objective == "tod":
        return Pace(600, 100, 2e-3, batch=12, patience=3, warm_up=50)
    return Pace(1200, 200, 1e-3, batch=24, patience=4, warm_up=100)


def pace_of(objective: str, *, nano: bool, published: bool, instances: int) -> Pace:
    if nano:
        return nano_pace(objective)
    return (published_pace if published else corrected_pace)(objective, instances)


def spoken_turns(dialogue: DialogueTexts) -> list[SpokenTurn]:
    """Return turns with speakers; as published, an empty system turn comes first."""
    turns = [
        SpokenTurn("[SYS]" if place % 2 else "[USR]", text)
        for place, text in enumerate(dialogue.texts)
    ]
    return [SpokenTurn("[SYS]", ""), *turns]


def specialise(
    encoder: TransformerEncoder,
    objective: str,
    objective_data: ObjectiveData,
    pace: Pace,
    course: TrainingSetup,
) -> Progress:
    """Train the encoder in place; the best check is kept. The score is -loss, or F1."""
    torch.manual_seed(course.seed)
    return teach(build(encoder, objective), objective, objective_data, pace, course)


def teach(
    module: "MaskedLanguageModel | ResponseClassifier | DialogueObjective",
    objective: str,
    objective_data: ObjectiveData,
    pace: Pace,
    course: TrainingSetup,
) -> Progress:
    """Train a module whose head is used afterwards."""
    if not objective_data.learnt or not objective_data.held_out:
        raise InputError(
            f"{objective}: {len(objective_data.learnt)} instances to learn from and "
            f"{len(objective_data.held_out)} to judge by are too few",
            remedy="Give more text.",
        )
    progress = train_in_steps(
        module,
        lambda rng: _batch(objective, objective_data.learnt, pace.batch, rng),
        lambda: judge(module, objective, objective_data.held_out),
        pace,
        replace(course, part=objective),
    )
    if not math.isfinite(progress.best_score):
        raise InputError(
            f"{objective}: the loss is no number any more: nothing was learnt",
            remedy=f"Learn more slowly: --rate below {pace.rate:g}.",
        )
    return progress


def build(
    encoder: TransformerEncoder, objective: str
) -> MaskedLanguageModel | ResponseClassifier | DialogueObjective:
    if objective in ("mlm", "tlm"):
        return MaskedLanguageModel(encoder)
    if objective in ("rs-x", "rs-mono"):
        return ResponseClassifier(encoder)
    if objective == "tod":
        return DialogueObjective(encoder)
    raise InputError(
        f"there is no objective called {objective!r}", remedy=f"Known: {', '.join(OBJECTIVES)}."
    )


def _batch(objective: str, learnt: Sequence[Any], size: int, rng: Random) -> Any:
    drawn = rng.sample(learnt, min(size, len(learnt)))
    return _shaped(objective, drawn, rng)


def _shaped(objective: str, drawn: Sequence[Any], rng: Random) -> Any:
    if objective in ("mlm", "tlm"):
        return drawn, rng
    if objective == "tod":
        return [spoken_turns(dialogue) for dialogue in drawn], rng
    return [(row.context, row.response, row.label) for row in drawn]


def judge(
    module: MaskedLanguageModel | ResponseClassifier | DialogueObjective,
    objective: str,
    held_out: Sequence[Any],
) -> float:
    """Score held-out instances, with the same masks at every check."""
    judged = held_out[:MOST_JUDGED]
    if isinstance(module, ResponseClassifier):
        return weighted_f1(module, judged)
    rng = Random(0)
    losses = [float(module(_shaped(objective, some, rng))) * len(some) for some in _chunks(judged)]
    return -sum(losses) / len(judged)


def perplexity(encoder: TransformerEncoder, texts: Sequence[str]) -> float:
    """Perplexity of masked word pieces; a uniform guess has the size of the vocabulary."""
    encoder.network.eval()
    with torch.no_grad():
        return math.exp(-judge(MaskedLanguageModel(encoder), "mlm", texts))


def weighted_f1(module: ResponseClassifier, rows: Sequence[ResponseRow]) -> float:
    """Return F1 over both labels, weighted by their frequency, in percent."""
    found: list[int] = []
    for some in _chunks(rows):
        logits = module.logits([(row.context, row.response) for row in some])
        found += logits.argmax(1).tolist()
    return 100 * _weighted(found, [row.label for row in rows])


def _weighted(found: Sequence[int], gold: Sequence[int]) -> float:
    total = 0.0
    for label in (0, 1):
        right = sum(f == g == label for f, g in zip(found, gold, strict=True))
        said_so, true = sum(f == label for f in found), sum(g == label for g in gold)
        total += (2 * right / (said_so + true) if said_so + true else 0.0) * true
    return total / len(gold)


def _chunks(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[at : at + JUDGED_AT_ONCE] for at in range(0, len(items), JUDGED_AT_ONCE)]
