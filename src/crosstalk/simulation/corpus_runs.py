"""Dialogues that people held, as a run: `corpus_run(dialogues, "harbour", world, Path("people"))`.

Such a folder is judged, viewed and compared like one of simulated conversations, so that people and
machines can be measured on the same goals.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from crosstalk.corpora.record_encoding import encode_dialogue
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.simulation.run_folders import Run, RunCard, open_run, recording
from crosstalk.simulation.runner import world_digest
from crosstalk.system.build import WORDS
from crosstalk.system.parts import CORRECTED
from crosstalk.worlds.tables import World

PEOPLE: Final = "people"
"""As the name of the user of a run: no simulator, but people."""


def corpus_run(dialogues: Iterable[Dialogue], name: str, world: World, out: Path) -> Run:
    """Write dialogues with goals as a run folder; those without a goal are left out.

    `name`: the world as commands know it, a built-in one or a folder.
    """
    lines = [
        json.dumps(encode_dialogue(_held(number, each)), ensure_ascii=False) + "\n"
        for number, each in enumerate(each for each in dialogues if each.goal)
    ]
    if not lines:
        raise InputError(
            "no dialogue has a goal, so that there is nothing to judge",
            remedy="Collect dialogues about goals, or export them in another format.",
        )
    setup = {
        "world": name,
        "language": world.language.code,
        "level": WORDS,
        "protocol": CORRECTED,
        "user_protocol": CORRECTED,
        "user": PEOPLE,
    }
    plan = {"seed": 0, "count": len(lines), "repeat": 1}
    card = RunCard(setup, plan, {}, {"world": world_digest(world)}, len(lines))
    with recording(out, card, resume=False) as recorder:
        recorder.append(lines)
        recorder.finish()
    return open_run(out)


def _held(number: int, dialogue: Dialogue) -> Dialogue:
    extras = {"number": number, "repeat": 0, "ending": str(Ending.FINISHED)}
    return replace(dialogue, extras={**extras, **dialogue.extras})
