"""Phrase books of the rules: words of a language and everyday words of a world, all data.

`data/<code>/phrases.toml` holds what every world needs; `assistant/<code>.toml` in a world's folder
adds what people call its domains, slots and values. A world without such a file is
understood by the names its language pack has.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.errors import WorldError
from crosstalk.language.file_rules import FilledByGenerator, Keys, Names
from crosstalk.language.normalize import plain
from crosstalk.language.patterns import GAP, MORE, pattern, rewriter
from crosstalk.language.world_files import ASSISTANT, world_file
from crosstalk.language.writing import DATA, primary, writing_of
from crosstalk.toml_files import read_model

FILE: Final = "phrases.toml"

FORMER_KEYS: Final = {
    "welcome": "welcome",
    "can_do": "General+help",
    "not_understood": "General+misunderstood",
    "restarted": "General+restart",
    "ask_domain": "Ask+domain",
    "no_booking": "Unsupported+booking",
}

CUES_OF_WORLDS: Final = frozenset({"title"})
"""Cues that the rules look for and only files of worlds have words for."""

LIGHT: Final = ("small", "filler")
"""Cues whose words say nothing by themselves."""

Words = dict[str, list[str]]


class Grammar(BaseModel):
    """What sets a language apart for the rules: word order, and what is written together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spaced: bool = True
    """Words stand between spaces."""
    counters: tuple[str, ...] = ()
    """Words between a number and what it counts, where the language needs them."""
    drops_subject: bool = False
    """*It* is left out where it is clear: `near the zoo?` asks about the place spoken of."""
    corrects: bool = True
    """Slips of the keyboard are corrected; in long words alone where words differ by letters."""
    near_follows: bool = False
    """The word for *near* stands behind the place."""
    than_follows: bool = False
    """The word for *than* stands before the place, the comparative behind it."""
    definite: tuple[str, ...] = ()
    """Beginnings of a word that make it definite, where the article is written with it."""
    joined_and: tuple[str, ...] = ()
    """Beginnings of a word that mean *and*, where that is written with it."""
    toward: tuple[str, ...] = ()
    """Beginnings of a definite word that mean *to*, where that is written with it."""
    definite_default: bool = False
    """A word that opens a question without an article may be meant as definite."""


class PhraseFile(BaseModel):
    """A file of phrases; every part may be missing."""

    model_config = ConfigDict(extra="forbid")

    grammar: Grammar = Grammar()
    cues: Annotated[Words, Keys(Names.CUE)] = {}
    """Words that carry a meaning."""
    understanding: Annotated[Words, Keys(Names.CUE)] = {}
    """More cues; they add to those of the same name."""
    unsupported: Annotated[Words, Keys(Names.TOPIC)] = {}
    """Topics that no table holds -> how people ask for them."""
    groups: Annotated[dict[str, int], Keys(Names.PHRASE)] = {}
    """Numbers of people or nights without a unit of their own: `zu viert` is 4."""
    variants: Annotated[dict[str, str], Keys(Names.PHRASE)] = {}
    """Words of a dialect and common misspellings -> the standard words that stand in this file."""
    sentences: Annotated[Words, Keys(Names.FORMER_ANSWER), FilledByGenerator()] = {}
    """Answers under the keys that they had before; see `FORMER_KEYS`."""
    answers: Annotated[Words, Keys(Names.ANSWER), FilledByGenerator()] = {}
    """What the system says for acts beyond the published ones; keys are `Intent` with more parts
    where they matter: `Affirm+nearby`, `Ask+departure`, `General+help`."""
    numbers: Annotated[dict[str, int], Keys(Names.PHRASE)] = {}
    """Number words beside those of `writing.toml`."""
    durations: Annotated[dict[str, float], Keys(Names.PHRASE)] = {}
    """Spans of time without a number in them -> hours: half an hour is 0.5."""
    examples: list[str] = []
    """Utterances that work, to be shown to who does not know what to say."""
    domains: Annotated[Words, Keys(Names.DOMAIN)] = {}
    """What people call a domain."""
    slots: Annotated[Words, Keys(Names.SLOT)] = {}
    """How people ask for a slot; keys are slots, or `domain.slot`."""
    values: Annotated[dict[str, Words], Keys(Names.COLUMN, Names.VALUE)] = {}
    """Slot -> value, or a part of one, as the table has it -> what people call it."""
    kinds: Annotated[dict[str, Words], Keys(Names.DOMAIN, Names.NAME_PART)] = {}
    """Domain -> a word in its names -> what people call such places: museum, beach."""
    members: Annotated[Words, Keys(Names.TERM)] = {}
    """A value that stands for many of the tables -> words of those: seafood is crab, prawn ..."""
    absent: Words = {}
    """Slot or domain -> keys of its [values] or [kinds] that no table holds, on purpose: people
    ask for them and shall hear that there is none. Only `crosstalk world check` reads it."""
    system: Annotated[dict[str, Any], FilledByGenerator()] = {}
    """Read by nothing any more: sentences for acts stand in `templates/<code>.toml`."""

    @property
    def all_cues(self) -> Words:
        return _merged(self.cues, self.understanding)


