"""Training, keeping and judging users."""

import json
from pathlib import Path
from random import Random

import numpy
import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.errors import FileProblem, InputError
from crosstalk.evaluation.scores import Hits
from crosstalk.evaluation.user_scores import same_state, score_user
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.tree_user import LikeliestTreeUser
from crosstalk.users.tree_user_training import UserTrainingConfig, train_user
from crosstalk.users.user_model import FILE, UserModel, load_model, save_model
from crosstalk.worlds.tables import World

from .conftest import GoalMaker

QUICK = UserTrainingConfig(trees=5, smallest_leaf=5)


@pytest.fixture(scope="module")
def talks(harbour: World) -> list[Dialogue]:
    """Rule users who are told `none` whatever they ask."""
    user = RuleUser(harbour.schema, harbour.language)
    return [_talk(user, goal_sampler(harbour).sample(goal_rng(1, n)), n) for n in range(20)]


def _talk(user: RuleUser, goal: Goal, number: int) -> Dialogue:
    rng = Random(number)
    move = user.open(goal, rng)
    turns: list[Turn] = []
    for _ in range(5):
        answers = [
            Act("Inform", act.domain, act.slot, "none")
            for act in move.acts
            if act.intent == "Request"
        ]
        turns.append(Turn(Speaker.USER, "", move.acts, user_state=move.tuples))
        turns.append(Turn(Speaker.SYSTEM, "", tuple(answers)))
        move = user.respond(move.goal, move.tuples, move.acts, tuple(answers), rng)
    return Dialogue(str(number), tuple(turns), goal)


def test_training_is_repeatable_and_survives_saving(
    talks: list[Dialogue], harbour: World, tmp_path: Path
) -> None:
    model = train_user(talks, harbour.schema, harbour.language, QUICK)
    assert train_user(talks, harbour.schema, harbour.language, QUICK) == model
    save_model(model, tmp_path)
    assert load_model(tmp_path) == model


def test_our_walk_through_the_trees_is_the_library_s(
    talks: list[Dialogue], harbour: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lightgbm

    grown = []
    train = lightgbm.train

    def remembering(*args: object, **options: object) -> object:
        booster = train(*args, **options)  # type: ignore[arg-type]
        grown.append((booster, args[1]))
        return booster

    monkeypatch.setattr(lightgbm, "train", remembering)
    model = train_user(talks, harbour.schema, harbour.language, QUICK)
    booster = grown[1][0]
    rows = numpy.random.default_rng(1).integers(-1, 6, (50, model.telling.width)).astype(float)
    ours = [model.telling.probability(list(row)) for row in rows]
    assert ours == pytest.approx(numpy.asarray(booster.predict(rows)).tolist(), abs=1e-9)


def test_a_corpus_without_goals_is_refused(harbour: World) -> None:
    with pytest.raises(InputError, match="goal and user states"):
        train_user([Dialogue("1", ())], harbour.schema, harbour.language)


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"format": 9}', '{"format": 1, "values": {"width": 1, "trees": [[1]]}}'],
)
def test_a_broken_model_is_refused_in_words(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(FileProblem, match="not a user model"):
        load_model(tmp_path)


def test_people_note_bare_numbers_with_their_unit(
    harbour: World, shipped: UserModel, goal: GoalMaker
) -> None:
    asked = goal((1, "hotel", "name", "Pilot House"), (1, "hotel", "rating", ""))
    tuples = tuple(each.said() for each in asked.tuples)
    user = LikeliestTreeUser(harbour.schema, harbour.language, shipped)
    question, answer = (
        Act("Request", "hotel", "rating", ""),
        Act("Inform", "hotel", "rating", "4.2"),
    )
    move = user.respond(asked, tuples, (question,), (answer,), Random(1))
    assert move.tuples[1].value == "4.2 points"
    assert Act("General", "thank") in move.acts


# Judgement


def test_acts_overlap_and_states_compare_with_or_without_order(goal: GoalMaker) -> None:
    one, two, three = (Act("Inform", "hotel", "type", value) for value in "abc")
    assert Hits.of([one, two], [two, three]).f1 == 50.0
    assert Hits.of([], []).f1 is None
    listed = goal((1, "restaurant", "dishes", ("soup", "cake"))).tuples
    turned = goal((1, "restaurant", "dishes", ("cake", "soup"))).tuples
    assert not same_state(listed, turned)
    assert same_state(listed, turned, ordered=False)


def test_states_are_judged_in_every_turn_but_the_opening(
    talks: list[Dialogue], harbour: World
) -> None:
    scores = score_user(RuleUser(harbour.schema, harbour.language), talks, Random(1))
    assert scores.overall.states.total == 4 * len(talks)
    assert sum(each.states.total for each in scores.by_type.values()) == 4 * len(talks)


def test_changed_goals_stay_changed_only_as_published(harbour: World, goal: GoalMaker) -> None:
    wishes = goal((1, "hotel", "type", "luxury"), (1, "hotel", "name", ""))
    judged = Goal(wishes.tuples, GoalType.S)
    state = tuple(each.said() for each in wishes.tuples)
    refusal = Turn(Speaker.SYSTEM, "", (Act("NoOffer", "hotel"),))
    asking = Turn(Speaker.USER, "", (), user_state=state)
    talk = Dialogue("1", (asking, refusal, asking, refusal, asking, refusal), judged)
    seen: list[Goal] = []

    class Watched(RuleUser):
        def respond(self, goal: Goal, *rest: object) -> object:  # type: ignore[override]
            seen.append(goal)
            return super().respond(goal, *rest)  # type: ignore[arg-type]

    user = Watched(harbour.schema, harbour.language, published=True)
    score_user(user, [talk], Random(1))  # type: ignore[arg-type]
    assert seen == [judged, judged]
    seen.clear()
    score_user(user, [talk], Random(1), keep_changes=True)  # type: ignore[arg-type]
    assert seen[0] == judged
    assert all(each.tuples[0].is_open for each in seen[1:])
    assert len(seen) == 4


def test_the_shipped_model_says_what_it_is(shipped: UserModel) -> None:
    from crosstalk.model_folders import find_model

    card = json.loads((find_model("user") / "card.json").read_text())
    assert card["dialogues"] == 500
    assert card["figures"]["state_accuracy"] > 70
