"""An assistant from names: its world, its language, and what it learned to understand."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crosstalk.database.tables import World
from crosstalk.database.worlds import find_world, load_world
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model
from crosstalk.simulation.assistant.assistant import Assistant
from crosstalk.simulation.assistant.second import SecondOpinion
from crosstalk.system.build import NLU
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.system.part_models import plain_model
from crosstalk.system.parts import build_part, context_of


def build_assistant(
    name: str | Path,
    *,
    language: str | None = None,
    data: Path | None = None,
    models: Path | None = None,
) -> Assistant:
    """The understanding trained for the world helps where there is one, shipped or in `models`.

    Not the one that has practised with simulated users: people type in other words than these.
    """
    world = load_world(name, language=language, data=data)
    return Assistant(world, find_world(name), _second_opinion(world, models))


def _second_opinion(world: World, models: Path | None) -> SecondOpinion | None:
    try:
        find_model(plain_model(world), models)
    except InputError:
        return None
    return SecondOpinion(world, lambda: _understanding(world, models))


def _understanding(world: World, models: Path | None) -> Understanding:
    with _without("sklearn"):
        import crosstalk.system.boosted  # noqa: F401
    found: Understanding = build_part(NLU, "trees", context_of(world, models=models)).part
    return found


@contextmanager
def _without(package: str) -> Iterator[None]:
    """Imports inside go without a package they can do without.

    LightGBM imports scikit-learn wherever that is installed, which takes a second of one core and
    serves nothing here.
    """
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # so says the import system: not there
    try:
        yield
    finally:
        del sys.modules[package]
