"""Hard users: the same goals, said with typos, without punctuation, romanised, mixed, noisy ...

    perturb = perturbation("typos", "en")
    perturb("a hotel with a pool", Random(1))

A perturbation changes the words of a user's turn, never what is wanted. Its words are data:
`language/data/<code>/perturbations.toml`. The same seed gives the same words.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.language.spelling import syllables_of
from crosstalk.language.writing import DATA, primary
from crosstalk.users.hard_users import BEHAVIOURS

FILE: Final = "perturbations.toml"
TYPO_RATE: Final = 1 / 14
"""Slips a letter; people who type in a hurry make about so many."""

Perturb = Callable[[str, Random], str]
_PUNCTUATION: Final = re.compile(
    r"(?<!\d)[.,!?;:。，！？；：、؟،؛]|[.,!?;:。，！？；：、؟،؛](?!\d)"
)
_WORD: Final = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class PerturbationWords:
    """What a language has for hard users."""

    keyboard: tuple[str, ...]
    """Rows of keys: letters next to each other are mixed up."""
    romanised: Mapping[str, str]
    """Letter -> how people write it in Latin letters."""
    fillers: tuple[str, ...]
    """Sounds between words, as speech recognisers write them."""
    small: frozenset[str]
    """Words that people leave out in fragments."""
    impatient: tuple[str, ...]
    off_topic: tuple[str, ...]
    hostile: tuple[str, ...]
    """Attempts to make an agent break its rules."""
    foreign: Mapping[str, str]
    """Word -> the same in another language, as people mix them."""
    injections: tuple[str, ...] = ()
    """Instructions to agents that stand in a table, with a place for `{marker}`."""


@cache
def perturbation_words(code: str) -> PerturbationWords:
    """The words of a language; English where it has none."""
    file = DATA / primary(code) / FILE
    if not file.is_file():
        file = DATA / "en" / FILE
    table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return PerturbationWords(
        tuple(table.get("keyboard", ())),
        table.get("romanised", {}),
        tuple(table["fillers"]),
        frozenset(table["small"].split()),
        tuple(table["impatient"]),
        tuple(table["off_topic"]),
        tuple(table["hostile"]),
        table.get("foreign", {}),
        tuple(table.get("injections", ())),
    )


def injections() -> tuple[str, ...]:
    """The instructions of all languages that have some, in the order of their codes."""
    codes = sorted(path.parent.name for path in DATA.glob(f"*/{FILE}"))
    return tuple(text for code in codes for text in perturbation_words(code).injections)


def typos(words: PerturbationWords, code: str) -> Perturb:
    """Slips of the keyboard; in Chinese, signs that sound alike. Digits stay."""

    def perturb(text: str, rng: Random) -> str:
        letters = list(text)
        for at, letter in enumerate(text):
            if letter.isalpha() and rng.random() < TYPO_RATE:
                letters[at] = _slip(letter, words.keyboard, code, rng)
        return "".join(letters)

    return perturb


def _slip(letter: str, keyboard: Sequence[str], code: str, rng: Random) -> str:
    alike = _sounding_alike(code).get(letter)
    if alike:
        return rng.choice(alike)
    near = _neighbours(letter.lower(), keyboard)
    if not near:
        return letter
    kind = rng.randrange(3)
    if kind == 0:
        return ""
    slip = rng.choice(near)
    slip = slip.upper() if letter.isupper() else slip
    return letter + slip if kind == 1 else slip


@cache
def _sounding_alike(code: str) -> dict[str, list[str]]:
    by_sound: dict[str, list[str]] = {}
    for sign, sound in syllables_of(code).items():
        by_sound.setdefault(sound, []).append(sign)
    return {
        sign: [other for other in signs if other != sign][:8]
        for signs in by_sound.values()
        for sign in signs
        if len(signs) > 1
    }


def _neighbours(letter: str, keyboard: Sequence[str]) -> str:
    for row in keyboard:
        at = row.find(letter)
        if at >= 0:
            return row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    return ""


def plain(words: PerturbationWords, code: str) -> Perturb:
    """Small letters, no punctuation."""
    return lambda text, rng: " ".join(_PUNCTUATION.sub(" ", text).lower().split())


def romanised(words: PerturbationWords, code: str) -> Perturb:
    """In Latin letters; in Chinese, pinyin without tones."""
    sounds = syllables_of(code)

    def letter(sign: str) -> str:
        if sign in sounds:
            return f" {sounds[sign]}"
        low = words.romanised.get(sign.lower())
        if low is None:
            return sign
        return low.capitalize() if sign.isupper() else low

    return lambda text, rng: " ".join("".join(map(letter, text)).split())


def mixed(words: PerturbationWords, code: str) -> Perturb:
    """Some words in another language."""

    def perturb(text: str, rng: Random) -> str:
        for word, other in words.foreign.items():
            if rng.random() < 0.7:
                text = re.sub(_whole(word), other, text, flags=re.IGNORECASE)
        return text

    return perturb


def _whole(word: str) -> str:
    """A word by itself; languages without spaces have none around it."""
    escaped = re.escape(word)
    return escaped if re.search(r"[一-鿿]", word) else rf"\b{escaped}\b"


def asr(words: PerturbationWords, code: str) -> Perturb:
    """As a speech recogniser writes: no case, no punctuation, sounds between words."""
    quiet = plain(words, code)

    def perturb(text: str, rng: Random) -> str:
        parts = quiet(text, rng).split()
        for at in range(len(parts) - 1, 0, -1):
            if rng.random() < 0.12:
                parts.insert(at, rng.choice(words.fillers))
        return " ".join([rng.choice(words.fillers), *parts] if rng.random() < 0.4 else parts)

    return perturb


def fragments(words: PerturbationWords, code: str) -> Perturb:
    """Without small words, in pieces."""

    def perturb(text: str, rng: Random) -> str:
        if not words.small:
            return text
        kept = [
            part
            for part in text.split()
            if (found := _WORD.search(part)) is None or found.group().lower() not in words.small
        ]
        return " ".join(kept) or text

    return perturb


def with_remarks(remarks: Sequence[str], share: float, *, before: bool) -> Perturb:
    """Another sentence in some of the turns."""

    def perturb(text: str, rng: Random) -> str:
        if not remarks or rng.random() > share:
            return text
        remark = rng.choice(remarks)
        return f"{remark} {text}" if before else f"{text} {remark}"

    return perturb


def impatient(words: PerturbationWords, code: str) -> Perturb:
    """Complaints, in every other turn."""
    return with_remarks(words.impatient, 0.5, before=False)


def off_topic(words: PerturbationWords, code: str) -> Perturb:
    """Small talk, in two turns of five."""
    return with_remarks(words.off_topic, 0.4, before=True)


def hostile(words: PerturbationWords, code: str) -> Perturb:
    """Attempts to make an agent break its rules, in two turns of five."""
    return with_remarks(words.hostile, 0.4, before=False)


PERTURBATIONS: Final[Mapping[str, Callable[[PerturbationWords, str], Perturb]]] = {
    "typos": typos,
    "plain": plain,
    "romanised": romanised,
    "mixed": mixed,
    "asr": asr,
    "fragments": fragments,
    "impatient": impatient,
    "off-topic": off_topic,
    "hostile": hostile,
}


def perturbation(name: str, code: str) -> Perturb:
    """A perturbation of words in a language; several are joined by `+` and applied in order."""
    known = perturbation_words(code)
    made = [PERTURBATIONS[each](known, code) for each in name.split("+") if each in PERTURBATIONS]

    def perturb(text: str, rng: Random) -> str:
        for each in made:
            text = each(text, rng)
        return text

    return perturb


def behaviours(name: str) -> list[str]:
    """The parts of a name that change what a user does; raises for parts that nobody knows."""
    parts = [each for each in name.split("+") if each]
    for each in parts:
        if each not in PERTURBATIONS and each not in BEHAVIOURS:
            raise InputError(
                f"there is no perturbation called {each!r}",
                remedy=f"Known: {', '.join([*PERTURBATIONS, *BEHAVIOURS])}; several are joined "
                "by `+`.",
            )
    return [each for each in parts if each in BEHAVIOURS]
