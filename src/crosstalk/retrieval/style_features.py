"""How somebody types, whatever it is about: people keep to their manner within a dialogue."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MANNERS = (
    "lines",
    "characters a line",
    "words",
    "letters a word",
    "lines that begin with a capital",
    "lines that end in a full stop",
    "lines that end in a question mark",
    "capitals",
    "apostrophes",
    "commas",
    "dots in a row",
    "smiley",
    "words of one letter",
    "words of two letters",
    "address",
    "slash",
    "command",
    "two spaces",
    "digits",
    "name first",
    "quotation marks",
    "brackets",
)
_SMILEY = re.compile(r"(?:^|\s)[:;=8][-o']?[)(DPp/|]|\^\^|<3|[\U0001f300-\U0001faff]")
_NAME_FIRST = re.compile(r"\S{2,20}[:,]\s")


def manners(texts: Sequence[str]) -> NDArray[np.float32]:
    """One row a text, one column for each of MANNERS."""
    rows = np.array([_manner(text) for text in texts], dtype=np.float32)
    return rows.reshape(len(texts), len(MANNERS))


def _manner(text: str) -> list[float]:
    lines = [line.strip() for line in text.split("\n")]
    joined = " ".join(lines)
    words = joined.split() or [""]
    of_lines, of_words, of_all = 1 / len(lines), 1 / len(words), 100 / max(len(joined), 1)
    return [
        len(lines),
        len(joined) * of_lines,
        len(words),
        sum(map(len, words)) * of_words,
        sum(line[:1].isupper() for line in lines) * of_lines,
        sum(line.endswith((".", "!", "。")) for line in lines) * of_lines,
        sum(line.endswith(("?", "？", "؟")) for line in lines) * of_lines,
        sum(map(str.isupper, joined)) * of_all,
        (joined.count("'") + joined.count("’")) * of_all,
        joined.count(",") * of_all,
        ".." in joined,
        bool(_SMILEY.search(joined)),
        sum(len(word) == 1 for word in words) * of_words,
        sum(len(word) == 2 for word in words) * of_words,
        "://" in joined,
        "/" in joined,
        joined.startswith("!"),
        "  " in joined,
        sum(map(str.isdigit, joined)) * of_all,
        bool(_NAME_FIRST.match(joined)),
        joined.count('"') * of_all,
        joined.count("(") * of_all,
    ]
