"""A page from its template: words, looks and the visitor are the same for all of them."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from crosstalk.web.pages.times import clock_time, day
from crosstalk.web.pages.words import Words, languages, words
from crosstalk.web.store.opinions import read_panel
from crosstalk.web.visitors import Visitor, find_visitor, site_of

TEMPLATES: Final = Path(__file__).parent.parent / "templates"
LANGUAGE_COOKIE: Final = "crosstalk_language"
THEME_COOKIE: Final = "crosstalk_theme"
THEMES: Final = ("light", "dark")
EVERYWHERE: Final = ("common", "problems")
"""Sections of words that every script may need."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["day"] = day
    environment.filters["clock_time"] = clock_time
    return environment


def words_for(request: Request, visitor: Visitor) -> Words:
    """Workers have chosen a language; of others we know a cookie, or what the browser wants."""
    code = visitor.interface
    if visitor.worker is None:
        code = request.cookies.get(LANGUAGE_COOKIE, code)
    return words(code if code in languages() else "en")


def page(
    request: Request,
    visitor: Visitor,
    template: str,
    *,
    sections: tuple[str, ...] = (),
    data: dict[str, Any] | None = None,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """`sections` of words and `data` are for the page's script."""
    said, pack = words_for(request, visitor), site_of(request).context.pack
    theme = request.cookies.get(THEME_COOKIE, "")
    shared = {
        "t": said,
        "languages": languages(),
        "theme": theme if theme in THEMES else "",
        "csrf": visitor.csrf,
        "worker": visitor.worker,
        "expert": _is_expert(request, visitor),
        "here": request.url.path,
        "world_language": pack.code,
        "world_direction": pack.direction,
        "for_script": {"words": said.of(*EVERYWHERE, *sections), **(data or {})},
    }
    return HTMLResponse(_environment().get_template(template).render(**shared, **values), status)


def _is_expert(request: Request, visitor: Visitor) -> bool:
    if visitor.worker is None:
        return False
    return visitor.worker.id in site_of(request).store.read(read_panel).experts


def problem_page(request: Request, status: int) -> HTMLResponse:
    """What people see where there is nothing to see."""
    return page(request, find_visitor(request), "problem.html", status=status, problem=status)