@dataclass(frozen=True)
class Phrasebook:
    """One language of one world, ready to be looked for."""

    language: str
    cues: Mapping[str, re.Pattern[str]]
    answers: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, int]
    durations: tuple[tuple[re.Pattern[str], float], ...]
    """Long phrases first: half an hour has an hour in it."""
    examples: tuple[str, ...]
    domains: Mapping[str, re.Pattern[str]]
    slots: Mapping[str, re.Pattern[str]]
    values: Mapping[str, Mapping[str, re.Pattern[str]]]
    kinds: Mapping[str, Mapping[str, re.Pattern[str]]]
    hour: str = ""
    """A word that is a unit of hours, whatever the language."""
    words: frozenset[str] = frozenset()
    """Every phrase there is for a cue, a domain or a slot."""
    stems: tuple[str, ...] = ()
    """Beginnings of words that mean a cue, a domain or a slot."""
    grammar: Grammar = field(default_factory=Grammar)
    unsupported: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    groups: tuple[tuple[re.Pattern[str], int], ...] = ()
    members: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """A kind of terms -> the words of terms that are of it."""
    gapped: re.Pattern[str] = re.compile("(?!)")
    """Phrases with a gap in them, in which other words keep their meaning."""
    things: frozenset[str] = frozenset()
    """What domains, slots, values and kinds of places are called, for slips by sound."""
    spelling: frozenset[str] = frozenset()
    """Single words of phrases that say something, for the correction of slips."""
    beginnings: frozenset[str] = frozenset()
    """Beginnings of words in phrases, for the same."""
    standard: Callable[[str], str] = str
    """Puts standard words for those of dialects in a plain text."""

    @cached_property
    def light(self) -> tuple[re.Pattern[str], ...]:
        """Cues whose words say nothing by themselves."""
        return tuple(self.cues[key] for key in LIGHT if key in self.cues)

    def knows(self, word: str) -> bool:
        """Whether a plain word means a cue, a domain, a slot or a number."""
        return word in self.words or word in self.numbers or word.startswith(self.stems)

    def has(self, cue: str, text: str) -> bool:
        """Whether a plain text holds a cue; a cue the language has no words for is never there."""
        found = self.cues.get(cue)
        return bool(found and found.search(text))


@cache
def package_phrases() -> tuple[PhraseFile, ...]:
    """The phrase files of all languages of the package: every cue, topic and answer there is."""
    names = sorted(f"{file.parent.name}/{FILE}" for file in DATA.glob(f"*/{FILE}"))
    return tuple(read_model(DATA, name, PhraseFile)[0] for name in names)


def cues_of(code: str) -> Words:
    """The words of our phrase file of a language; empty if there is none."""
    ours = _read(DATA, f"{primary(code)}/{FILE}")
    return ours.all_cues if ours is not None else {}


def speaks(folder: Path, code: str) -> bool:
    """Whether there are phrases of a language, ours or those of a world's folder."""
    theirs = folder / world_file(folder, ASSISTANT, code)
    return (DATA / primary(code) / FILE).exists() or theirs.exists()


def load_phrases(folder: Path, pack: LanguagePack, schema: Schema) -> Phrasebook:
    """The phrases for a world in its language; raises WorldError in words."""
    code = pack.code
    ours = _read(DATA, f"{primary(code)}/{FILE}")
    theirs = _read(folder, world_file(folder, ASSISTANT, code))
    if ours is None and (theirs is None or not (theirs.answers or theirs.sentences)):
        known = ", ".join(sorted(file.parent.name for file in DATA.glob(f"*/{FILE}")))
        raise WorldError(
            f"the assistant does not speak {pack.name} ({code})",
            remedy=f"It speaks {known}. Write {ASSISTANT}/{code}.toml in the world's folder, with "
            "the cues and answers that docs/languages.md tells of.",
        )
    return _book(pack, schema, ours or PhraseFile(), theirs or PhraseFile())


