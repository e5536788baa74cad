"""Which world a corpus belongs to, and whether it fits the world in use.

    choice = choose_world(read_corpus(path), str(path))
    note = refuse_unfit(list(read_corpus(path)), str(path), choice)

Figures of a corpus whose domains, slots or language the world does not have are low, and nothing in
them says why. So every command that reads a corpus asks here first, and all of them refuse in the
same words.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NoReturn

from crosstalk.corpora.check_words import Word, uses_of, why_unknown, words_of
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError, Place
from crosstalk.worlds.world import Outline, built_in_worlds, load_outline

TOLERATED: Final = 0.02
"""Share of unknown slots (each counted once a dialogue) that a corpus may have.

Measured in percent: CrossWOZ val and test, ConvLab's sample of it and simulated runs in their own
world 0.0; in another world 81 for MultiWOZ (train, and ConvLab's sample) against harbour, which has
hotels and restaurants with names too, and 97 to 100 for all others. Any limit in between tells them
apart. At 2 % (of 29 slots a dialogue) one odd slot in every second dialogue still passes.
"""
LOOKED_AT: Final = 20
"""Dialogues that decide about the world of a corpus that does not name it."""
SHOWN: Final = 5
"""Unknown words in a message."""


@dataclass(frozen=True, slots=True)
class WorldChoice:
    """The world that a corpus is read in."""

    world: str
    """A world that ships, or a world folder."""
    language: str | None = None
    """None: the world's own language."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a dialogue says about itself; empty where it does not say."""

    world: str
    language: str

    def __str__(self) -> str:
        world = f"the world {self.world}" if self.world else "a world they do not name"
        return f"{world} in {self.language}" if self.language else world


def choose_world(
    dialogues: Iterable[Dialogue],
    source: str,
    *,
    world: str | None = None,
    language: str | None = None,
) -> WorldChoice:
    """The world and language as given, else as the first dialogues name them.

    Where they name no world, the one that ships and has their domains and slots. Whether all of the
    corpus fits is for `refuse_unfit` to say.
    """
    first = list(islice(dialogues, LOOKED_AT))
    label = _label(first[0]) if first else Label("", "")
    chosen = world or _known(label, source) or _derived(first, source)
    if language is None and label.language:
        outline = load_outline(chosen)
        if label.language != outline.base and label.language in outline.languages:
            language = label.language
    return WorldChoice(chosen, language)


def _known(label: Label, source: str) -> str:
    """The world a label names; empty where it names none."""
    if label.world and label.world not in built_in_worlds():
        raise InputError(
            f"{source}: its dialogues are of {label}, which does not ship with Crosstalk",
            remedy=f"Name the folder of {label.world} with --world; worlds that ship: "
            f"{', '.join(built_in_worlds())}.",
        )
    return label.world


def _derived(first: Sequence[Dialogue], source: str) -> str:
    outlines = {name: load_outline(name) for name in built_in_worlds()}
    words = [_words(dialogue) for dialogue in first]
    fitting = [
        name
        for name, outline in outlines.items()
        if any(words) and _unknown_share(words, outline.schema) <= TOLERATED
    ]
    if len(fitting) == 1:
        return fitting[0]
    found = sorted({domain for several in words for domain, _ in several})
    told = f"domains {', '.join(found[:SHOWN])}" if found else "neither acts nor states nor goals"
    raise InputError(
        f"{source}: the corpus does not say which world it is of; it has {told}",
        remedy="Name its world with --world; worlds that ship: "
        + "; ".join(f"{name} ({_domains(each)})" for name, each in outlines.items())
        + ".",
    )


def refuse_unfit(dialogues: Sequence[Dialogue], source: str, choice: WorldChoice) -> str:
    """Raise where a corpus does not fit the chosen world; a note on what was tolerated, or ""."""
    outline = load_outline(choice.world)
    asked = choice.language or outline.base
    labels = Counter(map(_label, dialogues))
    words = [_words(dialogue) for dialogue in dialogues]
    share = _unknown_share(words, outline.schema)
    problems = [
        *_other_labels(labels, outline, asked),
        *([_told(dialogues, words, outline)] if share > TOLERATED else []),
    ]
    if problems:
        _refuse(source, problems, outline, asked, labels)
    if share:
        return f"{source}: {_told(dialogues, words, outline)}; few enough to go on"
    if dialogues and not any(label.language for label in labels) and len(outline.languages) > 1:
        return f"{source}: the corpus does not say its language; taken as {asked} (--language)"
    return ""


def _refuse(
    source: str, problems: list[str], outline: Outline, asked: str, labels: Counter[Label]
) -> NoReturn:
    languages = ", ".join(outline.languages)
    only_language = all(label.world in ("", outline.name) for label in labels) and any(
        label.language in outline.languages for label in labels
    )
    own = "language with --language" if only_language else "world with --world"
    raise InputError(
        f"{source}: the corpus does not fit the world {outline.name} in {asked}: "
        + "; ".join(problems),
        remedy=f"{outline.name} has the domains {_domains(outline)} and the languages {languages}. "
        f"Give a corpus of {outline.name} in {asked}, or name the corpus's own {own}.",
    )


def _other_labels(labels: Counter[Label], outline: Outline, asked: str) -> Iterator[str]:
    strange = {
        label: count
        for label, count in labels.items()
        if label.world not in ("", outline.name) or label.language not in ("", asked)
    }
    if strange:
        told = ", ".join(f"{label} ({count:,})" for label, count in strange.items())
        yield f"its dialogues are of {told}"


def _told(dialogues: Sequence[Dialogue], words: Sequence[set[Word]], outline: Outline) -> str:
    """The unknown domains and slots, the most frequent first, with the place of the first one."""
    counts = Counter(
        word for several in words for word in several if why_unknown(word, outline.schema)
    )
    unknown = Counter(
        {domain: n for (domain, _), n in counts.items() if outline.schema.domain(domain) is None}
    )
    slots = {word: n for word, n in counts.items() if word[0] not in unknown}
    told = [
        _listed("domains", [domain for domain, _ in unknown.most_common()]),
        _listed("slots", [f"{d}-{s}" for (d, s), _ in Counter(slots).most_common()]),
    ]
    return f"{' and '.join(filter(None, told))}, for example {_example(dialogues, counts)}"


def _listed(what: str, names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"unknown {what} {', '.join(names[:SHOWN])}{more}"


def _example(dialogues: Sequence[Dialogue], unknown: Collection[Word]) -> str:
    """An unknown word and its first place, in a turn where the dialogue has it in one."""
    for dialogue in dialogues:
        uses = [use for use in uses_of(dialogue) if use[0] in unknown]
        if uses:
            (domain, slot), turn, field = min(uses, key=lambda use: use[1] is None)
            return f"{domain}-{slot} in {Place(dialogue=dialogue.id, turn=turn, field=field)}"
    return "-"


def _words(dialogue: Dialogue) -> set[Word]:
    """The slots of a dialogue with their domains.

    Left out are acts whose domain is open, and domains without a slot: MultiWOZ's `Select` has
    values where CrossWOZ's has a domain.
    """
    return {(domain, slot) for domain, slot in words_of(dialogue) if domain and slot}


def _unknown_share(words: Iterable[set[Word]], schema: Schema) -> float:
    counts = Counter(word for several in words for word in several)
    unknown = sum(count for word, count in counts.items() if why_unknown(word, schema))
    return unknown / counts.total() if counts else 0.0


def _label(dialogue: Dialogue) -> Label:
    return Label(dialogue.world, dialogue.language)


def _domains(outline: Outline) -> str:
    return ", ".join(domain.key for domain in outline.schema)
