"""Reads a corpus, or a run folder, in the world it belongs to.

    corpus = read_fitting(Path("val.json.zip"))
    corpus.dialogues, corpus.world

Scores on a corpus whose domains, slots or language the world does not have would be low without
saying why. Every command that reads a corpus therefore chooses its world here (`choose_world`) and
refuses one that does not fit (`refuse_unfit`).
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NoReturn

from crosstalk.agents.prompts import agent_prompt
from crosstalk.corpora.chat import has_own_calls
from crosstalk.corpora.corpus import read_corpus, recognise
from crosstalk.corpora.corpus_check import SchemaOf
from crosstalk.corpora.corpus_files import corpus_digest
from crosstalk.corpora.crosswoz_schema import crosswoz_schema
from crosstalk.corpora.formats import find_format, format_of_world
from crosstalk.corpora.slot_checks import Word, uses_of, why_unknown, words_of
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError, Place
from crosstalk.evaluation.schema_worlds import find_schema_world, notice_of, with_whole_forms
from crosstalk.model_folders import folder_digest
from crosstalk.simulation.run_folders import CARD, DIALOGUES, open_run
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.turn_lookups import TurnLookUps
from crosstalk.worlds.world import (
    Outline,
    built_in_worlds,
    find_world,
    is_fetched,
    load_outline,
    load_world,
)

TOLERATED: Final = 0.02
"""Share of unknown slots (each counted once a dialogue) that a corpus may have.

