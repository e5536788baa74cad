from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple
from crosstalk.goals.goal_files import GoalCounts, count_goals

ASK = SemanticTuple(1, "inn", "name", "")
SINGLE = Goal((ASK,), GoalType.S)
DOUBLE = Goal(
    (ASK, SemanticTuple(2, "inn", "name", ""), SemanticTuple(2, "inn", "price", "")), GoalType.M
)


def test_shares_and_averages() -> None:
    counts = count_goals([SINGLE, SINGLE, SINGLE, DOUBLE])
    assert counts.share(GoalType.S) == 75
    assert counts.of(GoalType.M).subgoals_per_goal == 2
    assert counts.of(GoalType.M).tuples_per_goal == 3
    assert counts.total.goals == 4


def test_counts_add() -> None:
    assert count_goals([SINGLE]) + count_goals([DOUBLE]) == count_goals([DOUBLE, SINGLE])
    assert GoalCounts() + count_goals([SINGLE]) == count_goals([SINGLE])


def test_nothing_counted() -> None:
    counts = count_goals([])
    assert counts.share(GoalType.S) == 0
    assert counts.of(GoalType.S).tuples_per_goal == 0
    assert list(counts.by_type) == list(GoalType)
