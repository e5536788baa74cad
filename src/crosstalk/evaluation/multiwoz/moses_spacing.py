"""The spacing that Moses' English tokenizer and detokenizer leave, one after the other.

The standard evaluation sends every response through both before it computes BLEU. Punctuation
moves to the word before it; an apostrophe between letters stays; one with a space before it is
taken for a quotation mark, so that `you 'd` keeps its space.
"""

import re
from typing import Final

SYMBOL: Final = re.compile(r"([^\w\s.'`,-]|_)")
DOTS: Final = re.compile(r"(\.{2,})")
COMMA: Final = re.compile(r"(?<=\D),|,(?=\D)|(?<=\d),$")
IN_WORD: Final = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])|(?<=\d)'(?=s)")
QUOTE: Final = re.compile(r"(?<=.)'(?=[\W\d_])|(?<=[\W_])'(?=[^\W\d_])")
OPENING: Final = re.compile(r"[$£€¥¢([{¿¡]+")
CLOSING: Final = re.compile(r"[,.?!:;\\%}\])]+")
CONTRACTION: Final = re.compile(r"'[^\W\d_]")
QUOTES: Final = re.compile(r"['\"„“`]+")


def moses_spacing(text: str) -> str:
    """The same words, spaced as Moses would."""
    return _joined(_tokens(text))


def _tokens(text: str) -> list[str]:
    text = SYMBOL.sub(r" \1 ", " ".join(text.split()))
    text = DOTS.sub(r" \1 ", text)
    text = COMMA.sub(" , ", text)
    text = QUOTE.sub(" ' ", text)
    text = IN_WORD.sub(" '", text)
    return re.sub(r"\.' ?$", " . ' ", text).split()


def _joined(tokens: list[str]) -> str:
    text, space = "", " "
    quotes: dict[str, int] = {}
    before = ""
    for token in tokens:
        left, after = _spaces(token, before, space, quotes)
        text, space, before = text + left + token, after, token
    return re.sub(" {2,}", " ", text).strip()


def _spaces(token: str, before: str, space: str, quotes: dict[str, int]) -> tuple[str, str]:
    """The space before a token, and the one due before the next; counts quotation marks."""
    if OPENING.fullmatch(token):
        return space, ""
    if CLOSING.fullmatch(token) or (before and CONTRACTION.match(token)):
        return "", " "
    if QUOTES.fullmatch(token):
        if quotes.get(token, 0) % 2 == 0 and token == "'" and before.endswith("s"):
            return "", " "  # a possessive: the guests' rooms
        quotes[token] = quotes.get(token, 0) + 1
        return (space, "") if quotes[token] % 2 else ("", " ")
    return space, " "
