"""Language codes as they are given: ISO 639-1, in small letters."""

import re
from typing import Final

from crosstalk.errors import InputError

SOURCE: Final = "en"
"""The language that states are learnt from; the labels of all corpora are in it."""
CODES: Final = {"cn": "zh", "chinese": "zh", "russian": "ru", "german": "de", "english": "en"}
"""What people write for them; the published code calls Chinese `cn`."""
READ: Final = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip
"""Languages of the sentence encoder; those of all corpora we know are among them."""


def refuse_no_code(option: str, code: str) -> None:
    """Raise for what is no code of two letters; `cn` is a country."""
    known = CODES.get(code.lower())
    if known or not re.fullmatch("[a-z]{2}", code):
        raise InputError(
            f"{option} {code}: not a language code",
            remedy=f"Give {known}." if known else f"Give two small letters: {', '.join(READ)}.",
        )


def refuse_unknown_language(option: str, code: str) -> None:
    """Raise for a language that nothing here reads."""
    refuse_no_code(option, code)
    if code not in READ:
        raise InputError(
            f"{option} {code}: not a language we know", remedy=f"Known: {', '.join(READ)}."
        )