def _book(
    pack: LanguagePack,
    schema: Schema,
    general: PhraseFile,
    own: PhraseFile,
) -> Phrasebook:
    code = pack.code
    cues = _merged(general.all_cues, own.all_cues)
    domains_named = _domain_names(pack, schema)
    if not own.domains:
        domains_named = _merged(domains_named, _domain_heads(domains_named, code))
    domains = _merged(domains_named, own.domains)
    slots = _merged(_slot_names(pack, schema), own.slots)
    writing = writing_of(code)
    numbers = {**writing.number_words, **writing.spoken, **general.numbers, **own.numbers}
    answers = {**general.answers, **_renamed(own.sentences), **own.answers}
    beyond = _beyond(domains_named, code, general.unsupported)
    everything = [
        phrase for group in (cues, domains, slots) for each in group.values() for phrase in each
    ]
    called = [phrase for group in (domains, slots) for each in group.values() for phrase in each]
    things = [*called, *_value_phrases(own)]
    telling = {key: phrases for key, phrases in cues.items() if key not in LIGHT}
    spelt = [
        *(
            phrase
            for group in (telling, domains, slots)
            for each in group.values()
            for phrase in each
        ),
        *_value_phrases(own),
    ]
    return Phrasebook(
        language=code,
        cues=_compiled(cues, code),
        answers={key: tuple(ways) for key, ways in answers.items()},
        numbers={plain(word): value for word, value in numbers.items()},
        durations=_durations({**general.durations, **own.durations}, code),
        examples=tuple(own.examples),
        domains=_compiled(domains, code),
        slots=_compiled(slots, code),
        values={slot: _compiled(words, code) for slot, words in own.values.items()},
        kinds={domain: _compiled(words, code) for domain, words in own.kinds.items()},
        hour=plain(next(iter(cues.get("hours", [])), "").removesuffix(MORE)),
        words=frozenset(plain(each) for each in everything if not each.endswith(MORE)),
        stems=tuple(plain(each) for each in everything if each.endswith(MORE) and " " not in each),
        grammar=_grammar(general, own),
        unsupported=_compiled(_merged(beyond, own.unsupported), code),
        groups=tuple(
            (pattern([phrase], code), number)
            for phrase, number in {**general.groups, **own.groups}.items()
        ),
        members=_compiled(own.members, code),
        standard=rewriter({**general.variants, **own.variants}, code),
        gapped=pattern([each for each in everything if GAP in each.strip(".")], code),
        things=frozenset(map(plain, things)),
        spelling=frozenset(_single_words(spelt)),
        beginnings=frozenset(_beginnings(spelt)),
    )


def _grammar(general: PhraseFile, own: PhraseFile) -> Grammar:
    """What the world's file says of the language, over what the package's says."""
    said = {name: getattr(own.grammar, name) for name in own.grammar.model_fields_set}
    return general.grammar.model_copy(update=said)


def _renamed(sentences: Words) -> Words:
    """Answers of a world's file that was written when they were called sentences."""
    return {new: sentences[old] for old, new in FORMER_KEYS.items() if old in sentences}


def _value_phrases(own: PhraseFile) -> Iterable[str]:
    tables = [*own.values.values(), *own.kinds.values()]
    return (phrase for table in tables for phrases in table.values() for phrase in phrases)


def _single_words(phrases: Iterable[str]) -> Iterator[str]:
    for phrase in phrases:
        yield from plain(phrase).split()


def _beginnings(phrases: Iterable[str]) -> Iterator[str]:
    for phrase in phrases:
        yield from (plain(word) for word in phrase.split() if word.endswith(MORE))


def _beyond(domains: Words, code: str, topics: Words) -> Words:
    """Topics without the words that are domains of this world: here tables do hold pharmacies."""
    names = [plain(name) for each in domains.values() for name in each]
    kept = {
        topic: [
            phrase
            for phrase in phrases
            if not any(pattern([phrase], code).fullmatch(name) for name in names)
        ]
        for topic, phrases in topics.items()
    }
    return {topic: phrases for topic, phrases in kept.items() if phrases}


def _domain_names(pack: LanguagePack, schema: Schema) -> Words:
    return {each.key: [pack.domain_name(each.key)] for each in schema}


def _domain_heads(names: Words, code: str) -> Words:
    """The last words of longer names, with an `s` or not, where no other domain has that word."""
    if not writing_of(code).spaced:
        return {}
    words = {key: plain(" ".join(each)).split() for key, each in names.items()}
    heads = {key: each[-1] for key, each in words.items() if len(each) > 1}
    return {
        key: [head, f"{head}s"]
        for key, head in heads.items()
        if not any(head in each for other, each in words.items() if other != key)
    }


def _slot_names(pack: LanguagePack, schema: Schema) -> Words:
    """What the language pack calls slots, but for those that are asked for otherwise."""
    return {
        slot.key: [pack.slot_name(domain.key, slot.key)]
        for domain in schema
        for slot in domain.slots
        if slot.kind not in (SlotKind.NEARBY, SlotKind.ENDPOINT)  # "nearby hotels" asks for hotels
    }


def _merged(first: Words, second: Words) -> Words:
    return {key: [*first.get(key, []), *second.get(key, [])] for key in {**first, **second}}


def _compiled(words: Mapping[str, Iterable[str]], code: str) -> dict[str, re.Pattern[str]]:
    return {key: pattern(phrases, code) for key, phrases in words.items()}


def _durations(hours: Mapping[str, float], code: str) -> tuple[tuple[re.Pattern[str], float], ...]:
    longest_first = sorted(hours, key=len, reverse=True)
    return tuple((pattern([phrase], code), hours[phrase]) for phrase in longest_first)


def _read(folder: Path, name: str) -> PhraseFile | None:
    if not (folder / name).exists():
        return None
    return read_model(folder, name, PhraseFile)[0]


class TermKinds:
    """Knows the kinds of terms of one world in one language."""

    def __init__(self, book: Phrasebook) -> None:
        self._members = {plain(kind): words for kind, words in book.members.items()}
        self.meets = lru_cache(maxsize=1 << 14)(self._meets)

    def _meets(self, text: str, kind: str) -> bool | None:
        """Whether a term is of a kind; None where the kind is unknown."""
        words = self._members.get(plain(kind))
        return None if words is None else bool(words.search(plain(text)))
