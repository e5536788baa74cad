"""Writes `chatlogs/words.txt`: words that many people use in the middle of lines.

    python recipes/chatlogs/common_words.py FOLDER_OF_RAW_LOGS > src/crosstalk/chatlogs/words.txt

From the #ubuntu training days of irc-disentanglement (Kummerfeld et al. 2019, CC BY 4.0).
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

PEOPLE = 15
"""A word of so many people is nobody's name."""
SHORT = frozenset(
    [
        "a",
        "i",
        "am",
        "an",
        "as",
        "at",
        "be",
        "by",
        "do",
        "go",
        "he",
        "hi",
        "if",
        "in",
        "is",
        "it",
        "me",
        "my",
        "no",
        "of",
        "oh",
        "ok",
        "on",
        "or",
        "so",
        "to",
        "up",
        "us",
        "we",
    ]
)
"""English has few words of one or two letters; any other such token may well be a name."""
MIDDLE = re.compile(r"\[\d\d:\d\d\] <([^>]+)> \S+ (.*)")
WORD = re.compile(r"(?<![\w'-])[a-z](?:[a-z']*[a-z])?(?![\w'-])")


def common_words(folder: Path) -> list[str]:
    people: dict[str, set[str]] = defaultdict(set)
    lines: Counter[str] = Counter()
    for path in sorted(folder.glob("*.raw.txt")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if said := MIDDLE.match(line):
                lines[said[1].casefold()] += 1
                for word in WORD.findall(said[2]):
                    people[word].add(said[1])
    return sorted(
        word
        for word, users in people.items()
        if len(users) >= max(PEOPLE, lines[word]) and (len(word) > 2 or word in SHORT)
    )


if __name__ == "__main__":
    print(
        "# Words of at least 15 people in the #ubuntu logs of Kummerfeld et al. 2019 (CC BY 4.0)."
    )
    print("\n".join(common_words(Path(sys.argv[1]))))
