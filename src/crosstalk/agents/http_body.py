"""Requests to HTTP services, made from a JSON template: `filled(template, values)`.

    {"input": {"text": "{message}"}, "user": "crosstalk-{session}", "history": "{messages}"}

A text that is one place alone (`"{messages}"`) becomes the value itself, of whatever type; places
inside a longer text are put in as text. Everything else stays as it stands in the file.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.files import read_json

TOOLS: Final = "mcp"
"""The address of the conversation's tools (`tool_sessions.py`)."""
PLACES: Final = ("message", "messages", "session", "language", TOOLS)
"""What the user said, the whole conversation in chat format, its id, the language code, tools."""
BODY: Final = {place: f"{{{place}}}" for place in PLACES if place != TOOLS}
"""The request where no template is given."""
BODY_WITH_TOOLS: Final = {place: f"{{{place}}}" for place in PLACES}
"""The same for agents that are offered tools."""
_PLACE: Final = re.compile("{(" + "|".join(PLACES) + ")}")


def body_template(path: Path) -> Any:
    """The template in a file; raises where no place of it takes what the user said."""
    template = read_json(path)
    used = set(_PLACE.findall(json.dumps(template, ensure_ascii=False)))
    if not used & {"message", "messages"}:
        raise InputError(
            f"{path}: the request would not hold what the user said",
            remedy='Write "{message}" or "{messages}" where it belongs; '
            f"known: {', '.join(f'{{{place}}}' for place in PLACES)}.",
        )
    return template


def takes_tools(template: Any) -> bool:
    """Whether a template has a place for the address of the tools."""
    return TOOLS in _PLACE.findall(json.dumps(template, ensure_ascii=False))


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with its places filled."""
    if isinstance(template, dict):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(each, values) for each in template]
    if not isinstance(template, str):
        return template
    if whole := _PLACE.fullmatch(template):
        return values[whole[1]]
    return _PLACE.sub(lambda found: _as_text(values[found[1]]), template)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
