"""How a language is written: `writing_of("zh").full_stop`. The table is `writing.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from crosstalk.language.identify import primary

TABLE: Final = Path(__file__).with_suffix(".toml")


class Writing(BaseModel):
    """One language; the defaults hold for every language that the table does not name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    divided: Literal["spaces", "jieba"] = "spaces"
    """How the words of a text are found."""
    spaced: bool = True
    """Whether spaces part words."""
    full_stop: str = "."
    ranges: tuple[str, ...] = (" - ", "-", "–")
    """What people write between the two ends of a range."""


@cache
def writing_of(language: str) -> Writing:
    """How the language of a code is written; a code may name a region too."""
    return _table().get(primary(language), Writing())


@cache
def _table() -> dict[str, Writing]:
    read = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {code: Writing.model_validate(given) for code, given in read.items()}
