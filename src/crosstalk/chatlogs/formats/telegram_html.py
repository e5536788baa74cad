"""Telegram Desktop's export in HTML: `messages.html`, `messages2.html` and so on."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from typing import Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.log_format import UNLIKE, FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.formats.text_blocks import LineBlocks
from crosstalk.chatlogs.log_messages import LineKind, LogMessage

WHEN: Final = re.compile(
    r"(\d\d)\.(\d\d)\.(\d{4}) (\d\d):(\d\d):(\d\d)(?: UTC([+-])(\d\d):(\d\d))?"
)
EMPTY: Final = frozenset({"br", "img", "meta", "link", "input", "hr"})
"""Elements without an end."""


class _Page(HTMLParser):
    """Collects the messages of a page; fields are known by the classes of their elements."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[dict[str, str]] = []
        self._open: list[str] = []
        self._sender = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        if tag in EMPTY:
            self._write("\n" if tag == "br" else "")
            return
        if tag == "div" and "message" in classes:
            kind = "service" if "service" in classes else "message"
            self._open = []
            self.messages.append(
                {
                    "kind": kind,
                    "id": given.get("id", ""),
                    "joined": "joined" * ("joined" in classes),
                }
            )
        self._open.append(self._field(classes))
        if self.messages and "date" in classes and "time" not in self.messages[-1]:
            self.messages[-1]["time"] = given.get("title", "")
        if self.messages and "reply_to" in self._open and "#go_to_" in given.get("href", ""):
            self.messages[-1]["reply"] = given["href"].partition("#go_to_")[2]

    def _field(self, classes: list[str]) -> str:
        known = ("from_name", "text", "reply_to", "forwarded", "details", "media_wrap", "reactions")
        return next((each for each in known if each in classes), "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._write(data)

    def _write(self, data: str) -> None:
        inside = [each for each in self._open if each]
        if self.messages and inside and not {"reply_to", "media_wrap", "reactions"} & {*inside}:
            field = inside[-1]
            if field == "from_name" and "forwarded" in inside:
                return
            self.messages[-1][field] = self.messages[-1].get(field, "") + data


def _likeness(head: FileHead) -> Likeness:
    is_page = "<html" in head.text[:500].casefold()
    if is_page and "page_wrap" in head.text and "history" in head.text:
        return Likeness(1, 1000)
    return Likeness(0, 0, "HTML of some other program") if is_page else UNLIKE


def _read(content: LogContent) -> Iterator[LogMessage]:
    page = _Page()
    with content.open() as stream:
        for lines in LineBlocks(stream):
            page.feed("\n".join(lines) + "\n")
    sender, found = "", []
    shown: dict[str, str] = {}
    for number, value in enumerate(page.messages):
        if not value["joined"] and value["kind"] == "message":
            sender = " ".join(value.get("from_name", "").split())
            shown |= documents.shown_names([sender])
        found.append(_message(number, value, documents.one_word(sender)))
    times = [message.time for message in found if message.time]
    known = (message if message.time else message._replace(time=times[0]) for message in found)
    return documents.with_mentions(known if times else found, shown)


def _message(number: int, value: dict[str, str], sender: str) -> LogMessage:
    text = " ".join(value.get("text", "").split())
    time = _time(value.get("time", ""))
    if value["kind"] == "service":
        return LogMessage(number, time or 0, LineKind.SYSTEM, "", value.get("details", "").strip())
    if time is None or not sender:
        return LogMessage(number, time or 0, LineKind.UNREADABLE, sender, text)
    kind = LineKind.MESSAGE if text else LineKind.SYSTEM
    return LogMessage(number, time, kind, sender, text, value["id"], value.get("reply", ""))


def _time(title: str) -> int | None:
    found = WHEN.match(title)
    if not found:
        return None
    day, month, year, hour, minute, second = map(int, found.groups()[:6])
    sign = -1 if found[7] == "-" else 1
    offset = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0))
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=timezone(sign * offset))
    except ValueError:
        return None
    return int(moment.timestamp())


FORMAT: Final = LogFormat("telegram-html", "Telegram's export (HTML)", _likeness, _read)
