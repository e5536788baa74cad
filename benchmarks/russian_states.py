"""Russian dialogues with English states: the Russian texts of MultiWOZ, joined with its labels.

python -m benchmarks.russian_states DATA dev OUT.json
python -m benchmarks.russian_states DATA dev OUT.json 2    every second dialogue

The text files have English and Russian line by line, without ids. A dialogue is joined with the
labelled one that has its first three English turns and its length. Printed: how many were joined.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from crosstalk.files import read_json, writing
from crosstalk.transfer.transfer_corpora import DialogueTexts, read_dialogue_texts

LABELLED = {"dev": "val.json.zip", "train": "train20.json.zip"}
FIRST = 3
Opening = tuple[int, tuple[str, ...]]


def joined(data: Path, split: str) -> dict[str, Any]:
    """The labelled dialogues of a split with Russian texts in place of the English ones."""
    labelled = read_json(data / "multiwoz" / LABELLED[split])
    by_opening: dict[Opening, list[str]] = {}
    for id, dialogue in labelled.items():
        texts = tuple(entry["text"] for entry in dialogue["log"])
        by_opening.setdefault(opening(texts), []).append(id)
    english, russian = (texts_of(data, language, split) for language in ("english", "russian"))
    found: dict[str, Any] = {}
    for own, other in zip(russian, english, strict=True):
        ids = by_opening.get(opening(other.texts), [])
        if ids and len(own.texts) == len(other.texts):
            id = ids.pop(0)
            said = zip(labelled[id]["log"], own.texts, strict=True)
            found[id] = {**labelled[id], "log": [{**entry, "text": text} for entry, text in said]}
    return found


def texts_of(data: Path, language: str, split: str) -> list[DialogueTexts]:
    return read_dialogue_texts(data / "multiwoz_ru" / f"{language}_{split}.zip")


def opening(texts: tuple[str, ...]) -> Opening:
    return len(texts), tuple(re.sub(r"\W+", "", text).lower() for text in texts[:FIRST])


def main() -> None:
    data, split, out, *every = sys.argv[1:]
    found = dict(list(joined(Path(data), split).items())[:: int(every[0]) if every else 1])
    with writing(Path(out)) as text:
        json.dump(found, text, ensure_ascii=False)
    print(json.dumps({"dialogues": len(found)}))


if __name__ == "__main__":
    main()
