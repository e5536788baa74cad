"""A world of your own: from a copy of `harbour` to simulated conversations about it.

    python recipes/own_world.py [FOLDER]

Here the copy speaks English only and has one café more. A real world is made the same way: edit
`world.toml`, the tables and the languages until nothing is wrong with it any more.
"""

import json
import sys
from pathlib import Path

from crosstalk.reports.run_summary import summarise
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.worlds.check import check_world
from crosstalk.worlds.scaffold import copy_world

CAFE = {
    "name": "Café Wet Paint",
    "address": "2 Bell Tower Street",
    "phone": "0482-7730999",
    "dishes": ["trout with almonds", "fish sandwich"],
    "cost": 30,
    "rating": 4.8,
}


def main(folder: Path) -> None:
    world, run = folder / "hilltown", folder / "run"
    copy_world("harbour", world)
    for file in [*world.glob("languages/*"), *world.glob("templates/*")]:
        if not file.name.startswith("en."):
            file.unlink()
    with (world / "tables" / "restaurants.jsonl").open("a", encoding="utf-8") as table:
        table.write(json.dumps(CAFE, ensure_ascii=False) + "\n")
    for problem in check_world(world):
        print(f"{problem.file}: {problem.message}")
    simulate(Plan(seed=1, count=10), Setup(str(world), words=True), SessionRules(seed=1), run)
    judged = summarise(run).judgement.everything
    print(f"{judged.success.right} of {judged.dialogues} conversations about {world.name} succeed")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2]))
