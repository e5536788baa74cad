"""The slips of the published tracker: kept by `--protocol paper`, mended otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tests.transfer import dst_made
from torch import Tensor, nn

from crosstalk.corpora.multiwoz_labels import ANY, NONE
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.identity import Identity
from crosstalk.training.small_encoders import NanoShape, nano_encoder
from crosstalk.training.steps import Step
from crosstalk.training.transformer_encoders import TransformerEncoder
from crosstalk.transfer import published_dst_transfer
from crosstalk.transfer.dst_transfer import PicklistOptions, TransferRun
from crosstalk.transfer.states import picklist
from crosstalk.transfer.states.state_dialogues import StateTurn, state_dialogue, state_turns
from crosstalk.transfer.states.transfer_tasks import find_task
from crosstalk.transfer.step_training import Pace, TrainingSetup, train_in_steps

SHAPE = NanoShape(vocabulary=60, layers=1, width=16, heads=2, inner=16, positions=40)
TEXTS = ["a hotel in the north", "a hotel in the south", "how many stars ?", "any will do"] * 5
LISTS = {"hotel-area": [NONE, ANY, "north", "south"]}
TOLD = [
    state_dialogue(area, "en", (StateTurn("", f"a hotel in the {area}", {"hotel-area": area}),))
    for area in ("north", "south")
]
PACE = Pace(steps=6, check_every=2, rate=1e-2, batch=2)
MENDED = replace(picklist.FROM_NOTHING, pace=PACE, pieces=20)


@pytest.fixture
def encoder() -> TransformerEncoder:
    torch.set_num_threads(1)
    return nano_encoder(TEXTS, seed=1, shape=SHAPE)


class Slope(nn.Module):
    """A loss whose gradient is 1 at every step."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, batch: object) -> Tensor:
        return self.weight.sum()


@pytest.mark.parametrize(("clears", "gathered"), [(True, 1.0), (False, 6.0)])
def test_gradients_that_are_never_cleared_add_up(clears: bool, gathered: float) -> None:
    objective, seen = Slope(), list[float]()

    def judge() -> float:
        assert objective.weight.grad is not None
        seen.append(float(objective.weight.grad))
        return len(seen)

    pace = replace(PACE, clears=clears, clip=100)
    train_in_steps(objective, lambda rng: None, judge, pace, TrainingSetup(1))
    assert seen[-1] == gathered


def test_they_add_up_across_a_stop_too(encoder: TransformerEncoder, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(step: Step) -> None:
        if step.step == 2:
            raise Stopped

    def trained(course: TrainingSetup) -> picklist.Picklist:
        training = MENDED.as_published()
        fresh = nano_encoder(TEXTS, seed=1, shape=SHAPE)
        torch.manual_seed(1)
        network = picklist.Picklist(fresh, LISTS, training)
        picklist.train(network, picklist.examples(TOLD), (), training.pace, course)
        return network

    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", Identity({}, "data", 1))
    whole = trained(TrainingSetup(1))
    with pytest.raises(Stopped):
        trained(TrainingSetup(1, checkpoint, stop))
    halved = trained(TrainingSetup(1, checkpoint))
    for name, weights in whole.state_dict().items():
        assert weights.equal(halved.state_dict()[name]), name


@pytest.mark.parametrize("published", [True, False])
def test_vectors_of_values_learn_only_when_mended(
    encoder: TransformerEncoder, published: bool
) -> None:
    training = MENDED.as_published() if published else MENDED
    network = picklist.Picklist(encoder, LISTS, training)
    before = network.values.detach().clone()
    picklist.train(network, picklist.examples(TOLD), TOLD, training.pace, TrainingSetup(1))
    assert network.values.equal(before) == published


@pytest.mark.parametrize("slips", [True, False])
def test_the_first_mark_is_not_attended_to_by_the_published_mask(
    encoder: TransformerEncoder, slips: bool
) -> None:
    reading = replace(encoder, slips=slips)
    row = [int(encoder.tokenizer.cls_token_id), *encoder.pieces("a hotel in the north")]
    numbers = reading.padded([row, row[:3]])
    with torch.no_grad():
        before = reading.states(numbers)[0, 1:]
        encoder.network.get_input_embeddings().weight[row[0], :8] += 5
        after = reading.states(numbers)[0, 1:]
    assert torch.allclose(before, after, atol=1e-6) == slips


def test_padding_changes_nothing_of_what_is_read(encoder: TransformerEncoder) -> None:
    row = [0, *encoder.pieces("a hotel in the north")]
    for slips in (True, False):
        reading = replace(encoder, slips=slips)
        with torch.no_grad():
            alone = reading.states(reading.padded([row]))[0]
            beside = reading.states(reading.padded([row, [*row, *row]]))[0, : len(row)]
        assert torch.allclose(alone, beside, atol=1e-5)


def test_published_lists_hold_the_values_of_the_test_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    strange = state_dialogue("T", "zh", (StateTurn("", "月球", {"restaurant-area": "月球"}),))
    quick = replace(picklist.FROM_NOTHING, pace=replace(PACE, steps=2, check_every=1))
    monkeypatch.setattr(picklist, "FROM_NOTHING", quick)
    monkeypatch.setattr(published_dst_transfer, "nano_encoder", small_encoder)
    found = {}
    for protocol in ("paper", "corrected"):
        run = TransferRun(find_task(data, "zh"), 0, protocol, (1,), sentences=False)
        kept = published_dst_transfer.PublishedTracker(run, PicklistOptions(), tmp_path / "kept")
        found[protocol] = kept.network(1, [strange]).lists["restaurant-area"]
    assert "月球" in found["paper"]
    assert "月球" not in found["corrected"]


def small_encoder(texts: list[str], *, seed: int) -> TransformerEncoder:
    return nano_encoder(texts, seed=seed, shape=replace(SHAPE, vocabulary=200))


def test_published_shots_are_turns_and_ours_dialogues(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=40)
    drawn = {}
    for protocol in ("paper", "corrected"):
        run = TransferRun(find_task(data, "zh"), 10, protocol, (1,), sentences=False)
        kept = published_dst_transfer.PublishedTracker(run, PicklistOptions(), tmp_path / "kept")
        drawn[protocol] = kept.shown(1)
    turns = sum(len(state_turns(each)) for each in TransferRun(find_task(data, "zh"), 10).target)
    assert len(drawn["paper"]) == turns // 10
    starts = [sum(not each.before for each in some) for some in drawn.values()]
    assert starts[1] == 4  # whole dialogues, each with its first turn
    assert starts[0] != starts[1] or len(drawn["paper"]) != len(drawn["corrected"])


def test_shared_values_are_listed_once(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data", count=6)
    run = TransferRun(find_task(data, "zh"), 0, "corrected", (1,), sentences=False)
    lists = {
        shared: published_dst_transfer.PublishedTracker(
            run, PicklistOptions(shared=shared), tmp_path
        ).lists(run.source)
        for shared in (True, False)
    }
    assert set(lists[True]["restaurant-area"]) < set(lists[False]["restaurant-area"])
