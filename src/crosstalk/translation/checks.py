"""What is wrong with a translated file: turn by turn, then over the whole corpus.

Problems are for editors to mend before the corpus is finished; hints are for them to look at.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from crosstalk.language.figures import Figures, read_figures
from crosstalk.language.normalize import comparable
from crosstalk.language.scripts import scripts_of
from crosstalk.language.writing import writing_of
from crosstalk.translation.alignment import Alignment, ValueState, align_segment
from crosstalk.translation.appendix_a import CLAIMED
from crosstalk.translation.consistency import Inconsistency, inconsistencies
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.segments import Segment, by_dialogue, is_label, paired


class Code(StrEnum):
    """What can be wrong."""

    MISSING_TURN = "missing_turn"
    EMPTY = "empty"
    UNFINISHED = "unfinished"
    VALUES = "values"
    """The translated values are not those of the source's slots."""
    MISSING = "missing"
    """A value that the source says is not in the translation."""
    FIGURES = "figures"
    """A number, time or reference code was lost."""
    LANGUAGE = "language"
    """A text or value in another language's script, or left as the source has it."""
    DIRECTION = "direction"
    """Invisible marks of writing direction."""
    UNREADABLE = "unreadable"
    SCRIPTS = "scripts"
    """A word with letters of two alphabets."""
    FLAGS = "flags"
    """`changed*` in the file does not follow from its texts; written anew it does."""
    FORM = "form"
    """Another form than the glossary's."""


PROBLEMS: Final = frozenset(
    {Code.MISSING_TURN, Code.EMPTY, Code.VALUES, Code.MISSING, Code.FIGURES, Code.LANGUAGE}
    | {Code.DIRECTION, Code.UNREADABLE, Code.SCRIPTS}
)
"""The rest are hints."""


TWO_WORDS: Final = 4
"""Chinese letters, most of whose words have two."""


@dataclass(frozen=True, slots=True)
class TranslationFinding:
    """One thing that is wrong with one turn."""

    dialogue: str
    turn: int
    code: Code
    message: str
    slot: str = ""
    what: str = ""
    """The thing itself, for pages that say the rest in another language."""

    @property
    def is_problem(self) -> bool:
        return self.code in PROBLEMS

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "dialogID": self.dialogue,
            "turnID": self.turn,
            "code": self.code.value,
            "problem": self.is_problem,
            "slot": self.slot,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """A file after its check."""

    segments: int
    finished: int
    findings: tuple[TranslationFinding, ...]
    alignments: dict[str, int] = field(hash=False)
    """Values by how they stand in their utterance."""
    inconsistent: tuple[Inconsistency, ...]

    @property
    def problems(self) -> int:
        return sum(finding.is_problem for finding in self.findings)


def check(
    segments: Sequence[Segment], source: str, target: str, glossary: Glossary | None = None
) -> Checked:
    findings = list(_gaps(segments))
    counts = {found.value: 0 for found in ValueState}
    for segment in segments:
        alignments = align_segment(segment, source, target)
        for each in alignments:
            counts[each.found.value] += 1
        findings += check_segment(segment, source, target, glossary, alignments)
    different = tuple(inconsistencies(segments, glossary))
    finished = sum(segment.finished for segment in segments)
    return Checked(len(segments), finished, tuple(findings), counts, different)


def _gaps(segments: Iterable[Segment]) -> Iterator[TranslationFinding]:
    """Turns that the file skips; where it ends early only the source can tell."""
    for dialogue, turns in by_dialogue(list(segments)).items():
        expected = 0
        for segment in turns:
            if segment.turn > expected:
                yield TranslationFinding(
                    dialogue, expected, Code.MISSING_TURN, _told(expected, segment.turn)
                )
            expected = segment.turn + 1


def _told(first: int, end: int) -> str:
    return "this turn is missing" if end == first + 1 else f"turns {first} to {end - 1} are missing"


