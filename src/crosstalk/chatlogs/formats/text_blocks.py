"""The text of a log file: decoded lines in blocks, whatever the encoding.

Archives mix encodings within a file, so that each line is decoded by itself: as UTF-8, else as
Windows-1252. Files in UTF-16 are told by their byte order mark or their many zero bytes.
"""

import io
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from crosstalk.archives import GZIP_START, gunzipped

CONTROL = re.compile("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|[\x00-\x08\x0b-\x1f\x7f]")
"""Codes for bold, colours and the like, which terminals do not print."""


def printable(line: str) -> str:
    return CONTROL.sub("", line).replace("\t", " ")


def decode_line(raw: bytes) -> str:
    """Decode as UTF-8, else as Windows-1252; per line, since archives mix both within a file."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


BLOCK = 1 << 19
LONGEST_LINE = 64_000
"""Characters kept of a line: chat programs allow a few thousand."""
CONTROL_BYTES = bytes(set(range(32)) - set(b"\r\n")) + b"\x7f"

JUNK = frozenset(CONTROL_BYTES.decode()) - frozenset("\t\x02\x03\x0f\x11\x16\x1d\x1e\x1f")
"""Control characters without a meaning in chat, unlike bold and colours."""


class LineBlocks:
    """Yields lists of decoded lines and counts what it had to change.

    A block is decoded at once where possible; only blocks with odd bytes are cleaned line by line.
    """

    def __init__(self, content: BinaryIO, *, tabs: bool = False) -> None:
        """`tabs`: keep tabs, which divide columns; else they are spaces."""
        self._content = content
        self._tabs = tabs
        self._cut = 0
        self._not_utf8 = 0
        self._junk = 0

    def __iter__(self) -> Iterator[list[str]]:
        for block in _whole_lines(self._content):
            lines = self._decoded(block)
            if len(block.translate(None, CONTROL_BYTES)) < len(block):
                lines = self._cleaned(lines)
            if max(map(len, lines)) > LONGEST_LINE:
                self._cut += sum(len(line) > LONGEST_LINE for line in lines)
                lines = [line[:LONGEST_LINE] for line in lines]
            yield lines

    def problems(self) -> Iterator[str]:
        if self._cut:
            yield f"{self._cut:,} lines cut after {LONGEST_LINE:,} characters"
        if self._not_utf8:
            yield f"{self._not_utf8:,} lines are not UTF-8, read as Windows-1252"
        if self._junk:
            yield f"binary characters taken out of {self._junk:,} lines"

    def _decoded(self, block: bytes) -> list[str]:
        try:
            lines = block.decode().split("\n")
        except UnicodeDecodeError:
            raw = block.split(b"\n")
            self._not_utf8 += sum(not _is_utf8(line) for line in raw)
            lines = [decode_line(line) for line in raw]
        if not lines[-1]:
            lines.pop()
        return [line.rstrip("\r") for line in lines] if b"\r" in block else lines

    def _printable(self, line: str) -> str:
        return CONTROL.sub("", line) if self._tabs else printable(line)

    def _cleaned(self, lines: list[str]) -> list[str]:
        clean = [line if line.isprintable() else self._printable(line) for line in lines]
        self._junk += sum(not JUNK.isdisjoint(line) for line in lines if not line.isprintable())
        return clean


def _whole_lines(content: BinaryIO) -> Iterator[bytes]:
    rest = content.read(len(BOM_UTF8)).removeprefix(BOM_UTF8)  # some editors write one
    while piece := content.read(BLOCK):
        end = piece.rfind(b"\n") + 1
        if end:
            yield rest + piece[:end]
            rest = piece[end:]
        else:  # a line that never ends must not fill the memory
            rest = (rest + piece)[: 4 * LONGEST_LINE + 4]
    if rest:
        yield rest


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


PEEKED = 1 << 12
MANY_ZEROS = 8
"""Of the first bytes one in so many is zero in UTF-16: spaces, digits and ends of lines have one
each in any language."""


@contextmanager
def plain_stream(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    """The same bytes without gzip, and in UTF-8 where they are in UTF-16.

    `path`: the file, or the archive that holds it.
    """
    with ExitStack() as opened:
        stream = _buffered(raw)
        if stream.peek(2)[:2] == GZIP_START:
            stream = _buffered(opened.enter_context(gunzipped(path, stream)))
        encoding = _utf16(stream.peek(PEEKED)[:PEEKED])
        yield io.BufferedReader(_Recoded(stream, encoding)) if encoding else stream


def _buffered(raw: BinaryIO) -> io.BufferedReader:
    return raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw))


def _utf16(start: bytes) -> str:
    """Return the kind of UTF-16; empty for other encodings."""
    if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    zeros = [start[at::2].count(0) for at in (0, 1)]
    if MANY_ZEROS * sum(zeros) < len(start) or 10 * min(zeros) > max(zeros):
        return ""
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


class _Recoded(io.RawIOBase):
    """Text of one encoding, read as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = getincrementaldecoder(encoding)(errors="replace")
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            raw = self._stream.read(BLOCK)
            text = self._decoder.decode(raw, final=not raw)
            self._rest = text.removeprefix("\ufeff").encode(errors="replace")
            if not raw:
                break
        piece = self._rest[: len(buffer)]
        self._rest = self._rest[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)
