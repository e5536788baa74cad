"""Text files that are packed when their name says so."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from crosstalk.files import writing, writing_binary

RELEASE = (1980, 1, 1, 0, 0, 0)
"""The date of every packed member: the same corpus gives the same bytes."""


@contextmanager
def writing_packed(path: Path) -> Iterator[TextIO]:
    """A text file, or a zip of one member named like the zip without `.zip`."""
    if path.suffix != ".zip":
        with writing(path) as file:
            yield file
        return
    member = zipfile.ZipInfo(path.stem, date_time=RELEASE)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    with (
        writing_binary(path) as raw,
        zipfile.ZipFile(raw, "w") as archive,
        archive.open(member, "w", force_zip64=True) as inside,
        io.TextIOWrapper(inside, encoding="utf-8", newline="") as file,
    ):
        yield file
