"""Corpora for transfer: the catalogue by language and split, dialogue texts, few-shot draws.

    dialogues = read_dialogue_texts(find_corpus(folder, "zh", "dev").file)

It reads every format of `corpora`, and plain text: one utterance per line and an empty line between
dialogues, in one file or in a zip of several.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final, TypeVar

from crosstalk.archives import members, open_member
from crosstalk.errors import FileProblem, InputError
from crosstalk.files import open_binary, read_text

SOURCE: Final = "en"
"""The source language of state tracking; the labels of all corpora are in it."""
CODES: Final = {"cn": "zh", "chinese": "zh", "russian": "ru", "german": "de", "english": "en"}
"""Common wrong codes and their ISO 639-1 code; the published code writes `cn`."""
READ: Final = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip
"""Languages of the sentence encoder; all corpora of the catalogue are in one of them."""


def refuse_no_code(option: str, code: str) -> None:
    """Raise `InputError` unless `code` is a language code of two letters (`cn` is a country)."""
    known = CODES.get(code.lower())
    if known or not re.fullmatch("[a-z]{2}", code):
        raise InputError(
            f"{option} {code}: not a language code",
            remedy=f"Give {known}." if known else f"Give two small letters: {', '.join(READ)}.",
        )


def refuse_unknown_language(option: str, code: str) -> None:
    """Raise `InputError` for a language that the sentence encoder does not know."""
    refuse_no_code(option, code)
    if code not in READ:
        raise InputError(
            f"{option} {code}: not a language we know", remedy=f"Known: {', '.join(READ)}."
        )


SHARES: Final = (0, 1, 5, 10, 50, 100)
"""Percent of the target's dialogues; 0 is zero-shot."""
SEEDS: Final = (1, 2, 3)
T = TypeVar("T")


