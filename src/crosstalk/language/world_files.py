"""Where a world keeps its words: one folder a language or, as before, one folder a kind of file.

    languages/fr/pack.toml         languages/fr.toml            names of domains, slots and values
    languages/fr/values.json       languages/fr.values.json     values of the tables
    languages/fr/assistant.toml    assistant/fr.toml            what people call things
    languages/fr/templates.toml    templates/fr.toml            sentences of both sides

and so on for `phrases` and `keywords`. Where both are there, the folder of the
language counts.
"""

from pathlib import Path
from typing import Final

LANGUAGES: Final = "languages"
PACK: Final = "pack"
ASSISTANT: Final = "assistant"
KEYWORDS: Final = "keywords"
PHRASES: Final = "phrases"
TEMPLATES: Final = "templates"


def world_file(folder: Path, kind: str, code: str) -> str:
    """The path of a file of a language inside a world; where there is none, where it may stand."""
    own = f"{LANGUAGES}/{code}/{kind}.toml"
    return own if (folder / own).is_file() else f"{_shared(kind)}/{code}.toml"


def values_file(folder: Path, code: str) -> str:
    """The path of the values of a language inside a world."""
    own = f"{LANGUAGES}/{code}/values.json"
    return own if (folder / own).is_file() else f"{LANGUAGES}/{code}.values.json"


def languages_with(folder: Path, kind: str) -> list[str]:
    """Codes of the languages that have a kind of file."""
    own = {file.parent.name for file in folder.glob(f"{LANGUAGES}/*/{kind}.toml")}
    return sorted(own | {file.stem for file in (folder / _shared(kind)).glob("*.toml")})


def _shared(kind: str) -> str:
    return LANGUAGES if kind == PACK else kind
