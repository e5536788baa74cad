"""`languages/<code>.toml` and the values beside it: names, number forms and goal sentences."""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from crosstalk.dialogue.languages import ClaimPhrases, GoalPhrases, LanguagePack, NumberForms
from crosstalk.errors import FileProblem
from crosstalk.files import read_json
from crosstalk.language.world_files import PACK, values_file, world_file
from crosstalk.problems import Problem
from crosstalk.toml_files import STRICT, Location, TomlFile, parse_model, read_toml

# Defaults are read off the values themselves, so that they are written down once.
_FORMS = NumberForms()
_PACK = LanguagePack(code="", name="")


class _Model(BaseModel):
    model_config = STRICT


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
    do: dict[str, str] = {}
    instead: str = ""
    forbidden: str = ""
    given: str = "..."

    def value(self) -> GoalPhrases:
        return GoalPhrases(**dict(self))


class ClaimsFile(_Model):
    actions: list[str]
    done: list[str] = []
    not_done: list[str] = []
    neither: list[str] = []
    about: list[str] = []

    def value(self) -> ClaimPhrases:
        return ClaimPhrases(**{key: tuple(phrases) for key, phrases in self})


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
    vocabulary: str = ""
    goal: GoalFile | None = None
    days: Annotated[list[str], Field(max_length=7)] = []
    actions: dict[str, str] = {}
    refusals: dict[str, str] = {}
    rules: dict[str, str] = {}
    claims: list[ClaimsFile] = []
    counts: dict[str, list[str]] = {}

    def value(self, more_values: Mapping[str, Mapping[str, str]]) -> LanguagePack:
        """The pack; `more_values` are those of the `.values.json` beside the file."""
        values = dict(self.values)
        for slot, renderings in more_values.items():
            values[slot] = {**values.get(slot, {}), **renderings}
        plain = {**dict(self), "values": values}
        del plain["vocabulary"]
        plain["forms"] = {key: forms.value() for key, forms in self.forms.items()}
        plain["goal"] = self.goal.value() if self.goal else None
        plain["days"] = tuple(self.days)
        plain["claims"] = tuple(each.value() for each in self.claims)
        plain["counts"] = {key: tuple(words) for key, words in self.counts.items()}
        return LanguagePack(**plain)


@dataclass(frozen=True, slots=True)
class LoadedLanguage:
    """A language file: what it says, and where it says it."""

    pack: LanguagePack
    file: TomlFile
    vocabulary: str = ""
    """File of the data folder with renderings of values; empty: none."""


def read_language(folder: Path, code: str, problems: list[Problem]) -> LoadedLanguage | None:
    """`languages/<code>.toml` with the values beside it."""
    file = read_toml(folder, world_file(folder, PACK, code))
    if isinstance(file, Problem):
        problems.append(file)
        return None
    language = parse_model(LanguageFile, file, problems)
    more_values = _read_values(folder, values_file(folder, code), problems)
    if language is None:
        return None
    if language.code != code:
        message = f"the code is {language.code!r}"
        problems.append(file.problem(("code",), message, f"Write {code!r}."))
    pack = language.value(more_values)
    problems.extend(check_placeholders(pack, file))
    return LoadedLanguage(pack, file, language.vocabulary)


def _read_values(
    folder: Path, name: str, problems: list[Problem]
) -> Mapping[str, Mapping[str, str]]:
    if not (folder / name).exists():
        return {}
    try:
        content = read_json(folder / name)
    except FileProblem as error:
        message = error.message.removeprefix(f"{folder / name}: ")
        problems.append(Problem(file=name, message=message, remedy=error.remedy))
        return {}
    if _is_values(content):
        values: Mapping[str, Mapping[str, str]] = content
        return values
    problems.append(
        Problem(
            file=name,
            message="expected slot keys with renderings",
            remedy='Write {"name": {"value in the table": "value in this language"}}.',
        )
    )
    return {}


def _is_values(content: object) -> bool:
    return isinstance(content, dict) and all(
        isinstance(renderings, dict) and all(isinstance(text, str) for text in renderings.values())
        for renderings in content.values()
    )


IN_FORMS: dict[str, set[str]] = {
    "exact": {"value"},
    "range": {"low", "high"},
    "above": {"low"},
    "below": {"high"},
    "free": set(),
    "not_free": set(),
}
IN_SENTENCES = {
    "some": {"id"},
    "named": {"id", "name"},
    "near": {"id", "other"},
    "ride": {"from", "to"},
    "want": {"value"},
    "ask": {"slots"},
}
OPTIONAL = {"ride": {"id"}}
IN_WHETHER = {"service"}
IN_WANT_NOT = {"slot", "value"}


def check_placeholders(pack: LanguagePack, file: TomlFile) -> Iterator[Problem]:
    """Placeholders that are missing, which reads badly, or unknown or broken, which cannot work."""
    for at, text, needed, optional in _texts(pack):
        if not text:
            continue
        allowed = needed | optional
        remedy = f"Its placeholders are {listed(allowed)}."
        try:
            found = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        except ValueError as error:
            yield file.problem(at, f"{text!r} cannot be filled in: {error}", remedy)
            continue
        for name in sorted(found - allowed):
            message = f"{text!r} has the placeholder {{{name}}}, which nobody fills"
            yield file.problem(at, message, remedy)
        for name in sorted(needed - found):
            problem = file.problem(at, f"{text!r} lacks the placeholder {{{name}}}", remedy)
            yield replace(problem, fatal=False)


def listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "none"


def _texts(pack: LanguagePack) -> Iterator[tuple[Location, str, set[str], set[str]]]:
    """(where, text, placeholders it needs, placeholders it may have)."""
    for key, forms in pack.forms.items():
        for name, needed in IN_FORMS.items():
            yield ("forms", key, name), getattr(forms, name), needed, set()
    if pack.goal is None:
        return
    for section, needed in IN_SENTENCES.items():
        for key, sentence in getattr(pack.goal, section).items():
            yield ("goal", section, key), sentence, needed, OPTIONAL.get(section, set())
    yield ("goal", "whether"), pack.goal.whether, IN_WHETHER, set()
    yield ("goal", "want_not"), pack.goal.want_not, IN_WANT_NOT, set()
