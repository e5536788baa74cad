"""The reader of prose as a user's NLU: each reply is read once, in the context of those before."""

import pytest

from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.reading import prose_nlu
from crosstalk.reading.conversation import ConversationReader, acts_of
from crosstalk.reading.prose_nlu import ProseNLU, said_in
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import Reading, ReadingContext


def user(text: str, *acts: Act) -> Turn:
    return Turn(Speaker.USER, text, acts)


def agent(text: str) -> Turn:
    return Turn(Speaker.SYSTEM, text)


CONVERSATION = (
    user("A comfort hotel, please.", Act(INFORM, "hotel", "type", "comfort")),
    agent("How about the Tamsin Hotel? It is a comfort hotel."),
    user("What is its phone number?", Act(REQUEST, "hotel", "phone", "")),
    agent("It is 0482-3833724."),
    user("And the rating?", Act(REQUEST, "hotel", "rating", "")),
    agent("It is rated 4.5."),
    user("And what does a night cost?", Act(REQUEST, "hotel", "price", "")),
    agent("295 crowns a night."),
)


def understood(nlu: ProseNLU) -> list[tuple[Act, ...]]:
    """The acts of every reply of the conversation, turn by turn as a simulated user hears them."""
    return [
        nlu.understand(CONVERSATION[at], CONVERSATION[:at]) for at in range(1, len(CONVERSATION), 2)
    ]


def test_each_reply_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    replies: list[str] = []
    read = ProseReader.read

    def counted(reader: ProseReader, reply: str, context: ReadingContext | None = None) -> Reading:
        replies.append(reply)
        return read(reader, reply, context)

    monkeypatch.setattr(ProseReader, "read", counted)
    nlu = ProseNLU("harbour", "en")
    understood(nlu)
    assert replies == [turn.text for turn in CONVERSATION[1::2]]
    understood(nlu)
    assert len(replies) == 4


@pytest.mark.parametrize("kept", [1, 2, 512])
def test_replies_are_understood_as_in_the_whole_conversation(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prose_nlu, "KEPT", kept)
    whole = ConversationReader.of("harbour", "en").read(said_in(CONVERSATION))
    nlu = ProseNLU("harbour", "en")
    assert understood(nlu) == [acts_of(each.reading) for each in whole]
    assert understood(nlu) == [acts_of(each.reading) for each in whole]
    assert Act(INFORM, "hotel", "rating", "4.5 points") in understood(nlu)[2]


def test_what_a_user_meant_belongs_to_the_conversation() -> None:
    """The same words after other acts are another conversation, though the texts are the same."""
    nlu = ProseNLU("harbour", "en")
    reply = agent("Yes: the Tamsin Hotel, 0482-3833724.")
    for acts in ((Act(REQUEST, "hotel", "phone", ""),), (Act(INFORM, "hotel", "type", "comfort"),)):
        turns = (user("That, please.", *acts), reply)
        (whole,) = ConversationReader.of("harbour", "en").read(said_in(turns))
        assert nlu.understand(reply, turns[:1]) == acts_of(whole.reading)
