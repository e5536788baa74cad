"""TRADE in a small town: what it reads, that it learns, is kept, and goes on after a kill."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.evaluation.dst_scores import filled, score_words
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.trade_data import (
    SPECIAL,
    TradeSample,
    TradeTraining,
    TradeVocabulary,
    dialogue_words,
    form_fields,
    trade_samples,
    value_of_words,
    value_words,
)
from crosstalk.system.dst.trade_tracker import FieldRows, TradeConfig, TradeTracker
from crosstalk.system.dst.trade_training import slow_down, train_trade
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.identity import Identity
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Progress
from crosstalk.training.steps import Step
from crosstalk.worlds.world import load_schema

SCHEMA, _ = load_schema("harbour", language="en")
KINDS = ("budget", "grand", "cosy", "modern")
DISHES = ("soup", "cake", "fish", "rice")
BRIEF = TradeTraining(
    hidden=48,
    dropout=0.0,
    rate=4e-3,
    epochs=16,
    patience=0,
    halve_after=20,
    say_none=False,
)


def talk(number: int) -> Dialogue:
    """A kind of hotel is wished for, then something to eat."""
    kind, dish = KINDS[number % 4], DISHES[number // 4 % 4]
    form = empty_form(SCHEMA)
    first = form.with_domain(form.get("hotel").with_slot("type", kind))
    then = first.with_domain(form.get("restaurant").with_slot("dishes", dish))
    turns = (
        Turn(Speaker.USER, f"A {kind} hotel."),
        Turn(Speaker.SYSTEM, "Here.", first_query=first, last_query=first),
        Turn(Speaker.USER, f"Then {dish}."),
        Turn(Speaker.SYSTEM, "There.", first_query=then, last_query=then),
    )
    return Dialogue(str(number), turns)


TALKS = [talk(number) for number in range(16)]


def all_samples(talks: Sequence[Dialogue] = TALKS) -> list[TradeSample]:
    return [sample for dialogue in talks for sample in trade_samples(dialogue, "en")]


def joint(tracker: TradeTracker) -> float:
    return score_words(tracker.read, TALKS).joint.percent or 0.0


@pytest.fixture(scope="module")
def trained() -> tuple[TradeTracker, Progress]:
    torch.set_num_threads(1)
    config = TradeConfig("en", "harbour", BRIEF)
    return train_trade(all_samples(), SCHEMA, config, joint, seed=1, processes=Processes())


def test_a_story_is_all_that_was_said_and_the_form_that_followed() -> None:
    first, second = trade_samples(TALKS[1], "en")
    assert first.words == (";", "A", "grand", "hotel", ".", ";")
    assert first.values == {("hotel", "type"): ("grand",)}
    assert second.words[:6] == first.words
    assert second.words[-3:] == ("soup", ".", ";")


def test_chinese_values_keep_their_spaces() -> None:
    said = value_words("早餐 无烟房", "zh")
    assert " " in said
    assert value_of_words(said, "zh", several=False) == "早餐 无烟房"


def test_fields_that_keep_terms_apart_come_back_apart() -> None:
    said = value_words(("fish soup", "tea"), "en")
    assert said == ("fish", "soup", "|", "tea")
    assert value_of_words(said, "en", several=True) == ("fish soup", "tea")


def test_a_word_nobody_has_seen_can_be_copied() -> None:
    vocabulary = TradeVocabulary.of(all_samples())
    numbers, new = vocabulary.copied(("grand", "zebra", "hotel", "zebra"))
    assert new == ["zebra"]
    assert numbers[1] == numbers[3] == len(vocabulary.words)
    assert vocabulary.number("zebra") == SPECIAL.index("UNK")


def test_every_field_of_the_form_is_tracked() -> None:
    crosswoz, _ = load_schema("crosswoz")
    assert len(form_fields(crosswoz)) == 26


def test_padding_changes_nothing() -> None:
    torch.manual_seed(3)
    model = train_brief(epochs=1)
    short, long = dialogue_words(TALKS[0].turns[:1], "en"), dialogue_words(TALKS[0].turns, "en")
    network = model.model.network.eval()
    cpu = torch.device("cpu")
    wanted = torch.tensor([[5, 2]])
    odds = []
    for several in ([short], [short, long]):
        batch, _ = model.model.batch(several, cpu)
        rows = FieldRows(torch.tensor([0]), torch.tensor([3]))
        odds.append(network(batch, rows, wanted, teach=True)[1])
    assert torch.allclose(odds[0], odds[1], atol=1e-6)


def test_odds_of_words_sum_to_one() -> None:
    model = train_brief(epochs=1)
    batch, _ = model.model.batch([("zebra", "hotel")], torch.device("cpu"))
    assert batch.new == 1
    network = model.model.network.eval()
    encoded = network._encoded(batch)
    odds = network._odds(
        encoded, FieldRows(torch.tensor([0]), torch.tensor([0])), network._begun(encoded)
    )
    assert odds.shape == (1, len(model.model.vocabulary.words) + 1)
    assert float(odds.detach().sum()) == pytest.approx(1, abs=1e-5)


def train_brief(epochs: int, **changes: object) -> TradeTracker:
    training = replace(BRIEF, epochs=epochs, **changes)  # type: ignore[arg-type]
    config = TradeConfig("en", "harbour", training)
    return train_trade(
        all_samples(TALKS[:4]), SCHEMA, config, lambda _: 0.0, seed=1, processes=Processes()
    )[0]


def test_it_learns_what_is_wished_for(trained: tuple[TradeTracker, Progress]) -> None:
    tracker, progress = trained
    assert progress.best_score > 80
    assert joint(tracker) == progress.best_score


def test_a_turn_is_read_as_in_the_whole_dialogue(trained: tuple[TradeTracker, Progress]) -> None:
    turns = TALKS[6].turns
    whole = trained[0].read(turns)
    belief = DialogueState(empty_form(SCHEMA))
    assert trained[0].update(belief, turns[:1]).form == whole[0]
    assert trained[0].update(belief, turns[:3]).form == whole[1]


def test_a_folder_holds_all_of_it(trained: tuple[TradeTracker, Progress], tmp_path: Path) -> None:
    trained[0].save(tmp_path)
    again = TradeTracker.load(tmp_path, SCHEMA, language="en")
    turns = TALKS[5].turns
    assert [filled(form) for form in again.read(turns)] == [
        filled(form) for form in trained[0].read(turns)
    ]


def test_another_world_or_language_is_refused(
    trained: tuple[TradeTracker, Progress], tmp_path: Path
) -> None:
    trained[0].save(tmp_path)
    with pytest.raises(InputError, match="language 'en', not 'de'"):
        TradeTracker.load(tmp_path, SCHEMA, language="de")
    with pytest.raises(InputError, match="other fields"):
        TradeTracker.load(tmp_path, load_schema("crosswoz")[0], language="en")


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("config.json", '{"kind": "bertnlu"}', "does not describe a TRADE"),
        ("config.json", '{"kind": "trade", "version": 7}', "its version is 7"),
        ("vocabulary.json", '{"words": []}', "lists of words and of fields"),
        ("vocabulary.json", '{"words": ["a"], "fields": [], "several": []}', "UNK, PAD"),
        ("weights.safetensors", "no tensors", "do not fit the vocabulary"),
    ],
)
def test_a_folder_of_another_kind_or_damaged_is_refused(
    trained: tuple[TradeTracker, Progress], tmp_path: Path, file: str, content: str, complaint: str
) -> None:
    trained[0].save(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(CrosstalkError, match=complaint):
        TradeTracker.load(tmp_path, SCHEMA, language="en")


def test_as_published_empty_fields_learn_to_say_none() -> None:
    weights = [
        train_brief(1, say_none=say).model.network.state_dict()["switch.weight"]
        for say in (True, False)
    ]
    assert not torch.equal(*weights)


def test_a_killed_training_goes_on_and_ends_with_the_same_weights(tmp_path: Path) -> None:
    config = TradeConfig("en", "harbour", replace(BRIEF, epochs=4, dropout=0.2, halve_after=1))
    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", Identity({}, "", 1))

    def killed(step: Step) -> None:
        if step.step == 3:
            raise KeyboardInterrupt

    def train(**options: object) -> TradeTracker:
        few = all_samples(TALKS[:4])
        return train_trade(
            few,
            SCHEMA,
            config,
            lambda _: 0.0,  # never better: the rate is halved on the way
            seed=1,
            processes=Processes(),
            **options,  # type: ignore[arg-type]
        )[0]

    whole = train()
    with pytest.raises(KeyboardInterrupt):
        train(checkpoint=checkpoint, told=killed)
    resumed = train(checkpoint=checkpoint)
    for name, weight in whole.model.network.state_dict().items():
        assert torch.equal(weight, resumed.model.network.state_dict()[name]), name


def test_the_rate_is_halved_when_nothing_gets_better() -> None:
    group = {"lr": 1e-3}
    rates = []
    for score in (5.0, 5.0, 4.0, 4.0, 4.0, 6.0):
        slow_down(group, score, TradeTraining())
        rates.append(group["lr"])
    assert rates == [1e-3, 1e-3, 5e-4, 5e-4, 2.5e-4, 2.5e-4]


def test_dialogues_without_forms_teach_nothing() -> None:
    with pytest.raises(InputError, match="without query forms"):
        train_trade([], SCHEMA, TradeConfig("en"), joint, seed=1, processes=Processes())
