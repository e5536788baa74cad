"""A page from its template, in the shell of the website; its words are the shell's and our own."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from crosstalk.language.writing import writing_of
from crosstalk.web.pages import words as shell
from crosstalk.web.pages.render import (
    LANGUAGE_COOKIE,
    TEMPLATES,
    THEME_COOKIE,
    THEMES,
)
from crosstalk.web.pages.words import Words, languages
from crosstalk.web.translation.people import Guest
from crosstalk.web.visitors import wanted_interface

FOLDER: Final = Path(shell.FOLDER) / "translate"
SECTIONS: Final = ("common", "problems", "translate")
"""What scripts may need of the words."""


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


@cache
def words(code: str) -> Words:
    """The shell's words, and over them those of the translation pages."""
    base = shell.words(code)
    own = tomllib.loads((FOLDER / f"{code}.toml").read_text(encoding="utf-8"))
    sections = {**base.sections}
    for section, texts in own.items():
        sections[section] = {**base.sections.get(section, {}), **texts}
    return Words(base.code, base.direction, sections)


def words_for(request: Request) -> Words:
    code = request.cookies.get(LANGUAGE_COOKIE, "")
    if code not in languages():
        wanted = request.headers.get("accept-language", "").lower()
        code = wanted_interface(wanted)
    return words(code)


def page(
    request: Request,
    guest: Guest,
    template: str,
    *,
    data: dict[str, Any] | None = None,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    said = words_for(request)
    theme = request.cookies.get(THEME_COOKIE, "")
    source, target = request.app.state.languages
    shared = {
        "t": said,
        "languages": languages(),
        "theme": theme if theme in THEMES else "",
        "csrf": guest.csrf,
        "worker": None,
        "expert": False,
        "guest": guest,
        "here": request.url.path,
        "stage": request.app.state.stage,
        "source": source,
        "target": target,
        "source_direction": writing_of(source).direction,
        "target_direction": writing_of(target).direction,
        "for_script": {"words": said.of(*SECTIONS), **(data or {})},
    }
    text = _environment().get_template(f"translate/{template}").render(**shared, **values)
    return HTMLResponse(text, status)
