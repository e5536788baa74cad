"""Utterances a second on one core: `python -m benchmarks.understanding CORPUS [WORLD] [LANGUAGE]`.

Dialogues are understood turn by turn, each in the light of what was understood before, as a
conversation needs it; and as whole dialogues, as `crosstalk evaluate nlu` does.
"""

import json
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Turn
from crosstalk.evaluation.nlu_scores import DialogueReader, turn_by_turn
from crosstalk.model_folders import find_model
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.worlds.world import load_world

DIALOGUES = 60


def measure(corpus: Path, world: str, language: str | None) -> dict[str, Any]:
    live = load_world(world, language=language)
    folder = find_model(f"nlu-{live.name}-{live.language.code}")
    began = time.process_time()
    understanding = RankedNLU.load(folder, live)
    loading = time.process_time() - began
    dialogues = [
        [Turn(turn.speaker, turn.text) for turn in dialogue.turns]
        for dialogue in islice(read_corpus(corpus), DIALOGUES)
    ]
    return {
        "utterances": sum(map(len, dialogues)),
        "per_second": _speed(turn_by_turn(understanding), dialogues),
        "per_second_whole": _speed(understanding.understand_all, dialogues),
        "load_seconds": round(loading, 2),
    }


def _speed(understand: DialogueReader, dialogues: Sequence[Sequence[Turn]]) -> float:
    began = time.process_time()
    for dialogue in dialogues:
        understand(dialogue)
    return round(sum(map(len, dialogues)) / (time.process_time() - began), 1)


if __name__ == "__main__":
    given = sys.argv[2:]
    world = given[0] if given else "crosswoz"
    told = measure(Path(sys.argv[1]), world, given[1] if len(given) > 1 else None)
    print(json.dumps(told))
