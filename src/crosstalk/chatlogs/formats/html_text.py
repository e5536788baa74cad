"""The words of HTML, as some programs keep messages in it."""

from html.parser import HTMLParser
from typing import Final

BREAKS: Final = frozenset({"br", "p", "div", "li", "tr", "blockquote", "pre"})
LEFT_OUT: Final = frozenset({"script", "style", "blockquote"})
"""Elements whose words are not the message's own; quotes repeat what is answered."""


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in LEFT_OUT
        if tag in BREAKS:
            self.pieces.append("\n")
        if tag == "img":
            self.pieces.append(dict(attrs).get("alt") or "")

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in LEFT_OUT and self._skipped > 0
        if tag in BREAKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.pieces.append(data)


def words_of_html(text: str) -> str:
    """Return the text of HTML without elements and quotes, on one line."""
    if "<" not in text and "&" not in text:
        return " ".join(text.split())
    words = _Words()
    words.feed(text)
    words.close()
    return " ".join("".join(words.pieces).split())
