"""Train a simulated user on practice dialogues, and listen to it talk.

    python recipes/train_and_talk.py [FOLDER [LANGUAGE]]

The same in commands: `crosstalk train user`, then `crosstalk simulate --models`.
"""

import sys
from pathlib import Path

from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.dialogue_loop import in_words, talk
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.training.config import write_config
from crosstalk.training.identity import digest_of
from crosstalk.users.tree_user_training import UserTrainingConfig, train_user
from crosstalk.users.user_model import NAME, save_model
from crosstalk.worlds.world import load_world


def main(folder: Path = Path("models"), language: str = "en") -> None:
    train(folder / NAME, language)
    simulation = build(Setup("harbour", language, models=folder, user="best", words=True))
    goal = goal_sampler(simulation.world).sample(goal_rng(3, 0))
    print(*goal.description, sep="\n", end="\n\n")
    held = talk(*simulation.cast(goal, "a talk"), schema=simulation.world.schema, goal=goal)
    for turn in in_words(held.turns, simulation.generators, "a talk"):
        print(f"{turn.speaker:>6}: {turn.text}")


def train(folder: Path, language: str) -> None:
    dialogues = list(practice_dialogues("harbour", language, 40, seed=1))
    world, growth = load_world("harbour", language=language), UserTrainingConfig(trees=30, seed=1)
    save_model(train_user(dialogues, world.schema, world.language, growth), folder)
    write_config(folder, growth)
    learnt_from = Provenance(
        f"{len(dialogues)} simulated dialogues",
        digest_of(turn for dialogue in dialogues for turn in dialogue.turns),
        len(dialogues),
    )
    card = Card(
        what="a simulated user, trained by a recipe",
        command="python recipes/train_and_talk.py",
        data=learnt_from,
        seed=growth.seed,
        world=world.name,
        language=language,
    )
    write_card(folder, card)


if __name__ == "__main__":
    main(*[kind(word) for kind, word in zip((Path, str), sys.argv[1:], strict=False)])
