"""Stage 1: what a machine makes of segments, with its name on every one of them.

Values are translated with their utterance, as marks that the translation carries along, or each by
itself, as the paper did; the glossary's form wins over both.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from crosstalk.language.normalize import comparable
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.segments import Pairs, Segment, is_label
from crosstalk.translation.translators.cache import Cache, translate_all
from crosstalk.translation.translators.interface import Passage, Rendering, Translator
from crosstalk.translation.translators.markers import Marked, mark, unmark

CARRIED: Final = "utterance"
UNTRANSLATED: Final = "untranslated"
"""Where the form of a value comes from, beside what the translator says."""
Progress = Callable[[int, int], None]


def translate_segments(
    segments: Sequence[Segment],
    translator: Translator,
    languages: tuple[str, str],
    *,
    together: bool = True,
    glossary: Glossary | None = None,
    cache: Cache | None = None,
    progress: Progress = lambda done, all: None,
) -> list[Segment]:
    """The segments with the machine's texts; `extras` say which machine, and how."""
    marked = [
        mark(segment.utterance, segment.values) if together else Marked(segment.utterance, {})
        for segment in segments
    ]
    passages = [Passage(each.text) for each in marked]
    for segment, each in zip(segments, marked, strict=True):
        passages += _alone(segment.values, each)
    kept = Cache(None) if cache is None else cache  # an empty one is falsy
    found = translate_all(passages, translator, languages, kept, progress)
    found |= _lost_marks(segments, marked, found, translator, languages, kept)
    terms = glossary or Glossary()
    return [
        _translated(segment, each, found, translator.name, terms, together)
        for segment, each in zip(segments, marked, strict=True)
    ]


def _alone(values: Pairs, marked: Marked) -> list[Passage]:
    """Values that are not marked in their utterance."""
    inside = set(marked.marks.values())
    return [
        Passage(value, slot)
        for number, (slot, value) in enumerate(values)
        if number not in inside and not is_label(value)
    ]


def _lost_marks(
    segments: Sequence[Segment],
    marked: Sequence[Marked],
    found: dict[Passage, Rendering],
    translator: Translator,
    languages: tuple[str, str],
    cache: Cache,
) -> dict[Passage, Rendering]:
    """Values whose marks did not come back, translated by themselves after all."""
    passages = []
    for segment, each in zip(segments, marked, strict=True):
        kept = unmark(found[Passage(each.text)].text)[1]
        lost = [number for count, number in each.marks.items() if count not in kept]
        passages += [
            Passage(segment.values[number][1], segment.values[number][0]) for number in lost
        ]
    return translate_all(passages, translator, languages, cache)


def _translated(
    segment: Segment,
    marked: Marked,
    found: dict[Passage, Rendering],
    name: str,
    glossary: Glossary,
    together: bool,
) -> Segment:
    rendering = found[Passage(marked.text)]
    text, inside = unmark(rendering.text)
    carried = {number: inside[count] for count, number in marked.marks.items() if count in inside}
    values = []
    hows = {}
    for number, (slot, value) in enumerate(segment.values):
        form, how = _form(slot, value, carried.get(number), found, glossary)
        if how == CARRIED and _is_left(form, rendering):
            how = UNTRANSLATED
        values.append((slot, form))
        hows[slot] = how
    provenance: dict[str, Any] = {"translator": name, "how": rendering.how}
    provenance["values"] = "together" if together else "alone"
    if hows:
        provenance["value_sources"] = hows
    if left := [word for word in rendering.untranslated if word.strip()]:
        provenance["untranslated"] = left
    extras = {**segment.extras, "provenance": provenance}
    return replace(segment, machine=text.strip(), machine_values=tuple(values), extras=extras)


def _form(
    slot: str,
    value: str,
    carried: str | None,
    found: dict[Passage, Rendering],
    glossary: Glossary,
) -> tuple[str, str]:
    """A value's form and where it comes from."""
    if is_label(value):
        return value, "label"
    if (wanted := glossary.translate(slot, value)) is not None:
        return wanted, "glossary"
    if carried is not None:
        return carried, CARRIED
    alone = found[Passage(value, slot)]
    return alone.text, alone.how if not alone.untranslated else UNTRANSLATED


def _is_left(form: str, rendering: Rendering) -> bool:
    """Whether the utterance carried a value along without translating it."""
    return any(comparable(form) in comparable(words) for words in rendering.untranslated)
