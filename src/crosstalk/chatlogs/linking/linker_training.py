"""Train a linker on annotated days and write it as a model folder.

The networks are trained with cross-entropy over the candidates of each line.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crosstalk.chatlogs.annotated_days import AnnotatedDay, annotated_from, read_annotated
from crosstalk.chatlogs.extraction_methods import LINKER_MODEL
from crosstalk.chatlogs.linking.line_columns import LineReader
from crosstalk.chatlogs.linking.link_candidates import Ints
from crosstalk.chatlogs.linking.link_features import Floats, link_candidates_of
from crosstalk.chatlogs.linking.trained_linker import (
    INPUTS,
    LinkNetwork,
    TrainedLinker,
    first_of_each,
    lengths,
)
from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.training.reporter import SILENT, Reporter


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
    epochs: int = 10
    rate: float = 2e-3
    dropped: float = 0.1
    """Dropout of hidden units."""
    decay: float = 1e-3
    batch: int = 256
    """Lines per step."""


QUICK = LinkerTrainingConfig(width=16, depth=8, epochs=5, rate=4e-3, dropped=0.0)
THOROUGH = LinkerTrainingConfig()


UNADDRESSED = 0.5
"""Share of days that are used a second time without addressees."""


def train_linker(
    days: Sequence[AnnotatedDay],
    *,
    members: int,
    seed: int,
    course: LinkerTrainingConfig = THOROUGH,
    unaddressed: float = UNADDRESSED,
) -> TrainedLinker:
    """Train a linker; the same days and seed give the same linker."""
    examples = LinkExamples.of([*days, *map(without_addresses, evenly_spaced(days, unaddressed))])
    quick = train_network(examples, QUICK, seed)
    thorough = [train_network(examples, course, seed + member) for member in range(members)]
    return TrainedLinker(quick, LinkNetwork.side_by_side(thorough))


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
    means: Floats
    spreads: Floats

    @classmethod
    def of(cls, days: Iterable[AnnotatedDay]) -> "LinkExamples":
        parts = [_of_day(day) for day in days if any(each.is_speech for each in day.messages)]
        if not any(len(right) for _, right, _ in parts):
            raise InputError(
                "nothing can be learnt: no line of these days is linked to one before it",
                remedy="Give days with annotations, such as `4 7 -`: line 7 answers line 4.",
            )
        table = np.concatenate([table for table, _, _ in parts])
        right = np.concatenate([right for _, right, _ in parts])
        sizes = np.concatenate([sizes for _, _, sizes in parts])
        means, spreads = table.mean(axis=0), table.std(axis=0) + np.float32(1e-3)
        table -= means
        table /= spreads
        return cls(table, right, np.cumsum(sizes) - sizes, means, spreads)

    def batches(self, size: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
        """Yield shuffled batches: rows, and the start of each line's candidates among them."""
        counts = lengths(self.starts, len(self.right))
        order = rng.permutation(len(self.starts))
        for at in range(0, len(order) - size + 1 or 1, size):
            lines = order[at : at + size]
            sizes = counts[lines]
            begins = np.cumsum(sizes) - sizes
            yield np.repeat(self.starts[lines] - begins, sizes) + np.arange(sizes.sum()), begins


def _of_day(day: AnnotatedDay) -> tuple[Floats, Floats, Ints]:
    """Return table, targets and candidate counts of lines whose parent is a candidate."""
    lines = LineReader().read(day.messages, 0)
    candidates = link_candidates_of(lines)
    orders = lines.orders
    pairs = zip(orders[candidates.lines].tolist(), orders[candidates.others].tolist(), strict=True)
    right = np.array([pair in day.links for pair in pairs], dtype=np.float32)
    starts = first_of_each(candidates.lines)
    sizes = lengths(starts, len(right))
    total = np.repeat(np.add.reduceat(right, starts), sizes)
    of = orders[candidates.lines]
    latest = max((line for line, _ in day.links), default=-1)
    chosen = np.flatnonzero((total > 0) & (of >= annotated_from(day.links)) & (of <= latest))
    singles = candidates.singles.T
    table = np.hstack(
        [
            candidates.pairs.T[chosen],
            singles[candidates.lines[chosen]],
            singles[candidates.others[chosen]],
        ]
    )
    kept = first_of_each(candidates.lines[chosen])
    return table, right[chosen] / total[chosen], lengths(kept, len(chosen))


