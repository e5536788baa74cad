"""An area of the website (collecting, annotating, translating): what it adds to the shell."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fastapi import APIRouter, Request

from crosstalk.web.sessions import Visitor


class NavigationLink(NamedTuple):
    """A link in the header of every page."""

    href: str
    words: str
    """The key of its text."""


def _no_links(request: Request, visitor: Visitor) -> Iterable[NavigationLink]:
    return ()


@dataclass(frozen=True, slots=True)
class Area:
    """The defaults add nothing."""

    routers: tuple[APIRouter, ...]
    state: Mapping[str, Any] = field(default_factory=dict)
    """What its routes find in `app.state`."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What `/healthz` says about it."""
    template_values: Mapping[str, Any] = field(default_factory=dict)
    navigation: Callable[[Request, Visitor], Iterable[NavigationLink]] = _no_links
    running: Callable[[], AbstractAsyncContextManager[None]] = contextlib.nullcontext
    """Entered when the server starts, left when it stops."""
    session_ended: Callable[[int], None] = lambda worker: None
    """Called with the worker when somebody has logged out, or all sessions of theirs have ended."""
    personal_links: bool = False
    """People have links of their own instead of names and passwords."""
