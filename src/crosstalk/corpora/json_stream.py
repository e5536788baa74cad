"""Reads large JSON files one value at a time (`JsonStream`), and JSON Lines (`json_lines`).

Text is read a million characters at a time and handed to the standard library's decoder; a value
that is cut off is decoded again with more text, which costs about one extra dialogue per read.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from crosstalk.errors import FileProblem, FormatError, Place
from crosstalk.files import STRICT, Source, bounded_lines, open_binary

READ = 1 << 20
"""Bytes per read; CrossWOZ dialogues are about 80,000 bytes long."""
TAIL = 16
"""An error this close to the end of the text may be a token that is cut off."""
MARK = re.compile(r"[^ \t\n\r]")
"""The next character that is not JSON's white space."""
COMMENTS = re.compile(r"(?:[ \t]*#[^\n]*\n)+")
"""Lines before the JSON, as in CamRest676."""
COMPLETE = "Check that the file is complete; if it was downloaded, fetch it again."


DECODER = json.JSONDecoder(**STRICT)


def decode(text: str) -> Any:
    """One JSON value that takes up all of `text`; ValueError when it is not one."""
    try:
        value = DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    refuse_half_characters(text)
    return value


def refuse_half_characters(text: str) -> None:
    r"""Raise for an escape like `\ud83d` without its partner: no file could hold it as UTF-8."""
    if "\\ud" in text or "\\uD" in text:
        try:
            json.dumps(json.loads(text), ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("an escape stands for half a character") from error


def texts(path: Source) -> Iterator[str]:
    """The UTF-8 text of a file in large pieces, without byte order mark and first comments."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    offset = 0
    with open_binary(path) as raw:
        while piece := raw.read(READ):
            text = _decoded(path, decoder, piece, offset)
            yield text if offset else without_comments(text)
            offset += len(piece)
        _decoded(path, decoder, b"", offset, final=True)


def without_comments(text: str) -> str:
    """The text with empty lines for the comments that it begins with."""
    found = COMMENTS.match(text)
    return "\n" * found[0].count("\n") + text[found.end() :] if found else text


def _decoded(
    path: Source,
    decoder: codecs.IncrementalDecoder,
    piece: bytes,
    offset: int,
    *,
    final: bool = False,
) -> str:
    pending = len(decoder.getstate()[0])
    try:
        return decoder.decode(piece, final)
    except UnicodeDecodeError as error:
        raise FileProblem(
            f"{path}: not UTF-8 text at byte {offset - pending + error.start:,}",
            remedy="Save the file as UTF-8 and try again.",
        ) from error


class JsonStream:
    """A window of text that moves through a file."""

    def __init__(self, path: Source) -> None:
        self.path = path
        self._pieces = texts(path)
        self._text = ""
        self._at = 0
        self._lines = 1
        """Line number of the window's first character."""
        self._last_break = -1
        """Position of the line break before the window, relative to it."""
        self.last_key: str | None = None
        """The last dialogue that was read whole."""

    def documents(self) -> Iterator[Any]:
        """The items of a list, or the objects that the file holds: one, or one a line."""
        if self._peek() == "[":
            yield from self.items()
        else:
            yield self._value()
            while self._peek() == "{":
                yield self._value()
            self._end()

    def members(self) -> Iterator[tuple[str, Any]]:
        """The keys and values of the one object the file holds."""
        self._expect("{")
        if self._peek() == "}":
            self._at += 1
            return self._end()
        while True:
            if self._peek() != '"':
                raise self._wrong("expected a key in double quotes")
            key = self._value()
            self._expect(":")
            self._peek()
            yield key, self._value(key)
            self.last_key = key
            if self._next_is_last("}"):
                return self._end()

    def listed(self) -> Iterator[tuple[str, Any]]:
        """The items of the lists in the one object the file holds, each with its list's key."""
        self._expect("{")
        while True:
            if self._peek() != '"':
                raise self._wrong("expected a key in double quotes")
            key = self._value()
            self._expect(":")
            if self._peek() == "[":
                yield from ((key, each) for each in self._items())
            else:
                self._value(key)
            if self._next_is_last("}"):
                return self._end()

    def items(self) -> Iterator[Any]:
        """The items of the one list the file holds."""
        yield from self._items()
        self._end()

    def _items(self) -> Iterator[Any]:
        self._expect("[")
        if self._peek() == "]":
            self._at += 1
            return
        number = 0
        while True:
            self._peek()
            yield self._value(f"number {number}")
            self.last_key = f"number {number}"
            number += 1
            if self._next_is_last("]"):
                return

    def _next_is_last(self, closing: str) -> bool:
        mark = self._peek()
        if mark not in (",", closing):
            raise self._wrong(f"expected a comma or {closing!r}")
        self._at += 1
        return mark == closing

    def _end(self) -> None:
        if self._peek():
            raise self._wrong("the corpus has ended, yet more follows")

    def _expect(self, mark: str) -> None:
        if self._peek() != mark:
            raise self._wrong(f"expected {mark!r}")
        self._at += 1

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end of the file."""
        while True:
            if mark := MARK.search(self._text, self._at):
                self._at = mark.start()
                return mark[0]
            self._at = len(self._text)
            if not self._more():
                return ""

    def _value(self, inside: str | None = None) -> Any:
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
                if "\\" in self._text:
                    refuse_half_characters(self._text[self._at : end])
            except json.JSONDecodeError as error:
                if not self._may_be_cut_off(error) or not self._more():
                    raise self._wrong(error.msg, at=error.pos, inside=inside) from error
            except (ValueError, RecursionError) as error:
                message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise self._wrong(message, inside=inside) from error
            else:
                self._at = end
                return value

    def _may_be_cut_off(self, error: json.JSONDecodeError) -> bool:
        near_end = error.pos >= len(self._text) - TAIL
        return near_end or error.msg.startswith("Unterminated string")

    def _more(self) -> bool:
        """Drop what has been read and add more; False at the end of the file.

        At least as much is added as is kept: a value larger than a read is decoded again only when
        the window has doubled.
        """
        gone, window = self._text[: self._at], [self._text[self._at :]]
        added = 0
        while added <= len(window[0]) and (piece := next(self._pieces, None)) is not None:
            window.append(piece)
            added += len(piece)
        self._lines += gone.count("\n")
        last = gone.rfind("\n")
        self._last_break = (last if last >= 0 else self._last_break) - self._at
        self._text, self._at = "".join(window), 0
        return len(window) > 1

    def _wrong(
        self, message: str, *, at: int | None = None, inside: str | None = None
    ) -> FormatError:
        at = self._at if at is None else at
        line = self._lines + self._text.count("\n", 0, at)
        last = self._text.rfind("\n", 0, at)
        column = at - (last if last >= 0 else self._last_break)
        after = f"; the last complete dialogue is {self.last_key}" if self.last_key else ""
        ended = "the file ends too early: " if at >= len(self._text) - 1 else ""
        return FormatError(
            f"not valid JSON at column {column}: {ended}{message}{after}",
            place=Place(file=str(self.path), line=line, dialogue=inside),
            remedy=COMPLETE,
        )


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_lines(path: Source, *, whole: bool = False) -> Iterator[tuple[int, Any]]:
    """The lines that are not blank, decoded, with their numbers.

    `whole`: skip a last line without a line break, which a crash left incomplete.
    """
    with open_binary(path) as raw:
        for number, line in enumerate(bounded_lines(raw, path), start=1):
            line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
            if line.strip() and (line.endswith(b"\n") or not whole):
                yield number, _value(path, number, line)


def _value(path: Source, number: int, line: bytes) -> Any:
    try:
        return decode(line.decode())
    except UnicodeDecodeError as error:
        raise FileProblem(
            f"{path}, line {number}: not UTF-8 text at byte {error.start:,} of the line",
            remedy="Save the file as UTF-8 and try again.",
        ) from error
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON at column {error.colno}: {error.msg}",
            place=Place(str(path), number),
            remedy=COMPLETE,
        ) from error
    except ValueError as error:
        raise FormatError(str(error), place=Place(str(path), number)) from error
