"""Renderings of table values from a vocabulary that is fetched with a corpus.

    vocabulary_values(data / "multiwoz_zh/vocab_dict.json", tables)["food"]["thai"]

A language file names it (`vocabulary = "multiwoz_zh/vocab_dict.json"`). Its form is ConvLab-2's:
`{"value_set": {domain: {slot: {value: rendering}}}}`. Values are compared without case, marks and
spaces around apostrophes, since corpora write them tokenised. A slot has one rendering of a value,
the one that most domains have; what the language file and its own values say comes first.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.errors import FileProblem
from crosstalk.files import read_json
from crosstalk.problems import Problem
from crosstalk.worlds.language_pack import LoadedLanguage
from crosstalk.worlds.tables import Table, texts

VALUES: Final = "value_set"
_APOSTROPHE: Final = re.compile(r"\s*'\s*")
_MARKS: Final = re.compile(r"[\W_]+")


def with_vocabulary(
    spoken: LoadedLanguage,
    data: Path,
    tables: Sequence[Table],
    problems: list[Problem],
    *,
    beyond: bool = True,
) -> LoadedLanguage:
    """The language with the renderings of its vocabulary, where it names one.

    `beyond`: also of categories that stand in no table, which people ask for all the same.
    """
    if not spoken.vocabulary:
        return spoken
    try:
        content = read_json(data / spoken.vocabulary)
    except FileProblem as error:
        message = f"its vocabulary cannot be read: {error.message}"
        corpus = spoken.vocabulary.partition("/")[0]
        remedy = f"Run `crosstalk fetch {corpus}`, which brings it into the data folder."
        problems.append(spoken.file.problem(("vocabulary",), message, remedy))
        return spoken
    found = vocabulary_values(content, tables)
    if beyond:
        for key, others in _categories(content, tables).items():
            found[key] = {**others, **found.get(key, {})}
    own = spoken.pack.values
    values = {key: {**found.get(key, {}), **own.get(key, {})} for key in {*found, *own}}
    return replace(spoken, pack=replace(spoken.pack, values=values))


def vocabulary_values(content: Any, tables: Iterable[Table]) -> dict[str, dict[str, str]]:
    """Slot key -> value of the tables -> its rendering."""
    known = _renderings(content.get(VALUES, {}) if isinstance(content, Mapping) else {})
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for table in tables:
        keys = [slot.key for slot in rendered_slots(table.domain)]
        for row, key in product(table, keys):
            for value in texts(row.get(key)):
                if (key.lower(), _folded(value)) in known:
                    values[key][value] = known[key.lower(), _folded(value)]
    return values


def _categories(content: Any, tables: Iterable[Table]) -> dict[str, dict[str, str]]:
    """Slot key -> every category of the vocabulary, as it writes it -> its rendering."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for table in tables:
        written = content.get(VALUES, {}).get(table.domain.key, {})
        for slot in table.domain.of_kind(SlotKind.CATEGORY):
            renderings = written.get(slot.key, {}).items()
            found[slot.key] |= {value: text for value, text in renderings if text.strip()}
    return found


def rendered_slots(domain: Domain) -> list[Slot]:
    """The slots whose values a language renders one by one."""
    fixed = {SlotKind.DAY, SlotKind.FLAG, SlotKind.KEY, SlotKind.TIME, SlotKind.DATE}
    fixed |= {SlotKind.NAME} if domain.key_slots else set()
    return [slot for slot in domain.slots if slot.kind not in fixed]


def _renderings(domains: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Slot key and folded value -> the rendering that most domains have."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for slots in domains.values():
        for key, renderings in slots.items():
            for value, rendering in renderings.items():
                if isinstance(rendering, str) and rendering.strip() and _folded(value):
                    counts[key.lower(), _folded(value)][rendering.strip()] += 1
    return {key: max(count, key=lambda text: count[text]) for key, count in counts.items()}


def _folded(value: str) -> str:
    return _MARKS.sub(" ", _APOSTROPHE.sub("", value.lower())).strip()
