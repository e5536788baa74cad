"""Style sheets and scripts: kept by browsers, and asked for again only when they have changed."""

from collections.abc import MutableMapping
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles


class Statics(StaticFiles):
    """Pages say `no-store`; these may be stored, if the server is asked each time."""

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
