"""Records of an appendix as a file to keep."""

from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

from crosstalk.translation.appendix import record_chunks


def as_file(records: Iterable[dict[str, Any]], name: str) -> Response:
    """In one piece: a chunk a record would take many times as long to send."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    text = "".join(record_chunks(records))
    return Response(text, media_type="application/json", headers=headers)
