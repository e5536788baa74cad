"""False claims of the system: `python -m benchmarks.claims [TURNS] [WORLD]`.

Users talk to it in every language of the world, in words, until there are as many turns.
"""

import json
import sys

from crosstalk.evaluation.claims import check_answers
from crosstalk.worlds.world import find_world, languages_of

TURNS = 10_000
TURNS_A_DIALOGUE = 7


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    world = sys.argv[2] if len(sys.argv) > 2 else "harbour"
    languages = languages_of(find_world(world))
    dialogues = -(-turns // (TURNS_A_DIALOGUE * len(languages)))
    figures = {}
    for language in languages:
        tally = check_answers(world, language, dialogues=dialogues, seed=1)
        seconds = sorted(tally.seconds)
        figures[language] = {
            "dialogues": tally.dialogues,
            "finished": tally.finished,
            "turns": tally.turns,
            "false_claims": len(tally.false),
            "p95_ms": round(1000 * seconds[int(0.95 * len(seconds))], 1),
        }
        for claim in tally.false[:5]:
            print(claim, file=sys.stderr)
    print(json.dumps({"world": world, "languages": figures}, indent=1))


if __name__ == "__main__":
    main()
