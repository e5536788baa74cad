"""Text lines of a file of any quality, some thousands at a time.

A block is decoded at once where it can be; only blocks with something odd in them are looked at
line by line.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import BinaryIO

from crosstalk.chatlogs.irc import decode_line, printable

BLOCK = 1 << 19
LONGEST_LINE = 64_000
"""Characters kept of a line: chat programs allow a few thousand."""
CONTROL_BYTES = bytes(set(range(32)) - set(b"\r\n")) + b"\x7f"

JUNK = frozenset(CONTROL_BYTES.decode()) - frozenset("\t\x02\x03\x0f\x11\x16\x1d\x1e\x1f")
"""Bytes that mean nothing in a chat, unlike bold, colours and the like."""


class LineBlocks:
    """Lists of lines without their ends; counts what it had to change."""

    def __init__(self, content: BinaryIO) -> None:
        self._content = content
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

    def _cleaned(self, lines: list[str]) -> list[str]:
        clean = [line if line.isprintable() else printable(line) for line in lines]
        self._junk += sum(not JUNK.isdisjoint(line) for line in lines if not line.isprintable())
        return clean


def _whole_lines(content: BinaryIO) -> Iterator[bytes]:
    rest = content.read(len(BOM_UTF8)).removeprefix(BOM_UTF8)  # some editors begin so
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
