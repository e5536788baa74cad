"""Training instances for specialisation, found in the data, or read and written as files.

    write_instance_files(InstanceRequest("rs-x", Path("data"), target="de"), Path("instances"))

The data is a folder of fetched corpora (dialogues in two languages) or of OPUS subtitles, text
files by language (`web_text`), or an instance file of the published kind: `*.txt` for mlm and tlm,
`*.json` for rs-x and rs-mono.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.files import making_folder, open_text, read_json, writing
from crosstalk.training.identity import digest_of
from crosstalk.transfer.specialisation import web_text
from crosstalk.transfer.specialisation.instance_sampling import (
    LEARNT_WINDOWS,
    WANTED_INSTANCES,
    WANTED_WINDOWS,
    ResponseRow,
    response_rows,
    split_rows,
    split_rows_by_context,
    split_windows,
    translation_windows,
)
from crosstalk.transfer.specialisation.parallel_text import (
    ParallelText,
    has_subtitles,
    parallel_dialogues,
    read_subtitles,
)
from crosstalk.transfer.specialisation.pretraining_corpora import pretraining_dialogues
from crosstalk.transfer.specialisation.web_text import chosen_files, text_files
from crosstalk.transfer.transfer_corpora import (
    DialogueTexts,
    all_corpora,
    read_dialogue_texts,
    refuse_no_code,
)

OBJECTIVES: Final = ("mlm", "tlm", "rs-x", "rs-mono", "tod")
MIXES: Final = ("mono", "bi", "multi")
"""Languages of MLM, as published: the target; source and target; all available."""


SPLITS = ("parallel", "train", "dev")
"""Splits searched for dialogues in two languages; first, those of no benchmark."""
HELD_OUT = 10
"""One dialogue in so many is held out."""


@dataclass(frozen=True, slots=True)
class InstanceRequest:
    """Objective, data, languages and limits of a specialisation."""

    objective: str
    data: Path
    source: str = "en"
    target: str = "zh"
    published: bool = False
    seed: int = 1
    wanted: int | None = None
    """Maximum number of instances; None: as published."""
    mix: str = MIXES[0]
    """One of MIXES: the languages of MLM."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of MLM on parallel text."""
        return (self.target,) if self.mix == "mono" else (self.source, self.target)


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """Training and held-out instances, and their source as the card names it."""

    learnt: Sequence[Any]
    held_out: Sequence[Any]
    learnt_from: str

    def training_part(self, objective: str) -> Sequence[Any]:
        """Return the instances to train on; of TLM windows a part, as published."""
        return self.learnt[:LEARNT_WINDOWS] if objective == "tlm" else self.learnt

    @property
    def digest(self) -> str:
        return digest_of([*self.learnt, *self.held_out])

    def texts(self) -> list[str]:
        """Return all training texts, for learning a vocabulary."""
        return [text for each in self.learnt for text in _texts(each)]


def _texts(instance: Any) -> tuple[str, ...]:
    if isinstance(instance, str):
        return (instance,)
    if isinstance(instance, ResponseRow):
        return (instance.context, instance.response)
    return tuple(instance.texts)


def find_instances(request: InstanceRequest) -> InstanceSet:
    """Find the instances in `request.data`; raises `InputError` if there are none."""
    if not request.data.exists():
        raise InputError(
            f"--data {request.data}: there is no such file or folder", remedy="Check the path."
        )
    if request.data.is_file():
        return _from_file(request)
    if request.objective == "tod":
        return _dialogues(request)
    if request.objective == "mlm" and (files := text_files(request.data)):
        return _web_text(request, chosen_files(files, request.mix, request.languages))
    parallel, told = find_parallel_text(request)
    return InstanceSet(*instances(request, parallel), told)


def find_parallel_text(request: InstanceRequest) -> tuple[ParallelText, str]:
    """Read subtitles if there are any, else dialogues in both languages."""
    if has_subtitles(request.data):
        parallel = read_subtitles(request.data, request.source, request.target)
        return parallel, f"subtitles {request.source}-{request.target}"
    problem: CrosstalkError | None = None
    for split in SPLITS:
        try:
            return _dialogues_in_two(request, split)
        except CrosstalkError as error:
            problem = error
    assert problem is not None
    both = f"{request.source}-{request.target}"
    raise InputError(
        f"--data {request.data}: there is no text in {request.source} and {request.target} side by "
        f"side: no subtitles (NAME.{both}.ids) and no dialogues ({problem.message})",
        remedy=f"Give a folder of fetched corpora with both languages, or of subtitles.\n"
        f"{problem.remedy}",
    ) from problem


def _dialogues_in_two(request: InstanceRequest, split: str) -> tuple[ParallelText, str]:
    """Align the first two files of the two languages with the same dialogues."""
    both = [all_corpora(request.data, each, split) for each in (request.source, request.target)]
    problem: CrosstalkError | None = None
    for one, other in product(*both):
        dialogues = [read_dialogue_texts(each.file) for each in (one, other)]
        try:
            parallel = parallel_dialogues(
                dialogues[0], dialogues[1], (request.source, request.target)
            )
        except CrosstalkError as error:
            problem = error
            continue
        return parallel, f"{one.name} and {other.name}, {split}"
    assert problem is not None
    raise problem


