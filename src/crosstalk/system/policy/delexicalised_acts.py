"""Acts without values, and values for them: what a policy with a fixed list of outputs works on.

`Inform(hotel, name, '2')` is the second hotel named, whichever it is. `delexicalise` takes the
values out; `lexicalise` puts in those of the rows that a query found, and `lexicalise_as_published`
does so with the defects of the published code. Both speak of the first row: the method does not
rank rows.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.errors import FormatError, Place
from crosstalk.files import read_json, writing
from crosstalk.language.number_forms import forms_of
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Cell, Row, World

NUMBERED = frozenset({INFORM, RECOMMEND})
"""Intents whose value becomes a number; other intents keep their value."""
PUBLISHED_USER = "usr_da_voc.json"
PUBLISHED_SYSTEM = "sys_da_voc.json"


@dataclass(frozen=True, slots=True)
class ActVocabulary:
    """The delexicalised acts of either side, sorted."""

    user: tuple[Act, ...]
    system: tuple[Act, ...]


def delexicalise(acts: Iterable[Act]) -> tuple[Act, ...]:
    """Values become running numbers: 1 for the first act of its intent, domain and slot."""
    seen: Counter[tuple[str, str, str]] = Counter()
    bare = []
    for act in acts:
        if act.intent in NUMBERED:
            key = (act.intent, act.domain, act.slot)
            seen[key] += 1
            act = Act(*key, str(seen[key]))
        bare.append(act)
    return tuple(bare)


def extract_vocabulary(dialogues: Iterable[Dialogue]) -> ActVocabulary:
    """The vocabulary of all acts in the dialogues."""
    user: set[Act] = set()
    system: set[Act] = set()
    for dialogue in dialogues:
        for turn in dialogue.user_turns:
            user.update(delexicalise(turn.acts))
        for turn in dialogue.system_turns:
            system.update(delexicalise(turn.acts))
    return ActVocabulary(tuple(sorted(user)), tuple(sorted(system)))


def read_vocabulary(folder: Path) -> ActVocabulary:
    """The two files that were published with a corpus: lists of `intent+domain+slot+value`."""
    return ActVocabulary(_read_acts(folder / PUBLISHED_USER), _read_acts(folder / PUBLISHED_SYSTEM))


def load_vocabulary(file: Path) -> ActVocabulary:
    """A vocabulary as `save_vocabulary` wrote it."""
    match read_json(file):
        case {"user": list(user), "system": list(system)}:
            return ActVocabulary(_acts(file, user), _acts(file, system))
        case content:
            raise _malformed(file, content)


def save_vocabulary(vocabulary: ActVocabulary, file: Path) -> None:
    with writing(file) as text:
        told = {
            "user": list(map(_told, vocabulary.user)),
            "system": list(map(_told, vocabulary.system)),
        }
        json.dump(told, text, ensure_ascii=False, indent=1)


def _read_acts(file: Path) -> tuple[Act, ...]:
    content = read_json(file)
    if not isinstance(content, list):
        raise _malformed(file, content)
    return _acts(file, content)


def _acts(file: Path, texts: list[Any]) -> tuple[Act, ...]:
    return tuple(_read_act(file, text) for text in texts)


def _told(act: Act) -> str:
    return "+".join((act.intent, act.domain, act.slot, act.value))


def _read_act(file: Path, text: Any) -> Act:
    if not isinstance(text, str) or text.count("+") != 3:
        raise _malformed(file, text)
    return Act(*text.split("+"))


def _malformed(file: Path, found: object) -> FormatError:
    return FormatError(
        f"expected a list of acts written intent+domain+slot+value, found {str(found)[:60]!r}",
        place=Place(str(file)),
        remedy="Fetch the file again, or remove it: acts are then taken from the dialogues.",
    )


Results = Callable[[str], Sequence[Row]]
"""Domain -> the rows that the form finds there."""
Lexicaliser = Callable[[World, Iterable[Act], str, Results], tuple[Act, ...]]
"""World, delexicalised acts, the current domain, what is found -> acts with values."""


def lexicalise_as_published(
    world: World, acts: Iterable[Act], domain: str, results: Results
) -> tuple[Act, ...]:
    """The published lexicaliser.

    Acts of other domains than the current one are lost, and so is every act numbered higher than
    there are rows, though it speaks of the first row. Unknown prices become `None元`, a dish too
    many becomes a number, and empty lists of nearby places are never said.
    """
    asked = world.schema.domain(domain)
    rows = results(domain)
    spoken = []
    for act in acts:
        if act.intent in (GENERAL, NO_OFFER):
            spoken.append(act)
        elif act.domain == domain and asked is not None and len(rows) >= int(act.value):
            spoken += _published(world, asked, rows, act)
    return tuple(spoken)


def _published(world: World, domain: Domain, rows: Sequence[Row], act: Act) -> Iterator[Act]:
    slot = domain.slot(act.slot)
    number = int(act.value)
    if slot is None:
        return
    if act.intent == RECOMMEND:
        value = str(rows[number - 1].get(slot.key))
    elif domain.kind is DomainKind.METRO:
        station = next((row[slot.key] for row in rows if slot.key in row), None)
        value = str(station or world.language.nothing)
    elif slot.key not in rows[0]:  # a taxi without both ends: the published code stops here
        return
    elif slot.kind is SlotKind.NEARBY:
        names = _several(rows[0][slot.key])
        if len(names) < number:
            return
        value = names[number - 1]
    else:
        value = _published_value(world, domain, slot, rows[0], act)
    yield Act(act.intent, act.domain, act.slot, value)


def _published_value(world: World, domain: Domain, slot: Slot, row: Row, act: Act) -> str:
    cell = row[slot.key]
    if slot.kind is SlotKind.LIST:
        things = _things(slot, cell)
        number = int(act.value)
        return things[number - 1] if len(things) >= number else str(number - 1)
    if slot.kind is SlotKind.SERVICES:
        return answer(world.language, domain, row, act.slot)[0]
    if slot.kind.is_number:
        return forms_of(world.language, domain.key, slot).exact.format(value=cell)
    return str(cell)


def lexicalise(world: World, acts: Iterable[Act], domain: str, results: Results) -> tuple[Act, ...]:
    """The corrected lexicaliser: all domains, no made-up values, `none` where a cell is empty."""
    spoken: dict[Act, None] = {}
    for act in acts:
        asked = world.schema.domain(act.domain)
        if act.intent in (GENERAL, NO_OFFER):
            spoken[act] = None
        elif asked is not None and act.intent in NUMBERED:
            texts = _texts(world, asked, results(act.domain), act)
            number = int(act.value)
            if number <= len(texts):
                spoken[Act(act.intent, act.domain, act.slot, texts[number - 1])] = None
    return tuple(spoken)


def _texts(world: World, domain: Domain, rows: Sequence[Row], act: Act) -> tuple[str, ...]:
    """All values that such an act may get, in the order of its numbers."""
    slot = domain.slot(act.slot)
    if slot is None or not rows:
        return ()
    if act.intent == RECOMMEND:
        return tuple(str(row[slot.key]) for row in rows)
    row = next((each for each in rows if slot.key in each), rows[0])
    if slot.kind is SlotKind.LIST:
        return _things(slot, row.get(slot.key)) or (world.language.nothing,)
    return answer(world.language, domain, row, act.slot)


def _things(slot: Slot, cell: Cell) -> tuple[str, ...]:
    """The terms that are items of the list: dishes, without tags such as `open at night`."""
    return tuple(term for term in _several(cell) if term not in slot.tags)


def _several(cell: Cell) -> tuple[str, ...]:
    return cell if isinstance(cell, tuple) else ()
