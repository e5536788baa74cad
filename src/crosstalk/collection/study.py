"""A study: a folder with everything another lab needs to repeat a collection.

    study = read_study("pilot")            # a folder that `crosstalk collect new-study` wrote
    study.outcome_link(Outcome.COMPLETED, participant="5f1", submission="9ab")

`study.toml` holds names, platform, codes, quotas, pay and settings; `texts/` what people read;
`questionnaires/` what they are asked. This module only reads and decides; the website serves it.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from crosstalk.collection.questionnaires import READY, Questionnaire, read_questionnaire
from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_text
from crosstalk.problems import Problem, did_you_mean
from crosstalk.toml_files import STRICT, TomlFile, parse_model, read_toml

STUDY_FILE: Final = "study.toml"
PLATFORMS: Final = Path(__file__).parent / "platforms.toml"
CODE: Final = r"^[A-Za-z0-9_-]{2,60}$"
WORD: Final = Field(strict=False)
"""Members of enumerations, as files write them."""
Minor = Annotated[int, Field(ge=0, le=10_000_000)]
"""An amount in the currency's smallest unit, such as cents."""


class Outcome(StrEnum):
    """How a participant's part in a study has ended; each may have a code of its own."""

    COMPLETED = "completed"
    NO_CONSENT = "no_consent"
    NOT_TRAINED = "not_trained"
    NOBODY_CAME = "nobody_came"
    PARTNER_LEFT = "partner_left"
    FULL = "full"
    WITHDREW = "withdrew"
    TIMED_OUT = "timed_out"


class Moment(StrEnum):
    """When a questionnaire is given."""

    BEFORE = "before"
    AFTER_ROOM = "after_room"
    AFTER = "after"


class Platform(BaseModel):
    """Where participants come from: names of parameters in the study's link, and the way back."""

    model_config = STRICT

    participant: str
    """Parameter with the participant's id."""
    submission: str = ""
    """Parameter with the id of this visit; empty if the platform has none."""
    pattern: str
    """What an id looks like."""
    template: str
    """The query part of the link, with the platform's placeholders."""
    back: str = ""
    """Address of the way back, with {code}, {participant} and {submission}."""
    payment: Literal["generic", "prolific"] = "generic"
    """Layout of payment files."""


class _PlatformTable(BaseModel):
    model_config = STRICT

    preset: str = "link"
    participant: str | None = None
    submission: str | None = None
    pattern: str | None = None
    back: str | None = None


class Quota(BaseModel):
    """How many people may take part, and how many dialogues each has."""

    model_config = STRICT

    people: Annotated[int, Field(ge=1)] | None = None
    dialogues: Annotated[int, Field(ge=1)] = 1


class Rates(BaseModel):
    """What work is paid, in minor units."""

    model_config = STRICT

    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "USD"
    decimals: Annotated[int, Field(ge=0, le=3)] = 2
    """Digits after the point: 2 where a unit has 100 minor ones."""
    user: Minor = 0
    """For a dialogue as user."""
    wizard: Minor = 0
    turn: Minor = 0
    training: Minor = 0
    waiting_hourly: Minor = 0
    waiting_most: Annotated[float, Field(ge=0)] = 1800.0
    """Seconds of waiting that are paid at most."""
    minimum_hourly: Minor = 0
    """Where work and waiting come to less than this an hour, the rest is added."""
    reward: Minor = 0
    """What the platform itself pays for a completed part; taken off what we pay."""


class StudyTable(BaseModel):
    """`study.toml`."""

    model_config = STRICT

    format: Literal[1]
    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{1,39}$")]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    contact: str = ""
    world: str | None = None
    language: str | None = None
    goals: str | int | None = None
    """A goal file in the study's folder, or the number of goals to draw."""
    actions: bool = False
    platform: _PlatformTable = _PlatformTable()
    codes: dict[Annotated[Outcome, WORD], Annotated[str, Field(pattern=CODE)]] = {}
    quota: Quota = Quota()
    pay: Rates = Rates()
    questionnaires: dict[Annotated[Moment, WORD], list[str]] = {}
    settings: dict[str, Any] = {}


