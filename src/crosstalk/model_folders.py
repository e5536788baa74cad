"""Where trained models lie: a folder of one's own first, then what ships with Crosstalk."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosstalk import __version__
from crosstalk.errors import InputError
from crosstalk.files import sha256_of, writing

SHIPPED = Path(__file__).parent / "models"


def find_model(name: str, models: Path | None = None) -> Path:
    """The folder of a model: the one in `models` where it is there, else the shipped one."""
    for folder in [models / name] if models else []:
        if (folder / "card.json").is_file():
            return folder
    if (SHIPPED / name / "card.json").is_file():
        return SHIPPED / name
    raise InputError(
        f"there is no trained model called {name!r}" + (f" in {models}" if models else ""),
        remedy=f"Train it: crosstalk train {name.partition('-')[0]} --data FILE "
        f"--out {models or 'models'}",
    )


def write_card(
    folder: Path,
    *,
    what: str,
    command: str,
    corpus: Path,
    dialogues: int,
    seed: int,
    figures: Mapping[str, Any] | None = None,
) -> None:
    """`card.json`: what the model is, from which data, by which command. Written last."""
    card = {
        "what": what,
        "command": command,
        "corpus": corpus.name,
        "sha256": sha256_of(corpus),
        "dialogues": dialogues,
        "seed": seed,
        "crosstalk": __version__,
        **({"figures": dict(figures)} if figures else {}),
    }
    with writing(folder / "card.json") as text:
        json.dump(card, text, ensure_ascii=False, indent=1)
