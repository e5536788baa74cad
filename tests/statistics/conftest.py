"""Two dialogues small enough to count by head."""

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple
from crosstalk.dialogue.states import DomainState, SystemState


def query(area: str, *, selected: tuple[str, ...] = ()) -> SystemState:
    return SystemState((DomainState("hotel", (("area", area),), selected),))


@pytest.fixture
def single() -> Dialogue:
    """Type S, 1 sub-goal, 2 tuples, 2 turns, 7 + 5 words, 1 + 2 acts; the goal stays as it is."""
    wish = SemanticTuple(1, "hotel", "area", "north")
    question = SemanticTuple(1, "hotel", "name", "")
    return Dialogue(
        id="1",
        goal=Goal((wish, question), GoalType.S),
        final_goal=(wish.said(), question.filled("Anchor").said()),
        turns=(
            Turn(
                Speaker.USER,
                "A hotel in the north, please",
                (Act("Inform", "hotel", "area", "north"),),
            ),
            Turn(
                Speaker.SYSTEM,
                "The Anchor, please?",
                (Act("General", "greet"), Act("Inform", "hotel", "name", "Anchor")),
                first_query=query("north"),
                last_query=query("north", selected=("Anchor",)),
            ),
        ),
    )


@pytest.fixture
def crossing() -> Dialogue:
    """Type CM, 2 sub-goals, 3 tuples, 4 turns, 2 words each; the area is given up, one NoOffer."""
    wish = SemanticTuple(1, "hotel", "area", "north")
    near = SemanticTuple(2, "cafe", "name", Reference(1, nearby=True))
    question = SemanticTuple(2, "cafe", "dishes", ())
    return Dialogue(
        id="2",
        goal=Goal((wish, near, question), GoalType.CM),
        final_goal=(wish.filled("south"), near.filled("Mole"), question.filled(("soup", "cake"))),
        turns=(
            Turn(Speaker.USER, "hotel please", (Act("Request", "hotel", "name", ""),)),
            Turn(
                Speaker.SYSTEM,
                "nothing there",
                (Act("NoOffer", "hotel"),),
                first_query=query("north"),
                last_query=query("south"),
            ),
            Turn(Speaker.USER, "cafe nearby", (Act("Select", "cafe", "source", "hotel"),)),
            Turn(
                Speaker.SYSTEM,
                "the Mole",
                (Act("Inform", "cafe", "name", "Mole"),),
                first_query=query("south"),
                last_query=query("south"),
            ),
        ),
    )
