"""Words of chat: addresses, numbers and paths become tags, as in the paper's experiments.

The paper's tags for people and places need a tagger of its own day and are left out.
"""

import re
from functools import lru_cache

URL, PATH, NUMBER = "__url__", "__path__", "__number__"
_TOKEN = re.compile(
    r"__\w+?__|(?:https?|ftps?|smb)://\S+|(?:~|\.{0,2})/[\w.+~-]+(?:/[\w.+~-]*)*"
    r"|\d+(?:\.\d+)?(?![\w.])|[^\W_]+(?:[-_.+][^\W_]+)*|n't|'\w+|[^\w\s]+"
)
_TAGS = (
    (re.compile(r"(?:https?|ftps?|smb)://"), URL),
    (re.compile(r"(?:~|\.{0,2})/\w"), PATH),
    (re.compile(r"\d+(?:\.\d+)?$"), NUMBER),
)


def tokens(text: str) -> list[str]:
    """Lower-case words, runs of punctuation, and tags.

    tokens("Try http://x.org, it's 12") == ["try", "__url__", "it", "'s", "__number__"]
    """
    return [_tagged(word) for word in _TOKEN.findall(text.lower())]


@lru_cache(maxsize=100_000)
def _tagged(word: str) -> str:
    return next((tag for pattern, tag in _TAGS if pattern.match(word)), word)
