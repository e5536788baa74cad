"""Encoder folders of the old kind are converted, and nothing in them is run."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import FileProblem, InputError

pytest.importorskip("torch", reason="networks need the extra `neural`")
pytest.importorskip("transformers", reason="networks need the extra `neural`")

import torch

from crosstalk.training.encoder_conversion import convert_encoder, needs_conversion
from crosstalk.training.small_encoders import NanoShape, nano_encoder
from crosstalk.training.transformer_encoders import UnusableEncoder, load_masked_lm

SHAPE = NanoShape(layers=1, width=16, heads=2, inner=16, vocabulary=60)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A small encoder whose weights are in pytorch_model.bin alone."""
    encoder = nano_encoder(["a cheap hotel in the north", "a train to london"], seed=1, shape=SHAPE)
    encoder.save(tmp_path / "old")
    torch.save(encoder.network.state_dict(), tmp_path / "old" / "pytorch_model.bin")
    (tmp_path / "old" / "model.safetensors").unlink()
    return tmp_path / "old"


def test_an_old_folder_is_refused_with_the_command_that_converts_it(old: Path) -> None:
    with pytest.raises(UnusableEncoder, match=r"pytorch_model\.bin") as refused:
        load_masked_lm(str(old))
    assert f"crosstalk models convert {old} --out NEW" in refused.value.remedy


def test_the_converted_folder_has_the_same_weights(old: Path, tmp_path: Path) -> None:
    words = ["models", "convert", str(old), "--out", str(tmp_path / "new"), "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert needs_conversion(old) and not needs_conversion(tmp_path / "new")
    found = load_masked_lm(str(tmp_path / "new")).network.state_dict()
    held = torch.load(old / "pytorch_model.bin", weights_only=True)
    name = next(each for each in held if "word_embeddings" in each)
    assert torch.equal(found[name], held[name])


class Dangerous:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.mark,)


def test_code_in_the_weights_is_refused_and_not_run(old: Path, tmp_path: Path) -> None:
    torch.save({"weights": Dangerous(tmp_path / "ran")}, old / "pytorch_model.bin")
    with pytest.raises(FileProblem, match="more than tensors") as refused:
        convert_encoder(old, tmp_path / "new")
    assert "weights_only" not in str(refused.value)  # torch advises to switch it off
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("problem", ["no config", "nothing old", "out is there", "damaged"])
def test_what_cannot_be_converted_is_refused(old: Path, tmp_path: Path, problem: str) -> None:
    if problem == "no config":
        (old / "config.json").unlink()
    elif problem == "nothing old":
        (old / "pytorch_model.bin").unlink()
    elif problem == "out is there":
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "mine.txt").touch()
    else:
        (old / "pytorch_model.bin").write_bytes(b"no weights")
    with pytest.raises(InputError):
        convert_encoder(old, tmp_path / "new")
