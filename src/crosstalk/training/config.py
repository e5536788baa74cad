"""`config.json` of a model folder: the settings of its training, as a frozen dataclass.

write_config(folder, ReaderConfig(passes=3))
read_config(folder, ReaderConfig)
"""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing

CONFIG = "config.json"
LARGEST = 10_000_000
"""The largest size that a model may name: words, columns, steps."""
T = TypeVar("T")


def write_config(folder: Path, config: Any) -> None:
    """Write the fields of a frozen dataclass, nested ones included."""
    with writing(folder / CONFIG) as text:
        json.dump(asdict(config), text, ensure_ascii=False, indent=1)
        text.write("\n")


def refuse_huge(sizes: Any, name: str = "") -> None:
    """Raise ValueError for a size that no model has; memory would be asked for before weights."""
    if isinstance(sizes, dict):
        for key, value in sizes.items():
            refuse_huge(value, str(key))
    elif type(sizes) is int and abs(sizes) > LARGEST and "seed" not in name:
        raise ValueError(f"{name}: {sizes:,} is more than any model has ({LARGEST:,})")


def read_config(folder: Path, kind: type[T]) -> T:
    """The settings of a model; refuses fields and values that the dataclass does not have."""
    from pydantic import TypeAdapter, ValidationError

    file = folder / CONFIG
    raw = read_json(file)
    try:
        if unknown := set(raw) - {each.name for each in fields(kind)}:  # type: ignore[arg-type]
            raise ValueError(f"unknown field {', '.join(sorted(unknown))}")
        refuse_huge(raw)
        return TypeAdapter(kind).validate_python(raw)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (TypeError, ValueError) as error:
        problem = str(error)
    raise FileProblem(f"{file}: {problem}", remedy="Train the model again.")
