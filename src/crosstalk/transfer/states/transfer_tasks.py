"""The files of a transfer task in a data folder, and the ontology that joins its two languages."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from crosstalk.corpora import woz
from crosstalk.corpora.corpus import read_corpus, recognise
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_json
from crosstalk.language.state_words import Labels, StateWords, words_of
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states import ontology as ontologies
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.state_dialogues import state_turns
from crosstalk.transfer.states.state_files import (
    UnknownLabels,
    read_states,
)
from crosstalk.transfer.states.state_slots import (
    WOZ2,
    StateSlot,
    multiwoz_key,
    multiwoz_slots,
)
from crosstalk.transfer.states.target_texts import TargetTexts, read_pairs, read_said
from crosstalk.transfer.states.value_alignment import align_values
from crosstalk.transfer.transfer_corpora import (
    SOURCE,
    Corpus,
    find_corpus,
    known_languages,
    name_of,
)

REAL: Final = "Multi2WOZ"
MULTI2WOZ: Final = {"zh": "cn", "de": "de", "ar": "ar", "ru": "ru"}
"""Language codes of the files of Multi2WOZ."""
TRANSLATED: Final = {"zh": "MultiWOZ-ZH (ConvLab-2)"}
"""Languages with a translation of all of MultiWOZ, and its name."""
TRAIN: Final = ("train.json", "train20.json")
TRAIN_SHARE: Final = 0.1
"""How much of train is learnt from with val: 840 dialogues."""
COMMON: Final = 2
"""Dialogues of the source in which a value is no slip of its label."""
ENGLISH_LISTS: Final = ("multiwoz", "multi2woz")
"""Folders whose list of values is English."""
WOZ2_LANGUAGES: Final = ("de", "it")
"""Languages that WOZ 2.0 is translated to."""


@dataclass(frozen=True, slots=True)
class TransferTask:
    """One source and one target language on one benchmark, in one data folder."""

    name: str
    """The name in results."""
    slots: tuple[StateSlot, ...]
    target: str
    source_files: tuple[Path, ...]
    target_files: tuple[Path, ...]
    words: tuple[Path, ...]
    """What the ontology is built from."""
    data: Path = Path()
    """The folder of all corpora."""
    raw: tuple[Path, ...] = ()
    """Dialogues of the target whose texts may be read; their states, if any, are not."""
    share: float = 1.0
    """How much of the source's files but the last is learnt from."""
    named: bool = False
    """Whether the user named the target's dialogues, to be learnt from with or without tables."""

    @property
    def files(self) -> tuple[Path, ...]:
        return (*self.source_files, *self.target_files, *self.words)

    def source(self) -> list[Dialogue]:
        *earlier, last = (read_states(file, SOURCE, self.slots) for file in self.source_files)
        return [each for read in earlier for each in self._drawn(read)] + last

    def _drawn(self, dialogues: list[Dialogue]) -> list[Dialogue]:
        """The share of the dialogues that is learnt from, the same for every seed."""
        if self.share == 1.0:
            return dialogues
        order = Random(1).sample(range(len(dialogues)), round(self.share * len(dialogues)))
        return [dialogues[place] for place in sorted(order)]

    def read(
        self, path: Path, language: str, unknown: UnknownLabels | None = None
    ) -> list[Dialogue]:
        """The dialogues of a file with their states, such as one to be scored."""
        return read_states(path, language, self.slots, unknown)

    def target_dialogues(self) -> list[Dialogue]:
        found = (read_states(file, self.target, self.slots) for file in self.target_files)
        return [dialogue for dialogues in found for dialogue in dialogues]

    def name_for(self, test: Path) -> str:
        """The name of the task in results: that of the test file's folder, if the catalogue has it.

        Files of Multi2WOZ are lists of pairs, as those of TRADE; others go by their file names.
        """
        if found := name_of(test, self.target):
            return found
        return test.name if self.name == REAL and recognise(test) != woz.FORMAT.name else self.name

    def ontology(self, source: Iterable[Dialogue]) -> Ontology:
        """With the target's values in translation: read off labels, or a file of translations.

        A run without tables uses it for scoring alone: it says which labels mean the same.
        """
        if self.slots is WOZ2:
            return _woz2_ontology(self, source)
        return _multiwoz_ontology(self, source)

    def english_ontology(self, source: Iterable[Dialogue]) -> Ontology:
        """English values alone: those that the source's states have more than once or twice."""
        counts: Counter[tuple[str, str]] = Counter()
        for dialogue in source:
            counts.update({pair for turn in state_turns(dialogue) for pair in turn.state.items()})
        common: defaultdict[str, list[str]] = defaultdict(list)
        for (slot, value), count in counts.items():
            if count >= COMMON:
                common[slot].append(value)
        return ontologies.build(self.slots, common)

    def _english(self, source: Iterable[Dialogue]) -> dict[str, list[str]]:
        lists = [each for each in self.words if each.parent.name in ENGLISH_LISTS]
        known = {} if self.slots is WOZ2 or not lists else english_values(lists[0])
        found = defaultdict(list, known)
        for dialogue in source:
            _collect(dialogue, found)
        return found

    def own_values(self) -> dict[str, list[str]]:
        """The list of values of the target's files, if there is one."""
        lists = [each for each in self.words if each.name.startswith("ontology.json")]
        lists = [each for each in lists if each.parent.name not in ENGLISH_LISTS]
        return _native(lists[0], words_of(self.target).labels) if lists else {}

    def target_texts(self, pairs: bool = True) -> TargetTexts:
        """What may be read of the target where nothing is learnt of it."""
        users, systems = read_said(self.raw)
        translated = read_pairs(self.data, self.target) if pairs else []
        return TargetTexts(
            self.target, users, systems, self.slots is WOZ2, translated, self.own_values()
        )

    def reading_ontology(
        self, source: Iterable[Dialogue], words: StateWords, encoder: CachedEncoder | None
    ) -> Ontology:
        """What texts of the target are read with where there are no tables."""
        dialogues = list(source)
        english = ontologies.build(self.slots, self._english(dialogues))
        own = self.own_values()
        pairs = align_values(english, own, words, encoder)
        return ontologies.build(
            self.slots, self._english(dialogues), language=self.target, pairs=pairs, native=own,
            derived=(words,),
        )  # fmt: skip


