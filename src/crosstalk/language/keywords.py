"""Keywords: phrases of a language that greet, thank, refuse (`keywords/<code>.toml` of a world).

    load_keywords(find_world("harbour"), "en").says("user", "thank", "Thanks a lot!")

The tables `user` and `system` hold regular expressions by what they show: the kinds of General
acts, and for the system `refusal` (something does not exist) and `misfit` (nothing meets the
constraints). The table `habits` holds the annotation style of a corpus.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SlotKind
from crosstalk.errors import WorldError
from crosstalk.language.normalize import squeezed
from crosstalk.language.world_files import KEYWORDS, languages_with, world_file
from crosstalk.problems import Problem, did_you_mean
from crosstalk.toml_files import TomlFile, read_toml

REFUSAL: Final = "refusal"
MISFIT: Final = "misfit"
GENERAL_KINDS: Final = ("greet", "thank", "welcome", "reqmore", "bye")
CUES: Final = {
    Speaker.USER: GENERAL_KINDS,
    Speaker.SYSTEM: (*GENERAL_KINDS, REFUSAL, MISFIT),
}
UNASKED: Final = frozenset(
    {SlotKind.NUMBER, SlotKind.RATING, SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.SERVICES}
)


@dataclass(frozen=True, slots=True)
class AnnotationStyle:
    """Choices in which corpora are annotated differently."""

    unasked: frozenset[SlotKind] = UNASKED
    """Kinds of slots whose values are acts wherever the text has them, asked for or not."""
    whole_ratings: bool = True
    """Whether that includes ratings without decimals; CrossWOZ's annotation looked for "5.0"."""
    free: bool = True
    """Whether that includes a price of 0, said as "free"."""
    near_nothing: bool = True
    """Whether a request for a place near another is a Select if nothing is near the other."""
    carried: bool = False
    """Whether unsettled names, references and ends of rides are acts again in every turn about
    their sub-goal, said or not, as mostly in CrossWOZ."""


SWITCHES: Final = {"whole_ratings": True, "free": True, "near_nothing": True, "carried": False}


@dataclass(frozen=True, slots=True)
class Keywords:
    """The phrases of one language."""

    cues: Mapping[tuple[Speaker, str], re.Pattern[str]] = field(default_factory=dict, hash=False)
    style: AnnotationStyle = AnnotationStyle()

    def says(self, speaker: Speaker, cue: str, text: str) -> bool:
        pattern = self.cues.get((speaker, cue))
        return pattern is not None and pattern.search(squeezed(text)) is not None


def has_keywords(folder: Path, code: str) -> bool:
    return (folder / world_file(folder, KEYWORDS, code)).is_file()


def load_keywords(folder: Path, code: str) -> Keywords:
    """The keywords of a world's language; raises WorldError that names the wrong line."""
    if not has_keywords(folder, code):
        raise WorldError(
            f"the world in {folder} has no keywords in {code!r}",
            remedy=f"Write {world_file(folder, KEYWORDS, code)}: [user] and [system] with greet, "
            'thank, ... = ["phrase", ...]; the files of harbour show how.',
        )
    file = read_toml(folder, world_file(folder, KEYWORDS, code))
    if isinstance(file, Problem):
        raise _unreadable(folder, [file])
    reader = _KeywordParser(file)
    keywords = reader.keywords()
    if reader.problems:
        raise _unreadable(folder, reader.problems)
    return keywords


def check_keywords(folder: Path) -> Iterator[Problem]:
    """Problems in the keyword files of all languages of a world."""
    for code in languages_with(folder, KEYWORDS):
        file = read_toml(folder, world_file(folder, KEYWORDS, code))
        if isinstance(file, Problem):
            yield file
            continue
        if not file.data:
            yield file.problem((), "it is empty", "Fill it, or remove it.")
        reader = _KeywordParser(file)
        reader.keywords()
        yield from reader.problems
        yield from _repeated(file)


def _repeated(file: TomlFile) -> Iterator[Problem]:
    tables = [(name, table) for name, table in file.data.items() if isinstance(table, dict)]
    for name, table in tables:
        for cue, phrases in table.items():
            for phrase, count in Counter(_texts(phrases) or ()).items():
                if count > 1:
                    message = f"{phrase!r} stands in {name}.{cue} {count} times"
                    problem = file.problem((name, cue), message, "Keep one.", text=phrase)
                    yield replace(problem, fatal=False)


def _unreadable(folder: Path, problems: Sequence[Problem]) -> WorldError:
    shown = "\n".join(f"  {problem}" for problem in problems)
    return WorldError(
        f"the keywords of the world in {folder} cannot be read:\n{shown}",
        remedy="docs/annotation.md tells what such a file holds.",
    )


class _KeywordParser:
    """Parses one keyword file and collects its problems."""

    def __init__(self, file: TomlFile) -> None:
        self._file = file
        self.problems: list[Problem] = []

    def keywords(self) -> Keywords:
        known = {*map(str, Speaker), "habits"}
        for name in self._file.data:
            if name not in known:
                self._unknown((name,), f"there is no table {name!r}", known)
        return Keywords(dict(self._cues()), self._style())

    def _cues(self) -> Iterator[tuple[tuple[Speaker, str], re.Pattern[str]]]:
        for speaker, cues in CUES.items():
            for cue, phrases in self._table(str(speaker)).items():
                if cue not in cues:
                    self._unknown((speaker, cue), f"there is no cue {cue!r}", cues)
                elif pattern := self._pattern((speaker, cue), phrases):
                    yield (speaker, cue), pattern

    def _table(self, name: str) -> dict[str, Any]:
        table = self._file.data.get(name, {})
        if isinstance(table, dict):
            return table
        self._wrong((name,), "this is no table", f"[{name}] with a line for each cue")
        return {}

    def _pattern(self, at: tuple[str, str], phrases: object) -> re.Pattern[str] | None:
        texts = _texts(phrases)
        if not texts:
            self._wrong(at, "expected a list of phrases", '["phrase", "another"]')
            return None
        try:
            return re.compile("|".join(f"(?:{each})" for each in texts), re.IGNORECASE)
        except re.error as error:
            self._wrong(at, f"not a regular expression: {error}", r"\( for a bracket, \. for a dot")
            return None

    def _style(self) -> AnnotationStyle:
        table = dict(self._table("habits"))
        unasked = _texts(table.pop("unasked", sorted(UNASKED)))
        if unasked is None or not set(unasked) <= set(SlotKind):
            self._wrong(("habits", "unasked"), "expected kinds of slots", ", ".join(SlotKind))
            unasked = []
        switches = {name: table.pop(name, on) for name, on in SWITCHES.items()}
        for name in (*table, *(name for name, on in switches.items() if not isinstance(on, bool))):
            expected = f"unasked; {', '.join(SWITCHES)} as true or false"
            self._wrong(("habits", name), f"cannot read {name!r}", expected)
        return AnnotationStyle(frozenset(map(SlotKind, unasked)), **switches)

    def _unknown(self, at: tuple[str, ...], message: str, known: Collection[str]) -> None:
        self.problems.append(self._file.problem(at, message, did_you_mean(at[-1], known)))

    def _wrong(self, at: tuple[str, ...], message: str, expected: str) -> None:
        self.problems.append(self._file.problem(at, message, f"Expected: {expected}."))


def _texts(value: object) -> list[str] | None:
    """A list of texts, none of them empty; anything else is None."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        return None
    return list(value)
