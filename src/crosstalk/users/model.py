"""A trained user: three forests and an order of lists, kept as JSON."""

import json
from dataclasses import dataclass
from pathlib import Path

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing
from crosstalk.users.list_order import ListOrder
from crosstalk.users.trees import Forest

FILE = "model.json"
FORMAT = 1
NAME = "user"
"""Of the model among the trained models."""


@dataclass(frozen=True, slots=True)
class UserModel:
    """What was learned from people."""

    values: Forest
    """That a candidate is what a person writes down."""
    telling: Forest
    """That a tuple is said next."""
    wording: Forest
    """That an act is said."""
    order: ListOrder


def save_model(model: UserModel, folder: Path) -> None:
    document = {
        "format": FORMAT,
        "values": model.values.to_json(),
        "telling": model.telling.to_json(),
        "wording": model.wording.to_json(),
        "order": sorted(model.order.ranks, key=lambda text: model.order.ranks[text]),
    }
    with writing(folder / FILE) as file:
        json.dump(document, file, ensure_ascii=False, separators=(",", ":"))


def load_model(folder: Path) -> UserModel:
    file = folder / FILE
    raw = read_json(file)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']!r}, expected {FORMAT}")
        return UserModel(
            values=Forest.from_json(raw["values"]),
            telling=Forest.from_json(raw["telling"]),
            wording=Forest.from_json(raw["wording"]),
            order=ListOrder({str(text): rank for rank, text in enumerate(raw["order"])}),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileProblem(
            f"{file}: not a user model: {error}",
            remedy="Train it again: crosstalk train user --data FILE --out DIR.",
        ) from error
