"""The label checker: one clean dialogue, and one disagreement of each kind put into it."""

from dataclasses import replace
from sys import getrefcount

import pytest

from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.labels.checker import LabelChecker, LabelCheckers
from crosstalk.labels.corpus_labels import check_labels
from crosstalk.language.remembered import MOST_LONG
from crosstalk.worlds.world import load_world

CELLS = (
    SemanticTuple(1, "hotel", "type", "comfort"),
    SemanticTuple(1, "hotel", "rating", "4 points or more"),
    SemanticTuple(1, "hotel", "name", ""),
    SemanticTuple(1, "hotel", "phone", ""),
)
NAME = "Pilot House"


def cells(name: str = "", phone: str = "", ticks: str = "----") -> Tuples:
    values = (CELLS[0].value, CELLS[1].value, name, phone)
    return tuple(
        replace(cell, value=value, expressed=tick == "x")
        for cell, value, tick in zip(CELLS, values, ticks, strict=True)
    )


def form(kind: str = "comfort", rating: str = "4 points or more", *names: str) -> SystemState:
    return SystemState((DomainState("hotel", (("type", kind), ("rating", rating)), names),))


@pytest.fixture(scope="module")
def checker() -> LabelChecker:
    return LabelChecker.of(load_world("harbour"))


@pytest.fixture(scope="module")
def phone(checker: LabelChecker) -> str:
    row = checker.words.database.find("hotel", NAME)
    assert row is not None
    return str(row["phone"])


@pytest.fixture(scope="module")
def clean(phone: str) -> Dialogue:
    found = form("comfort", "4 points or more", NAME)
    return Dialogue(
        "1",
        (
            Turn(
                Speaker.USER,
                "I need a comfort hotel rated 4 points or more. Can you recommend one?",
                (
                    Act(INFORM, "hotel", "rating", "4 points or more"),
                    Act(INFORM, "hotel", "type", "comfort"),
                    Act(REQUEST, "hotel", "name", ""),
                ),
                user_state=cells(ticks="xxx-"),
            ),
            Turn(
                Speaker.SYSTEM,
                f"How about {NAME}?",
                (Act(INFORM, "hotel", "name", NAME),),
                first_query=found,
                last_query=found,
            ),
            Turn(
                Speaker.USER,
                "What is its phone number?",
                (Act(REQUEST, "hotel", "phone", ""),),
                user_state=cells(NAME, ticks="xxxx"),
            ),
            Turn(
                Speaker.SYSTEM,
                f"The phone number is {phone}.",
                (Act(INFORM, "hotel", "phone", phone),),
                first_query=found,
                last_query=found,
            ),
            Turn(Speaker.USER, "Thanks!", user_state=cells(NAME, phone, "xxxx")),
        ),
        Goal(CELLS),
        language="en",
        world="harbour",
    )


def changed(dialogue: Dialogue, at: int, **fields: object) -> Dialogue:
    turns = list(dialogue.turns)
    turns[at] = replace(turns[at], **fields)  # type: ignore[arg-type]
    return replace(dialogue, turns=tuple(turns))


def rules(checker: LabelChecker, dialogue: Dialogue) -> set[tuple[str, int]]:
    return {(each.rule, each.turn) for each in checker.check(dialogue)}


def test_a_dialogue_without_faults_has_no_findings(checker: LabelChecker, clean: Dialogue) -> None:
    assert rules(checker, clean) == set()


def test_a_wish_ticked_and_never_said(checker: LabelChecker, clean: Dialogue) -> None:
    said = changed(clean, 0, text="I need a hotel rated 4 points or more. Can you recommend one?")
    assert ("U2", 0) in rules(checker, said)


def test_a_wish_said_and_not_ticked(checker: LabelChecker, clean: Dialogue) -> None:
    acts = clean.turns[0].acts[1:]
    said = changed(clean, 0, user_state=cells(ticks="x-x-"), acts=acts)
    assert ("U3", 0) in rules(checker, said)


def test_a_question_ticked_and_not_asked(checker: LabelChecker, clean: Dialogue) -> None:
    said = changed(clean, 2, text="That sounds good.")
    assert ("U5", 2) in rules(checker, said)


def test_a_question_asked_and_not_ticked(checker: LabelChecker, clean: Dialogue) -> None:
    said = changed(clean, 2, user_state=cells(NAME, ticks="xxx-"), acts=())
    assert ("U11", 2) in rules(checker, said)


def test_an_act_of_a_cell_nobody_ticked(checker: LabelChecker, clean: Dialogue) -> None:
    said = changed(clean, 2, user_state=cells(NAME, ticks="xxx-"))
    assert ("U6", 2) in rules(checker, said)


def test_a_name_no_table_has(checker: LabelChecker, clean: Dialogue, phone: str) -> None:
    written = changed(clean, 4, user_state=cells("hotels near the pier", phone, "xxxx"))
    assert ("U7", 4) in rules(checker, written)


def test_a_name_nobody_told(checker: LabelChecker, clean: Dialogue) -> None:
    dialogue = changed(clean, 2, user_state=cells("Tamsin Hotel", ticks="xxxx"))
    assert ("U8", 2) in rules(checker, dialogue)


