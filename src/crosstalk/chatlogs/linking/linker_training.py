"""Train a linker on annotated days and write it as a model folder.

The networks are trained with cross-entropy over the candidates of each line.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from crosstalk.chatlogs.annotated_days import AnnotatedDay, annotated_from, read_annotated
from crosstalk.chatlogs.extraction_methods import LINKER_MODEL
from crosstalk.chatlogs.linking.addressees import is_telling
from crosstalk.chatlogs.linking.line_columns import LineReader
from crosstalk.chatlogs.linking.link_candidates import Ints
from crosstalk.chatlogs.linking.link_features import Floats, link_candidates_of
from crosstalk.chatlogs.linking.trained_linker import (
    INPUTS,
    LinkNetwork,
    TextLayer,
    TrainedLinker,
    first_of_each,
    lengths,
)
from crosstalk.chatlogs.linking.word_vectors import WordVectors
from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.training.compute import use_single_thread
from crosstalk.training.loop import gradient_step
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.training.steps import Step, StepCallback, nobody

import torch  # isort: skip  # after loop, which says in words that it is missing
from torch import Tensor, nn  # isort: skip


def without_addresses(day: AnnotatedDay) -> AnnotatedDay:
    """Return the day without the addressees at the start of lines (one-word lines stay)."""
    lines = LineReader().read(day.messages, 0)
    named = set(lines.orders[lines.targets[:, 0] >= 0].tolist())
    return replace(
        day,
        messages=tuple(
            message._replace(text=message.text.partition(" ")[2].lstrip() or message.text)
            if order in named
            else message
            for order, message in enumerate(day.messages)
        ),
    )


@dataclass(frozen=True, slots=True)
class LinkerTrainingConfig:
    """Size, epochs and learning rate of a network."""

    width: int = 64
    depth: int = 32
    matches: int = 32
    """Products that tell how well the texts of two lines match; 0: the network sees no text."""
    said: int = 16
    """Numbers that a line's vector is reduced to by itself."""
    epochs: int = 10
    rate: float = 2e-3
    dropped: float = 0.2
    """Dropout of hidden units."""
    decay: float = 1e-3
    batch: int = 256
    """Lines per step."""


QUICK = LinkerTrainingConfig(width=16, depth=8, matches=0, said=0, epochs=5, rate=4e-3, dropped=0.0)
THOROUGH = LinkerTrainingConfig()


UNADDRESSED = 0.5
"""Share of days that are used a second time without addressees."""
MEMBERS = 5


def train_linker(
    days: Sequence[AnnotatedDay],
    *,
    members: int = MEMBERS,
    seed: int,
    course: LinkerTrainingConfig = THOROUGH,
    unaddressed: float = UNADDRESSED,
    told: StepCallback = nobody,
) -> TrainedLinker:
    """Train a linker; the same days and seed give the same linker."""
    use_single_thread()
    words = learn_words(days)
    again = map(without_addresses, evenly_spaced(days, unaddressed))
    examples = LinkExamples.of([*days, *again], words)
    quick = train_network(examples, QUICK, seed)
    thorough = []
    for member in range(members):
        thorough.append(train_network(examples, course, seed + member))
        told(Step(member + 1, 0.0, part="networks", total=members))
    return TrainedLinker(quick, LinkNetwork.side_by_side(thorough), words)


def learn_words(days: Iterable[AnnotatedDay]) -> WordVectors:
    """Learn word vectors from all lines of the days, annotated or not, without people's names."""
    spoken = [message for day in days for message in day.messages if message.is_speech]
    names = {message.sender.casefold() for message in spoken}
    return WordVectors.learn([message.text for message in spoken], filter(is_telling, names))


def evenly_spaced(days: Sequence[AnnotatedDay], share: float) -> list[AnnotatedDay]:
    """Return that share of the days, evenly spaced."""
    return [day for at, day in enumerate(days) if int((at + 1) * share) > int(at * share)]


