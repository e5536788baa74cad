"""S9 by words, measured: `python -m benchmarks.spoken_facts [--dialogues 50]`.

In simulated dialogues of harbour (seed 18), by language: turns of the system that are flagged as
they are, and how many exchanged facts are found: the phone number, the address or the rating of
the selected place replaced by that of another one. `--corpus FILE` flags turns of a corpus.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.judging import LANGUAGES, WORLD, own_dialogues
from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.schema import SlotKind
from crosstalk.evaluation.scores import Share
from crosstalk.labels.checker import LabelChecker, LabelCheckers
from crosstalk.labels.spoken_facts import told_against_rows
from crosstalk.labels.turn_views import TurnView, turn_views
from crosstalk.labels.word_traces import WordTraces
from crosstalk.worlds.display import answer
from crosstalk.worlds.world import load_world

SEED: Final = 18
KINDS: Final = (SlotKind.TEXT, SlotKind.RATING)


def system_views(dialogue: Dialogue) -> Iterator[TurnView]:
    return (view for view in turn_views(dialogue) if view.turn.speaker is Speaker.SYSTEM)


def exchanged(view: TurnView, words: WordTraces, rng: Random) -> Iterator[tuple[str, TurnView]]:
    """The turn with one fact of the selected place exchanged for another place's."""
    for key, name in sorted(view.selected):
        domain, row = words.world.schema.domain(key), words.database.find(key, name)
        for slot in domain.of_kind(*KINDS) if domain and row else ():
            assert domain is not None and row is not None
            rows = list(words.world.tables[key])
            (told, *_) = (*answer(words.pack, domain, row, slot.key), "")
            (other, *_) = (*answer(words.pack, domain, rng.choice(rows), slot.key), "")
            if told and other and told != other and told in view.text:
                text = view.text.replace(told, other)
                yield f"{slot.key}", replace(view, turn=replace(view.turn, text=text))


def measured(dialogues: list[Dialogue], words: WordTraces) -> dict[str, Any]:
    flagged, planted = Share(), dict[str, Share]()
    examples = list[str]()
    for dialogue in dialogues:
        rng = Random(f"{SEED} {dialogue.id}")
        for view in system_views(dialogue):
            found = list(told_against_rows(view, words))
            flagged += Share(int(bool(found)), 1)
            examples += [f"{each} in {view.text!r}" for each in found]
            for kind, fault in exchanged(view, words, rng):
                is_found = bool(list(told_against_rows(fault, words)))
                planted[kind] = planted.get(kind, Share()) + Share(int(is_found), 1)
    return {"flagged": _told(flagged), "planted": {k: _told(v) for k, v in planted.items()}} | (
        {"examples": examples[:20]}
    )


def _told(share: Share) -> str:
    return f"{share.right} of {share.total}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=50, help="of each language")
    parser.add_argument("--languages", nargs="*", default=list(LANGUAGES))
    parser.add_argument("--corpus", type=Path)
    options = parser.parse_args()
    if options.corpus:
        read = list(read_corpus(options.corpus))[: options.dialogues]
        result = measured(read, LabelCheckers().of(read[0]).words)
        print(json.dumps(result, ensure_ascii=False, indent=1))
    for language in () if options.corpus else options.languages:
        words = LabelChecker.of(load_world(WORLD, language=language)).words
        own = list(own_dialogues(language, options.dialogues, SEED))
        print(
            json.dumps({language: measured(own, words)}, ensure_ascii=False, indent=1), flush=True
        )


if __name__ == "__main__":
    main()