def test_an_article_is_no_trace_of_a_name(checker: LabelChecker) -> None:
    """Names are in the words whole, misspelt, or without what stands in brackets."""
    text = "What about the Tamsin Hotl? It is near the harbour."
    assert checker.words.names_trace(text, "Tamsin Hotel (Station)")
    assert not checker.words.names_trace(text, "The Copper Ladle")
    assert not checker.words.was_named(text, "The Copper Ladle")


def test_another_places_phone_written_down(checker: LabelChecker, clean: Dialogue) -> None:
    written = changed(clean, 4, user_state=cells(NAME, "0482-0000000", "xxxx"))
    assert {("U8", 4), ("U9", 4)} <= rules(checker, written)


@pytest.mark.parametrize("typed", ["comfor", "comfort]", "phone"])
def test_a_value_that_is_no_word_of_its_field(
    checker: LabelChecker, clean: Dialogue, typed: str
) -> None:
    found = form(typed, "4 points or more", NAME)
    searched = changed(clean, 1, first_query=found, last_query=found)
    assert ("S1", 1) in rules(checker, searched)


def test_a_field_nobody_wished(checker: LabelChecker, clean: Dialogue) -> None:
    tab = DomainState(
        "hotel",
        (("type", "comfort"), ("rating", "4 points or more"), ("services", ("board games",))),
        (NAME,),
    )
    searched = changed(clean, 1, first_query=SystemState((tab,)), last_query=SystemState((tab,)))
    assert ("S2", 1) in rules(checker, searched)


def test_a_wish_missing_from_the_first_search(checker: LabelChecker, clean: Dialogue) -> None:
    found = form("comfort", "", NAME)
    searched = changed(clean, 1, first_query=found, last_query=found)
    assert ("S3", 1) in rules(checker, searched)


def test_a_place_named_and_not_selected(checker: LabelChecker, clean: Dialogue) -> None:
    searched = changed(clean, 1, first_query=form(), last_query=form())
    assert ("S6", 1) in rules(checker, searched)


def test_another_place_selected(checker: LabelChecker, clean: Dialogue) -> None:
    other = form("comfort", "4 points or more", "Blue Anchor Inn")
    searched = changed(clean, 1, first_query=other, last_query=other)
    assert {("S6", 1), ("S7", 1)} <= rules(checker, searched)


def test_an_act_with_another_value(checker: LabelChecker, clean: Dialogue) -> None:
    told = changed(clean, 3, acts=(Act(INFORM, "hotel", "phone", "0482-0000000"),))
    assert {("S8", 3), ("S9", 3)} <= rules(checker, told)


def test_a_wrong_fact_is_found_in_the_words_too(checker: LabelChecker, clean: Dialogue) -> None:
    """Also where no act says so, since nobody asked."""
    told = changed(clean, 3, text="The phone number is 0482-0000000.", acts=())
    assert ("S9", 3) in rules(checker, told)


def test_a_phone_number_is_no_rating() -> None:
    checker = LabelChecker.of(load_world("harbour", language="zh"))
    row = checker.words.world.tables["hotel"].rows[0]
    phone = str(row["phone"]).replace("-", "")
    found = SystemState((DomainState("hotel", (), (str(row["name"]),)),))
    says = f"{row['name']}的电话是{phone}，评分是{row['rating']}分。"
    turn = Turn(Speaker.SYSTEM, says, first_query=found, last_query=found)
    assert rules(checker, Dialogue("1", (turn,), Goal(()))) == set()


def test_something_told_without_an_act(checker: LabelChecker, clean: Dialogue) -> None:
    assert ("S13", 3) in rules(checker, changed(clean, 3, acts=()))


def test_a_silent_misfit(checker: LabelChecker, clean: Dialogue) -> None:
    """The first search finds nothing, the wizard searches for less and says nothing of it."""
    tab = form().get("hotel").with_slot("services", ("board games", "childcare"))
    nothing = SystemState((tab,))
    assert not checker.words.conjunctive.search("hotel", tab.constraints)
    searched = changed(clean, 1, first_query=nothing)
    assert ("S10", 1) in rules(checker, searched)
    said = changed(searched, 1, text=f"There is no such hotel. How about {NAME}?")
    assert ("S10", 1) not in rules(checker, said)


def test_what_is_pointed_at_needs_no_name(checker: LabelChecker, clean: Dialogue) -> None:
    """A place named before may be selected again without its name."""
    again = changed(clean, 3, text="Its number is on the website.", acts=())
    assert not {rule for rule, turn in rules(checker, again) if turn == 3}


def test_a_report_counts_turns_and_rules(clean: Dialogue) -> None:
    report = check_labels([clean, changed(clean, 3, acts=())], LabelCheckers())
    assert (report.dialogues, report.turns, report.flagged) == (2, 10, 1)
    assert list(report.by_rule()) == [("S13", 1, 1)]
    assert report.record()["rules"]["S13"]["findings"] == 1


def test_few_conversations_are_kept(checker: LabelChecker) -> None:
    """Rules ask about all that was said before: another text with each turn of each room."""
    words = checker.words
    said = [f"Is {NAME} free for 300 crowns? " * 10 + str(turn) for turn in range(2 * MOST_LONG)]
    for text in said:
        words.names(text)
        words.has_trace(text, "hotel", "type", "comfort")
        words.clearly_says(text, "hotel", "price", "300 crowns")
    list_loop_and_call = 3
    kept = [text for text in said if getrefcount(text) > list_loop_and_call]
    assert len(kept) <= MOST_LONG
