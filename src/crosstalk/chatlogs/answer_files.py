"""Articles of a folder of extracted conversations, written as Markdown or JSON Lines."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from crosstalk.chatlogs.answers import Article, article_of, ranked
from crosstalk.chatlogs.conversation_threads import MIN_ANSWER_CONFIDENCE, Thread, ThreadLine
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.chatlogs.part_extraction import CONVERSATIONS
from crosstalk.chatlogs.thread_tables import read_columns
from crosstalk.errors import InputError
from crosstalk.files import writing

COLUMNS: Final = (
    *("channel", "conversation", "order", "file", "line", "time", "sender", "recipient", "text"),
    *("parent", "confidence"),
)
ENDINGS: Final = (".md", ".jsonl")


@dataclass(frozen=True, slots=True)
class ArticleSet:
    """The articles of a folder."""

    articles: tuple[Article, ...]
    """By how sure they are."""
    files: dict[tuple[str, int], str]
    """The file of each line of them, by conversation and order."""
    conversations: int
    """How many conversations were looked at."""

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the articles as JSON objects."""
        for number, article in enumerate(self.articles, 1):
            yield {"id": number, **self._record(article)} | {
                "also": [self._record(each) for each in article.also]
            }

    def _record(self, article: Article) -> dict[str, Any]:
        return {
            "question": article.asked,
            "answer": article.answered,
            "confidence": round(article.confidence, 4),
            "thanked": article.thanked,
            "asked_by": article.question[0].message.sender,
            "answered_by": article.answer[0].message.sender,
            "time": _iso(article.question[0]),
            "channel": article.channel,
            "conversation": article.conversation,
            "question_lines": self._lines(article, article.question),
            "answer_lines": self._lines(article, article.answer),
        }

    def _lines(self, article: Article, lines: Thread) -> list[dict[str, Any]]:
        return [
            {
                "file": self.files[article.conversation, line.order],
                "line": line.message.number,
                "time": _iso(line),
                "sender": line.message.sender,
                "text": line.text,
            }
            for line in lines
        ]


def _iso(line: ThreadLine) -> str:
    return f"{datetime.fromtimestamp(line.message.time, UTC):%Y-%m-%dT%H:%M:%SZ}"


def find_articles(folder: Path, sure: float = MIN_ANSWER_CONFIDENCE) -> ArticleSet:
    """Return the articles of a folder that `logs extract` wrote."""
    pieces = sorted((folder / CONVERSATIONS).glob("*.parquet"))
    if not pieces:
        raise InputError(
            f"{folder} holds no conversations of any number of people",
            remedy="Make some: crosstalk logs extract LOGS --method links --out FOLDER",
        )
    found: list[Article] = []
    files: dict[tuple[str, int], str] = {}
    count = 0
    for channel, name, thread, of_lines in _conversations(pieces):
        count += 1
        article = article_of(thread, channel, name)
        if article and article.confidence >= sure:
            found.append(article)
            for line in (*article.question, *article.answer):
                files[name, line.order] = of_lines[line.order]
    return ArticleSet(tuple(ranked(found)), files, count)


def _conversations(
    pieces: Sequence[Path],
) -> Iterator[tuple[str, str, Thread, dict[int, str]]]:
    for piece in pieces:
        rows = read_columns(piece, COLUMNS).iter_rows()
        for (channel, name), lines in groupby(rows, key=lambda row: row[:2]):
            own = list(lines)
            yield channel, name, tuple(map(_line, own)), {row[2]: row[3] for row in own}


def _line(row: tuple[Any, ...]) -> ThreadLine:
    _, _, order, _, number, time, sender, recipient, text, parent, sure = row
    message = LogMessage(number, time, LineKind.MESSAGE, sender, text)
    return ThreadLine(order, message, sender.casefold(), recipient, text, parent, sure)


def write_articles(found: ArticleSet, out: Path) -> None:
    """Write a file whose ending says the format: `.md` or `.jsonl`."""
    refuse_unknown_ending(out)
    with writing(out) as text:
        if out.suffix == ".md":
            text.writelines(_markdown(found))
        else:
            for record in found.records():
                text.write(json.dumps(record, ensure_ascii=False) + "\n")


def refuse_unknown_ending(out: Path) -> None:
    if out.suffix not in ENDINGS:
        raise InputError(
            f"{out}: unknown ending {out.suffix!r}",
            remedy="Give a file that ends in .md (Markdown) or .jsonl (JSON Lines).",
        )


def _markdown(found: ArticleSet) -> Iterator[str]:
    yield "# Questions and answers\n"
    for record in found.records():
        yield f"\n## {_escaped(_on_one_line(record['question']))}\n\n"
        yield "".join(f"{_escaped(line)}  \n" for line in record["answer"].split("\n"))
        yield f"\n*{_origin(record)}*\n"
        for other in record["also"]:
            yield f"\n- Also asked: {_escaped(_on_one_line(other['answer']))} *{_origin(other)}*\n"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _origin(record: dict[str, Any]) -> str:
    lines = [*record["question_lines"], *record["answer_lines"]]
    files: dict[str, list[str]] = {}
    for line in lines:
        files.setdefault(line["file"], []).append(str(line["line"] + 1))
    places = "; ".join(f"{file}, lines {', '.join(numbers)}" for file, numbers in files.items())
    people = f"{record['answered_by']} to {record['asked_by']}"
    when = record["time"].replace("T", " ").removesuffix(":00Z").removesuffix("Z")
    sure = f"{100 * record['confidence']:.0f} % sure"
    return _escaped(f"{people}, {when}; {record['channel']}; {places}; {sure}")


def _escaped(text: str) -> str:
    """Escape what Markdown would take for its own marks, HTML included."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!~" else sign for sign in text)
