"""Answers about texts are kept: many short ones, a few long ones."""

from collections.abc import Callable

from crosstalk.language.remembered import LONG, MOST_LONG, remembered


def noted(asked: list[str]) -> Callable[[str], int]:
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    return length


def test_short_texts_are_kept() -> None:
    asked: list[str] = []
    length = remembered(noted(asked), 1000)
    texts = [f"turn {number}" for number in range(500)]
    assert [length(text) for text in (*texts, *texts)] == [len(text) for text in (*texts, *texts)]
    assert asked == texts


def test_of_long_texts_a_few() -> None:
    """A conversation grows with each turn; what it was before is never asked for again."""
    asked: list[str] = []
    length = remembered(noted(asked), 1000)
    conversations = ["x" * (LONG + turn) for turn in range(1, 2 * MOST_LONG + 1)]
    for text in conversations:
        assert length(text) == length(text)  # twice in one turn
    assert asked == conversations
    length(conversations[0])
    assert asked[-1] == conversations[0]  # forgotten, and asked again
