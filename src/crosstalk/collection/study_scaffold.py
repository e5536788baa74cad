"""The folder of a new study, with comments that say what each line is for."""

import re
import secrets
from pathlib import Path
from typing import Final

from crosstalk.collection.study import Outcome, platforms
from crosstalk.errors import InputError
from crosstalk.problems import did_you_mean
from crosstalk.scaffolds import make_folder, quotable_name, write_templates

SCAFFOLD: Final = Path(__file__).parent / "new_study"
"""The files of a new study; `@...@` in study.toml is filled in."""
ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Of codes: nothing that is mistaken for something else when it is typed."""


def new_study(folder: Path, *, platform: str, world: str, language: str) -> None:
    """Write a study to a folder that does not exist yet; its codes are random."""
    if platform not in platforms():
        raise InputError(
            f"there is no platform {platform!r}", remedy=did_you_mean(platform, platforms())
        )
    name = folder.resolve().name
    values = {
        "FOLDER": str(folder),
        "KEY": _key(name),
        "TITLE": quotable_name(folder),
        "WORLD": world,
        "LANGUAGE": language,
        "PLATFORM": platform,
        "CODES": "\n".join(f'{outcome} = "{_code()}"' for outcome in Outcome),
    }

    def fill(made: Path) -> None:
        write_templates(SCAFFOLD, made, values)
        (made / "questionnaires").mkdir()

    make_folder(folder, fill)


def _key(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return plain if len(plain) > 1 else "study"


def _code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(8))
