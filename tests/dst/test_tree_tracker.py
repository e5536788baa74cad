"""The learned tracker: candidates as examples, the shipped model on real data."""

from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.evaluation.dst_scores import score_tracking
from crosstalk.model_folders import find_model
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.slot_candidates import CandidateSource, TreeCandidateMaker
from crosstalk.system.dst.tracker import empty_form
from crosstalk.system.dst.tree_tracker import (
    TreeTracker,
    common_words,
    learn_rewordings,
    train_tree_tracker,
)
from crosstalk.system.dst.wizard_behaviour import MANY, result_position, wizard_counts
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_schema, load_world

SCHEMA, CHINESE = load_schema("crosswoz")
EMPTY = empty_form(SCHEMA)


def filled(
    form: SystemState, domain: str, slot: str, value: SlotValue, *selected: str
) -> SystemState:
    tab = form.get(domain).with_slot(slot, value)
    return form.with_domain(type(tab)(tab.domain, tab.slots, selected))


PALACE = filled(EMPTY, "景点", "门票", "免费", "故宫")
HISTORY = (
    Turn(Speaker.USER, "找个免费的景点", (Act("Inform", "景点", "门票", "免费"),)),
    Turn(
        Speaker.SYSTEM,
        "推荐故宫",
        (Act("Inform", "景点", "名称", "故宫"),),
        first_query=PALACE,
        last_query=PALACE,
    ),
)


def candidates(
    user: Turn, domain: str, slot: str, form: SystemState, history: tuple[Turn, ...] = HISTORY
) -> dict[SlotValue, set[CandidateSource]]:
    discourse = Discourse.of(SCHEMA, CHINESE.yes, history)
    maker = TreeCandidateMaker(discourse, UserActs(user, SCHEMA, CHINESE.yes), " ", {})
    found = SCHEMA.domain(domain)
    assert found
    wanted = found.slot(slot)
    assert wanted
    return maker.candidates(form, found, wanted)


def test_a_field_may_be_kept_cleared_or_set() -> None:
    user = Turn(Speaker.USER, "要20元以下的", (Act("Inform", "景点", "门票", "20元以下"),))
    found = candidates(user, "景点", "门票", PALACE)
    assert found["20元以下"] == {CandidateSource.SET}
    assert CandidateSource.KEEP in found["免费"]
    assert found[""] == {CandidateSource.CLEAR}


def test_terms_stand_in_spoken_order() -> None:
    acts = (Act("Inform", "餐馆", "推荐菜", "烤鸭"), Act("Inform", "餐馆", "推荐菜", "豆汁"))
    user = Turn(Speaker.USER, "想吃豆汁和烤鸭", tuple(sorted(acts)))
    found = candidates(user, "餐馆", "推荐菜", filled(EMPTY, "餐馆", "推荐菜", "面茶"))
    assert CandidateSource.SET in found["豆汁 烤鸭"]
    assert CandidateSource.APPEND in found["面茶 豆汁 烤鸭"]


def test_near_means_the_place_spoken_of() -> None:
    user = Turn(Speaker.USER, "它附近的餐馆", (Act("Select", "餐馆", "源领域", "景点"),))
    found = candidates(user, "餐馆", "周边景点", EMPTY)
    assert {CandidateSource.NEAR_LAST, CandidateSource.NEAR_SELECTED} <= found["故宫"]


def test_a_place_told_as_nearby_may_be_looked_up_by_name() -> None:
    asked = Turn(Speaker.USER, "周边有酒店吗", (Act("Request", "景点", "周边酒店", ""),))
    told = Turn(
        Speaker.SYSTEM,
        "有北京饭店",
        (Act("Inform", "景点", "周边酒店", "北京饭店"),),
        first_query=PALACE,
        last_query=PALACE,
    )
    user = Turn(Speaker.USER, "这些酒店里哪家4分以上", (Act("Select", "酒店", "源领域", "景点"),))
    found = candidates(user, "酒店", "名称", EMPTY, (*HISTORY, asked, told))
    assert found["北京饭店"] == {CandidateSource.NAME_NEARBY}
    assert "北京饭店" not in candidates(user, "餐馆", "名称", EMPTY, (*HISTORY, asked, told))


def test_how_far_down_a_place_stands_among_the_results_of_a_form() -> None:
    database = Database(load_world("harbour", language="en"))
    domain = database.domain("hotel")
    assert domain.name_slot
    form = empty_form(database.world.schema)
    names = [str(row[domain.name_slot.key]) for row in database.search("hotel", {})]
    assert [result_position(database, domain, form, name) for name in names[:2]] == [0, 1]
    assert result_position(database, domain, form, "nowhere") == MANY
    named = form.with_domain(form.get("hotel").with_slot(domain.name_slot.key, names[1]))
    assert result_position(database, domain, named, names[1]) == 1, (
        "a name does not shorten the list"
    )


def test_a_wizards_habits_are_counted() -> None:
    ask = Turn(
        Speaker.USER,
        "故宫的电话",
        (Act("Inform", "景点", "名称", "故宫"), Act("Request", "景点", "电话", "")),
    )
    silent = Turn(Speaker.SYSTEM, "", (), first_query=PALACE, last_query=PALACE)
    typed = filled(PALACE, "景点", "名称", "故宫")
    writes = Turn(Speaker.SYSTEM, "", (), first_query=typed, last_query=typed)
    assert wizard_counts(SCHEMA, CHINESE.yes, (*HISTORY, ask, silent)) == {"skips names said": 1}
    assert wizard_counts(SCHEMA, CHINESE.yes, (*HISTORY, ask, writes)) == {"types names said": 1}


def test_rewordings_are_learned_when_seen_twice() -> None:
    typed = filled(EMPTY, "景点", "门票", "1元以上")
    turns = (
        Turn(Speaker.USER, "", (Act("Inform", "景点", "门票", "不免费"),)),
        Turn(Speaker.SYSTEM, "", (), first_query=typed, last_query=typed),
    )
    once, twice = [Dialogue("1", turns)], [Dialogue("1", turns), Dialogue("2", turns)]
    assert learn_rewordings(once, SCHEMA) == {}
    assert learn_rewordings(twice, SCHEMA) == {("景点", "门票", "不免费"): ("1元以上",)}


def test_words_heard_in_most_turns_say_nothing() -> None:
    found = common_words(["find a hotel", "find food", "find rest now"], "en")
    assert "find" not in found
    assert "hotel" in found


def database(data_folder: Path) -> Database:
    return Database(load_world("crosswoz", data=data_folder))


def test_training_twice_gives_the_same_tracker(data_folder: Path) -> None:
    dialogues = list(read_corpus(data_folder / "crosswoz" / "val.json.zip"))
    train, held_out = dialogues[:20], dialogues[20:30]
    scores = [
        score_tracking(
            train_tree_tracker(train, database(data_folder)),
            held_out,
            SCHEMA,
            hide_system_acts=False,
        )
        for _ in range(2)
    ]
    assert scores[0] == scores[1]


def test_the_shipped_model_on_held_out_turns(data_folder: Path) -> None:
    """It was trained on val; on test dialogues it must clear what the forest of the notes had."""
    tracker = TreeTracker.load(find_model("dst"), database(data_folder))
    dialogues = read_corpus(data_folder / "crosswoz" / "test-a.json.zip")
    score = score_tracking(tracker, dialogues, SCHEMA, hide_system_acts=False)
    assert score.overall.percent == pytest.approx(90.4, abs=0.5)
    assert score.select.percent and score.select.percent > 63