def draw_shots(dialogues: Sequence[T], percent: int, *, seed: int) -> list[T]:
    """Draw whole dialogues by seed; draws are nested, so 1 % is part of 5 % of the same seed.

    The count is rounded up: 1 % of 999 are 10, and any share above 0 is at least one.
    """
    refuse_share(percent)
    order = list(range(len(dialogues)))
    Random(f"shots {seed}").shuffle(order)
    count = -(-len(dialogues) * percent // 100)
    return [dialogues[place] for place in order[:count]]


def refuse_share(percent: int) -> None:
    if percent not in SHARES:
        raise InputError(
            f"--shots {percent}: not a share we draw",
            remedy=f"Give {', '.join(map(str, SHARES))} (percent of the target's dialogues).",
        )


CATALOGUE: Final = Path(__file__).with_suffix(".toml")
VALUE_MARKS: Final = re.compile(r"[\[\]]")
"""Brackets around values in the text files, which users never saw."""


@dataclass(frozen=True, slots=True)
class DialogueTexts:
    """The utterances of a dialogue, user and system alternating, the user first."""

    id: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A file of dialogues in one language."""

    name: str
    """Name in results."""
    language: str
    split: str
    file: Path


def known_languages(split: str) -> list[str]:
    """Return the languages for which the catalogue lists a file of this split."""
    return sorted({each.language for each in _catalogue(Path()) if each.split == split})


def find_corpus(data: Path, language: str, split: str) -> Corpus:
    """Return the first existing file of the catalogue, packed or not; raises `InputError`."""
    if not data.is_dir():
        raise InputError(
            f"--data {data}: there is no such folder",
            remedy="Give the folder that holds multiwoz, multiwoz_zh and multiwoz_ru.",
        )
    if language not in known_languages(split):
        raise InputError(
            f"no {split} dialogues are known for the language {language!r}",
            remedy=f"Languages with {split} dialogues: {', '.join(known_languages(split))}.",
        )
    wanted = [each for each in _catalogue(data) if (each.language, each.split) == (language, split)]
    if found := list(_present(wanted)):
        return found[0]
    names = " or ".join(str(each.file.relative_to(data)) for each in wanted)
    raise InputError(
        f"{data}: the {split} dialogues in {language} are missing: {names}",
        remedy="Fetch them (crosstalk fetch), or name another folder with --data.",
    )


def name_of(file: Path, language: str) -> str:
    """Return the corpus name for a file's folder and language; empty if unknown."""
    found = [
        each.name
        for each in _catalogue(Path())
        if each.language == language and each.file.parent.name == file.absolute().parent.name
    ]
    return found[0] if found else ""


def all_corpora(data: Path, language: str, split: str) -> list[Corpus]:
    """Return every existing file of the catalogue; raises `InputError` if there is none."""
    find_corpus(data, language, split)
    both = (language, split)
    return list(_present(each for each in _catalogue(data) if (each.language, each.split) == both))


def _present(corpora: Iterable[Corpus]) -> Iterator[Corpus]:
    for corpus in corpora:
        for file in (corpus.file, corpus.file.with_suffix("")):
            if file.is_file():
                yield replace(corpus, file=file)
                break


def _catalogue(data: Path) -> list[Corpus]:
    raw = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return [
        Corpus(each["name"], each["language"], each["split"], data / each["file"])
        for each in raw["corpora"]
    ]


def read_dialogue_texts(file: Path) -> list[DialogueTexts]:
    """Read all dialogues of a file; raises `FileProblem` if it holds none."""
    dialogues = _read(file)
    if not dialogues:
        raise FileProblem(f"{file}: holds no dialogues", remedy="Check where it came from.")
    return dialogues


def _read(file: Path) -> list[DialogueTexts]:
    names = _text_members(file)
    if names:
        return [
            dialogue for name in names for dialogue in _from_lines(name, _member_lines(file, name))
        ]
    with open_binary(file) as raw:
        start = raw.read(1 << 12).decode("utf-8-sig", errors="ignore").lstrip()
    if not start.startswith(("{", "[")):
        return list(_from_lines(file.name, read_text(file).splitlines()))
    return list(_from_corpus(file))


def _from_corpus(file: Path) -> Iterator[DialogueTexts]:
    from crosstalk.corpora.corpus import read_corpus

    for dialogue in read_corpus(file, strict=False):
        yield DialogueTexts(
            dialogue.id, tuple(" ".join(turn.text.split()) for turn in dialogue.turns)
        )


def _text_members(file: Path) -> list[str]:
    """Return the text files of a zip, in order; empty for anything else."""
    if file.suffix != ".zip":
        return []
    names = sorted(members(file))
    return names if all(name.endswith(".txt") for name in names) else []


def _member_lines(file: Path, name: str) -> list[str]:
    with open_member(file, name) as raw:
        try:
            return raw.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise FileProblem(
                f"{file}: {name} is not UTF-8 text", remedy="Save it as UTF-8 and try again."
            ) from error


def _from_lines(name: str, lines: Iterable[str]) -> Iterator[DialogueTexts]:
    stem, number, said = Path(name).stem, 0, list[str]()
    for line in [*lines, ""]:
        if text := " ".join(VALUE_MARKS.sub("", line).split()):
            said.append(text)
        elif said:
            number += 1
            yield DialogueTexts(f"{stem}-{number:04}", tuple(said))
            said = []


def without_known(
    dialogues: Iterable[DialogueTexts], known: Iterable[DialogueTexts]
) -> list[DialogueTexts]:
    """Drop dialogues whose first two user turns occur in `known`: three test dialogues do."""
    openings = {_opening(dialogue) for dialogue in known}
    return [dialogue for dialogue in dialogues if _opening(dialogue) not in openings]


def _opening(dialogue: DialogueTexts) -> tuple[str, ...]:
    return tuple(re.sub(r"\W+", "", text).lower() for text in dialogue.texts[:3:2])


def test_dialogue_texts(data: Path, language: str) -> list[DialogueTexts]:
    """Read the existing test files; their dialogues must not be trained on."""
    if language not in known_languages("test"):
        return []
    wanted = [
        each for each in _catalogue(data) if (each.language, each.split) == (language, "test")
    ]
    return [
        dialogue for corpus in _present(wanted) for dialogue in read_dialogue_texts(corpus.file)
    ]
