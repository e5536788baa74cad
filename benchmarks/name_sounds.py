"""How many everyday English words sound like a proper word of a MultiWOZ name, by looseness.

python -m benchmarks.name_sounds DATA

Everyday words are those of the English side of Tatoeba that are mostly written small, from the
second time on. Names are those of MultiWOZ val. No other language is looked at.
"""

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

from crosstalk.language.sounds import sounds_of
from crosstalk.transfer.states.name_sounds import SHORT, Likeness, ordinary_words
from crosstalk.transfer.states.transfer_tasks import find_task
from crosstalk.transfer.translation_pairs import read_translations

LEAST, PER_SLIP, ENDING = (5, 6), (6, 7, 8, 99), (0, 2, 3)


def main() -> None:
    data = Path(sys.argv[1])
    texts = [english for english, _ in read_translations(data, "en", "de", most=200_000, seed=1)]
    ordinary = ordinary_words(texts)
    proper = {word for name in english_names(data) for word in name.split()} - ordinary
    counts = Counter(word for text in texts for word in re.findall(r"[a-z]+", text))
    everyday = [word for word in ordinary if counts[word] >= 2 and len(word) > SHORT]
    print(json.dumps({"everyday words": len(everyday), "proper words": len(proper)}))
    said = Counter(map(sounds_of, everyday))
    for least, per_slip, ending in product(LEAST, PER_SLIP, ENDING):
        likeness = Likeness(least, per_slip, ending)
        names = [key for key in map(sounds_of, sorted(proper)) if len(key) >= least]
        false = sum(n for key in names for each, n in said.items() if likeness.alike(key, each))
        setting = {"least": least, "per_slip": per_slip, "ending": ending}
        print(json.dumps({**setting, "names": len(names), "alike": round(false / len(names), 2)}))


def english_names(data: Path) -> list[str]:
    task = find_task(data, "en")
    task = replace(task, source_files=task.source_files[-1:])  # val
    labels = task.english_ontology(task.source()).labels["en"]
    places = [slot.key for slot in task.slots if slot.kind == "place"]
    return sorted({name for key in places for name in labels.get(key, {}).values()})


if __name__ == "__main__":
    main()
