"""HTML from values: whatever is not markup already is text, and is written as text.

element("td", {"class": "number"}, "a < b")  ->  <td class="number">a &lt; b</td>
"""

from collections.abc import Mapping
from html import escape

Attributes = Mapping[str, str]

_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if chr(code) not in "\t\n"}
_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "")
"""Marks that turn the direction of what follows, up to the end of the page if they like."""


class Markup(str):
    """Text that is HTML: made here, never by others."""

    __slots__ = ()


def text(value: str) -> Markup:
    """A text as it may stand on a page, whoever wrote it."""
    return Markup(escape(value.translate(_CONTROLS | _BIDI), quote=True))


def element(name: str, attributes: Attributes | None = None, *children: str) -> Markup:
    given = "".join(f' {key}="{text(value)}"' for key, value in (attributes or {}).items())
    return Markup(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    return Markup("".join(each if isinstance(each, Markup) else text(each) for each in children))


def isolated(value: str) -> Markup:
    """A text of whatever direction, which does not disturb its neighbours."""
    return element("bdi", None, value)
