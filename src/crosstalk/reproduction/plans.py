"""Plans: which stages reproduce a paper, on which files, at which scales (`plans/*.toml`).

    plan = load_plan("crosswoz")
    [stage.name for stage in plan.stages]

A plan is data. In its commands `{seed}` makes one run of each, as the choices under `each` do in
names of stages; options of a scale and files are filled in by the names that the plan gives them.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError

FOLDER: Final = Path(__file__).with_name("plans")
SCALES: Final = ("smoke", "small", "paper")


@dataclass(frozen=True, slots=True)
class NeededFile:
    """A file, or a folder, that stages read."""

    name: str
    place: str
    """Where it lies in a data folder, as `crosstalk fetch` puts it."""
    dataset: str = ""
    """What to fetch where it is missing."""
    page: str = ""
    """Where a person finds it, if `crosstalk fetch` does not have it."""
    about: str = ""
    also: tuple[str, ...] = ()
    """Other places where it may lie, as patterns; the first file that is found is taken."""
    required: bool = True
    """Stages that need a file that is not required are skipped without it."""

    @property
    def source(self) -> str:
        """The command that fetches it, or its page."""
        return self.page or f"crosstalk fetch {self.dataset}"


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """A stage as the plan has it, before names are filled in."""

    name: str
    about: str
    commands: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Names of files."""
    after: tuple[str, ...] = ()
    """Stages whose results or models it uses."""
    minutes: Mapping[str, float] = field(default_factory=dict)
    """By scale, roughly, for one run of it."""
    gathers: tuple[str, ...] = ()
    """Patterns of stages whose result files are `{gathered}` in its commands."""
    at: tuple[str, ...] = SCALES
    """Scales that have this stage; the others leave it out."""

    @property
    def has_seeds(self) -> bool:
        return any("{seed}" in command for command in self.commands)

    def of(self, choice: Mapping[str, str]) -> "PlannedStage":
        """The stage for one choice, such as a language, with its value in place."""

        def named(texts: Sequence[str]) -> tuple[str, ...]:
            return tuple(_replaced(text, choice) for text in texts)

        return PlannedStage(
            named([self.name])[0],
            named([self.about])[0],
            named(self.commands),
            named(self.needs),
            named(self.after),
            self.minutes,
            self.gathers,
            self.at,
        )


@dataclass(frozen=True, slots=True)
class PaperPlan:
    """Everything that reproduces one paper."""

    name: str
    title: str
    note: str
    encoder: str
    """The encoder where none is named."""
    files: tuple[NeededFile, ...]
    one_of: tuple[str, ...]
    """Files of which at least one is needed."""
    options: Mapping[str, str]
    """Name -> words in commands, at the scale of the plan."""
    stages: tuple[PlannedStage, ...]
    tables: tuple[Mapping[str, Any], ...]
    """Title, header, rows of cells (`result_cells.py`), and perhaps a figure."""


def plan_names() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def load_plan(name: str, scale: str = "paper") -> PaperPlan:
    """The plan of a paper at a scale; raises `InputError` if there is none."""
    if name not in plan_names():
        raise InputError(
            f"there is no plan called {name!r}", remedy=f"Give {', '.join(plan_names())}."
        )
    raw = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    files = tuple(_file(key, each) for key, each in raw["files"].items())
    return PaperPlan(
        name,
        raw["title"],
        raw["note"].strip(),
        raw.get("encoder", ""),
        files,
        tuple(raw.get("one_of", ())),
        raw["scales"][scale]["options"],
        tuple(_stages(raw, scale)),
        tuple(raw["tables"]),
    )


def _file(name: str, raw: Mapping[str, Any]) -> NeededFile:
    return NeededFile(name=name, **{**raw, "also": tuple(raw.get("also", ()))})


def _replaced(text: str, choice: Mapping[str, str]) -> str:
    for name, value in choice.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _stages(raw: Mapping[str, Any], scale: str) -> Iterator[PlannedStage]:
    """The stages of a scale in order; one with `{language}` in its name is there for each."""
    choices: dict[str, list[str]] = {**raw.get("each", {}), **raw["scales"][scale].get("each", {})}
    for name, each in raw["stages"].items():
        if scale not in each.get("at", SCALES):
            continue
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in each.items()
        }
        stage = PlannedStage(name=name, **given)
        used = [choice for choice in choices if f"{{{choice}}}" in name]
        for values in product(*(choices[choice] for choice in used)):
            yield stage.of(dict(zip(used, values, strict=True)))
