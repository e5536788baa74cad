"""Worlds without tables, for corpora of no world that ships: SGD, Taskmaster, WOZ, Frames, ...

    find_schema_world(Path("sgd/dev.zip"), first_dialogues, "sgd", models=Path("models"))

Such a world has the domains, slots and values of the corpus (`corpora/corpus_schema.py`). Training
writes it to `<models>/worlds/<name>`, where evaluation finds it. Without one, evaluation makes one
for itself, which has the values of a schema file and none of the judged labels.
"""

import atexit
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus_schema import corpus_schema, schema_sources
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import OutputError
from crosstalk.language.writing import guess_language
from crosstalk.system.dst.tracker import empty_form
from crosstalk.worlds.manifest import WORLD_FILE
from crosstalk.worlds.scaffold import write_schema_world
from crosstalk.worlds.world import load_outline

WORLDS: Final = "worlds"
"""The folder beside the models that has the worlds they were learnt in."""
DEFAULT_LANGUAGE: Final = "en"
ReadAll = Callable[[], Iterable[Dialogue]]


def find_schema_world(
    path: Path, read: ReadAll, name: str, language: str, *, out: Path | None, models: Path | None
) -> str:
    """The folder of a corpus's world without tables.

    `out`: the models folder that something is learnt into, which gets the world; `models`: the one
    that something is judged from.
    """
    key = re.sub(r"[^\w-]+", "_", name).strip("_") or "corpus"
    for place in (out, models):
        if place and (place / WORLDS / key / WORLD_FILE).is_file():
            return str(place / WORLDS / key)
    if out:
        return _written(out / WORLDS / key, path, read, language, values=True)
    return _temporary(path.resolve(), read, key, language)


def _written(folder: Path, path: Path, read: ReadAll, language: str, *, values: bool) -> str:
    schema = corpus_schema(path, read(), values=values)
    try:
        write_schema_world(folder, schema, language=language or guessed(read()))
    except OutputError:
        if not (folder / WORLD_FILE).is_file():  # another process may have written it
            raise
    return str(folder)


def guessed(dialogues: Iterable[Dialogue]) -> str:
    """The language of the first dialogue's words."""
    first = next(iter(dialogues), None)
    text = " ".join(turn.text for turn in first.turns) if first else ""
    return guess_language(text) or DEFAULT_LANGUAGE


@cache
def _scratch() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="crosstalk-worlds-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _temporary(path: Path, read: ReadAll, key: str, language: str) -> str:
    """A world for this process alone, made once a corpus."""
    place = _scratch() / re.sub(r"\W", "_", str(path)) / key
    if (place / WORLD_FILE).is_file():
        return str(place)
    return _written(place, path, read, language, values=False)


def with_whole_forms(dialogue: Dialogue, schema: Schema) -> Dialogue:
    """The dialogue with every tracked slot in its states, as forms of other worlds have them.

    States of foreign corpora hold the slots that have a value, in any order. Where a turn has one
    state (ConvLab), it is the query that was sent too.
    """
    turns = (
        turn
        if turn.first_query is None and turn.last_query is None
        else replace(
            turn,
            first_query=_whole(turn.first_query, schema),
            last_query=_whole(turn.last_query or turn.first_query, schema),
        )
        for turn in dialogue.turns
    )
    return replace(dialogue, turns=tuple(turns))


def _whole(state: SystemState | None, schema: Schema) -> SystemState | None:
    if state is None:
        return None
    whole = empty_form(schema)
    for tab in state:
        filled = replace(whole.get(tab.domain), selected=tab.selected, order=tab.order)
        for slot, value in tab.slots:
            filled = filled.with_slot(slot, value)
        whole = whole.with_domain(filled)
    return whole


def notice_of(world: str, path: Path) -> str:
    """What is said about a world without tables; empty for worlds that ship."""
    outline = load_outline(world)
    if not outline.tableless:
        return ""
    slots = sum(len(domain.slots) for domain in outline.schema)
    files = schema_sources(path)
    origin = f"{Path(str(files[0])).name} and the labels" if files else "the labels"
    return (
        f"{outline.name} is no world that ships: read as a world without tables, with domains and "
        f"slots of {origin} ({len(outline.schema.domains)}, {slots})"
    )