def find_task(
    data: Path, target: str, test: Path | None = None, *, learn: Path | None = None
) -> TransferTask:
    """The task of a target language; raises if the folder lacks its files.

    German is in Multi2WOZ and in WOZ 2.0: with both in the folder, the test file decides. `learn`
    has dialogues of the target with states, which shots are drawn from instead of the folder's.
    """
    task = _known_task(data, target, test)
    return task if learn is None else replace(task, target_files=(learn,), named=True)


def _known_task(data: Path, target: str, test: Path | None) -> TransferTask:
    if not data.is_dir():
        raise InputError(f"--data {data}: there is no such folder", remedy="Check the path.")
    real = data / "multi2woz" / f"dev_dials-{MULTI2WOZ.get(target, target)}.json"
    english = data / "multiwoz"
    if target == SOURCE:
        return TransferTask(
            "MultiWOZ 2.1",
            multiwoz_slots(),
            SOURCE,
            _english_with_train(english),
            (),
            (_there(english / "ontology21.json"),),
            share=TRAIN_SHARE,
        )
    if _is_there(real) and not (test and _is_woz2(test)):
        words = (*_english_words(data), *_chinese_words(data, target))
        return TransferTask(
            REAL, multiwoz_slots(), target, _english_states(english), (_there(real),), words,
            data, (_there(real),),
        )  # fmt: skip
    if target in TRANSLATED:
        words = (_there(english / "ontology21.json"), *_chinese_words(data, target, needed=True))
        dev = _there(data / "multiwoz_zh" / "val.json")
        return TransferTask(
            TRANSLATED[target], multiwoz_slots(), target, _english_states(english), (dev,), words,
            data, (dev,),
        )  # fmt: skip
    if target in WOZ2_LANGUAGES:
        folder = data / "woz2"
        splits = ("train", "validate")
        source = tuple(_there(folder / f"woz_{split}_en.json") for split in splits)
        foreign = tuple(_there(folder / f"woz_{split}_{target}.json") for split in splits)
        pairs = tuple(_there(folder / f"woz_{split}_{target}_en.json") for split in splits)
        return TransferTask(
            f"WOZ 2.0 {target.upper()}", WOZ2, target, source, foreign, pairs, data, foreign
        )
    if texts := _texts_alone(data, target):
        words = (_there(english / "ontology21.json"),)
        return TransferTask(
            texts.name, multiwoz_slots(), target, _english_with_train(english), (), words, data,
            (texts.file,), TRAIN_SHARE,
        )  # fmt: skip
    raise InputError(
        f"--target {target}: no dialogues with states are known for it",
        remedy="Give zh, de, it, ru or en; or put "
        f"dev_dials-{MULTI2WOZ.get(target, target)}.json of Multi2WOZ into {data / 'multi2woz'}. "
        "Dialogues of a world that has the language, such as harbour, need no corpus: name a file "
        "of them with --test.",
    )


def _texts_alone(data: Path, target: str) -> Corpus | None:
    """Dialogues of MultiWOZ in the language without states; those of train, if they are there."""
    for split in ("train", "dev"):
        if target in known_languages(split):
            with suppress(InputError):
                return find_corpus(data, target, split)
    return None


def _is_woz2(test: Path) -> bool:
    first = next(iter(read_corpus(test, strict=False)), None)
    return first is not None and first.world == woz.WORLD


def _english_words(data: Path) -> tuple[Path, ...]:
    """The list of English values, if there is one: else those of the dialogues are all."""
    places = (data / "multiwoz" / "ontology21.json", data / "multi2woz" / "ontology.json")
    return tuple(_there(each) for each in places if _is_there(each))[:1]


def _english_states(folder: Path) -> tuple[Path, ...]:
    """Train, if the folder has it, and val."""
    train = [_there(folder / "train.json")] if _is_there(folder / "train.json") else []
    return (*train, _there(folder / "val.json"))


