"""Verified success where something is excluded, and whole conversations about it."""

from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.goals import GoalType, SemanticTuple
from crosstalk.evaluation.outcomes import Judge
from crosstalk.evaluation.success import Flaw, findings
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import texts
from crosstalk.worlds.truth import Truth
from crosstalk.worlds.world import load_world

DATABASE = Database(load_world("harbour"))
EXCLUDED = ("!services", "!type")


@pytest.mark.parametrize("key", EXCLUDED)
def test_an_entity_with_what_was_excluded_fails_and_one_without_passes(key: str) -> None:
    truth, slot = Truth(DATABASE), key[1:]
    for row in DATABASE.world.tables["hotel"]:
        for term in ("spa", "luxury", "comfort"):
            has = any(term in text for text in texts(row[slot]))
            wanted = (
                SemanticTuple(1, "hotel", key, (term,), True),
                SemanticTuple(1, "hotel", "name", "", True),
            )
            final = (wanted[0], wanted[1].filled(str(row["name"])))
            flaws = [finding.flaw for finding in findings(wanted, final, (), truth)]
            assert flaws == ([Flaw.UNMET] if has else [])


@pytest.mark.parametrize(
    ("user", "wider_acts", "least"), [("rule", 0.0, 0.98), ("best", 0.0, 0.98), ("rule", 0.3, 0.95)]
)
def test_conversations_with_exclusions_succeed(user: str, wider_acts: float, least: float) -> None:
    stage = build(Setup(user=user, policy="rule", wider_acts=wider_acts))
    judge = Judge(stage.database)
    plan = Plan(seed=1, count=120, exclusions=0.5)
    held = [hold(session, stage, SessionRules(seed=1)) for session in sessions(plan, stage.world)]
    outcomes = [judge.judge(dialogue) for dialogue in held]
    said = {act.intent for dialogue in held for turn in dialogue.user_turns for act in turn.acts}
    assert "Exclude" in said
    assert ("Count" in said) == bool(wider_acts)
    assert sum(outcome.success for outcome in outcomes) >= least * len(outcomes)


def test_the_types_of_goals_stay_as_they_are() -> None:
    world = DATABASE.world
    plain = Plan(seed=3, per_type=2)
    kinds = [session.goal.type for session in sessions(plain, world)]
    excluding = sessions(replace(plain, exclusions=0.5), world)
    assert [session.goal.type for session in excluding] == kinds
    assert set(kinds) == set(GoalType)


@pytest.mark.parametrize("name", ["dialogues.json", "dialogues.jsonl"])
def test_files_keep_what_was_excluded(name: str, tmp_path: Path) -> None:
    stage = build(Setup(policy="rule", wider_acts=0.5))
    plan = Plan(seed=2, count=5, exclusions=1.0)
    held = [hold(session, stage, SessionRules(seed=2)) for session in sessions(plan, stage.world)]
    assert any(each.is_exclusion for dialogue in held for each in dialogue.final_goal or ())
    format = "native" if name.endswith("l") else "crosswoz"
    write_corpus(held, tmp_path / name, to=format)
    for ours, read in zip(held, read_corpus(tmp_path / name), strict=True):
        assert read.final_goal == ours.final_goal
        assert [turn.acts for turn in read.turns] == [turn.acts for turn in ours.turns]
