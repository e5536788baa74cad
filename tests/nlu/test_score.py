from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.evaluation.nlu_scores import (
    UnderstandingScore,
    score_turn,
    score_understanding,
    turn_by_turn,
)
from crosstalk.evaluation.scores import Hits
from crosstalk.system.nlu.understanding import RememberedNLU

ASK = Act("Request", "hotel", "phone", "")
NAME = Act("Inform", "hotel", "name", "Pilot House")
THANKS = Act("General", "thank")


def test_an_act_counts_only_when_all_four_fields_are_right() -> None:
    turn = Turn(Speaker.USER, "The phone of the Pilot House?", (ASK, NAME))
    almost = Act("Inform", "hotel", "name", "pilot house")
    score = score_turn((ASK, almost), turn, GoalType.S)
    assert score.overall == Hits(right=1, wrong=1, missed=1)
    assert score.by_intent == {"Inform": Hits(0, 1, 1), "Request": Hits(1, 0, 0)}
    assert score.by_type == {GoalType.S: score.overall}
    assert score.by_side == {Speaker.USER: score.overall}
    assert score.perfect == 0


def test_ratios_of_nothing_are_none() -> None:
    assert Hits().f1 is None
    assert Hits(missed=1).precision is None
    assert Hits(missed=1).recall == 0
    assert Hits(right=3, wrong=1, missed=1).f1 == 75


def test_scores_add() -> None:
    turn = Turn(Speaker.USER, "Thanks", (THANKS,))
    one = score_turn((THANKS,), turn, None)
    other = score_turn((), turn, GoalType.M)
    both = one + other
    assert both.overall == Hits(1, 0, 1)
    assert both.by_type == {GoalType.M: Hits(0, 0, 1)}
    assert (both.utterances, both.perfect) == (2, 1)
    assert one + UnderstandingScore() == one


def test_the_true_acts_are_never_shown() -> None:
    dialogue = Dialogue("1", (Turn(Speaker.USER, "Thanks", (THANKS,)),), Goal((), GoalType.S))
    shown: list[Turn] = []

    def curious(turns: "list[Turn]") -> list[tuple[Act, ...]]:
        shown.extend(turns)
        return [() for _ in turns]

    score = score_understanding(curious, [dialogue])  # type: ignore[arg-type]
    assert shown == [Turn(Speaker.USER, "Thanks")]
    assert score.overall == Hits(missed=1)


def test_history_holds_what_was_understood() -> None:
    class Counting:
        def understand(self, utterance: Turn, history: "list[Turn]") -> tuple[Act, ...]:
            return (Act("Inform", "turns", "before", str(sum(len(t.acts) for t in history))),)

    turns = [Turn(Speaker.USER, "a"), Turn(Speaker.SYSTEM, "b"), Turn(Speaker.USER, "c")]
    values = [acts[0].value for acts in turn_by_turn(Counting())(turns)]  # type: ignore[arg-type]
    assert values == ["0", "1", "2"]


def test_what_was_seen_is_remembered() -> None:
    dialogue = Dialogue("1", (Turn(Speaker.USER, "Thanks", (THANKS,)),))
    discourse = RememberedNLU.of([dialogue])
    assert discourse.understand(Turn(Speaker.USER, "Thanks"), ()) == (THANKS,)
    assert discourse.understand(Turn(Speaker.SYSTEM, "Thanks"), ()) == ()
