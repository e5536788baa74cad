"""Tables that people wrote by hand, with their sizes: `python -m benchmarks.handmade`.

Writes the table of `design/HANDMADE.md`; a test compares it with the files. An entry is one value
of a TOML or JSON file (a word, a phrase, a template, a number), or one line of a text file.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "crosstalk"
PAGE = ROOT / "design" / "HANDMADE.md"
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
SUFFIXES = (".toml", ".json", ".jsonl", ".txt")
TABLES = {
    "collection/ready_questionnaires": "questionnaires: ours in five languages, published ones in "
    "English",
    "chatlogs": "words of at least 15 people in #ubuntu logs, to tell words from nicknames "
    "(counted, not written)",
    "evaluation/multiwoz": "spellings that the standard evaluation of MultiWOZ equates",
    "language/data/*/judging.toml": "words by which the judge reads what an agent wrote",
    "language/data/*/actions.toml": "how actions are asked for, read back, done and refused",
    "language/data/*/agent.toml": "the prompt of a language model that plays the agent",
    "language/data/*/perturbations.toml": "how hard users say things: slips, sounds, remarks",
    "language/data/*/user_voice.toml": "prompts of a language model that speaks for users",
    "language/data/*/phrases.toml": "numbers, times, amounts, phrases of a language; used in "
    "every world",
    "language/data/*/states.toml": "how people put values and which words go with which slot "
    "(MultiWOZ, WOZ 2.0)",
    "language/data/*/sounds.toml": "which signs sound alike, to read what was picked wrongly",
    "language/data/*/writing.toml": "how a language is written: spaces, marks, numerals, times; "
    "translations are checked by it",
    "web/words": "what the website says",
    "worlds/crosswoz": "the world: domains, slots, odds",
    "worlds/crosswoz/assistant": "phrases people use, and how answers are put (CrossWOZ)",
    "worlds/crosswoz/keywords": "words by which acts are told from texts (CrossWOZ)",
    "worlds/crosswoz/languages": "names of slots and values (CrossWOZ)",
    "worlds/crosswoz/sayings": "ways users say what no template of the corpus says (CrossWOZ)",
    "worlds/harbour": "the world: domains, slots, odds",
    "worlds/harbour/actions": "how bookings are talked about (harbour)",
    "worlds/harbour/assistant": "phrases people use, and how answers are put (harbour)",
    "worlds/harbour/keywords": "words by which acts are told from texts (harbour)",
    "worlds/harbour/languages": "names of slots and values (harbour)",
    "worlds/harbour/phrases": "pieces that templates are put together from (harbour)",
    "worlds/harbour/tables": "the places of harbour",
    "worlds/harbour/templates": "templates of both sides (harbour)",
    "worlds/multiwoz": "the world: domains, slots, odds",
    "worlds/multiwoz/actions": "how bookings are talked about (MultiWOZ)",
    "worlds/multiwoz/keywords": "words by which acts are told from texts (MultiWOZ)",
    "worlds/multiwoz/languages": "names of slots and values (MultiWOZ)",
    "worlds/multiwoz/templates": "templates of both sides (MultiWOZ)",
}
"""Folder below src/crosstalk, or a file of each language -> what its tables are for."""
BY_LANGUAGE = "language/data"
"""A folder with one folder a language."""
OTHER = {
    "collection",
    "collection/new_study",
    "corpora",
    "models",
    "reports",
    "reproduction/plans",
    "transfer",
    "transfer/specialisation",
}
"""Folders whose data files say nothing about a language: catalogues, schemas, published figures."""


def folders() -> dict[str, list[Path]]:
    """Every folder of data files; models, catalogues and the scaffold of new worlds left out."""
    found: dict[str, list[Path]] = {}
    for file in sorted(SOURCE.rglob("*")):
        place = file.relative_to(SOURCE).parent.as_posix()
        is_other = place in OTHER or place.startswith(("models/", "worlds/new_world/"))
        if place.startswith(BY_LANGUAGE):
            place = f"{BY_LANGUAGE}/*/{file.name}"
        if file.suffix in SUFFIXES and not is_other:
            found.setdefault(place, []).append(file)
    return found


def entries(file: Path) -> int:
    text = file.read_text(encoding="utf-8")
    match file.suffix:
        case ".toml":
            return sum(1 for _ in _leaves(tomllib.loads(text)))
        case ".json":
            return sum(1 for _ in _leaves(json.loads(text)))
        case ".jsonl":
            lines = (line for line in text.splitlines() if line and not line.startswith("#"))
            return sum(1 for line in lines for _ in _leaves(json.loads(line)))
        case _:
            return len(text.splitlines())


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    else:
        yield value


def table() -> Iterator[str]:
    yield "| tables | what for | entries by file | entries |"
    yield "| --- | --- | --- | --- |"
    for place, files in folders().items():
        sizes = {_label(place, file): entries(file) for file in files}
        told = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        yield f"| `{place}` | {TABLES[place]} | {told} | {sum(sizes.values()):,} |"


def _label(place: str, file: Path) -> str:
    return file.parent.name if "*" in place else file.name.removesuffix(".toml")


def page() -> str:
    """HANDMADE.md with the table as it is now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + "\n".join(table()) + "\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
