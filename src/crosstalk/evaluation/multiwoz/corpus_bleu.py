"""Corpus BLEU with the digits of sacrebleu's defaults: tokenizer 13a, smoothing `exp`.

    score(["NAME is in the AREA."], ["NAME is in the AREA."])  # 100.0

The n-gram counts are the `Bleu` of CrossWOZ's figures (nlg_scores.py), which smooths as NLTK does.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final

from crosstalk.evaluation.nlg_scores import ORDERS, Bleu, ngrams

ENTITIES: Final = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
SPLITS: Final = (
    (re.compile(r"([!-&(-+/:-@\[-`{-~])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
"""Punctuation but `'` and `-`; periods and commas except in numbers; a dash after a digit."""


def score(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU between 0 and 100; one reference per hypothesis."""
    counts = map(count, hypotheses, references)
    return _score(reduce(add, counts, Bleu()))


def count(hypothesis: str, reference: str) -> Bleu:
    """The counts of one hypothesis."""
    ours, theirs = words(hypothesis), words(reference)
    matches, totals = [], []
    for n in ORDERS:
        found = Counter(ngrams(ours, n))
        matches.append((found & Counter(ngrams(theirs, n))).total())
        totals.append(found.total())
    one, two, three, four = matches
    all_one, all_two, all_three, all_four = totals
    return Bleu(
        (one, two, three, four),
        (all_one, all_two, all_three, all_four),
        len(ours),
        len(theirs),
        1,
    )


def words(line: str) -> list[str]:
    """The words of a line as the tokenizer 13a of mteval cuts them."""
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in ENTITIES.items():
        line = line.replace(entity, sign)
    line = f" {line} "
    for pattern, replacement in SPLITS:
        line = pattern.sub(replacement, line)
    return line.split()


def _score(counts: Bleu) -> float:
    """Each order without a match counts half of what the one before it did."""
    if not any(counts.matches) or not all(counts.totals):
        return 0.0
    halves, logs = 1.0, 0.0
    for matched, total in zip(counts.matches, counts.totals, strict=True):
        if not matched:
            halves /= 2
        logs += math.log((matched or halves) / total)
    return 100 * counts.brevity * math.exp(logs / len(ORDERS))
