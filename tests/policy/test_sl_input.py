"""What the supervised policy sees, position by position."""

from pathlib import Path

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system.policy.delexicalised_acts import ActVocabulary, read_vocabulary
from crosstalk.system.policy.sl_input import PolicyInput, StateVectors, bucket
from crosstalk.worlds.world import load_world

INN = Schema(
    (
        Domain(
            "inn",
            DomainKind.PLACE,
            (
                Slot("name", SlotKind.NAME, search=True),
                Slot("phone", SlotKind.TEXT),
                Slot("price", SlotKind.NUMBER, search=True),
            ),
        ),
    )
)
KNOWN = ActVocabulary(
    user=(Act("Inform", "inn", "price", "1"), Act("Request", "inn", "name", "")),
    system=(Act("General", "bye"), Act("Inform", "inn", "name", "1")),
)
EMPTY = SystemState((DomainState("inn", (("name", ""), ("price", ""))),))


def test_a_vector_is_acts_fields_results_and_the_end() -> None:
    vectors = StateVectors(INN, KNOWN)
    assert vectors.size == 2 + 2 + 2 + 4 + 1
    form = EMPTY.with_domain(EMPTY.get("inn").with_slot("price", "under 50"))
    seen = PolicyInput(
        form,
        user_acts=(Act("Inform", "inn", "price", "under 50"),),
        system_acts=(Act("Inform", "inn", "name", "Anchor"),),
        results=3,
        ended=True,
    )
    assert vectors.lit(seen) == [0, 3, 5, 6 + 2, 10]


def test_acts_nobody_said_in_training_go_unseen() -> None:
    strange = (Act("Inform", "inn", "price", "a"), Act("Inform", "inn", "price", "b"))
    seen = PolicyInput(EMPTY, strange, (Act("NoOffer", "inn"),), results=0, ended=False)
    assert StateVectors(INN, KNOWN).lit(seen) == [0, 6]


@pytest.mark.parametrize(
    ("results", "expected"), [(0, 0), (1, 1), (2, 2), (4, 2), (5, 3), (999, 3)]
)
def test_results_are_counted_coarsely(results: int, expected: int) -> None:
    assert bucket(results) == expected


def test_crosswoz_has_328_positions(data_folder: Path) -> None:
    schema = load_world("crosswoz", data=data_folder).schema
    assert StateVectors(schema, read_vocabulary(data_folder / "crosswoz")).size == 328
