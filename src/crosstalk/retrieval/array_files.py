"""Arrays on disk: safetensors files of rankers, and memory-mapped `.npy` files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from crosstalk.errors import FileProblem
from crosstalk.files import writing_binary
from crosstalk.training.numpy_files import load_arrays_of

WEIGHTS = "weights.safetensors"
Arrays = dict[str, NDArray[Any]]


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]], *, name: str = WEIGHTS) -> None:
    whole = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
    with writing_binary(folder / name) as raw:
        raw.write(save(whole))


def load_arrays(
    folder: Path, shapes: Mapping[str, tuple[int | None, ...]], *, name: str = WEIGHTS
) -> Arrays:
    """Load arrays and check their shapes; None in a shape stands for any size."""
    file = folder / name
    try:
        arrays = load_arrays_of(file)
    except ValueError as error:
        raise _damaged(file, str(error)) from error
    for key, shape in shapes.items():
        if key not in arrays:
            raise _damaged(file, f"{key} is missing")
        if not _fits(arrays[key].shape, shape):
            raise _damaged(file, f"{key} has the shape {arrays[key].shape}, not {shape}")
    return arrays


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    sizes = zip(shape, wanted, strict=False)
    return len(shape) == len(wanted) and all(size in (None, given) for given, size in sizes)


def _damaged(file: Path, problem: str) -> FileProblem:
    return FileProblem(f"{file}: {problem}", remedy="Make it anew with the command that wrote it.")


def write_array(file: Path, array: NDArray[Any]) -> None:
    """Write one array that `open_array` can memory-map."""
    with writing_binary(file) as raw:
        np.save(raw, array, allow_pickle=False)


def open_array(file: Path) -> NDArray[Any]:
    try:
        return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))  # slices cost less
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(file, str(error)) from error
