"""Points of a learning curve, kept as they are made: a stopped run goes on, another adds to it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing

Point = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """A file of points, each with what it was made from; None: nothing is kept."""

    file: Path | None = None

    def point(self, key: Mapping[str, Any], make: Callable[[], Point]) -> Point:
        """The one that is kept under this key, or else a new one."""
        kept = self._read()
        for each in kept:
            if each["of"] == key:
                return dict(each["point"])
        made = make()
        if self.file:
            with writing(self.file) as text:
                json.dump([*kept, {"of": dict(key), "point": made}], text, indent=1)
                text.write("\n")
        return made

    def _read(self) -> list[dict[str, Any]]:
        if self.file is None or not self.file.exists():
            return []
        kept = read_json(self.file)
        if not isinstance(kept, list) or not all(_is_point(each) for each in kept):
            raise FileProblem(
                f"{self.file}: not a file of points", remedy="Name another file with --points."
            )
        return kept


def _is_point(raw: Any) -> bool:
    return isinstance(raw, dict) and {"of", "point"} <= set(raw) and isinstance(raw["point"], dict)