class Study:
    """A study's table, texts and questionnaires, all checked."""

    def __init__(
        self,
        folder: Path,
        table: StudyTable,
        platform: Platform,
        texts: Mapping[str, Mapping[str, str]],
        questionnaires: Mapping[str, Questionnaire],
    ) -> None:
        self.folder = folder
        self.table = table
        self.platform = platform
        self.texts = texts
        """Kind of text (consent, welcome, instructions, thanks) -> language -> text."""
        self.questionnaires = questionnaires

    @property
    def key(self) -> str:
        return self.table.key

    @property
    def goals(self) -> str | None:
        """A goal file, or the number of goals to draw, as `--goals` takes it."""
        given = self.table.goals
        if isinstance(given, str):
            return str(self.folder / given)
        return None if given is None else str(given)

    def text(self, kind: str, language: str) -> str:
        """A text in a language, else in English, else in any; empty if there is none."""
        known = self.texts.get(kind, {})
        return known.get(language) or known.get("en") or next(iter(known.values()), "")

    def asked(self, moment: Moment) -> tuple[Questionnaire, ...]:
        return tuple(
            self.questionnaires[name] for name in self.table.questionnaires.get(moment, ())
        )

    def link(self, address: str) -> str:
        """The link to give the platform."""
        return f"{address}/study/{self.key}?{self.platform.template}"

    def read_ids(self, given: Mapping[str, str]) -> tuple[str, str]:
        """(participant, submission) of a link's parameters; raises InputError if they are wrong."""
        if wrong := self.wrong_id(given):
            raise InputError(
                f"the link has no valid {wrong[0]} (it is {wrong[1]!r})",
                remedy="Open the study from the page that invited you. Researchers: the link "
                f"of the study ends with ?{self.platform.template}",
            )
        participant, *submission = (given[name] for name in self._parameters)
        return participant, "".join(submission)

    def wrong_id(self, given: Mapping[str, str]) -> tuple[str, str] | None:
        """The first parameter of a link that is no id, with the start of what it is."""
        for name in self._parameters:
            value = given.get(name, "")
            if not re.fullmatch(self.platform.pattern, value):
                return name, value[:60]
        return None

    @property
    def _parameters(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.platform.participant, self.platform.submission)))

    def outcome_link(self, outcome: Outcome, *, participant: str, submission: str) -> str:
        """The way back to the platform; empty if it has none."""
        code = self.table.codes.get(outcome, "")
        values = {"code": code, "participant": participant, "submission": submission}
        if not self.platform.back or ("{code}" in self.platform.back and not code):
            return ""
        return self.platform.back.format(**values)


def digest(text: str) -> str:
    """What tells versions of a text apart."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def platforms() -> Mapping[str, Platform]:
    with PLATFORMS.open("rb") as file:
        return {name: Platform(**values) for name, values in tomllib.load(file).items()}


def read_study(path: Path | str) -> Study:
    """A study's folder, or its `study.toml`; raises FileProblem with every line to correct."""
    given = Path(path)
    folder = given if given.is_dir() else given.parent
    name = STUDY_FILE if given.is_dir() else given.name
    file = read_toml(folder, name)
    if isinstance(file, Problem):
        raise _refused(folder, [file])
    problems: list[Problem] = []
    table = parse_model(StudyTable, file, problems)
    if table is None:
        raise _refused(folder, problems)
    platform = _platform(table, file, problems)
    questionnaires = dict(_questionnaires(folder, table, file, problems))
    texts = _texts(folder)
    if problems:
        raise _refused(folder, problems)
    assert platform is not None  # otherwise there is a problem
    return Study(folder, table, platform, texts, questionnaires)


def _refused(folder: Path, problems: list[Problem]) -> FileProblem:
    shown = "\n".join(f"  {problem}" for problem in problems)
    return FileProblem(
        f"the study {folder} cannot be used:\n{shown}",
        remedy="`crosstalk collect new-study DIR` writes one that can.",
    )


def _platform(table: StudyTable, file: TomlFile, problems: list[Problem]) -> Platform | None:
    own = table.platform
    preset = platforms().get(own.preset)
    if preset is None:
        remedy = did_you_mean(own.preset, platforms())
        problems.append(file.problem(("platform", "preset"), f"`preset` is {own.preset!r}", remedy))
        return None
    changed = {name: value for name, value in own.model_dump().items() if value is not None}
    changed.pop("preset")
    platform = preset.model_copy(update=changed)
    for name, check in (("pattern", re.compile), ("back", _check_back)):
        try:
            check(getattr(platform, name))
        except (re.error, KeyError, ValueError, IndexError) as error:
            message = f"`{name}` cannot be used: {error}"
            problems.append(file.problem(("platform", name), message, "Correct it."))
    return platform


def _check_back(back: str) -> None:
    """Raise ValueError unless the address is one of the web and has known placeholders only."""
    filled = back.format(code="c", participant="p", submission="s")
    if filled and not filled.startswith(("https://", "http://")):
        raise ValueError("it does not begin with https://")


def _questionnaires(
    folder: Path, table: StudyTable, file: TomlFile, problems: list[Problem]
) -> Iterator[tuple[str, Questionnaire]]:
    """The questionnaires that the study asks, its own before the ready-made ones of that name."""
    own = {path.stem: path for path in sorted((folder / "questionnaires").glob("*.toml"))}
    ready = {path.stem: path for path in sorted(READY.glob("*.toml"))}
    known = ready | own
    for moment, names in table.questionnaires.items():
        for name in names:
            if name in known:
                found = read_questionnaire(known[name], problems)
                if found is not None:
                    yield name, found
                continue
            message = f"there is no questionnaire {name!r}"
            remedy = did_you_mean(name, known)
            problems.append(file.problem(("questionnaires", moment.value), message, remedy))


def _texts(folder: Path) -> dict[str, dict[str, str]]:
    """`texts/KIND.LANGUAGE.md` -> kind -> language -> text."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted((folder / "texts").glob("*.*.md")):
        kind, language = path.name.removesuffix(".md").rsplit(".", 1)
        found.setdefault(kind, {})[language] = read_text(path)
    return found
