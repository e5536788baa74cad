"""False words about actions in five languages; `benchmarks/action_claims` has the dialogues."""

from typing import Any

import pytest
from benchmarks.action_claims import FILES, LANGUAGES, dialogues, turns_of, untrue

DIALOGUES = [each for file in FILES for each in dialogues(file)]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda each: each["id"])
def test_false_words_are_found_and_true_ones_are_not(dialogue: dict[str, Any], code: str) -> None:
    found = untrue(dialogue, code)
    assert sorted(each.rule for each in found) == sorted(dialogue["rules"])
    reply = turns_of(dialogue, code)[1].text
    assert all(each.turn == 1 and each.quote in reply for each in found)
