"""Names of the model folders that parts are built from."""

from pathlib import Path
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.model_folders import find_model, has_model

EDITS: Final = "dst"
"""Boosted edits of the form; one model serves every world."""
WORDS: Final = "dst-words"
"""The tracker from words; one model serves every world."""
POLICY: Final = "policy"
SL: Final = "policy-sl"
USER: Final = "user"
SIDES: Final = {Speaker.USER: "usr", Speaker.SYSTEM: "sys"}
"""How commands call the speakers."""


def plain_model(world: World) -> str:
    """Our understanding, trained on corpora and phrase books."""
    return f"nlu-{world.name}-{world.language.code}"


def practised_model(world: World) -> str:
    """Our understanding, trained on simulated dialogues as well."""
    return f"nlu-practised-{world.name}-{world.language.code}"


def user_nlu_model(world: World) -> str:
    """The simulated user's understanding, trained on utterances that the system's never saw."""
    return f"nlu-user-{world.name}-{world.language.code}"


def bert_model(name: str, world: World) -> str:
    """`name`: bert or bert-no-context."""
    return f"nlu-{name}-{world.name}"


def trade_model(world: World) -> str:
    """TRADE for the world's base language; another language stands in the name where it exists."""
    return f"dst-trade-{world.name}"


def ranks_model(world: World) -> str:
    """The ranks of a world's corpus templates."""
    return f"nlg-{world.name}"


def sclstm_model(world: str, speaker: Speaker) -> str:
    """The SC-LSTM of one side."""
    return f"nlg-sclstm-{world}-{speaker}"


def trained(name: str, models: Path | None, command: str) -> Path:
    """The folder of a model; where there is none, the words name the command that trains it."""
    if has_model(name, models):
        return find_model(name, models)
    raise InputError(
        f"there is no trained model called {name!r}" + (f" in {models}" if models else ""),
        remedy=f"Train it: {command} --out {models or 'models'}; then name its folder with "
        "--models.",
    )
