"""Acts without their values: `Inform(hotel, name, '2')` is the second hotel named, whichever it is.

What a policy with a fixed list of outputs chooses from; `lexicalise.py` puts the values back.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError, Place
from crosstalk.files import read_json, writing

NUMBERED = frozenset({INFORM, RECOMMEND})
"""Intents whose value becomes a number; all others keep the little they say."""
PUBLISHED_USER = "usr_da_voc.json"
PUBLISHED_SYSTEM = "sys_da_voc.json"


@dataclass(frozen=True, slots=True)
class ActVocabulary:
    """The delexicalised acts either side is known to say, sorted."""

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
    """Every act that some dialogue says."""
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
