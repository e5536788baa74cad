"""A tracker of your own as one more row beside those that ship.

    python recipes/tracker_row.py [CORPUS WORLD]

Without a corpus the rows are measured on dialogues simulated in `harbour`. A tracker needs one
method: the belief before, and the dialogue so far, give the belief after.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.evaluation.dst_scores import score_tracking
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.dst.rule_tracker import RuleTracker
from crosstalk.system.dst.search_tracker import SearchTracker
from crosstalk.system.dst.tracker import DialogueState, Tracker
from crosstalk.worlds.world import load_schema


class Literal:
    """Writes down what the user informs of, word for word, and nothing else."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        form = belief.form
        for act in history[-1].acts:
            fields = {slot for slot, _ in form.get(act.domain).slots}
            if act.intent == INFORM and act.slot in fields:
                form = form.with_domain(form.get(act.domain).with_slot(act.slot, act.value))
        return DialogueState(form)


def main(corpus: Path | None = None, world: str = "harbour") -> None:
    dialogues = list(read_corpus(corpus) if corpus else practice_dialogues(world, None, 30, seed=1))
    schema, language = load_schema(world)
    show("RuleDST, as published", RuleTracker(schema, language), dialogues, schema)
    show("search tracker, ours", SearchTracker(schema, language), dialogues, schema)
    show("literal, yours", Literal(schema), dialogues, schema)


def show(name: str, tracker: Tracker, dialogues: Sequence[Dialogue], schema: Schema) -> None:
    score = score_tracking(tracker, dialogues, schema, hide_system_acts=False)
    joint, select = (share.percent for share in (score.overall, score.select))
    print(f"{name:22} joint {joint:6.2f}   Select turns {select:6.2f}")


if __name__ == "__main__":
    main(*[kind(word) for kind, word in zip((Path, str), sys.argv[1:], strict=False)])
