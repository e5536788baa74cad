"""Pages from their templates: words, looks and the visitor are the same for all of them."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from crosstalk.web.accounts import COORDINATOR
from crosstalk.web.area import Area
from crosstalk.web.sessions import AnyVisitor, Visitor
from crosstalk.web.words import DEFAULT, InterfaceWords, languages, words

HERE: Final = Path(__file__).parent
LANGUAGE_COOKIE: Final = "crosstalk_language"
THEME_COOKIE: Final = "crosstalk_theme"
THEMES: Final = ("light", "dark")
EVERYWHERE: Final = ("common", "problems")
"""Sections of words that every script may need."""


@dataclass(frozen=True, slots=True)
class Page:
    """Makes the page that answers a request, from its template."""

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
            "coordinator": COORDINATOR,
            "here": request.url.path,
            "navigation": [link for area in areas for link in area.navigation(request, visitor)],
            "for_script": {"words": said.of(*EVERYWHERE, *sections), **(data or {})},
        }
        for area in areas:
            shared |= area.template_values
        text = _environment().get_template(template).render(**shared, **values)
        return HTMLResponse(text, status)

    def problem(self, status: int) -> HTMLResponse:
        """What people see where there is nothing to see."""
        return self("problem.html", status=status, problem=status)


def page_of(request: Request, visitor: AnyVisitor) -> Page:
    return Page(request, visitor)


AnyPage = Annotated[Page, Depends(page_of)]


def words_for(request: Request, visitor: Visitor) -> InterfaceWords:
    """The language last chosen in this browser, or else the visitor's."""
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
    environment.filters["day"] = day
    environment.filters["clock_time"] = clock_time
    return environment


def day(moment: float | None) -> str:
    """A moment as people read it; the store counts seconds since 1970."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M}" if moment else ""


def clock_time(moment: float | None) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%H:%M:%S}" if moment else ""


class Statics(StaticFiles):
    """Style sheets and scripts: browsers keep them, and ask each time whether they have changed."""

    def __init__(self) -> None:
        super().__init__(directory=HERE / "static")

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
