"""DialogueCounts of single dialogues and the rates made from them."""

from dataclasses import replace

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal
from crosstalk.statistics.corpus_counts import (
    DialogueCounts,
    count_dialogue,
    dialogue_domains,
    goal_changed,
    is_multi_query,
)


def test_a_single_goal(single: Dialogue) -> None:
    counts = count_dialogue(single, tokens=12)
    assert (counts.turns, counts.tokens, counts.acts) == (2, 12, 3)
    assert (counts.subgoals, counts.tuples, counts.domains) == (1, 2, 1)
    assert (counts.no_offer_rate, counts.multi_query_rate, counts.goal_change_rate) == (0, 0, 0)
    assert counts.tokens_per_turn == 6


def test_means_and_rates_of_two_dialogues(single: Dialogue, crossing: Dialogue) -> None:
    counts = count_dialogue(single, tokens=12) + count_dialogue(crossing, tokens=8)
    assert counts.turns_per_dialogue == (2 + 4) / 2
    assert counts.subgoals_per_goal == (1 + 2) / 2
    assert counts.tuples_per_goal == (2 + 3) / 2
    assert counts.acts_per_turn == (3 + 4) / 6
    assert counts.no_offer_rate == 1 / 2  # of the dialogues
    assert counts.multi_query_rate == 1 / 3  # of the system turns
    assert counts.goal_change_rate == 1 / 2  # of the dialogues
    assert counts.domains_per_dialogue == (1 + 2) / 2


def test_selecting_a_result_is_not_another_query(single: Dialogue, crossing: Dialogue) -> None:
    assert not is_multi_query(single.turns[1])
    assert is_multi_query(crossing.turns[1])
    assert not is_multi_query(crossing.turns[0])  # users do not query


def test_answers_and_resolved_references_do_not_change_a_goal(crossing: Dialogue) -> None:
    assert crossing.goal and crossing.final_goal
    assert goal_changed(crossing) is True
    kept = (crossing.goal.tuples[0], *crossing.final_goal[1:])
    assert goal_changed(replace(crossing, final_goal=kept)) is False


def test_a_goal_we_cannot_follow_is_not_judged(crossing: Dialogue) -> None:
    assert crossing.final_goal
    assert goal_changed(replace(crossing, final_goal=None)) is None
    assert goal_changed(replace(crossing, final_goal=crossing.final_goal[1:])) is None
    assert goal_changed(replace(crossing, goal=None)) is None
    assert goal_changed(replace(crossing, goal=Goal(()))) is None


def test_what_a_corpus_does_not_hold_is_unknown_and_not_zero() -> None:
    chat = Dialogue("1", (Turn(Speaker.USER, "hi"), Turn(Speaker.SYSTEM, "hello")))
    counts = count_dialogue(chat, tokens=2)
    assert counts.turns_per_dialogue == 2
    assert counts.subgoals_per_goal is None
    assert counts.acts_per_turn is None
    assert counts.no_offer_rate is None
    assert counts.multi_query_rate is None
    assert counts.goal_change_rate is None
    assert counts.domains_per_dialogue is None
    assert DialogueCounts().turns_per_dialogue is None


def test_dialogues_without_acts_do_not_thin_out_those_with_acts(single: Dialogue) -> None:
    silent = Dialogue("2", (Turn(Speaker.USER, "hi"),))
    both = count_dialogue(single, tokens=12) + count_dialogue(silent, tokens=1)
    assert both.acts_per_turn == 3 / 2


def test_domains_come_from_the_acts_where_there_is_no_goal(crossing: Dialogue) -> None:
    assert dialogue_domains(replace(crossing, goal=None)) == {"hotel", "cafe"}