def _english_with_train(folder: Path) -> tuple[Path, ...]:
    """Train, labelled as in 2.1 or else as in 2.0, if the folder has it, and val."""
    train = [file for name in TRAIN if _is_there(file := folder / name)]
    return (*map(_there, train[:1]), _there(folder / "val.json"))


def _chinese_words(data: Path, target: str, *, needed: bool = False) -> tuple[Path, ...]:
    folder = data / "multiwoz_zh"
    if target not in TRANSLATED or not (needed or _is_there(folder / "vocab_dict.json")):
        return ()
    return (_there(folder / "vocab_dict.json"), _there(folder / "ontology.json"))


def _is_there(file: Path) -> bool:
    return file.is_file() or Path(f"{file}.zip").is_file()


def _there(file: Path) -> Path:
    """The path of the file or of its zip; raises if there is neither."""
    packed = Path(f"{file}.zip")
    if packed.is_file():
        return packed
    if file.is_file():
        return file
    raise FileProblem(
        f"{file}: no such file, nor {packed.name}",
        remedy="Fetch it, or name the folder of fetched corpora with --data.",
    )


# MultiWOZ


def _multiwoz_ontology(task: TransferTask, source: Iterable[Dialogue]) -> Ontology:
    lists = [file for file in task.words if file.parent.name != "multiwoz_zh"]
    english = english_values(lists[0]) if lists else defaultdict[str, list[str]](list)
    dialogues = list(source)
    for dialogue in dialogues:
        _collect(dialogue, english)
    pairs: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    native: dict[str, list[str]] = {}
    if task.name == REAL:
        _align_by_id(task.target_dialogues(), dialogues, pairs)
    if chinese := task.words[len(lists) :]:
        for slot, found in _pairs(chinese[0]).items():
            pairs[slot] += found
        native = _native(chinese[1], words_of(task.target).labels)
    return ontologies.build(task.slots, english, language=task.target, pairs=pairs, native=native)


def _align_by_id(
    target: Iterable[Dialogue],
    source: Iterable[Dialogue],
    pairs: defaultdict[str, list[tuple[str, str]]],
) -> None:
    """Multi2WOZ translates the states of English dialogues: pairs of values, as in WOZ 2.0."""
    by_id = {each.id.upper(): each for each in source}
    for own in target:
        if other := by_id.get(own.id.upper()):
            _align(own, other, pairs)


def english_values(file: Path) -> defaultdict[str, list[str]]:
    """The values of an ontology file of MultiWOZ, by slot keys."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, values in _members(file).items():
        domain, part, slot = (*key.lower().split("-"), "", "")[:3]
        found[multiwoz_key(domain, part + slot if part == "book" else slot)] += list(values)
    return found


def _pairs(file: Path) -> dict[str, list[tuple[str, str]]]:
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for domain, slots in _members(file)["value_set"].items():
        for slot, values in slots.items():
            for prefix in ("", "book "):
                found[f"{domain}-{prefix}{slot.lower()}"] += list(values.items())
    return found


def _native(file: Path, called: Labels) -> dict[str, list[str]]:
    found = {}
    for key, values in _members(file).items():
        domain, _, slot = key.partition("-")
        book = "book " if slot.startswith(called.booked) else ""
        slot = slot.removeprefix(called.booked)
        domain = called.domains.get(domain, domain)
        found[f"{domain}-{book}{called.slots.get(slot, slot)}"] = list(values)
    return found


def _members(file: Path) -> Mapping[str, Any]:
    raw = read_json(file)
    if not isinstance(raw, dict):
        raise FileProblem(f"{file}: not an ontology", remedy="Fetch it again.")
    return raw


# WOZ 2.0


def _woz2_ontology(task: TransferTask, source: Iterable[Dialogue]) -> Ontology:
    """Values of English labels; translations by the two label files of the target's dialogues.

    They hold the same states in both languages. Only the states are read here, as a dictionary.
    """
    english: defaultdict[str, list[str]] = defaultdict(list)
    for dialogue in source:
        _collect(dialogue, english)
    pairs: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for file, labels in zip(task.target_files, task.words, strict=True):
        for own, other in zip(
            read_states(file, task.target, task.slots, UnknownLabels()),
            read_states(labels, task.target, task.slots, UnknownLabels()),
            strict=True,
        ):
            _collect(other, english)
            _align(own, other, pairs)
    return ontologies.build(task.slots, english, language=task.target, pairs=pairs)


def _collect(dialogue: Dialogue, values: defaultdict[str, list[str]]) -> None:
    for turn in state_turns(dialogue):
        for slot, value in turn.state.items():
            values[slot].append(value)


def _align(own: Dialogue, other: Dialogue, pairs: defaultdict[str, list[tuple[str, str]]]) -> None:
    for one, two in zip(state_turns(own), state_turns(other), strict=False):
        for slot, value in two.state.items():
            if slot in one.state:
                pairs[slot].append((value, one.state[slot]))
