"""Tables for people and JSON for programs."""

from dataclasses import replace

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.statistics.corpus_counts import count_corpus
from crosstalk.statistics.count_tables import (
    NumberTable,
    by_type,
    corpus_summary,
    corpus_tables,
    world_summary,
    world_table,
    written,
)
from crosstalk.statistics.world_counts import PlaceCounts

PLACES = (
    PlaceCounts("cafe", entities=2, slots=3, services=0, links={"hotel": 3}),
    PlaceCounts("hotel", entities=1200, slots=8, services=37),
)


def test_numbers_are_written_as_in_a_paper() -> None:
    assert [written(number) for number in (8458, 3.262, 0, None)] == ["8,458", "3.26", "0", "-"]


def test_markdown() -> None:
    table = NumberTable("Acts", ("intent", "all"), (("a|b", "3"),))
    assert table.markdown.splitlines() == [
        "**Acts**",
        "",
        "| intent | all |",
        "| --- | ---: |",
        r"| a\|b | 3 |",
    ]


def test_one_column_a_goal_type(single: Dialogue, crossing: Dialogue) -> None:
    table = by_type(count_corpus([crossing, single]))
    assert table.header == ("", "S", "CM", "all")
    assert ("multi-query rate", "0.00", "0.50", "0.33") in table.rows


def test_rates_without_goal_types(single: Dialogue) -> None:
    table = by_type(count_corpus([replace(single, goal=None)]))
    assert (table.title, table.header) == ("Rates", ("", "all"))
    assert ("acts per turn", "1.50") in table.rows


def test_tables_without_content_are_left_out() -> None:
    chat = Dialogue("1", (Turn(Speaker.USER, "hi"),))
    titles = [table.title for table in corpus_tables("chat", count_corpus([chat]))]
    assert titles == ["Overview (Table 1)", "Size (Table 6; words: words and punctuation)"]


def test_the_database_table() -> None:
    table = world_table(PLACES, str.title)
    assert table.header == ("", "Cafe", "Hotel")
    assert table.rows == (
        ("entities", "2", "1,200"),
        ("slots", "3", "8 + 37"),
        ("nearby: Hotel", "1.50", "-"),
    )


def test_the_database_as_json() -> None:
    assert world_summary(PLACES)["cafe"] == {
        "entities": 2,
        "slots": 3,
        "services": 0,
        "nearby": {"hotel": 1.5},
    }


def test_a_corpus_as_json(single: Dialogue, crossing: Dialogue) -> None:
    summary = corpus_summary(count_corpus([single, crossing]))
    assert summary["dialogues"] == 2
    assert summary["subgoals"] == 1.5
    assert summary["intents"] == {
        "user": {"Inform": 1, "Request": 1, "Select": 1},
        "system": {"Inform": 2, "General": 1, "NoOffer": 1},
    }
    assert summary["lengths"] == {"all": {"2": 1, "4": 1}, "S": {"2": 1}, "CM": {"4": 1}}


def test_unknown_is_null_in_json() -> None:
    summary = corpus_summary(count_corpus([Dialogue("1", (Turn(Speaker.USER, "7"),))]))
    unknown = {key for key, value in summary.items() if value is None}
    assert unknown == {
        "subgoals",
        "tuples",
        "nooffer_rate",
        "multi_query_rate",
        "goal_change_rate",
        "acts_per_turn",
        "domains_per_dialogue",
        "slots",
        "values",
        "language",
    }
    assert summary["by_type"] == {}
