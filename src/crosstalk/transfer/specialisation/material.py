"""What `crosstalk transfer specialise` learns from, found in what `--data` names.

`--data` is a folder of fetched corpora (dialogues in two languages, line by line), a folder of
subtitles as OPUS packs them, text of one language in a file or of several in a folder (`web_text`),
or an instance file of the published kind: `*.txt` for mlm and tlm, `*.json` for rs-x and rs-mono.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.files import open_text, read_json, writing
from crosstalk.training.identity import digest_of
from crosstalk.transfer.corpora import DialogueTexts, all_corpora, find_corpus, read_talks
from crosstalk.transfer.specialisation import langcc, selection, windows
from crosstalk.transfer.specialisation.names import MIXES
from crosstalk.transfer.specialisation.parallel import Parallel, of_dialogues, read_subtitles
from crosstalk.transfer.specialisation.selection import Row
from crosstalk.transfer.specialisation.web_text import chosen_files, text_files

SPLITS = ("parallel", "train", "dev")
"""Where dialogues in two languages are looked for; first, those of no benchmark."""
HELD_OUT = 10
"""Every so-manieth dialogue is held out."""


@dataclass(frozen=True, slots=True)
class InstanceRequest:
    """What was asked for."""

    objective: str
    data: Path
    source: str = "en"
    target: str = "zh"
    published: bool = False
    seed: int = 1
    wanted: int | None = None
    """At most so many instances; None: as published."""
    mix: str = MIXES[0]
    """Of which languages mlm learns."""

    @property
    def languages(self) -> tuple[str, ...]:
        """What masked words are learnt from, where two languages lie side by side."""
        return (self.target,) if self.mix == "mono" else (self.source, self.target)


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """Instances, and what a card says of them."""

    learnt: Sequence[Any]
    held_out: Sequence[Any]
    learnt_from: str

    def lessons(self, objective: str) -> Sequence[Any]:
        """What of it is learnt from: as published, of windows only so many."""
        return self.learnt[: windows.LEARNT] if objective == "tlm" else self.learnt

    @property
    def digest(self) -> str:
        return digest_of([*self.learnt, *self.held_out])

    def texts(self) -> list[str]:
        """All that is learnt from, as plain texts: what a vocabulary is learnt from."""
        return [text for each in self.learnt for text in _texts(each)]


def _texts(instance: Any) -> tuple[str, ...]:
    if isinstance(instance, str):
        return (instance,)
    if isinstance(instance, Row):
        return (instance.context, instance.response)
    return tuple(instance.texts)


def find_material(order: InstanceRequest) -> InstanceSet:
    """Raises in words where there is nothing to learn from."""
    if not order.data.exists():
        raise InputError(
            f"--data {order.data}: there is no such file or folder", remedy="Check the path."
        )
    if order.data.is_file():
        return _from_file(order)
    if order.objective == "tod":
        return _dialogues(order)
    if order.objective == "mlm" and (files := text_files(order.data)):
        return _web_text(order, chosen_files(files, order.mix, order.languages))
    parallel, told = parallel_of(order)
    return InstanceSet(*instances(order, parallel), told)


def parallel_of(order: InstanceRequest) -> tuple[Parallel, str]:
    """Subtitles where there are any, else the dialogues of a data folder."""
    if any(order.data.glob("*.ids")):
        parallel = read_subtitles(order.data, order.source, order.target)
        return parallel, f"subtitles {order.source}-{order.target}"
    problem: CrosstalkError | None = None
    for split in SPLITS:
        try:
            return _dialogues_in_two(order, split)
        except CrosstalkError as error:
            problem = error
    assert problem is not None
    both = f"{order.source}-{order.target}"
    raise InputError(
        f"--data {order.data}: there is no text in {order.source} and {order.target} side by side: "
        f"no subtitles (NAME.{both}.ids) and no dialogues ({problem.message})",
        remedy=f"Give a folder of fetched corpora with both languages, or of subtitles.\n"
        f"{problem.remedy}",
    ) from problem


def _dialogues_in_two(order: InstanceRequest, split: str) -> tuple[Parallel, str]:
    """The first two files of the two languages that hold the same dialogues."""
    both = [all_corpora(order.data, each, split) for each in (order.source, order.target)]
    problem: CrosstalkError | None = None
    for one, other in product(*both):
        talks = [read_talks(each.file) for each in (one, other)]
        try:
            parallel = of_dialogues(talks[0], talks[1], (order.source, order.target))
        except CrosstalkError as error:
            problem = error
            continue
        return parallel, f"{one.name} and {other.name}, {split}"
    assert problem is not None
    raise problem


def instances(order: InstanceRequest, parallel: Parallel) -> tuple[Sequence[Any], Sequence[Any]]:
    """Training and held-out instances, the same for the same seed."""
    rng = Random(f"{order.objective} {order.seed}")
    if order.objective == "mlm":
        return _parted_lines(order, parallel)
    if order.objective == "tlm":
        wanted = order.wanted or windows.WANTED
        made = windows.windows(parallel, rng, published=order.published, wanted=wanted)
        return windows.parted(list(made))
    sides = parallel if order.objective == "rs-x" else parallel.alone()
    rows = selection.rows(
        sides,
        rng,
        published=order.published,
        wanted=order.wanted or selection.WANTED,
    )
    return (selection.parted if order.published else selection.parted_by_context)(rows)


def _parted_lines(order: InstanceRequest, parallel: Parallel) -> tuple[list[str], list[str]]:
    """Mono- or Bi-CC out of parallel text: lines of one document together, no cleaning."""
    if order.mix == "multi":
        raise InputError(
            f"--mix multi: {order.data} holds no text files of several languages",
            remedy="Give a folder with a text file a language, such as en.txt, de.txt and zh.txt.",
        )
    sides = [parallel.languages.index(language) for language in order.languages]
    texts = [
        " ".join(parallel.side(side)[line] for line in span[:6])
        for span in parallel.spans()
        for side in sides
    ]
    return windows.parted(texts[: order.wanted])


def _web_text(order: InstanceRequest, files: Mapping[str, Path]) -> InstanceSet:
    """Mono-, Bi- or Multi-CC: one line a segment, cleaned as published."""
    sizes = langcc.CorpusSizes()
    if order.wanted:
        sizes = replace(sizes, learnt=order.wanted)
    with ExitStack() as stack:
        texts = {each: stack.enter_context(open_text(file)) for each, file in files.items()}
        learnt, held_out = langcc.mixed(texts, sizes=sizes)
    if not learnt or not held_out:
        raise FileProblem(
            f"{', '.join(map(str, files.values()))}: too little is left after cleaning: "
            f"{len(learnt)} lines to learn from and {len(held_out)} to judge by",
            remedy=f"Give lines of more than {langcc.LEAST} words each (characters in Chinese), "
            "at least 10 of them.",
        )
    return InstanceSet(learnt, held_out, ", ".join(file.name for file in files.values()))


def _dialogues(order: InstanceRequest) -> InstanceSet:
    """The source language: its training split is learnt from, its development split judges."""
    learnt = find_corpus(order.data, order.source, "train")
    held = find_corpus(order.data, order.source, "dev")
    talks = read_talks(learnt.file)[: order.wanted]
    return InstanceSet(talks, read_talks(held.file)[::5], f"{learnt.name}, {order.source}")


def _from_file(order: InstanceRequest) -> InstanceSet:
    file = order.data
    if order.objective == "tod":
        talks = read_talks(file)[: order.wanted]
        return InstanceSet(*_every_tenth(talks), file.name)
    if order.objective in ("rs-x", "rs-mono"):
        rows = read_rows(file)[: order.wanted]
        parted = selection.parted if order.published else selection.parted_by_context
        return InstanceSet(*parted(rows), file.name)
    if order.objective == "mlm":
        return _web_text(order, chosen_files({order.target: file}, order.mix, order.languages))
    with open_text(file) as text:
        lines = [line.strip() for line in text if line.strip()]
    return InstanceSet(*windows.parted(lines[: order.wanted]), file.name)


def _every_tenth(talks: Sequence[DialogueTexts]) -> tuple[list[DialogueTexts], list[DialogueTexts]]:
    learnt = [talk for number, talk in enumerate(talks, 1) if number % HELD_OUT]
    return learnt, list(talks[HELD_OUT - 1 :: HELD_OUT])


def read_rows(file: Path) -> list[Row]:
    """A published file of rows: a JSON list of context, response and label."""
    raw = read_json(file)
    try:
        return [
            Row(str(each["context"]), str(each["response"]), int(each["label"])) for each in raw
        ]
    except (TypeError, KeyError, ValueError) as error:
        raise FileProblem(
            f"{file}: not a list of context, response and label",
            remedy="Give a file as `crosstalk transfer instances --objective rs-x` writes it.",
        ) from error


def write_instances(instances: Sequence[Any], file: Path) -> None:
    """As published: one instance a line, or a JSON list of rows."""
    with writing(file) as text:
        if instances and isinstance(instances[0], Row):
            json.dump([row.record() for row in instances], text, ensure_ascii=False, indent=1)
            text.write("\n")
        else:
            text.writelines(f"{each}\n" for each in instances)
