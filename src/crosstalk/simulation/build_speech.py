"""Names of generators and understandings become objects: one branch a name, imports inside."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.model_folders import CARD, SHIPPED, find_model
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlu.understanding import Understanding

if TYPE_CHECKING:
    from crosstalk.system.nlg.ranks import Ranks

GENERATORS: Final = ("template", "sclstm", "best")
PLAIN: Final = "plain"
"""Our understanding without practice."""
READERS: Final = ("best", PLAIN, "bert", "bert-no-context")
OWN: Final = "sayings"
"""Folder of a world: what we say in place of what nobody said well."""
SIDES: Final = {Speaker.USER: "usr", Speaker.SYSTEM: "sys"}
"""How commands call the speakers."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where generators find what they speak from."""

    data: Path | None = None
    """The data folder, for the template files that come with CrossWOZ."""
    models: Path | None = None
    """Models trained by the user; the shipped ones serve where there are none."""
    templates: Path | None = None
    """A folder of template files to speak from, instead of the world's own."""


def build_generator(
    name: str,
    world: World,
    speaker: Speaker,
    *,
    folder: Path,
    sources: Sources | None = None,
    protocol: str = "corrected",
) -> Generator:
    """`folder` is the world's. A world that brings templates along is spoken for by these."""
    from crosstalk.system.nlg import crosswoz
    from crosstalk.system.nlg.written import file_name, written_generator

    sources = sources or Sources()
    if name not in GENERATORS:
        unknown("generator", name, GENERATORS)
    if name == "sclstm":
        return _sclstm(world, speaker, sources.models, protocol)
    if not sources.templates and (folder / file_name(world.language.code)).exists():
        return written_generator(folder, world.schema, world.language, speaker)
    said = sources.templates or fetched_templates(sources.data)
    if name != "best" and protocol == "paper":
        return crosswoz.published_generator(said, world.schema, world.language, speaker)
    sayings = crosswoz.Sayings(said, None if sources.templates else folder / OWN)
    if name == "best":
        ranks = _ranks(world, speaker, sources.models)
        return crosswoz.central_generator(sayings, world, speaker, ranks)
    return crosswoz.any_generator(sayings, world, speaker)


def _ranks(world: World, speaker: Speaker, models: Path | None) -> "Ranks | None":
    """Those worked out before, where there are any."""
    from crosstalk.system.nlg.ranks import load_ranks

    if not has_ranks(world, models):
        return None
    return load_ranks(find_model(ranks_model(world), models), speaker)


def has_ranks(world: World, models: Path | None) -> bool:
    return _is_there(ranks_model(world), models)


def _is_there(name: str, models: Path | None) -> bool:
    places = [models, SHIPPED] if models else [SHIPPED]
    return any((place / name / CARD).is_file() for place in places)


def ranks_model(world: World) -> str:
    """The name of the folder with the ranks of templates."""
    return f"nlg-{world.name}"


def _sclstm(world: World, speaker: Speaker, models: Path | None, protocol: str) -> Generator:
    from crosstalk.system.nlg.keys import ActKeys
    from crosstalk.system.nlg.sclstm import SpokenBySCLSTM

    folder = _found(
        sclstm_model(world.name, speaker),
        models,
        f"crosstalk train nlg --model sclstm --world {world.name} --side {SIDES[speaker]}",
    )
    keys = ActKeys.of(world.schema, world.language, speaker)
    return SpokenBySCLSTM.load(folder, keys, language=world.language.code, protocol=protocol)


def _found(name: str, models: Path | None, command: str) -> Path:
    """The folder of a model; where there is none, the words name the command that trains it."""
    if _is_there(name, models):
        return find_model(name, models)
    raise InputError(
        f"there is no trained model called {name!r}" + (f" in {models}" if models else ""),
        remedy=f"Train it: {command} --out {models or 'models'}; then name its folder with "
        "--models.",
    )


def sclstm_model(world: str, speaker: Speaker) -> str:
    """The name of the folder of the SC-LSTM of one side."""
    return f"nlg-sclstm-{world}-{speaker}"


def fetched_templates(data: Path | None = None) -> Path:
    """The template files that come with CrossWOZ."""
    data = data or (Path(os.environ["CROSSTALK_DATA"]) if os.getenv("CROSSTALK_DATA") else None)
    if data is None:
        raise InputError(
            "no templates are known: CROSSTALK_DATA is not set",
            remedy="Run `crosstalk fetch crosswoz`, then name the data folder with CROSSTALK_DATA; "
            "or name a folder of template files with --templates.",
        )
    return data / "crosswoz" / "templates"


def build_understanding(name: str, world: World, models: Path | None = None) -> Understanding:
    if name not in READERS:
        unknown("NLU", name, READERS)
    folder = _found(
        nlu_model(name, world, models),
        models,
        f"crosstalk train nlu --world {world.name} --language {world.language.code}"
        + ("" if name in ("best", PLAIN) else f" --model {name}"),
    )
    if name in ("best", PLAIN):
        from crosstalk.system.nlu.ranked import RankedUnderstanding

        return RankedUnderstanding.load(folder, world)
    from crosstalk.system.nlu.bert import BertUnderstanding, spare_threads

    spare_threads(folder)
    return BertUnderstanding.load(folder, world.schema)


def nlu_model(name: str, world: World, models: Path | None = None) -> str:
    """The name of the folder of an understanding; of ours, the one that has practised if any."""
    practised = practised_model(world)
    if name == "best" and _is_there(practised, models):
        return practised
    return plain_model(world) if name in ("best", PLAIN) else f"nlu-{name}-{world.name}"


def plain_model(world: World) -> str:
    """Our understanding as corpora and phrase books have taught it."""
    return f"nlu-{world.name}-{world.language.code}"


def practised_model(world: World) -> str:
    """The same after it has talked to simulated users."""
    return f"nlu-practised-{world.name}-{world.language.code}"


def unknown(what: str, name: str, known: tuple[str, ...]) -> NoReturn:
    raise InputError(f"there is no {what} called {name!r}", remedy=f"Known: {', '.join(known)}.")
