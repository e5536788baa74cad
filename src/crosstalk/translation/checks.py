"""Checks of a translated file: per turn, over the whole file, and against the source corpus.

    checked = check_translation(segments, "en", "de", glossary)

Problems must be corrected before the corpus is finished; hints are for editors to look at.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.language.figures import Figures, read_figures
from crosstalk.language.normalize import comparable
from crosstalk.language.scripts import scripts_of
from crosstalk.language.writing import writing_of
from crosstalk.translation.alignment import ValueAlignment, ValueState, align_segment
from crosstalk.translation.appendix_files import CLAIMED
from crosstalk.translation.glossary import Glossary, Inconsistency, inconsistencies
from crosstalk.translation.translation_segments import Segment, by_dialogue, is_label, paired


class FindingCode(StrEnum):
    """Kinds of problems and hints."""

    MISSING_TURN = "missing_turn"
    EMPTY = "empty"
    UNFINISHED = "unfinished"
    VALUES = "values"
    """The translated values do not belong to the slots of the source."""
    MISSING = "missing"
    """A value that the source utterance contains is not in the translation."""
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
    """A `changed*` flag of the file contradicts its texts; the next write corrects it."""
    FORM = "form"
    """A value whose form differs from the glossary's."""


PROBLEMS: Final = frozenset(
    {
        FindingCode.MISSING_TURN,
        FindingCode.EMPTY,
        FindingCode.VALUES,
        FindingCode.MISSING,
        FindingCode.FIGURES,
        FindingCode.LANGUAGE,
    }
    | {FindingCode.DIRECTION, FindingCode.UNREADABLE, FindingCode.SCRIPTS}
)
"""The rest are hints."""


TWO_WORDS: Final = 4
"""Number of Chinese characters that count as two words."""


@dataclass(frozen=True, slots=True)
class TranslationFinding:
    """One thing that is wrong with one turn."""

    dialogue: str
    turn: int
    code: FindingCode
    message: str
    slot: str = ""
    what: str = ""
    """The word or value concerned, for pages that translate the rest of the message."""

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
    """Result of checking a file."""

    segments: int
    finished: int
    findings: tuple[TranslationFinding, ...]
    alignments: dict[str, int] = field(hash=False)
    """Number of values by `ValueState`."""
    inconsistent: tuple[Inconsistency, ...]

    @property
    def problems(self) -> int:
        return sum(finding.is_problem for finding in self.findings)


