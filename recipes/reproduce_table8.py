"""Rows of CrossWOZ's Table 8 in one screen: tracking, policy and simulated user, rule and ours.

    python recipes/reproduce_table8.py [CORPUS [WORLD]]

With CROSSTALK_DATA set and CrossWOZ's test split as the corpus, the column `rule` is the paper's
table (71.33 tracking; 45.00 and 78.39 user). Without a corpus, dialogues simulated in `harbour`
show that it runs; figures there say little, for rules wrote those dialogues.
"""

import sys
from pathlib import Path
from random import Random

from crosstalk.corpora.corpus import read_corpus
from crosstalk.evaluation.dst_scores import score_tracking
from crosstalk.evaluation.policy_scores import score_policy
from crosstalk.evaluation.user_scores import score_user
from crosstalk.model_folders import find_model
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.dst.rule_tracker import RuleTracker
from crosstalk.system.dst.tree_tracker import TreeTracker
from crosstalk.system.policy.rule_policy import RulePolicy
from crosstalk.system.policy.tree_policy import TreePolicy
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.tree_user import LikeliestTreeUser
from crosstalk.users.user_model import load_model
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world


def main(corpus: Path | None = None, world: str = "crosswoz") -> None:
    name = world if corpus else "harbour"
    live = load_world(name)
    database, spoken = Database(live), (live.schema, live.language)
    dialogues = list(read_corpus(corpus) if corpus else practice_dialogues(name, None, 20, seed=1))

    for model, tracker, hidden in (
        ("rule", RuleTracker(*spoken), True),
        ("best", TreeTracker.load(find_model("dst"), database), False),
    ):
        score = score_tracking(tracker, dialogues, live.schema, hide_system_acts=hidden)
        row("tracking", model, joint=score.overall.percent, select=score.select.percent)

    for model, policy in (
        ("rule", RulePolicy(database)),
        ("best", TreePolicy.load(find_model("policy"), database)),
    ):
        found = score_policy(policy, dialogues).overall
        row("policy", model, exact=found.exact.f1, delexicalised=found.delexicalised.f1)

    for model, user, published in (
        ("rule", RuleUser(*spoken, published=True), True),
        ("best", LikeliestTreeUser(*spoken, load_model(find_model("user"))), False),
    ):
        said = score_user(user, dialogues, Random(1), keep_changes=published).overall
        row("user", model, state=said.states.percent, acts=said.acts.f1)


def row(module: str, model: str, **figures: float | None) -> None:
    told = "  ".join(
        f"{name} {'-' if value is None else f'{value:.2f}'}" for name, value in figures.items()
    )
    print(f"{module:9} {model:5} {told}")


if __name__ == "__main__":
    main(*[kind(word) for kind, word in zip((Path, str), sys.argv[1:], strict=False)])
