"""Arrays of safetensors files that somebody else may have made."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from crosstalk.errors import FileProblem
from crosstalk.retrieval.array_files import load_arrays
from crosstalk.system.policy.sl_policy import load_network
from crosstalk.training.numpy_files import load_arrays_of

WEIGHTS = "weights.safetensors"


def crafted(dtype: str, size: int) -> bytes:
    """Two by two numbers of a type, as the format allows."""
    about = {"a": {"dtype": dtype, "shape": [2, 2], "data_offsets": [0, 4 * size]}}
    header = json.dumps(about).encode()
    return len(header).to_bytes(8, "little") + header + bytes(4 * size)


def test_arrays_come_back(tmp_path: Path) -> None:
    file = tmp_path / WEIGHTS
    file.write_bytes(save({"a": np.eye(2, dtype=np.float32)}))
    assert (load_arrays_of(file)["a"] == np.eye(2)).all()


@pytest.mark.parametrize(
    "content",
    [crafted("BF16", 2), crafted("F8_E4M3", 1), crafted("F32", 1), b"\xff" * 8, b""],
    ids=["bfloat16", "eight bits", "too short", "a header without end", "nothing"],
)
def test_types_and_sizes_that_cannot_be(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / WEIGHTS
    file.write_bytes(content)
    with pytest.raises(ValueError):
        load_arrays_of(file)
    with pytest.raises(FileProblem, match=WEIGHTS):
        load_arrays(tmp_path, {"a": (2, 2)})
    with pytest.raises(FileProblem, match=WEIGHTS):
        load_network(file)