def check_translation(
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
    """Turns that the file skips; a missing end is only visible beside the source corpus."""
    for dialogue, turns in by_dialogue(list(segments)).items():
        expected = 0
        for segment in turns:
            if segment.turn > expected:
                yield TranslationFinding(
                    dialogue, expected, FindingCode.MISSING_TURN, _told(expected, segment.turn)
                )
            expected = segment.turn + 1


def _told(first: int, end: int) -> str:
    return "this turn is missing" if end == first + 1 else f"turns {first} to {end - 1} are missing"


def check_segment(
    segment: Segment,
    source: str,
    target: str,
    glossary: Glossary | None = None,
    alignments: Sequence[ValueAlignment] | None = None,
) -> Iterator[TranslationFinding]:
    """Problems and hints of one segment."""
    found = align_segment(segment, source, target) if alignments is None else alignments
    for code, slot, message, what in (
        *_state(segment),
        *_texts(segment, source, target),
        *_values(segment, source, target, glossary or Glossary()),
        *_missing(found),
    ):
        yield TranslationFinding(segment.dialogue, segment.turn, code, message, slot, what)


RawFinding = tuple[FindingCode, str, str, str]
"""Code, slot, message, and the word or value concerned."""


def _state(segment: Segment) -> Iterator[RawFinding]:
    if not segment.text.strip() and segment.utterance.strip():
        yield FindingCode.EMPTY, "", "there is no translation", ""
    if not segment.finished:
        yield FindingCode.UNFINISHED, "", _unfinished(segment), ""
    for flag in segment.extras.get(CLAIMED, ()):
        yield FindingCode.FLAGS, "", f"{flag} says otherwise than the texts", flag


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
        yield FindingCode.FIGURES, "", f"{lost} of the source is not in the translation", lost
    if message := _wrong_language(segment.utterance, segment.text, source, target):
        yield FindingCode.LANGUAGE, "", message, ""
    elif words := ", ".join(_left_standing(segment)):
        yield FindingCode.LANGUAGE, "", f"nobody has translated: {words}", words


def _left_standing(segment: Segment) -> Iterator[str]:
    """Phrases that the machine reported as untranslated and that are still in the text.

    Single words and parts of values are not reported, because they may be names.
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
        yield FindingCode.DIRECTION, slot, f"invisible marks of direction: {named}", named
    if signs := unreadable(text):
        named = ", ".join(signs)
        yield FindingCode.UNREADABLE, slot, f"characters that cannot be read: {named}", named
    for word in mixed_words(text):
        yield FindingCode.SCRIPTS, slot, f"{word!r} mixes the letters of two alphabets", word


def _wrong_language(before: str, after: str, source: str, target: str) -> str:
    """What is wrong with a text that has no letter of the target's script; empty: nothing.

    Codes and names do not count as text.
    """
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
    """Whether a text has at least two words that are not codes or numbers."""
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
            yield FindingCode.VALUES, slot, f"{value!r} has no translation", value
            continue
        wanted = glossary.translate(slot, value)
        if wanted is not None and wanted != form:
            yield (
                FindingCode.FORM,
                slot,
                f"{value!r} is {wanted!r} in the glossary, {form!r} here",
                wanted,
            )
        if message := _wrong_value(value, form, segment.text, source, target):
            yield FindingCode.LANGUAGE, slot, message, form


def _slots(segment: Segment) -> Iterator[RawFinding]:
    wanted = [slot for slot, value in segment.values if not is_label(value)]
    given = [slot for slot, _ in segment.text_values]
    for slot in dict.fromkeys([slot for slot, _ in segment.values] + given):
        if wanted.count(slot) > given.count(slot):
            yield FindingCode.VALUES, slot, "the slot has no translated value", slot
        elif given.count(slot) > [slot for slot, _ in segment.values].count(slot):
            yield FindingCode.VALUES, slot, "the source has no value of this slot", slot


def _wrong_value(value: str, form: str, text: str, source: str, target: str) -> str:
    """What is wrong with a value in another script; names and codes of the utterance are fine."""
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


def _missing(alignments: Sequence[ValueAlignment]) -> Iterator[RawFinding]:
    for each in alignments:
        if each.found is ValueState.MISSING and each.value:
            yield (
                FindingCode.MISSING,
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
    """Words that mix letters of two alphabets, such as a Latin `a` in a Russian word.

    Chinese is written without spaces, and Korean joins its particles to words of any alphabet.
    """
    for word in _WORD.findall(text):
        scripts = scripts_of(word).keys() - {"han", "hangul"}
        if len(scripts) > 1:
            yield word


def direction_marks(text: str, *, rtl: bool = False) -> list[str]:
    """Names of the invisible direction marks that should not be in a text.

    Paired isolates are the correct way to write a number inside Arabic, and single marks are fine
    in a right-to-left text. Overrides are always wrong.
    """
    marks = DIRECTION.findall(_ISOLATED.sub(r"\1", text))
    wrong = [mark for mark in marks if not rtl or mark not in SINGLE]
    return sorted({unicodedata.name(mark, "?") for mark in wrong})


def unreadable(text: str) -> list[str]:
    """Control characters and replacement characters (U+FFFD), as code points."""
    return sorted({f"U+{ord(letter):04X}" for letter in CONTROL.findall(text)})


def lost_figures(utterance: str, translation: str, source: str, target: str) -> list[str]:
    """Codes, times and digits of the source that the translation lacks; number words may change."""
    before = read_figures(utterance, writing_of(source))
    after = read_figures(translation, writing_of(target))
    lost = sorted(before.codes - after.codes)
    lost += [_clock(time) for time in before.times if not time & _minutes(after)]
    lost += sorted(before.numbers - after.all_numbers - after.implied - _whole_hours(after))
    return lost


def _minutes(figures: Figures) -> frozenset[int]:
    """Minutes of all times, and of numbers that may be full hours (`um drei`)."""
    hours = {int(number) for number in figures.all_numbers if number.isdecimal()}
    full = {hour % 24 * 60 for hour in hours if hour <= 24}
    return figures.minutes | full | {(each + 720) % 1440 for each in full}


def _whole_hours(figures: Figures) -> frozenset[str]:
    return frozenset(str(minute // 60) for minute in figures.minutes if not minute % 60)


def _clock(time: frozenset[int]) -> str:
    return " / ".join(f"{minute // 60}:{minute % 60:02}" for minute in sorted(time))


@dataclass(frozen=True, slots=True)
class Compared:
    """Differences between a translation and its source corpus."""

    missing: tuple[TranslationFinding, ...] = ()
    """Turns that only one side has, of dialogues that both have."""
    untranslated: tuple[str, ...] = ()
    """Dialogues that only the corpus has; not a problem, since a part may be all that is wanted."""
    unknown: tuple[str, ...] = ()
    """Dialogues that only the file has."""

    def record(self, found: Checked) -> dict[str, Any]:
        """As JSON, together with the findings of the check."""
        findings = [*self.missing, *found.findings]
        return {
            "utterances": found.segments,
            "finished": found.finished,
            "problems": found.problems + len(self.missing),
            "hints": len(findings) - found.problems - len(self.missing),
            "values": found.alignments,
            "not_in_file": list(self.untranslated),
            "not_in_corpus": list(self.unknown),
            "findings": [each.record() for each in findings],
            "inconsistent": [each.record() for each in found.inconsistent],
        }


def compare_with_corpus(segments: Sequence[Segment], corpus: Iterable[Dialogue]) -> Compared:
    ours = by_dialogue(segments)
    found: list[TranslationFinding] = []
    seen: dict[str, None] = {}
    for dialogue in corpus:
        seen[dialogue.id] = None
        found += _missing_turns(ours.get(dialogue.id, ()), dialogue)
    return Compared(
        tuple(found),
        tuple(id for id in seen if id not in ours),
        tuple(id for id in ours if id not in seen),
    )


def _missing_turns(segments: Sequence[Segment], dialogue: Dialogue) -> Iterator[TranslationFinding]:
    """Turns after the end of the file or of the source; `_gaps` finds those in between."""
    if not segments:
        return
    for number in range(segments[-1].turn + 1, len(dialogue.turns)):
        told = "this turn of the source is missing"
        yield TranslationFinding(dialogue.id, number, FindingCode.MISSING_TURN, told)
    for segment in segments:
        if segment.turn >= len(dialogue.turns):
            told = f"the source ends with turn {len(dialogue.turns) - 1}"
            yield TranslationFinding(dialogue.id, segment.turn, FindingCode.MISSING_TURN, told)