def check_segment(
    segment: Segment,
    source: str,
    target: str,
    glossary: Glossary | None = None,
    alignments: Sequence[Alignment] | None = None,
) -> Iterator[TranslationFinding]:
    """What is wrong with one segment as it stands."""
    found = align_segment(segment, source, target) if alignments is None else alignments
    for code, slot, message, what in (
        *_state(segment),
        *_texts(segment, source, target),
        *_values(segment, source, target, glossary or Glossary()),
        *_missing(found),
    ):
        yield TranslationFinding(segment.dialogue, segment.turn, code, message, slot, what)


RawFinding = tuple[Code, str, str, str]
"""Code, slot, message, and the thing itself."""


def _state(segment: Segment) -> Iterator[RawFinding]:
    if not segment.text.strip() and segment.utterance.strip():
        yield Code.EMPTY, "", "there is no translation", ""
    if not segment.finished:
        yield Code.UNFINISHED, "", _unfinished(segment), ""
    for flag in segment.extras.get(CLAIMED, ()):
        yield Code.FLAGS, "", f"{flag} says otherwise than the texts", flag


def _unfinished(segment: Segment) -> str:
    if segment.edited is not None:
        return "the text is edited, its values are not: fixTransSlotValues is empty"
    if segment.edited_values is not None:
        return "the values are edited, their text is not: fixTransUtterance is empty"
    return "no editor has been here yet"


def _texts(segment: Segment, source: str, target: str) -> Iterator[RawFinding]:
    yield from _characters(segment.text, "", rtl=writing_of(target).direction == "rtl")
    if not segment.text.strip():
        return
    for lost in lost_figures(segment.utterance, segment.text, source, target):
        yield Code.FIGURES, "", f"{lost} of the source is not in the translation", lost
    if message := _wrong_language(segment.utterance, segment.text, source, target):
        yield Code.LANGUAGE, "", message, ""
    elif words := ", ".join(_left_standing(segment)):
        yield Code.LANGUAGE, "", f"nobody has translated: {words}", words


def _left_standing(segment: Segment) -> Iterator[str]:
    """Phrases that the machine had no words for and named, which are still in the text.

    A single word may be a name, and so may be what stands in a value.
    """
    text = comparable(segment.text)
    values = " | ".join(comparable(form) for _, form in segment.text_values)
    for phrase in segment.untranslated:
        words = comparable(phrase)
        if _translatable(phrase) and words in text and words not in values:
            yield phrase


def _characters(text: str, slot: str, *, rtl: bool = False) -> Iterator[RawFinding]:
    if marks := direction_marks(text, rtl=rtl):
        named = ", ".join(marks)
        yield Code.DIRECTION, slot, f"invisible marks of direction: {named}", named
    if signs := unreadable(text):
        named = ", ".join(signs)
        yield Code.UNREADABLE, slot, f"characters that cannot be read: {named}", named
    for word in mixed_words(text):
        yield Code.SCRIPTS, slot, f"{word!r} mixes the letters of two alphabets", word


def _wrong_language(before: str, after: str, source: str, target: str) -> str:
    """A text none of whose letters are the target's; codes and names are no texts."""
    wanted = writing_of(target).script
    scripts = scripts_of(after)
    if not wanted or not scripts or wanted in scripts:
        if comparable(before) == comparable(after) and _translatable(before) and source != target:
            return "the translation is the source"
        return ""
    if not _translatable(after):
        return ""
    return f"written in {' and '.join(scripts)} letters, {wanted} expected"


def _translatable(text: str) -> bool:
    """Two words at least that are no codes or numbers, or as much in Chinese letters."""
    codes = read_figures(text, writing_of("")).codes
    words = [word for word in comparable(text).split() if word.isalpha() and word not in codes]
    return len(words) > 1 or scripts_of(text).get("han", 0) >= TWO_WORDS


def _values(segment: Segment, source: str, target: str, glossary: Glossary) -> Iterator[RawFinding]:
    if segment.finished or segment.machine_values:
        yield from _slots(segment)
    for slot, value, form in paired(segment.values, segment.text_values):
        yield from _characters(form, slot)
        if is_label(value):
            continue
        if not form.strip():
            yield Code.VALUES, slot, f"{value!r} has no translation", value
            continue
        wanted = glossary.translate(slot, value)
        if wanted is not None and wanted != form:
            yield Code.FORM, slot, f"{value!r} is {wanted!r} in the glossary, {form!r} here", wanted
        if message := _wrong_value(value, form, segment.text, source, target):
            yield Code.LANGUAGE, slot, message, form


