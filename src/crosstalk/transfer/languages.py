"""Language codes as they are given: ISO 639-1, in small letters."""

import re

from crosstalk.errors import InputError

CODES = {"cn": "zh", "chinese": "zh", "russian": "ru", "german": "de", "english": "en"}
"""What people write for them; the published code calls Chinese `cn`."""


def refuse_unknown_language(option: str, code: str) -> None:
    """Raise for what is no code of two letters; `cn` is a country."""
    known = CODES.get(code.lower())
    if known or not re.fullmatch("[a-z]{2}", code):
        raise InputError(
            f"{option} {code}: not a language code",
            remedy=f"Give {known}." if known else "Give two small letters, such as en, zh or ru.",
        )