@dataclass(frozen=True, slots=True)
class LinkExamples:
    """Candidates of annotated lines, and their labels."""

    table: Floats
    """One standardised row per candidate."""
    right: Floats
    """Target probability of each candidate; they sum to 1 for each line."""
    starts: Ints
    lines: Ints
    """The line of each candidate, as a row of `vectors`; `others` is the candidate's."""
    others: Ints
    vectors: Floats
    means: Floats
    spreads: Floats

    @classmethod
    def of(cls, days: Iterable[AnnotatedDay], words: WordVectors) -> "LinkExamples":
        parts, size = [], 0
        for day in days:
            if any(each.is_speech for each in day.messages):
                parts.append(_DayExamples.of(day, words, size))
                size += len(parts[-1].vectors)
        if not any(len(part.right) for part in parts):
            raise InputError(
                "nothing can be learnt: no line of these days is linked to one before it",
                remedy="Give days with annotations, such as `4 7 -`: line 7 answers line 4.",
            )
        columns = {
            each.name: np.concatenate([getattr(part, each.name) for part in parts])
            for each in fields(_DayExamples)
        }
        sizes, table = columns.pop("sizes"), columns["table"]
        means, spreads = table.mean(axis=0), table.std(axis=0) + np.float32(1e-3)
        table -= means
        table /= spreads
        return cls(**columns, starts=np.cumsum(sizes) - sizes, means=means, spreads=spreads)

    def batches(self, size: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
        """Yield shuffled batches: rows, and the number of the line within the batch of each."""
        counts = lengths(self.starts, len(self.right))
        order = rng.permutation(len(self.starts))
        for at in range(0, len(order) - size + 1 or 1, size):
            lines = order[at : at + size]
            sizes = counts[lines]
            begins = np.cumsum(sizes) - sizes
            rows = np.repeat(self.starts[lines] - begins, sizes) + np.arange(sizes.sum())
            yield rows, np.repeat(np.arange(len(lines)), sizes)


@dataclass(frozen=True, slots=True)
class _DayExamples:
    """Candidates of the lines of a day whose parent is a candidate."""

    table: Floats
    right: Floats
    sizes: Ints
    """Number of candidates of each line."""
    lines: Ints
    others: Ints
    vectors: Floats

    @classmethod
    def of(cls, day: AnnotatedDay, words: WordVectors, first: int) -> "_DayExamples":
        lines = LineReader().read(day.messages, 0)
        candidates = link_candidates_of(lines)
        orders = lines.orders
        of = orders[candidates.lines]
        pairs = zip(of.tolist(), orders[candidates.others].tolist(), strict=True)
        right = np.array([pair in day.links for pair in pairs], dtype=np.float32)
        starts = first_of_each(candidates.lines)
        total = np.repeat(np.add.reduceat(right, starts), lengths(starts, len(right)))
        latest = max((line for line, _ in day.links), default=-1)
        chosen = np.flatnonzero((total > 0) & (of >= annotated_from(day.links)) & (of <= latest))
        line, other = candidates.lines[chosen], candidates.others[chosen]
        singles = candidates.singles.T
        return cls(
            np.hstack([candidates.pairs.T[chosen], singles[line], singles[other]]),
            right[chosen] / total[chosen],
            lengths(first_of_each(line), len(chosen)),
            first + line,
            first + other,
            words.of_lines([message.text for message in lines.messages]),
        )


class _TextInputs(nn.Module):
    """What a network sees of the vectors of a line and of a candidate."""

    def __init__(self, course: LinkerTrainingConfig, vector: int) -> None:
        super().__init__()
        self.left, self.right = (nn.Linear(vector, course.matches, bias=False) for _ in range(2))
        self.right.weight.data.copy_(self.left.weight.data)  # what is alike matches, at first
        self.line, self.other = (nn.Linear(vector, course.said, bias=False) for _ in range(2))
        self.count = course.matches + 2 * course.said

    def forward(self, line: Tensor, other: Tensor) -> Tensor:
        match = self.left(line) * self.right(other)
        return torch.cat([match, self.line(line), self.other(other)], 1)

    def layer(self, first: Floats) -> TextLayer:
        """Return these inputs together with their part of the first layer."""
        left, right, line, other = (
            each.weight.detach().numpy() for each in (self.left, self.right, self.line, self.other)
        )
        match, of_line, of_other = np.split(first, [len(left), len(left) + len(line)], axis=1)
        return TextLayer(
            of_line @ line,
            of_other @ other,
            left[None],
            right[None],
            np.ascontiguousarray(match)[None],
        )


class _Network(nn.Module):
    """A network in training; candidates are rows."""

    def __init__(self, course: LinkerTrainingConfig, vector: int) -> None:
        super().__init__()
        self.text = _TextInputs(course, vector) if course.matches else None
        self.first = _layer(INPUTS + (self.text.count if self.text else 0), course.width)
        self.second = _layer(course.width, course.depth)
        self.out = _layer(course.depth, 1, bias=False)
        self.dropout = nn.Dropout(course.dropped)

    def forward(self, table: Tensor, line: Tensor, other: Tensor) -> Tensor:
        inputs = table if self.text is None else torch.cat([table, self.text(line, other)], 1)
        hidden = self.dropout(torch.relu(self.first(inputs)))
        deeper = self.dropout(torch.relu(self.second(hidden)))
        scores: Tensor = self.out(deeper)
        return scores[:, 0]

    def finished(self, examples: LinkExamples) -> LinkNetwork:
        """Return the network for inference: standardisation folded in, candidates as columns."""
        weights = {name: each.detach().numpy() for name, each in self.named_parameters()}
        whole = weights["first.weight"]
        first = whole[:, :INPUTS] / examples.spreads
        return LinkNetwork(
            np.ascontiguousarray(first),
            np.asarray(weights["first.bias"] - first @ examples.means, np.float32),
            weights["second.weight"][None],
            weights["second.bias"][None],
            weights["out.weight"],
            self.text.layer(whole[:, INPUTS:]) if self.text else None,
        )


def _layer(size: int, units: int, *, bias: bool = True) -> nn.Linear:
    """A layer whose weights suit rectified units."""
    layer = nn.Linear(size, units, bias=bias)
    nn.init.normal_(layer.weight, std=(2 / size) ** 0.5)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def train_network(examples: LinkExamples, course: LinkerTrainingConfig, seed: int) -> LinkNetwork:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = _Network(course, examples.vectors.shape[1])
    optimizer = torch.optim.AdamW(network.parameters(), lr=course.rate, weight_decay=course.decay)
    steps = course.epochs * max(1, len(examples.starts) // course.batch)
    # slow at first, and slower and slower towards the end
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min(1, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * step / steps)),
    )
    for _ in range(course.epochs):
        for rows, groups in examples.batches(course.batch, rng):
            gradient_step(_loss(network, examples, rows, groups), optimizer)
            schedule.step()
    network.eval()
    return network.finished(examples)


