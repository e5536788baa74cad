"""Chinese words by jieba, whose version 0.39 reproduces the counts of the CrossWOZ paper."""

import warnings
from functools import cache
from importlib import resources
from typing import Any

with warnings.catch_warnings():
    # jieba 0.39 uses pkg_resources where it is installed (it does without), and both warn.
    warnings.simplefilter("ignore")
    import jieba


def version() -> str:
    return f"jieba {jieba.__version__}"


def chinese_words(text: str) -> list[str]:
    """Default mode; punctuation and each white space are words too, as the paper counts."""
    return list(_tokenizer().cut(text))


@cache
def _tokenizer() -> Any:
    """A tokenizer of our own, its dictionary read from the package (about a second).

    jieba itself would keep the dictionary in the temporary folder, in a file of one name for
    every version: what another version, program or person left there would change our counts.
    """
    tokenizer = jieba.Tokenizer()
    dictionary = resources.files("jieba").joinpath("dict.txt").open("rb")
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)  # closes the file
    tokenizer.initialized = True
    return tokenizer
