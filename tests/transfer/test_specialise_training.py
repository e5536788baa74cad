"""Encoders from nothing, specialised: every objective learns, stops, goes on, and is refused."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import DistilBertConfig, DistilBertForMaskedLM
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import InputError
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.identity import Identity
from crosstalk.training.small_encoders import NanoShape, nano_encoder
from crosstalk.training.steps import Step
from crosstalk.training.transformer_encoders import TransformerEncoder, load_masked_lm
from crosstalk.transfer.specialisation.instance_sampling import ResponseRow
from crosstalk.transfer.specialisation.objectives import (
    ObjectiveData,
    SpokenTurn,
    mask_pieces,
    perplexity,
    published_pace,
    specialise,
    split_at,
)
from crosstalk.transfer.step_training import Pace, TrainingSetup
from crosstalk.transfer.transfer_corpora import DialogueTexts

WORDS = ("red", "blue", "green", "north", "south", "cheap", "late", "early")
TEXTS = [
    f"a {WORDS[at % 8]} house {WORDS[(at + 1) % 8]} of the river is {WORDS[at % 8]}"
    for at in range(80)
]
ROWS = [
    ResponseRow(f"where is the {WORDS[at % 8]} house", ("yes here", "no there")[wrong], 1 - wrong)
    for at in range(60)
    for wrong in (0, 1)
]
TALKS = [DialogueTexts(str(at), tuple(TEXTS[at : at + 6])) for at in range(40)]
SHAPE = NanoShape(vocabulary=150, layers=1, width=32, heads=2, inner=32, positions=66)
PACE = Pace(steps=24, check_every=8, rate=3e-3, batch=8)
LONGER = Pace(steps=75, check_every=25, rate=5e-3, batch=8, warm_up=10)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # several threads wait for each other on a busy machine


def encoder() -> TransformerEncoder:
    texts = [*TEXTS, *["yes here", "no there"] * 20]
    return nano_encoder(texts, seed=1, shape=SHAPE)


@pytest.mark.parametrize(
    ("objective", "instances"),
    [("mlm", TEXTS), ("tlm", TEXTS), ("rs-x", ROWS), ("rs-mono", ROWS), ("tod", TALKS)],
)
def test_every_objective_learns(objective: str, instances: list[object]) -> None:
    told: list[Step] = []
    objective_data = ObjectiveData(instances[:-16], instances[-16:])
    pace = LONGER if objective.startswith("rs") else PACE
    specialise(encoder(), objective, objective_data, pace, TrainingSetup(1, told=told.append))
    assert len(told) == 3
    assert told[-1].loss < told[0].loss


def test_masked_words_lower_the_perplexity_of_text_not_seen() -> None:
    chosen = encoder()
    before = perplexity(chosen, TEXTS[-10:])
    specialise(chosen, "mlm", ObjectiveData(TEXTS[:-10], TEXTS[-10:]), PACE, TrainingSetup(1))
    assert perplexity(chosen, TEXTS[-10:]) < before / 2


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(step: Step) -> None:
        if step.step == 2:
            raise Stopped

    objective_data = ObjectiveData(TEXTS[:-10], TEXTS[-10:])
    whole, halved = encoder(), encoder()
    specialise(whole, "tlm", objective_data, PACE, TrainingSetup(1))
    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", Identity({}, "data", 1))
    with pytest.raises(Stopped):
        specialise(encoder(), "tlm", objective_data, PACE, TrainingSetup(1, checkpoint, stop))
    specialise(halved, "tlm", objective_data, PACE, TrainingSetup(1, checkpoint))
    for name, weights in whole.network.state_dict().items():
        assert weights.equal(halved.network.state_dict()[name]), name


def test_marks_are_never_hidden() -> None:
    chosen = encoder()
    row = [0, chosen.mark("[SYS]"), *chosen.pieces("a red house"), 2]
    for seed in range(20):
        hidden, labels = mask_pieces(chosen, [row], Random(seed))
        assert hidden[0, [0, 1, -1]].tolist() == [row[0], row[1], row[-1]]
        assert (labels[0] != -100).sum() >= 1


def test_a_dialogue_is_split_before_a_turn_of_the_system() -> None:
    turns = [
        SpokenTurn("[SYS]", ""),
        *(SpokenTurn(("[USR]", "[SYS]")[at % 2], str(at)) for at in range(8)),
    ]
    for seed in range(10):
        before, after = split_at(turns, Random(seed))
        assert after[0].mark == "[SYS]"
        assert [*before, *after] == turns[: len(before) + 1]


def test_of_three_turns_each_any_but_the_first_may_be_the_response() -> None:
    turns = [SpokenTurn(("[SYS]", "[USR]")[at % 2], str(at)) for at in range(6)]
    assert {len(split_at(turns, Random(seed))[0]) for seed in range(30)} == {2, 4}
    assert {len(split_at(turns[:4], Random(seed))[0]) for seed in range(30)} == {2}


def test_published_sizes() -> None:
    pace = published_pace("tlm", 100_000)
    assert (pace.batch * pace.gathered, pace.check_every, pace.rate) == (16, 6250, 1e-5)
    assert published_pace("rs-x", 100_000).batch * published_pace("rs-x", 100_000).gathered == 32
    assert published_pace("tod", 100).batch == 2


def run(*words: object) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["transfer", "specialise", *map(str, words)])
    return found.exit_code, found.stdout if found.exit_code == 0 else str(found.exception)


def test_one_objective_follows_another_by_command(tmp_path: Path) -> None:
    text, rows = tmp_path / "tlm.txt", tmp_path / "rs.json"
    text.write_text("\n".join(TEXTS), encoding="utf-8")
    rows.write_text(json.dumps([row.record() for row in ROWS]), encoding="utf-8")
    first, second = tmp_path / "first", tmp_path / "second"
    quick = ("--steps", 4, "--target", "ru")
    code, told = run("--objective", "tlm", "--data", text, "--out", first, *quick)
    assert code == 0, told
    code, told = run(
        "--objective", "rs-mono", "--data", rows, "--out", second, "--encoder", first, *quick
    )
    assert code == 0, told
    card = json.loads((second / "card.json").read_text(encoding="utf-8"))
    assert "rs-mono from first" in card["what"]
    assert not (second / "checkpoint.safetensors").exists()
    before, after = (load_file(each / "encoder" / "model.safetensors") for each in (first, second))
    assert before.keys() == after.keys()
    assert load_masked_lm(str(second)).pieces("a red house")


def test_folders_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json"):
        load_masked_lm(str(tmp_path))
    with pytest.raises(InputError, match="lies on this machine"):
        load_masked_lm("xlm-roberta-nowhere")
    encoder().save(tmp_path / "torn")
    (tmp_path / "torn" / "model.safetensors").write_bytes(b"torn")
    with pytest.raises(InputError, match="is damaged"):
        load_masked_lm(str(tmp_path / "torn"))
    writer = tmp_path / "writer"
    writer.mkdir()
    (writer / "config.json").write_text(
        json.dumps({"model_type": "t5", "is_encoder_decoder": True, "d_model": 8}), encoding="utf-8"
    )
    with pytest.raises(InputError, match="no encoder"):
        load_masked_lm(str(writer))
    (writer / "config.json").write_text(json.dumps({"model_type": "gpt2"}), encoding="utf-8")
    with pytest.raises(InputError, match="gpt2 model is not of the kind"):
        load_masked_lm(str(writer))


def test_an_encoder_without_a_tokenizer_or_its_own_weights_is_refused(tmp_path: Path) -> None:
    encoder().save(tmp_path / "mute")
    for file in (tmp_path / "mute").glob("tokenizer*"):
        file.unlink()
    with pytest.raises(InputError, match="cannot be used"):
        load_masked_lm(str(tmp_path / "mute"))
    encoder().save(tmp_path / "mixed")
    save_file({"other.weight": torch.zeros(2)}, tmp_path / "mixed" / "model.safetensors")
    with pytest.raises(InputError, match="weights are of another model"):
        load_masked_lm(str(tmp_path / "mixed"))


def test_an_encoder_whose_head_is_several_parts_learns_too() -> None:
    tokenizer = encoder().tokenizer
    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=32, n_layers=1, n_heads=2, hidden_dim=32,
        max_position_embeddings=66, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    chosen = TransformerEncoder(DistilBertForMaskedLM(config), tokenizer)
    before = perplexity(chosen, TEXTS[-10:])
    specialise(chosen, "mlm", ObjectiveData(TEXTS[:-10], TEXTS[-10:]), PACE, TrainingSetup(1))
    assert perplexity(chosen, TEXTS[-10:]) < before
    specialise(chosen, "tod", ObjectiveData(TALKS[:-8], TALKS[-8:]), PACE, TrainingSetup(1))


def test_a_loss_that_is_no_number_is_told() -> None:
    objective_data = ObjectiveData(TEXTS[:-10], TEXTS[-10:])
    with pytest.raises(InputError, match=r"no number any more.*\n.*--rate below"):
        specialise(
            encoder(), "mlm", objective_data, replace(PACE, rate=float("nan")), TrainingSetup(1)
        )


def test_nothing_is_written_over(tmp_path: Path) -> None:
    text = tmp_path / "tlm.txt"
    text.write_text("\n".join(TEXTS), encoding="utf-8")
    order = ("--objective", "tlm", "--data", text, "--steps", 2)
    made, other, file = tmp_path / "made", tmp_path / "other", tmp_path / "file"
    other.mkdir()
    (other / "notes.txt").write_text("mine", encoding="utf-8")
    file.write_text("mine", encoding="utf-8")
    assert run(*order, "--out", made)[0] == 0
    assert run(*order, "--out", made)[0] == 0  # the same command: the same model
    card = json.loads((made / "card.json").read_text(encoding="utf-8"))
    assert card["command"].endswith("--protocol corrected --seed 1 --steps 2")
    for words, problem in (
        (("--out", other), "holds something else: notes.txt"),
        (("--out", file), "is a file"),
        (("--out", made, "--encoder", made), "is the folder of --encoder"),
        (("--out", made, "--seed", 2), "holds another model: encoder specialised by tlm"),
    ):
        code, told = run(*order, *words)
        assert code
        assert problem in told
    assert [each.name for each in other.iterdir()] == ["notes.txt"]


def test_wrong_orders_are_refused_in_words(tmp_path: Path) -> None:
    for words, problem in (
        (("--objective", "guess", "--data", tmp_path), "no objective called"),
        (("--objective", "tlm", "--data", tmp_path / "no"), "no such file or folder"),
        (("--objective", "tlm", "--data", tmp_path, "--target", "chinese"), "language code"),
        (("--objective", "tlm", "--data", tmp_path), "no text in en and zh side by side"),
        (("--objective", "tlm", "--data", tmp_path, "--mix", "bi"), "only mlm mixes languages"),
        (("--objective", "mlm", "--data", tmp_path, "--mix", "all"), "--mix all: unknown"),
        (("--objective", "tlm", "--data", tmp_path, "--target", "en"), "the same language"),
    ):
        code, told = run(*words, "--out", tmp_path / "out")
        assert code
        assert problem in told
    assert not (tmp_path / "out").exists()