def _loss(network: _Network, examples: LinkExamples, rows: Ints, groups: Ints) -> Tensor:
    """Cross-entropy over the candidates of each line."""
    columns = (examples.table[rows], examples.vectors[examples.lines[rows]])
    inputs = (*columns, examples.vectors[examples.others[rows]])
    scores = network(*map(torch.from_numpy, inputs))
    of = torch.from_numpy(groups)
    count = int(groups[-1]) + 1
    highest = torch.full((count,), -torch.inf).scatter_reduce(0, of, scores.detach(), "amax")
    raised = scores - highest[of]
    totals = torch.zeros(count).index_add(0, of, raised.exp())
    right = torch.from_numpy(examples.right[rows])
    loss: Tensor = -(right * (raised - totals.log()[of])).sum() / count
    return loss


def train_linker_folder(
    logs: Path,
    out: Path,
    *,
    members: int = MEMBERS,
    unaddressed: float = UNADDRESSED,
    seed: int = 1,
    reporter: Reporter = SILENT,
) -> Path:
    """Train a linker on annotated days and write its model folder inside `out`."""
    days = list(reporter.track(read_annotated(logs), doing="reading"))
    linker = train_linker(days, members=members, seed=seed, unaddressed=unaddressed)
    folder = out / LINKER_MODEL
    folder.mkdir(parents=True, exist_ok=True)
    linker.save(folder)
    digest = sha256_of(logs) if logs.is_file() else ""
    card = Card(
        what="linker: which line of a chat answers which; small networks",
        command=f"crosstalk logs train {logs.name} --members {members} "
        f"--unaddressed {unaddressed} --seed {seed}",
        data=Provenance(logs.name, digest, len(days)),
        seed=seed,
        kind="logs",
    )
    write_card(folder, card)
    return folder
