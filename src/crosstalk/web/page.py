"""Pages from templates, and `Area`: what a part of the website adds to the shell."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Depends, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from crosstalk.web.accounts import COORDINATOR
from crosstalk.web.interface_words import DEFAULT, InterfaceWords, languages, words
from crosstalk.web.metrics import Sample
from crosstalk.web.sessions import AnyVisitor, Visitor, permissions
from crosstalk.web.store.role_store import Permission


class NavigationLink(NamedTuple):
    """A link in the header of every page."""

    href: str
    words: str
    """Key of its text in the interface words."""


def _no_links(request: Request, visitor: Visitor) -> Iterable[NavigationLink]:
    return ()


@dataclass(frozen=True, slots=True)
class Area:
    """Routes, state and navigation of one part of the website; the defaults add nothing."""

    routers: tuple[APIRouter, ...]
    state: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of `app.state` for its routes."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Fields of `/healthz`."""
    template_values: Mapping[str, Any] = field(default_factory=dict)
    navigation: Callable[[Request, Visitor], Iterable[NavigationLink]] = _no_links
    running: Callable[[], AbstractAsyncContextManager[None]] = contextlib.nullcontext
    """Entered when the server starts, left when it stops."""
    session_ended: Callable[[int], None] = lambda worker: None
    """Called with the worker's id after a logout or when all their sessions have ended."""
    samples: Callable[[], Iterable[Sample]] = tuple
    """What `/metrics` tells of the area now."""
    personal_links: bool = False
    """Whether people have personal links instead of names and passwords."""


HERE: Final = Path(__file__).parent
LANGUAGE_COOKIE: Final = "crosstalk_language"
THEME_COOKIE: Final = "crosstalk_theme"
THEMES: Final = ("light", "dark")
EVERYWHERE: Final = ("common", "problems")
"""Sections of interface words that every script gets."""


@dataclass(frozen=True, slots=True)
class Page:
    """Renders the page that answers a request."""

    request: Request
    visitor: Visitor

    def __call__(
        self,
        template: str,
        *,
        sections: tuple[str, ...] = (),
        data: dict[str, Any] | None = None,
        status: int = 200,
        **values: Any,
    ) -> HTMLResponse:
        """`sections` of words and `data` are for the page's script."""
        request, visitor = self.request, self.visitor
        said = words_for(request, visitor)
        theme = request.cookies.get(THEME_COOKIE, "")
        areas: tuple[Area, ...] = request.app.state.areas
        shared = {
            "t": said,
            "languages": languages(),
            "theme": theme if theme in THEMES else "",
            "csrf": visitor.csrf,
            "worker": visitor.worker,
            "may": self.may,
            "coordinator": COORDINATOR,
            "here": request.url.path,
            "navigation": [link for area in areas for link in area.navigation(request, visitor)],
            "for_script": {"words": said.of(*EVERYWHERE, *sections), **(data or {})},
        }
        for area in areas:
            shared |= area.template_values
        text = _environment().get_template(template).render(**shared, **values)
        return HTMLResponse(text, status)

    @property
    def may(self) -> frozenset[Permission]:
        """What the visitor's roles allow."""
        return permissions(self.request, self.visitor.worker)

    @property
    def language(self) -> str:
        """Code of the interface's language."""
        return words_for(self.request, self.visitor).code

    def problem(self, status: int) -> HTMLResponse:
        """The error page for a status."""
        return self("problem.html", status=status, problem=status)


def page_of(request: Request, visitor: AnyVisitor) -> Page:
    return Page(request, visitor)


AnyPage = Annotated[Page, Depends(page_of)]


def words_for(request: Request, visitor: Visitor) -> InterfaceWords:
    """The interface words in the language chosen in this browser, otherwise the visitor's."""
    code = request.cookies.get(LANGUAGE_COOKIE, "")
    known = languages()
    return words(next(each for each in (code, visitor.interface, DEFAULT) if each in known))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["clock_time"] = clock_time
    return environment


def clock_time(moment: float | None) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%H:%M:%S}" if moment else ""


class Statics(StaticFiles):
    """Style sheets and scripts; browsers cache them but revalidate on every use."""

    def __init__(self) -> None:
        super().__init__(directory=HERE / "static")

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