def train_network(examples: LinkExamples, course: LinkerTrainingConfig, seed: int) -> LinkNetwork:
    rng = np.random.default_rng(seed)
    weights = _Weights.fresh(course, rng)
    steps = course.epochs * max(1, len(examples.starts) // course.batch)
    step = 0
    for _ in range(course.epochs):
        for rows, begins in examples.batches(course.batch, rng):
            slope = weights.slope(examples.table[rows], examples.right[rows], begins, course, rng)
            # slow at first, and slower and slower towards the end
            rate = course.rate * min(1, (step + 1) / 200) * 0.5 * (1 + np.cos(np.pi * step / steps))
            weights.move(slope, np.float32(rate), np.float32(course.decay))
            step += 1
    return weights.network(examples)


class _Weights:
    """The weights of one network in training (Adam); candidates are rows."""

    def __init__(self, values: list[Floats]) -> None:
        self._values = values
        self._means = [np.zeros_like(value) for value in values]
        self._squares = [np.zeros_like(value) for value in values]
        self._steps = 0

    @classmethod
    def fresh(cls, course: LinkerTrainingConfig, rng: np.random.Generator) -> "_Weights":
        def drawn(rows: int, columns: int) -> Floats:
            values: Floats = rng.standard_normal((rows, columns), np.float32)
            return values * np.float32((2 / rows) ** 0.5)

        def zeros(size: int) -> Floats:
            return np.zeros(size, dtype=np.float32)

        width, depth = course.width, course.depth
        first, second = drawn(INPUTS, width), drawn(width, depth)
        return cls([first, zeros(width), second, zeros(depth), drawn(depth, 1)])

    def slope(
        self,
        table: Floats,
        right: Floats,
        begins: Ints,
        course: LinkerTrainingConfig,
        rng: np.random.Generator,
    ) -> list[Floats]:
        first, first_bias, second, second_bias, out = self._values
        hidden: Floats = table @ first + first_bias
        kept = _kept(hidden, course.dropped, rng)
        hidden *= kept
        deeper: Floats = hidden @ second + second_bias
        kept_deeper = _kept(deeper, course.dropped, rng)
        deeper *= kept_deeper
        error = (_shares((deeper @ out)[:, 0], begins) - right)[:, None] / np.float32(len(begins))
        back = error @ out.T * kept_deeper
        further = back @ second.T * kept
        return [
            table.T @ further,
            further.sum(axis=0),
            hidden.T @ back,
            back.sum(axis=0),
            deeper.T @ error,
        ]

    def move(self, slopes: list[Floats], rate: np.float32, decay: np.float32) -> None:
        self._steps += 1
        early, early_square = 1 - 0.9**self._steps, 1 - 0.999**self._steps
        for at, slope in enumerate(slopes):
            self._means[at] += np.float32(0.1) * (slope - self._means[at])
            self._squares[at] += np.float32(0.001) * (slope * slope - self._squares[at])
            stride = self._means[at] / np.float32(early)
            stride /= np.sqrt(self._squares[at] / np.float32(early_square)) + np.float32(1e-8)
            self._values[at] -= rate * (stride + decay * self._values[at])

    def network(self, examples: LinkExamples) -> LinkNetwork:
        """Return the network for inference: standardisation folded in, candidates as columns."""
        first, first_bias, second, second_bias, out = self._values
        first = first / examples.spreads[:, None]
        bias = first_bias - examples.means @ first
        return LinkNetwork(
            np.ascontiguousarray(first.T),
            bias,
            np.ascontiguousarray(second.T)[None],
            second_bias[None],
            np.ascontiguousarray(out.T),
        )


def _kept(layer: Floats, dropped: float, rng: np.random.Generator) -> Floats:
    """Return the mask of ReLU and dropout: 0 where a unit is negative or dropped."""
    kept = (layer > 0).astype(np.float32)
    if dropped:
        kept *= rng.random(layer.shape, np.float32) >= dropped
        kept /= np.float32(1 - dropped)
    return kept


def _shares(scores: Floats, begins: Ints) -> Floats:
    """Return the softmax over the candidates of each line."""
    sizes = lengths(begins, len(scores))
    raised: Floats = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begins), sizes))
    shares: Floats = raised / np.repeat(np.add.reduceat(raised, begins), sizes)
    return shares


def train_linker_folder(
    logs: Path,
    out: Path,
    *,
    members: int = 3,
    unaddressed: float = 0.5,
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
