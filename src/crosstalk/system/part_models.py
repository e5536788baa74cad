"""Names of the model folders that parts are built from."""

from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.model_folders import find_model, has_model, missing_model
from crosstalk.worlds.tables import World

EDITS: Final = "dst"
"""The tree tracker; one model serves every world."""
WORDS: Final = "dst-words"
"""The text tracker; one model serves every world."""
POLICY: Final = "policy"
SL: Final = "policy-sl"
USER: Final = "user"
SIDES: Final = {Speaker.USER: "usr", Speaker.SYSTEM: "sys"}
"""Names of the speakers in commands."""


def plain_model(world: World) -> str:
    """The NLU trained on corpora and phrase books."""
    return f"nlu-{world.name}-{world.language.code}"


def practised_model(world: World) -> str:
    """The NLU trained on simulated dialogues as well."""
    return f"nlu-practised-{world.name}-{world.language.code}"


def user_nlu_model(world: World) -> str:
    """The simulated user's NLU, trained on utterances that the system's NLU has not seen."""
    return f"nlu-user-{world.name}-{world.language.code}"


def bert_folder(name: str, world: str, language: str | None = None) -> str:
    """`name`: bert or bert-no-context; a language is named where it was asked for."""
    return f"nlu-{name}-{world}" + (f"-{language}" if language else "")


def trade_folder(world: str, language: str | None = None) -> str:
    """A language is named where it was asked for."""
    return f"dst-trade-{world}" + (f"-{language}" if language else "")


def bert_model(name: str, world: World, models: Path | None) -> str:
    """The BERTNLU of a world in its language."""
    own = bert_folder(name, world.name, world.language.code)
    return own if _is_named(own, world, models) else bert_folder(name, world.name)


def trade_model(world: World, models: Path | None) -> str:
    """The TRADE of a world in its language."""
    own = trade_folder(world.name, world.language.code)
    return own if _is_named(own, world, models) else trade_folder(world.name)


def _is_named(folder: str, world: World, models: Path | None) -> bool:
    """Whether a model's name holds its language: if it is not the world's base language."""
    from crosstalk.worlds.world import load_outline  # reads files with pydantic

    base = load_outline(world.folder or world.name).base
    return has_model(folder, models) or world.language.code != base


def ranks_model(world: World) -> str:
    """The ranks of a world's corpus templates."""
    return f"nlg-{world.name}"


def sclstm_model(world: str, speaker: Speaker) -> str:
    """The SC-LSTM of one side."""
    return f"nlg-sclstm-{world}-{speaker}"


def trained(name: str, models: Path | None, command: str) -> Path:
    """The folder of a model; the error for a missing one names the command that trains it."""
    if has_model(name, models):
        return find_model(name, models)
    raise missing_model(name, models, command)
