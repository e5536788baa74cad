"""Identity of a training: settings, data and seed. Only the same training may resume."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from crosstalk.errors import FileProblem


@dataclass(frozen=True, slots=True)
class Identity:
    """Compared field by field, so that a refusal can name what differs."""

    settings: Mapping[str, Any]
    data: str
    """Digest of the training data; `digest_of` computes one for data that is no file."""
    seed: int

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    def differences(self, stored: str) -> list[str]:
        """Differences from a stored identity, in words; empty if it is the same training."""
        now, then = json.loads(self.to_json()), json.loads(stored)
        found = [
            f"the setting {name} was {then['settings'].get(name)!r} and is now {value!r}"
            for name, value in now["settings"].items()
            if then["settings"].get(name) != value
        ]
        if now["data"] != then["data"]:
            found.append("it learns from other data")
        if now["seed"] != then["seed"]:
            found.append(f"its seed was {then['seed']} and is now {now['seed']}")
        return found

    def refuse_other(self, stored: str, where: Path) -> None:
        """Raise unless the files at `where` belong to this training."""
        try:
            found = self.differences(stored)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise cannot_go_on(where, "it cannot be read") from error
        if found:
            raise cannot_go_on(where, "; ".join(found))


def settings_of(config: Any, *, without: Iterable[str] = ()) -> dict[str, Any]:
    """The fields of a frozen dataclass, without those that may change when a training resumes."""
    left_out = set(without)
    told = asdict(config)
    return {each.name: told[each.name] for each in fields(config) if each.name not in left_out}


def digest_of(parts: Iterable[object]) -> str:
    """A digest of the `repr` of values, for training data that is no file."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def cannot_go_on(where: Path, problem: str) -> FileProblem:
    return FileProblem(
        f"{where}: a training cannot go on from here: {problem}",
        remedy="Give the command as it was first given, remove this to start anew, or name "
        "another folder with --out.",
    )