Measured in percent: CrossWOZ val and test, ConvLab's sample of it and simulated runs in their own
world 0.0; in another world 81 for MultiWOZ (train, and ConvLab's sample) against harbour, which has
hotels and restaurants with names too, and 97 to 100 for all others. Any limit in between tells them
apart. At 2 % (of 29 slots a dialogue) one odd slot in every second dialogue still passes.
"""
LOOKED_AT: Final = 20
"""Number of dialogues that decide the world of a corpus that does not name it."""
SHOWN: Final = 5
"""Number of unknown domains or slots in a message."""


@dataclass(frozen=True, slots=True)
class WorldChoice:
    """The world that a corpus is read in."""

    world: str
    """A world that ships, or a world folder."""
    language: str | None = None
    """None: the world's own language."""


@dataclass(frozen=True, slots=True)
class CorpusLabel:
    """The world and language that a dialogue names; empty if it names none."""

    world: str
    language: str

    def __str__(self) -> str:
        world = f"the world {self.world}" if self.world else "a world they do not name"
        return f"{world} in {self.language}" if self.language else world


def choose_world(
    path: Path,
    source: str,
    *,
    world: str | None = None,
    language: str | None = None,
    out: Path | None = None,
    models: Path | None = None,
) -> WorldChoice:
    """The world and language as given, else as the first dialogues of a corpus name them.

    If they name no world: the built-in world that has their domains and slots. If they name one
    that does not ship, or none that fits: a world without tables (schema_worlds.py), which is
    written to `out` or found in `models`. `refuse_unfit` checks later whether all of it fits.
    """
    first = list(islice(dialogues_in(path), LOOKED_AT))
    label = _label(first[0]) if first else CorpusLabel("", "")
    ships = world in built_in_worlds()
    chosen = world if ships or (world and world != label.world) else _known(label)
    if not chosen and not label.world:
        chosen = _derived(first)
    if not chosen:
        _refuse_unlabelled(first, source)
        name = label.world or path.name.split(".")[0]
        read = partial(dialogues_in, path)
        chosen = find_schema_world(path, read, name, label.language, out=out, models=models)
    if language is None and label.language:
        outline = load_outline(chosen)
        if label.language != outline.base and label.language in outline.languages:
            language = label.language
    return WorldChoice(chosen, language)


def _known(label: CorpusLabel) -> str:
    """The world of a label; empty if it names none or one that does not ship."""
    return label.world if label.world in built_in_worlds() else ""


def _derived(first: Sequence[Dialogue]) -> str:
    """The one world that ships and has the slots of these dialogues; empty if there is none."""
    outlines = {name: load_outline(name) for name in built_in_worlds()}
    words = [_words(dialogue) for dialogue in first]
    fitting = [
        name
        for name, outline in outlines.items()
        if any(words) and _unknown_share(words, outline.schema) <= TOLERATED
    ]
    return fitting[0] if len(fitting) == 1 else ""


def _refuse_unlabelled(first: Sequence[Dialogue], source: str) -> None:
    """Raise where there is nothing to make a world of."""
    if any(map(_words, first)):
        return
    outlines = {name: load_outline(name) for name in built_in_worlds()}
    raise InputError(
        f"{source}: the corpus does not say which world it is of, and its first {len(first)} "
        "dialogues have neither acts nor states nor goals",
        remedy="Name its world with --world; worlds that ship: "
        + "; ".join(f"{name} ({_domains(each)})" for name, each in outlines.items())
        + ".",
    )


def refuse_unfit(dialogues: Sequence[Dialogue], source: str, choice: WorldChoice) -> str:
    """Raise if a corpus does not fit the chosen world; a note on what was tolerated, or ""."""
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
    source: str, problems: list[str], outline: Outline, asked: str, labels: Counter[CorpusLabel]
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


def _other_labels(labels: Counter[CorpusLabel], outline: Outline, asked: str) -> Iterator[str]:
    strange = {
        label: count
        for label, count in labels.items()
        if label.world not in ("", outline.name) or label.language not in ("", asked)
    }
    if strange:
        told = ", ".join(f"{label} ({count:,})" for label, count in strange.items())
        yield f"its dialogues are of {told}"


def _told(dialogues: Sequence[Dialogue], words: Sequence[set[Word]], outline: Outline) -> str:
    """The unknown domains and slots, most frequent first, with the place of the first one."""
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
    """An unknown slot and its first place, in a turn rather than in a goal."""
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


def _label(dialogue: Dialogue) -> CorpusLabel:
    return CorpusLabel(dialogue.world, dialogue.language)


def _domains(outline: Outline) -> str:
    return ", ".join(domain.key for domain in outline.schema)


@dataclass(frozen=True, slots=True)
class FittingCorpus:
    """A corpus with the world it is read in."""

    dialogues: list[Dialogue]
    world: str
    """A world that ships, or a world folder."""
    language: str | None
    """None: the world's own."""
    digest: str

    @property
    def world_name(self) -> str:
        return find_world(self.world).name


def read_fitting(
    data: Path,
    *,
    world: str | None = None,
    language: str | None = None,
    models: Path | None = None,
    reporter: Reporter = SILENT,
) -> FittingCorpus:
    """A corpus or a run folder, in the world it names or in the one given; refused if it is not.

    A path that does not exist here is looked for in the data folder (CROSSTALK_DATA). `models`: the
    models folder, which has the world of a corpus without one.
    """
    path = found(data)
    choice = choose_world(path, str(data), world=world, language=language, models=models)
    if told := notice_of(choice.world, path):
        reporter.notice(told)
    dialogues = read_in_world(path, choice, source=str(data), reporter=reporter)
    return FittingCorpus(dialogues, choice.world, choice.language, digest_in(path))


def read_in_world(
    path: Path, choice: WorldChoice, *, source: str = "", reporter: Reporter = SILENT
) -> list[Dialogue]:
    """All dialogues of a corpus that fits a world; `source` is what messages call it."""
    dialogues = list(reporter.track(dialogues_in(path), doing="reading"))
    if note := refuse_unfit(dialogues, source or str(path), choice):
        reporter.notice(note)
    outline = load_outline(choice.world)
    if outline.tableless:
        return [with_whole_forms(dialogue, outline.schema) for dialogue in dialogues]
    return dialogues


def refuse_without_acts(dialogues: Iterable[Dialogue], source: str) -> None:
    """Raise if no turn has acts: what reads or predicts them would score, or learn, nothing."""
    if not any(turn.acts for dialogue in dialogues for turn in dialogue.turns):
        raise InputError(
            f"{source}: its turns have no dialogue acts",
            remedy="Give a corpus with acts. From states and texts alone: `crosstalk train dst "
            "--model trade`, or --model states for MultiWOZ.",
        )


def found(data: Path) -> Path:
    """The path as given where it exists, else in the data folder where it exists there."""
    folder = os.environ.get("CROSSTALK_DATA")
    if folder and not data.exists() and (Path(folder) / data).exists():
        return Path(folder) / data
    return data


def dialogues_in(path: Path) -> Iterable[Dialogue]:
    """Of a corpus, or of a run folder."""
    return open_run(path).dialogues() if is_run(path) else _in_world(path)


def _in_world(path: Path) -> Iterator[Dialogue]:
    """The dialogues of a corpus, those of a built-in world in its words (`Format.in_world`)."""
    convert = find_format(recognise(path)).in_world
    schemas = {name: load_outline(name).schema for name in built_in_worlds()} if convert else {}
    for dialogue in read_corpus(path):
        known = convert and dialogue.world in schemas
        yield convert(dialogue, schemas[dialogue.world]) if convert and known else dialogue


def is_run(path: Path) -> bool:
    return (path / CARD).is_file()


def folder_of_world(path: Path) -> str:
    """The folder of a run's world that did not ship with Crosstalk; empty: none, or it is gone."""
    world = open_run(path).card.setup["world"] if is_run(path) else ""
    return world if world not in built_in_worlds() and Path(world).is_dir() else ""


def digest_in(path: Path) -> str:
    return folder_digest(path / DIALOGUES) if is_run(path) else corpus_digest(path)


def schema_finder(world: str = "") -> SchemaOf:
    """How to find the schema of a dialogue: that of `world`, or that of the world it names."""
    load = cache(lambda name: load_world(name).schema)
    ours = {name for name in built_in_worlds() if not is_fetched(find_world(name))}
    if world:
        chosen: Schema = load(world)
        return lambda dialogue: chosen

    def schema_of(dialogue: Dialogue) -> Schema | None:
        return load(dialogue.world) if dialogue.world in ours else crosswoz_schema(dialogue)

    return schema_of


def _needs_none(dialogue: Dialogue) -> bool:
    """Whether nothing is to be looked up: services answered, or nobody sent a query."""
    sent = any(turn.first_query or turn.last_query for turn in dialogue.turns)
    return has_own_calls(dialogue) or not sent


class WorldLookUps:
    """For each dialogue what it looked up in the tables of its world, each loaded once."""

    def __init__(self, world: str = "", data: Path | None = None) -> None:
        self._world, self._data = world, data
        self._databases: dict[CorpusLabel, Database | None] = {}
        self._tools: dict[tuple[CorpusLabel, bool], WorldTools] = {}
        """Without and with actions, which dialogues get that made use of them."""
        self.missing: dict[str, str] = {}
        """World -> why its tables are not at hand."""

    def __call__(self, dialogue: Dialogue) -> TurnLookUps | None:
        label = _label(dialogue)
        if not self._world and label.world not in built_in_worlds() and _needs_none(dialogue):
            return None
        database = self._database(label)
        if database is None:
            return None
        acts = any(actions_of(turn) for turn in dialogue.turns)
        if (label, acts) not in self._tools:
            self._tools[label, acts] = WorldTools(database, actions=acts)
        corpus = format_of_world(dialogue.world)
        return TurnLookUps(
            self._tools[label, acts],
            agent_prompt(database.world, actions=acts),
            inferred=corpus is not None and corpus.infer_queries is not None,
        )

    def row(self, world: str, language: str, domain: str, name: str) -> dict[str, Any] | None:
        """The row of a place in the tables of a dialogue's world; None where it is not known."""
        database = self._database(CorpusLabel(world, language))
        if database is None or database.world.schema.domain(domain) is None:
            return None
        row = database.find(domain, name) or {}
        cells = {
            slot: list(cell) if isinstance(cell, tuple) else cell for slot, cell in row.items()
        }
        return cells or None

    def _database(self, label: CorpusLabel) -> Database | None:
        if label not in self._databases:
            self._databases[label] = self._loaded(label)
        return self._databases[label]

    def _loaded(self, label: CorpusLabel) -> Database | None:
        name = self._world or label.world
        try:
            if not name:
                raise InputError("the dialogues do not name their world")
            return Database(load_world(name, language=label.language or None, data=self._data))
        except InputError as problem:
            there = name in built_in_worlds() or Path(name).exists()
            self.missing[str(label if there else replace(label, language=""))] = problem.message
            return None
