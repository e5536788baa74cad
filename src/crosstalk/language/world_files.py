"""Where a world keeps its words: one folder a language or, as before, one folder a kind of file.

    languages/fr/pack.toml         languages/fr.toml            names of domains, slots and values
    languages/fr/values.json       languages/fr.values.json     values of the tables
    languages/fr/assistant.toml    assistant/fr.toml            what people call things
    languages/fr/templates.toml    templates/fr.toml            sentences of both sides
    languages/fr/actions.toml      actions/fr.toml              sentences about actions
    languages/fr/policy.md         policy/fr.md                 what an agent may and may not do

and so on for `phrases` and `keywords`. Where both are there, the folder of the
language counts.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker

LANGUAGES: Final = "languages"
PACK: Final = "pack"
ASSISTANT: Final = "assistant"
ACTIONS: Final = "actions"
KEYWORDS: Final = "keywords"
PHRASES: Final = "phrases"
TEMPLATES: Final = "templates"
WORDS: Final = (ACTIONS, ASSISTANT, KEYWORDS, PHRASES, TEMPLATES)
"""Kinds of files that a language may have besides its pack."""
POLICY: Final = "policy"
"""What an agent may and may not do: `policy/<code>.md`, or `languages/<code>/policy.md`."""
SAYINGS: Final = "sayings"
"""Folder of JSON templates, `user.json` and `system.json`, for worlds with a corpus."""


def world_file(folder: Path, kind: str, code: str) -> str:
    """The path of a file of a language inside a world; where there is none, where it may stand."""
    own = f"{LANGUAGES}/{code}/{kind}.toml"
    return own if (folder / own).is_file() else f"{_shared(kind)}/{code}.toml"


def values_file(folder: Path, code: str) -> str:
    """The path of the values of a language inside a world."""
    own = f"{LANGUAGES}/{code}/values.json"
    return own if (folder / own).is_file() else f"{LANGUAGES}/{code}.values.json"


def policy_file(folder: Path, code: str) -> str:
    """The path of the policy of a language inside a world."""
    own = f"{LANGUAGES}/{code}/{POLICY}.md"
    return own if (folder / own).is_file() else f"{POLICY}/{code}.md"


def languages_with(folder: Path, kind: str) -> list[str]:
    """Codes of the languages that have a kind of file."""
    own = {file.parent.name for file in folder.glob(f"{LANGUAGES}/*/{kind}.toml")}
    return sorted(own | {file.stem for file in (folder / _shared(kind)).glob("*.toml")})


def files_of_languages(codes: Iterable[str]) -> set[str]:
    """The paths of all files that a world may have for its languages, in either layout."""
    names = {f"{SAYINGS}/{side}.json" for side in Speaker}
    for code in codes:
        names |= {f"{_shared(kind)}/{code}.toml" for kind in (PACK, *WORDS)}
        names |= {f"{LANGUAGES}/{code}/{kind}.toml" for kind in (PACK, *WORDS)}
        names |= {f"{LANGUAGES}/{code}.values.json", f"{LANGUAGES}/{code}/values.json"}
        names |= {f"{POLICY}/{code}.md", f"{LANGUAGES}/{code}/{POLICY}.md"}
    return names


def language_of(name: str) -> str:
    """The language whose file a path inside a world is, if it is one."""
    parts = name.split("/")
    return parts[1].partition(".")[0] if len(parts) > 1 else ""


def _shared(kind: str) -> str:
    return LANGUAGES if kind == PACK else kind
