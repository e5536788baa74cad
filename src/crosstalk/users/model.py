"""A trained user: three forests and an order of lists, kept as JSON."""

import json
from dataclasses import dataclass
from pathlib import Path

import crosstalk
from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing
from crosstalk.users.ordering import ListOrder
from crosstalk.users.trees import Forest

FILE = "model.json"
FORMAT = 1
SHIPPED = Path(crosstalk.__file__).parent / "models" / "user"


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


def load_model(folder: Path = SHIPPED) -> UserModel:
    file = folder / FILE
    raw = read_json(file)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']!r}, expected {FORMAT}")
        forests = [Forest.from_json(raw[part]) for part in ("values", "telling", "wording")]
        order = ListOrder({str(text): rank for rank, text in enumerate(raw["order"])})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileProblem(
            f"{file}: not a user model: {error}",
            remedy="Train it again: crosstalk train user --data FILE --out DIR.",
        ) from error
    return UserModel(*forests, order)
