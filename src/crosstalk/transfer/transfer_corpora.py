"""Dialogues as plain talk, and where those of each language lie in a data folder.

talks = read_talks(find_corpus(folder, "zh", "dev").file)

Read are: every corpus format we know; JSON as TRADE and Multi2WOZ keep it; and plain text, one
utterance a line and an empty line between dialogues, in one file or in a zip of several.
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
from crosstalk.transfer.trade_format import is_trade, read_trade

SOURCE: Final = "en"
"""The language that states are learnt from; the labels of all corpora are in it."""
CODES: Final = {"cn": "zh", "chinese": "zh", "russian": "ru", "german": "de", "english": "en"}
"""What people write for them; the published code calls Chinese `cn`."""
READ: Final = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip
"""Languages of the sentence encoder; those of all corpora we know are among them."""


def refuse_no_code(option: str, code: str) -> None:
    """Raise for what is no code of two letters; `cn` is a country."""
    known = CODES.get(code.lower())
    if known or not re.fullmatch("[a-z]{2}", code):
        raise InputError(
            f"{option} {code}: not a language code",
            remedy=f"Give {known}." if known else f"Give two small letters: {', '.join(READ)}.",
        )


def refuse_unknown_language(option: str, code: str) -> None:
    """Raise for a language that nothing here reads."""
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
    """At least one dialogue where the share is above 0; rounded up: 10 of 999 are 1 %."""
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
"""The text files mark values so; a reader of the dialogue would not see that."""


@dataclass(frozen=True, slots=True)
class DialogueTexts:
    """What was said, the user first and then by turns."""

    id: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A file of dialogues in one language."""

    name: str
    """As results call it."""
    language: str
    split: str
    file: Path


def known_languages(split: str) -> list[str]:
    """Languages of which the catalogue knows a file of this split."""
    return sorted({each.language for each in _catalogue(Path()) if each.split == split})


def find_corpus(data: Path, language: str, split: str) -> Corpus:
    """The first file of the catalogue that is there, packed or not; raises in words."""
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
    """What data of this folder and language is called; empty where the catalogue does not know."""
    found = [
        each.name
        for each in _catalogue(Path())
        if each.language == language and each.file.parent.name == file.absolute().parent.name
    ]
    return found[0] if found else ""


def all_corpora(data: Path, language: str, split: str) -> list[Corpus]:
    """Every file of the catalogue that is there; raises in words where none is."""
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
    """All dialogues of a file; raises in words where it holds none."""
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
    if is_trade(start):
        return [DialogueTexts(each.id, each.texts) for each in read_trade(file)]
    return list(_from_corpus(file))


def _from_corpus(file: Path) -> Iterator[DialogueTexts]:
    from crosstalk.corpora.corpus import read_corpus

    for dialogue in read_corpus(file, strict=False):
        yield DialogueTexts(
            dialogue.id, tuple(" ".join(turn.text.split()) for turn in dialogue.turns)
        )


def _text_members(file: Path) -> list[str]:
    """The text files of a zip, in order; none where it is something else."""
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
    """Dialogues of the test files that are there: what is learnt from must not hold them."""
    if language not in known_languages("test"):
        return []
    wanted = [
        each for each in _catalogue(data) if (each.language, each.split) == (language, "test")
    ]
    return [
        dialogue for corpus in _present(wanted) for dialogue in read_dialogue_texts(corpus.file)
    ]
