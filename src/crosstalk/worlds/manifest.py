"""The files of a world folder as models: every field they may hold, and no other."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from crosstalk.dialogue.languages import GoalPhrases, LanguagePack, NumberForms
from crosstalk.dialogue.schema import Band, Domain, DomainKind, GoalOdds, Schema, Slot, SlotKind
from crosstalk.problems import Problem
from crosstalk.toml_files import TomlFile

Probability = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Key = Annotated[str, Field(min_length=1, pattern=r"^[^.\s]([^.]*[^.\s])?$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class BandFile(_Model):
    low: float | None = None
    high: float | None = None
    weight: Weight | None = None
    form: Literal["", "exact", "range", "above", "below", "free", "not_free"] = ""

    def value(self) -> Band:
        return Band(self.low, self.high, self.weight, self.form)


class SlotFile(_Model):
    key: Key
    kind: Annotated[SlotKind, Field(strict=False)]
    search: bool = False
    constrain: bool = False
    request: bool = False
    target: str = ""
    bands: list[BandFile] = []
    tags: list[str] = []
    exclusive: list[list[str]] = []

    def value(self) -> Slot:
        return Slot(
            self.key,
            self.kind,
            search=self.search,
            constrain=self.constrain,
            request=self.request,
            target=self.target,
            bands=tuple(band.value() for band in self.bands),
            tags=frozenset(self.tags),
            exclusive=tuple(frozenset(group) for group in self.exclusive),
        )


class DomainFile(_Model):
    key: Key
    kind: Annotated[DomainKind, Field(strict=False)]
    table: str = ""
    slots: list[SlotFile] = []

    def value(self) -> Domain:
        return Domain(self.key, self.kind, tuple(slot.value() for slot in self.slots))


# Defaults are read off the values themselves, so that they are written down once.
_PUBLISHED = GoalOdds()
_FORMS = NumberForms()
_PACK = LanguagePack(code="", name="")


class OddsFile(_Model):
    independent: Probability = _PUBLISHED.independent
    cross: dict[str, dict[str, Probability]] = {}
    cross_default: Probability = _PUBLISHED.cross_default
    ride: Probability = _PUBLISHED.ride
    both_rides: Probability = _PUBLISHED.both_rides
    max_subgoals: Annotated[int, Field(ge=1)] = _PUBLISHED.max_subgoals
    name_only: Probability = _PUBLISHED.name_only
    constraints: list[Weight] = list(_PUBLISHED.constraints)
    requests: list[Weight] = list(_PUBLISHED.requests)
    second_term: Probability = _PUBLISHED.second_term
    services: list[Weight] = list(_PUBLISHED.services)

    def value(self) -> GoalOdds:
        fields = dict(self)
        for name in ("constraints", "requests", "services"):
            fields[name] = tuple(fields[name])
        return GoalOdds(**fields)


class WorldFile(_Model):
    """`world.toml`."""

    name: Annotated[str, Field(min_length=1)]
    format: Literal[1]
    base: Annotated[str, Field(min_length=1)]
    """The language the tables are written in."""
    tables: Literal["", "data"] = ""
    """`data`: tables stand in the data folder instead of the world's own."""
    goals: OddsFile = OddsFile()
    best: dict[str, str] = {}
    """Kind of part -> the one that the alias `best` stands for in this world."""
    domains: Annotated[list[DomainFile], Field(min_length=1)]

    def value(self) -> Schema:
        return Schema(tuple(domain.value() for domain in self.domains), self.goals.value())


class FormsFile(_Model):
    exact: str = _FORMS.exact
    range: str = _FORMS.range
    above: str = ""
    below: str = ""
    free: str = ""
    not_free: str = ""
    decimal: str = _FORMS.decimal

    def value(self) -> NumberForms:
        return NumberForms(**dict(self))


class GoalFile(_Model):
    some: dict[str, str] = {}
    named: dict[str, str] = {}
    near: dict[str, str] = {}
    ride: dict[str, str] = {}
    want: dict[str, str] = {}
    ask: dict[str, str] = {}
    want_not: str = ""
    whether: str = ""
    comma: str = ", "
    last_comma: str = ", "
    sentence_space: str = " "

    def value(self) -> GoalPhrases:
        return GoalPhrases(**dict(self))


class LanguageFile(_Model):
    """`languages/<code>.toml`."""

    code: str
    name: str
    direction: Literal["ltr", "rtl"] = "ltr"
    yes: str = _PACK.yes
    no: str = _PACK.no
    nothing: str = _PACK.nothing
    term_separator: str = ""
    domains: dict[str, str] = {}
    slots: dict[str, str] = {}
    forms: dict[str, FormsFile] = {}
    values: dict[str, dict[str, str]] = {}
    goal: GoalFile | None = None

    def value(self, more_values: Mapping[str, Mapping[str, str]]) -> LanguagePack:
        """The pack; `more_values` are those of the `.values.json` beside the file."""
        values = dict(self.values)
        for slot, renderings in more_values.items():
            values[slot] = {**values.get(slot, {}), **renderings}
        plain = {**dict(self), "values": values}
        plain["forms"] = {key: forms.value() for key, forms in self.forms.items()}
        plain["goal"] = self.goal.value() if self.goal else None
        return LanguagePack(**plain)


M = TypeVar("M", bound=_Model)


def parse(model: type[M], file: TomlFile, problems: list[Problem]) -> M | None:
    """The file as a model; None, and problems, where it is none."""
    try:
        return model.model_validate(file.data)
    except ValidationError as error:
        problems.extend(_problems(model, file, error))
        return None


def _problems(model: type[_Model], file: TomlFile, error: ValidationError) -> Iterator[Problem]:
    for details in error.errors(include_url=False):
        message, remedy = _in_words(model, details)
        yield file.problem(details["loc"], message, remedy)


def _in_words(model: type[_Model], details: ErrorDetails) -> tuple[str, str]:
    where = ".".join(str(part) for part in details["loc"])
    last = str(details["loc"][-1])
    context: dict[str, Any] = details.get("ctx", {})
    match details["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(last, _field_names(model), n=1)
            remedy = f"Did you mean `{near[0]}`?" if near else "Remove it."
            return f"unknown field `{last}` ({where})", remedy
        case "missing":
            return f"the field `{last}` is missing ({where})", "Add it."
        case "enum" | "literal_error":
            given, expected = details["input"], context["expected"]
            return f"`{last}` is {given!r} ({where})", f"Write one of {expected}."
        case "string_pattern_mismatch":
            return f"`{last}` is {details['input']!r} ({where})", "Use a key without full stops."
        case _:
            return f"`{last}` is {details['input']!r} ({where})", f"{details['msg']}."


def _field_names(model: type[_Model]) -> set[str]:
    """The fields of the model and of every model inside it."""
    models = {
        WorldFile: (WorldFile, OddsFile, DomainFile, SlotFile, BandFile),
        LanguageFile: (LanguageFile, FormsFile, GoalFile),
    }
    return {name for each in models.get(model, (model,)) for name in each.model_fields}