def instances(
    request: InstanceRequest, parallel: ParallelText
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return training and held-out instances; the seed determines them."""
    rng = Random(f"{request.objective} {request.seed}")
    if request.objective == "mlm":
        return _parted_lines(request, parallel)
    if request.objective == "tlm":
        wanted = request.wanted or WANTED_WINDOWS
        made = translation_windows(parallel, rng, published=request.published, wanted=wanted)
        return split_windows(list(made))
    sides = parallel if request.objective == "rs-x" else parallel.alone()
    rows = response_rows(
        sides,
        rng,
        published=request.published,
        wanted=request.wanted or WANTED_INSTANCES,
    )
    return (split_rows if request.published else split_rows_by_context)(rows)


def _parted_lines(request: InstanceRequest, parallel: ParallelText) -> tuple[list[str], list[str]]:
    """Build Mono- or Bi-CC from parallel text: lines of one document joined, not cleaned."""
    if request.mix == "multi":
        raise InputError(
            f"--mix multi: {request.data} holds no text files of several languages",
            remedy="Give a folder with a text file a language, such as en.txt, de.txt and zh.txt.",
        )
    sides = [parallel.languages.index(language) for language in request.languages]
    texts = [
        " ".join(parallel.side(side)[line] for line in span[:6])
        for span in parallel.spans()
        for side in sides
    ]
    return split_windows(texts[: request.wanted])


def _web_text(request: InstanceRequest, files: Mapping[str, Path]) -> InstanceSet:
    """Build Mono-, Bi- or Multi-CC from web text: one line per segment, cleaned."""
    sizes = web_text.CorpusSizes()
    if request.wanted:
        sizes = replace(sizes, learnt=request.wanted)
    with ExitStack() as stack:
        texts = {each: stack.enter_context(open_text(file)) for each, file in files.items()}
        learnt, held_out = web_text.mixed(texts, sizes=sizes)
    if not learnt or not held_out:
        raise FileProblem(
            f"{', '.join(map(str, files.values()))}: too little is left after cleaning: "
            f"{len(learnt)} lines to learn from and {len(held_out)} to judge by",
            remedy=f"Give lines of more than {web_text.LEAST} words each (characters in Chinese), "
            "at least 10 of them.",
        )
    return InstanceSet(learnt, held_out, ", ".join(file.name for file in files.values()))


def _dialogues(request: InstanceRequest) -> InstanceSet:
    """Read the dialogues of all corpora in the source language that TOD learns from."""
    found = pretraining_dialogues(request.data, request.source)
    learnt, wanted = found.learnt, request.wanted
    if wanted and wanted < len(learnt):  # of every corpus its share
        learnt = learnt[:: len(learnt) // wanted][:wanted]
    return InstanceSet(learnt, found.held_out[:wanted], found.learnt_from)


def _from_file(request: InstanceRequest) -> InstanceSet:
    file = request.data
    if request.objective == "tod":
        dialogues = read_dialogue_texts(file)[: request.wanted]
        return InstanceSet(*_every_tenth(dialogues), file.name)
    if request.objective in ("rs-x", "rs-mono"):
        rows = read_rows(file)[: request.wanted]
        parted = split_rows if request.published else split_rows_by_context
        return InstanceSet(*parted(rows), file.name)
    if request.objective == "mlm":
        return _web_text(
            request, chosen_files({request.target: file}, request.mix, request.languages)
        )
    with open_text(file) as text:
        lines = [line.strip() for line in text if line.strip()]
    return InstanceSet(*split_windows(lines[: request.wanted]), file.name)


def _every_tenth(
    dialogues: Sequence[DialogueTexts],
) -> tuple[list[DialogueTexts], list[DialogueTexts]]:
    learnt = [dialogue for number, dialogue in enumerate(dialogues, 1) if number % HELD_OUT]
    return learnt, list(dialogues[HELD_OUT - 1 :: HELD_OUT])


def read_rows(file: Path) -> list[ResponseRow]:
    """Read a published file of rows: a JSON list of context, response and label."""
    raw = read_json(file)
    try:
        return [
            ResponseRow(str(each["context"]), str(each["response"]), int(each["label"]))
            for each in raw
        ]
    except (TypeError, KeyError, ValueError) as error:
        raise FileProblem(
            f"{file}: not a list of context, response and label",
            remedy="Give a file as `crosstalk transfer instances --objective rs-x` writes it.",
        ) from error


def write_instances(instances: Sequence[Any], file: Path) -> None:
    """Write one instance per line, or a JSON list of rows, as published."""
    with writing(file) as text:
        if instances and isinstance(instances[0], ResponseRow):
            json.dump([row.record() for row in instances], text, ensure_ascii=False, indent=1)
            text.write("\n")
        else:
            text.writelines(f"{each}\n" for each in instances)


def write_instance_files(request: InstanceRequest, out: Path) -> list[Path]:
    """Write the training and the held-out instances; returns the two files."""
    refuse_unknown(request)
    if request.objective == "tod":
        raise InputError("tod learns from dialogues as they are", remedy="Give another objective.")
    instance_set = find_instances(request)
    ending = "json" if request.objective.startswith("rs") else "txt"
    files = []
    with making_folder(out):
        for split, held in (("train", instance_set.learnt), ("test", instance_set.held_out)):
            name = f"{request.objective}-{request.source}-{request.target}-{split}.{ending}"
            write_instances(held, out / name)
            files.append(out / name)
    return files


def refuse_unknown(request: InstanceRequest) -> None:
    """Raise `InputError` for an unknown objective, language or mix."""
    objective, mix = request.objective, request.mix
    if objective not in OBJECTIVES:
        raise InputError(
            f"there is no objective called {objective!r}", remedy=f"Known: {', '.join(OBJECTIVES)}."
        )
    for option, language in (("--source", request.source), ("--target", request.target)):
        refuse_no_code(option, language)
    if mix not in MIXES:
        raise InputError(f"--mix {mix}: unknown", remedy=f"Give {', '.join(MIXES)}.")
    if mix != "mono" and objective != "mlm":
        raise InputError(f"--mix {mix}: only mlm mixes languages", remedy="Leave --mix out.")
    if request.source == request.target:
        raise InputError(
            f"--source {request.source} --target {request.target}: the same language",
            remedy="Give two languages.",
        )