def _slots(segment: Segment) -> Iterator[RawFinding]:
    wanted = [slot for slot, value in segment.values if not is_label(value)]
    given = [slot for slot, _ in segment.text_values]
    for slot in dict.fromkeys([slot for slot, _ in segment.values] + given):
        if wanted.count(slot) > given.count(slot):
            yield Code.VALUES, slot, "the slot has no translated value", slot
        elif given.count(slot) > [slot for slot, _ in segment.values].count(slot):
            yield Code.VALUES, slot, "the source has no value of this slot", slot


def _wrong_value(value: str, form: str, text: str, source: str, target: str) -> str:
    """In letters the target does not have, unless the utterance says it so: a name, a code."""
    here, there = writing_of(source).script, writing_of(target).script
    scripts = scripts_of(form)
    if not there or not scripts or there in scripts or comparable(form) in comparable(text):
        return ""
    if read_figures(form, writing_of(target)).codes:
        return ""
    left = (
        "left as it was" if comparable(value) == comparable(form) and here != there else "written"
    )
    return f"{form!r} is {left} in {' and '.join(scripts)} letters, {there} expected"


def _missing(alignments: Sequence[Alignment]) -> Iterator[RawFinding]:
    for each in alignments:
        if each.found is ValueState.MISSING and each.value:
            yield (
                Code.MISSING,
                each.slot,
                f"{each.value!r} ({each.source}) is not in the utterance",
                each.value,
            )


DIRECTION: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SINGLE: Final = "\u061c\u200e\u200f"
_ISOLATED: Final = re.compile("[\u2066\u2067\u2068]([^\u2066-\u2069]*)\u2069")
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ud800-\udfff]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def mixed_words(text: str) -> Iterator[str]:
    """Words with letters of two alphabets that look alike: a Latin `a` in a Russian word.

    Han and Latin may stand side by side, as Chinese writes no spaces.
    """
    for word in _WORD.findall(text):
        scripts = scripts_of(word).keys() - {"han"}
        if len(scripts) > 1:
            yield word


def direction_marks(text: str, *, rtl: bool = False) -> list[str]:
    """The invisible marks that should not be there, by name.

    Isolates in pairs are how a number is rightly written inside Arabic; single marks are fine in
    a text that runs from right to left. Overrides turn any text around.
    """
    marks = DIRECTION.findall(_ISOLATED.sub(r"\1", text))
    wrong = [mark for mark in marks if not rtl or mark not in SINGLE]
    return sorted({unicodedata.name(mark, "?") for mark in wrong})


def unreadable(text: str) -> list[str]:
    """Control characters and the sign for bytes that could not be read."""
    return sorted({f"U+{ord(letter):04X}" for letter in CONTROL.findall(text)})


def lost_figures(utterance: str, translation: str, source: str, target: str) -> list[str]:
    """As the source has them; what it writes in words may be written otherwise or left out."""
    before = read_figures(utterance, writing_of(source))
    after = read_figures(translation, writing_of(target))
    lost = sorted(before.codes - after.codes)
    lost += [_clock(time) for time in before.times if not time & _minutes(after)]
    lost += sorted(before.numbers - after.all_numbers - after.implied - _whole_hours(after))
    return lost


def _minutes(figures: Figures) -> frozenset[int]:
    """Times, and numbers that may be full hours: `at 3 o'clock` is `um drei`."""
    hours = {int(number) for number in figures.all_numbers if number.isdecimal()}
    full = {hour % 24 * 60 for hour in hours if hour <= 24}
    return figures.minutes | full | {(each + 720) % 1440 for each in full}


def _whole_hours(figures: Figures) -> frozenset[str]:
    return frozenset(str(minute // 60) for minute in figures.minutes if not minute % 60)


def _clock(time: frozenset[int]) -> str:
    return " / ".join(f"{minute // 60}:{minute % 60:02}" for minute in sorted(time))
