"""Names of people: they become names of files and parts of links."""

import re
from collections.abc import Sequence
from typing import Final

from crosstalk.errors import InputError

NAME: Final = re.compile(r"[\w][\w\- ]{0,39}")


def refuse_names(names: Sequence[str]) -> None:
    for name in names:
        if not NAME.fullmatch(name):
            raise InputError(
                f"{name!r} is no name for a person here",
                remedy="Use 1 to 40 letters, digits, spaces and hyphens.",
            )
    if len({name.casefold() for name in names}) < len(names):
        raise InputError("two people have one name", remedy="Give each a name of their own.")
