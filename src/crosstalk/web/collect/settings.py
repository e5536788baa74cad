"""The settings of a site: from a flag, the environment, the settings page, a file or a default.

    settings = Settings(flags={"grace": "90"}, environment=os.environ, file=read_settings(path))
    settings.chosen(stored)["grace"]       # Choice(value=90.0, source="flag")
    settings.rules(stored)                 # SiteRules

The first source that names a setting holds, in that order. Every value is validated, also one that
another source overrides.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_text
from crosstalk.web.collect.site import SiteRules
from crosstalk.web.store.sql_tables import SETTINGS

Value = float | bool
PREFIX: Final = "CROSSTALK_"
STORED: Final = "rule "
"""Prefix of keys of settings that were set on the page."""
WORDS: Final[Mapping[str, bool]] = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: what it may be, and what it is for."""

    name: str
    low: float
    high: float
    about: str
    whole: bool = False
    flag: bool = False
    """Whether it is true or false instead of a number."""

    @property
    def expected(self) -> str:
        if self.flag:
            return "true or false"
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}"

    def read(self, given: object, where: str) -> Value:
        """The value; raises InputError with `where` it was given if it cannot be one."""
        text = str(given).strip().lower()
        if self.flag and text in WORDS:
            return WORDS[text]
        try:
            number = math.nan if self.flag or isinstance(given, bool) else float(text)
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high or (self.whole and not number.is_integer()):
            raise InputError(
                f"{where}: {self.name} cannot be {str(given)[:40]!r}; it is {self.expected}",
                remedy="`crosstalk collect settings` shows all settings.",
            )
        return int(number) if self.whole else number


KNOWN: Final = (
    Setting("exchanges", 1, 500, "exchanges of a dialogue at most", whole=True),
    Setting("grace", 1, 86400, "seconds until somebody who lost the connection is gone"),
    Setting("patience", 0, 86400, "seconds in the lobby until leaving is offered and credited"),
    Setting("stay", 1, 86400, "seconds a place in the queue is kept for a closed page"),
    Setting("silence", 2, 3600, "seconds without a sign of life until a server counts as dead"),
    Setting("pause", 0, 60, "seconds before a machine replies"),
    Setting("training", 0, 1, "exercises before the first dialogue", flag=True),
    Setting("tries", 0, 100, "wrong answers to an exercise that end a visit; 0: any", whole=True),
    Setting("absence", 60, 604800, "seconds a participant's place is kept for a closed page"),
    Setting("newcomers", 1, 10000, "participants a client brings in an hour", whole=True),
    Setting("guesses", 1, 10000, "wrong passwords at an account from a client", whole=True),
    Setting("client_guesses", 1, 10000, "wrong passwords and links from a client", whole=True),
    Setting("account_guesses", 1, 10000, "wrong passwords from clients new to it", whole=True),
    Setting("guess_seconds", 1, 86400, "seconds that a wrong password or link counts"),
    Setting("messages", 1, 1000, "messages of a worker a second"),
    Setting("burst", 10, 10000, "messages of a worker at once", whole=True),
    Setting("upload", 64, 65536, "KiB of goals brought at once", whole=True),
    Setting("offers", 0, 1, "wizards are offered the wishes read in the user's message", flag=True),
    Setting("drafts", 0, 1, "wizards are offered a drafted answer", flag=True),
)
BY_NAME: Final = {each.name: each for each in KNOWN}


@dataclass(frozen=True, slots=True)
class Choice:
    """What holds, and where it comes from."""

    value: Value
    source: str

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class Settings:
    """The sources that do not change while a site runs; raises InputError if one is wrong."""

    flags: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chosen({})

    def chosen(self, stored: Mapping[str, object]) -> dict[str, Choice]:
        """Name -> what holds; `stored`: what was set on the settings page."""
        own = {
            name.removeprefix(PREFIX).lower(): text
            for name, text in self.environment.items()
            if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() in BY_NAME
        }
        defaults = SiteRules()
        found = {each.name: Choice(getattr(defaults, each.name), "default") for each in KNOWN}
        for source, values in (
            ("study file", self.file),
            ("settings page", stored),
            ("environment", own),
            ("flag", self.flags),
        ):
            for name, given in values.items():
                value = known(name, source).read(given, source)
                found[name] = Choice(value, source)
        return found

    def rules(self, stored: Mapping[str, object]) -> SiteRules:
        values: dict[str, Any] = {
            name: choice.value for name, choice in self.chosen(stored).items()
        }
        return SiteRules(**values)


def known(name: str, where: str) -> Setting:
    if name not in BY_NAME:
        raise InputError(
            f"{where}: there is no setting {name[:40]!r}", remedy=f"Known: {', '.join(BY_NAME)}."
        )
    return BY_NAME[name]


def read_flags(given: Iterable[str]) -> dict[str, object]:
    """`NAME=VALUE` texts of the command line."""
    found: dict[str, object] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign:
            raise InputError(f"--set: {text!r} has no =", remedy="Give such as --set grace=90.")
        found[name.strip()] = value
    return found


def read_settings(path: Path) -> dict[str, object]:
    """The table `[settings]` of a study's file."""
    table = _tables(path).get("settings", {})
    if not isinstance(table, dict):
        raise FileProblem(f"{path}: settings is no table", remedy="Write [settings] above them.")
    return table


def holds_settings_only(path: Path) -> bool:
    """Whether a path is a file without anything but `[settings]`; not a study's."""
    return not path.is_dir() and _tables(path).keys() <= {"settings"}


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FileProblem(f"{path}: no TOML: {error}", remedy="Mend the line it names.") from error


def stored_settings(connection: Connection) -> dict[str, object]:
    """What was set on the settings page."""
    rows = connection.execute(select(SETTINGS).where(SETTINGS.c.key.startswith(STORED)))
    return {row.key.removeprefix(STORED): row.value for row in rows}


def store_setting(connection: Connection, name: str, value: str) -> None:
    """Keep what was set on the page; an empty value removes it again."""
    connection.execute(delete(SETTINGS).where(SETTINGS.c.key == STORED + name))
    if value:
        connection.execute(insert(SETTINGS).values(key=STORED + name, value=value))
