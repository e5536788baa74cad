import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.dialogue.conversation import Conversation, Ending, IllegalMove
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.participants import Reply, Scripted

ASK = Turn(Speaker.USER, "Is there a hotel near the lighthouse?")
ANSWER = Turn(Speaker.SYSTEM, "There is the Pilot's Rest.")


def test_the_user_begins_and_both_alternate() -> None:
    talk = Conversation()
    assert talk.next_speaker is Speaker.USER
    talk = talk.say(ASK)
    assert talk.next_speaker is Speaker.SYSTEM
    assert talk.say(ANSWER).next_speaker is Speaker.USER


def test_it_is_over_when_the_system_has_answered_the_users_last_word() -> None:
    talk = Conversation().say(ASK, done=True)
    assert talk.ending is None
    assert talk.say(ANSWER).ending is Ending.FINISHED


def test_it_is_over_at_the_limit() -> None:
    talk = Conversation(exchanges=2).say(ASK).say(ANSWER).say(ASK).say(ANSWER)
    assert talk.ending is Ending.LIMIT
    assert talk.next_speaker is None


@pytest.mark.parametrize(
    ("talk", "turn", "done", "words"),
    [
        (Conversation(), ANSWER, False, "it is the user's turn"),
        (Conversation().say(ASK), ASK, False, "it is the system's turn"),
        (Conversation().say(ASK), ANSWER, True, "only the user"),
        (Conversation().end(Ending.ABORTED), ASK, False, "is over"),
    ],
)
def test_illegal_moves_are_refused(talk: Conversation, turn: Turn, done: bool, words: str) -> None:
    with pytest.raises(IllegalMove, match=words):
        talk.say(turn, done=done)


def test_the_first_ending_stays() -> None:
    assert Conversation().end(Ending.USER_FAULT).end(Ending.ABORTED).ending is Ending.USER_FAULT


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 8))
def test_any_legal_talk_alternates_and_ends_within_the_limit(dones: list[bool], limit: int) -> None:
    talk = Conversation(exchanges=limit)
    for done in dones:
        if talk.ending:
            break
        talk = talk.say(ASK, done=done).say(ANSWER)
    assert len(talk.turns) <= 2 * limit
    assert all(turn is (ANSWER if number % 2 else ASK) for number, turn in enumerate(talk.turns))
    assert (talk.ending is Ending.FINISHED) == any(dones[: len(talk.turns) // 2])


def test_a_script_says_its_turns_in_order() -> None:
    user = Scripted([Reply(ASK), Reply(ASK, done=True)])
    first, state = user.reply(None, user.begin())
    second, state = user.reply(ANSWER, state)
    assert (first.done, second.done) == (False, True)
    with pytest.raises(IndexError, match="only 2 turns"):
        user.reply(ANSWER, state)
