r"""Free prose made readable: Markdown, fences and printed calls blanked, sentences with offsets.

    for sentence in Prose.of("**Tamsin Hotel**\n- rated 4.5").sentences: ...

Every character that is taken out becomes a blank, so a position in the cleaned text is the same
position in what the agent wrote.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TAGGED_CALL: Final = re.compile(
    r"<(tool_call|function_call|tools?|think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL
)
_CALL_WORD: Final = re.compile(r'"(?:name|function|tool|arguments|parameters|tool_calls)"\s*:')
_CALL_TEXT: Final = re.compile(r"^\s*(?:search\w*|nearby|ride|get|schema)\(.*\)\s*$", re.MULTILINE)
_BOLD: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*+•·▪–]|\d{1,2}[.)、]|#{1,6}|>+)[ \t]+", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^[ \t]*\d{1,2}[.)、][ \t]*(?=\D)", re.MULTILINE)
_RULER: Final = re.compile(r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*$", re.MULTILINE)
_SIGNS: Final = re.compile(r"[*_`#~|]{1,3}(?!\w)|(?<!\w)[*_`~|]{1,3}|[*`|]")
_EMOJI: Final = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]")
_END: Final = re.compile(r"[?？؟]+[!?？؟.…]*|[.!…]+(?=[\s\"'»”)\]]|$)|[。！]+|\n+", re.MULTILINE)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:ca|bzw|z\.\s?B|d\.\s?h|u\.\s?a|Nr|St|No|approx|e\.g|i\.e|vs|Mr|Mrs|Dr|Prof|"
    r"ул|д|г|пр|пл|пер|стр|им|тел|см|т\.\s?е|т\.\s?д|руб|чел|a\.m|p\.m)|\b[^\W\d_]|[Ss]tr)\.$"
)
_QUOTES: Final = re.compile(
    r"«([^»\n]{2,60})»|“([^”\n]{2,60})”|„([^“”\n]{2,60})[“”]|\"([^\"\n]{2,60})\"|「([^」\n]{2,40})」|"
    r"『([^』\n]{2,40})』|《([^》\n]{2,40})》|‘([^’\n]{3,40})’"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of prose that says one thing, and where it stands in the reply."""

    text: str
    start: int
    line: int
    """Number of the line it stands in."""
    is_asked: bool = False
    """Ends in a question mark."""
    leads_in: bool = False
    """Ends in a colon: what follows in the next lines belongs to it."""
    is_item: bool = False
    """An item of a list, or a row of a table."""
    is_cell: bool = False
    """A cell of a table with heads."""
    label: str = ""
    """The head of the table's column it stands in."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Text in bold or in quotation marks, which may be a name."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prose:
    """A reply, cleaned."""

    raw: str
    text: str
    """As long as `raw`; what is not prose is blank."""
    sentences: tuple[Sentence, ...]
    emphasised: tuple[Emphasis, ...]
    calls: tuple[tuple[int, int], ...]
    """Where calls and code stood."""

    @classmethod
    def of(cls, raw: str, *, cut: bool = False) -> "Prose":
        """`cut`: the reply ended by length, so that its last line is not finished."""
        text, calls = _without_calls(raw)
        if cut:
            text = _without_open_end(text)
        emphasised = tuple(_emphasised(text))
        items = frozenset(_item_lines(text))
        text = _without_markup(text)
        return cls(raw, text, tuple(_sentences(text, items)), emphasised, tuple(calls))


def _blank(text: str, start: int, end: int) -> str:
    hole = "".join("\n" if letter == "\n" else " " for letter in text[start:end])
    return text[:start] + hole + text[end:]


def _without_calls(raw: str) -> tuple[str, list[tuple[int, int]]]:
    spans = [match.span() for each in (_FENCE, _TAGGED_CALL) for match in each.finditer(raw)]
    text = raw
    for start, end in spans:
        text = _blank(text, start, end)
    objects = [span for span in _objects(text) if _CALL_WORD.search(raw[slice(*span)])]
    objects += [match.span() for match in _CALL_TEXT.finditer(text)]
    for start, end in objects:
        text = _blank(text, start, end)
    return text, sorted([*spans, *objects])


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Stretches in balanced braces; an open one goes to the end."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        if letter == "{":
            begin = at if depth == 0 else begin
            depth += 1
        elif letter == "}" and depth:
            depth -= 1
            if depth == 0:
                yield begin, at + 1
    if depth:
        yield begin, len(text)


def _without_open_end(text: str) -> str:
    """Without the last line where it does not end: nobody knows what it would have said.

    What stands before its last comma or full stop was finished.
    """
    kept = text.rstrip()
    begin = kept.rfind("\n") + 1
    marks = [kept.rfind(mark, begin) for mark in ".!?。！？,，、،;；"]
    last = max(marks)
    return _blank(text, last + 1 if last >= 0 else begin, len(text))


def _emphasised(text: str) -> Iterator[Emphasis]:
    for each in (_BOLD, _QUOTES):
        for match in each.finditer(text):
            group = next(n for n, found in enumerate(match.groups(), start=1) if found is not None)
            yield Emphasis(match[group], *match.span(group))


def _item_lines(text: str) -> Iterator[int]:
    for number, line in enumerate(text.split("\n")):
        if _BULLET.match(line) or _NUMBERED.match(line) or line.lstrip().startswith("|"):
            yield number


def _without_markup(text: str) -> str:
    text = _LINK.sub(lambda m: f" {m[1]} ".ljust(len(m[0]))[: len(m[0])], text)
    for each in (_RULER, _BULLET, _NUMBERED):
        text = each.sub(lambda match: " " * len(match[0]), text)
    text = "\n".join(
        _row(line) if line.lstrip().startswith("|") else line for line in text.split("\n")
    )
    text = _SIGNS.sub(lambda match: " " * len(match[0]), text)
    return _EMOJI.sub(" ", text)


def _row(line: str) -> str:
    """A row of a table as a line with commas between its cells."""
    inner = line.rstrip()
    edges = {len(line) - len(line.lstrip()), len(inner) - 1 if inner.endswith("|") else -1}
    return "".join(
        (" " if at in edges else ";") if letter == "|" else letter for at, letter in enumerate(line)
    )


def _sentences(text: str, items: frozenset[int]) -> Iterator[Sentence]:
    tables = dict(_tables(text))
    at, line = 0, 0
    for start, end, mark in [*_ends(text), (len(text), len(text), "")]:
        piece = text[at:start]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            shown = piece.strip()
            here = line + piece[:lead].count("\n")
            sentence = Sentence(
                shown,
                at + lead,
                here,
                is_asked=mark[:1] in ("?", "？", "؟") if mark else False,
                leads_in=shown.endswith((":", "：")),
                is_item=here in items,
            )
            yield from _cells(sentence, tables.get(here))
        line += text[at:end].count("\n")
        at = end


def _ends(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATED.search(text[: match.end()][-12:]):
            continue
        yield match.start(), match.end(), match[0]


def _tables(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line of a table's row -> the heads of its columns, for tables of more than two columns."""
    lines = text.split("\n")
    heads: list[str] | None = None
    for number, line in enumerate(lines):
        cells = [cell.strip() for cell in line.split(";")]
        if len(cells) < 3 or not line.strip():
            heads = None if line.strip() else heads
            continue
        if heads is None or len(heads) != len(cells):
            heads = cells
        else:
            yield number, heads


def _cells(sentence: Sentence, heads: list[str] | None) -> Iterator[Sentence]:
    """A row of a table as one sentence a cell."""
    cells = sentence.text.split(";")
    if heads is None or len(cells) != len(heads):
        yield sentence
        return
    at = sentence.start
    for cell, head in zip(cells, heads, strict=True):
        lead = len(cell) - len(cell.lstrip())
        if cell.strip():
            yield Sentence(
                cell.strip(), at + lead, sentence.line, is_item=True, is_cell=True, label=head
            )
        at += len(cell) + 1
