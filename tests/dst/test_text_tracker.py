"""Tracking from words: the whole path on practice dialogues, the shipped model on real ones."""

from itertools import islice
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.evaluation.dst_scores import WordsScore, score_forms, score_words, tracked
from crosstalk.model_folders import find_model
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.dst.predicted_acts import (
    PredictedDialogue,
    load_predictions,
    save_predictions,
)
from crosstalk.system.dst.text_tracker import TextTracker
from crosstalk.system.dst.text_tracker_training import (
    TextTrackerConfig,
    TrainedTextTracker,
    train_text_tracker,
)
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.nlu.ranked import RankedNLU, Weighed
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

WORLD = load_world("harbour", language="en")
DATABASE = Database(WORLD)
QUICK = TextTrackerConfig(rounds=20, passes=1, folds=2)
PRACTICE = list(practice_dialogues("harbour", "en", 14, seed=5))


def sure(dialogue: Dialogue) -> PredictedDialogue:
    """PredictedDialogue without a slip and without a doubt."""
    return PredictedDialogue(
        dialogue, tuple(dict.fromkeys(turn.acts, 1.0) for turn in dialogue.turns)
    )


@pytest.fixture(scope="module")
def trained() -> TrainedTextTracker:
    return train_text_tracker([sure(each) for each in PRACTICE], DATABASE, QUICK)


def forms_of(tracker: TextTracker, dialogue: Dialogue) -> list[object]:
    belief: DialogueState = DialogueState(empty_form(WORLD.schema))
    forms: list[object] = []
    for at, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.USER:
            belief = tracker.update(belief, dialogue.turns[: at + 1])
            forms.append(belief.form)
    return forms


def test_it_learns_what_is_typed(trained: TrainedTextTracker) -> None:
    score = WordsScore()
    for dialogue, forms in zip(PRACTICE, trained.held_out, strict=True):
        score += score_forms(dialogue, forms)
    assert score.slots.f1 and score.slots.f1 > 70


def test_training_twice_gives_the_same_beliefs(trained: TrainedTextTracker) -> None:
    again = train_text_tracker([sure(each) for each in PRACTICE], DATABASE, QUICK)
    assert again.held_out == trained.held_out
    assert forms_of(again.tracker, PRACTICE[0]) == forms_of(trained.tracker, PRACTICE[0])


def test_a_tracker_survives_saving(trained: TrainedTextTracker, tmp_path: Path) -> None:
    trained.tracker.save(tmp_path)
    loaded = TextTracker.load(tmp_path, DATABASE)
    assert forms_of(loaded, PRACTICE[1]) == forms_of(trained.tracker, PRACTICE[1])


def test_forms_in_the_history_are_not_looked_at(trained: TrainedTextTracker) -> None:
    bare = Dialogue("bare", tuple(Turn(t.speaker, t.text, t.acts) for t in PRACTICE[0].turns))
    assert forms_of(trained.tracker, bare) == forms_of(trained.tracker, PRACTICE[0])


def test_a_corpus_without_forms_teaches_nothing() -> None:
    bare = Dialogue("1", tuple(Turn(t.speaker, t.text, t.acts) for t in PRACTICE[0].turns))
    with pytest.raises(InputError, match="nothing to learn"):
        train_text_tracker([sure(bare)], DATABASE, QUICK)


def test_the_words_alone_are_handed_over() -> None:
    seen: list[Turn] = []

    def read(turns: object) -> list[object]:
        seen.extend(turns)  # type: ignore[arg-type]
        return [empty_form(WORLD.schema)] * (len(PRACTICE[0].turns) // 2)

    score_words(read, [PRACTICE[0]])  # type: ignore[arg-type]
    assert [turn.text for turn in seen] == [turn.text for turn in PRACTICE[0].turns]
    assert not any(turn.acts or turn.first_query for turn in seen)


def test_right_means_all_filled_fields_of_all_domains() -> None:
    empty = empty_form(WORLD.schema)
    cheap = empty.with_domain(empty.get("hotel").with_slot("type", "luxury"))
    turns = (
        Turn(Speaker.USER, "", (Act("Select", "hotel", "source", "restaurant"),)),
        Turn(Speaker.SYSTEM, "", first_query=cheap),
        Turn(Speaker.USER, ""),
        Turn(Speaker.SYSTEM, "", first_query=cheap),
    )
    score = score_forms(Dialogue("1", turns), [cheap, empty])
    assert score.joint.percent == 50
    assert score.select.percent == 100
    assert (score.slots.right, score.slots.wrong, score.slots.missed) == (1, 0, 1)


def test_turns_out_of_order_are_refused_in_words() -> None:
    turns = (Turn(Speaker.SYSTEM, "hello"), Turn(Speaker.USER, "hello"))
    with pytest.raises(InputError, match="dialogue 7: user and system do not take turns"):
        score_words(lambda turns: [], [Dialogue("7", turns)])


def test_doubts_may_be_weighed(trained: TrainedTextTracker) -> None:
    """A faint act makes its value a candidate; nothing is heard without it."""
    user = Turn(Speaker.USER, "Something posh to sleep in")
    doubt: Weighed = {Act("Inform", "hotel", "type", "luxury"): 0.4}
    belief = trained.tracker.update(DialogueState(empty_form(WORLD.schema)), (user,), doubt)
    assert "luxury" in belief.seen["hotel", "type"]
    silent = trained.tracker.update(DialogueState(empty_form(WORLD.schema)), (user,), {})
    assert "luxury" not in silent.seen["hotel", "type"]


def test_the_shipped_model_on_new_dialogues(data_folder: Path) -> None:
    """It was trained on val; these are the first of test, of which it has seen no word."""
    world = load_world("crosswoz", data=data_folder)
    tracker = TextTracker.load(find_model("dst-words"), Database(world))
    ears = RankedNLU.load(find_model("nlu-crosswoz-zh"), world)
    dialogues = islice(read_corpus(data_folder / "crosswoz" / "test-a.json.zip"), 60)
    score = score_words(tracked(ears.weigh_all, tracker, world.schema), dialogues)
    assert score.joint.percent and score.joint.percent > 50
    assert score.slots.f1 and score.slots.f1 > 85


def test_what_was_understood_survives_saving(tmp_path: Path) -> None:
    heard = [
        PredictedDialogue.with_predictions(PRACTICE[0], [{}] * len(PRACTICE[0].turns)),
        sure(PRACTICE[1]),
    ]
    save_predictions(heard, tmp_path / "doubts.jsonl")
    assert load_predictions(PRACTICE[:2], tmp_path / "doubts.jsonl") == heard
