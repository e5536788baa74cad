"""Complaints about `world.toml`: where, what is wrong, what to do."""

from collections import Counter
from collections.abc import Iterable, Iterator

from crosstalk.toml_files import Location

Complaint = tuple[Location, str, str]
"""Where, what is wrong, what to do."""


def repeated(keys: Iterable[tuple[Location, str]]) -> Iterator[Complaint]:
    """Keys that are used twice in a list."""
    seen: Counter[str] = Counter()
    for number, (at, key) in enumerate(keys):
        seen[key] += 1
        if seen[key] == 2:
            yield (*at, number, "key"), f"the key `{key}` is used twice", "Give each its own key."


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"
