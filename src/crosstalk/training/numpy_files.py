"""Arrays of a safetensors file, for what works without torch."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file


def load_arrays_of(file: Path) -> dict[str, NDArray[Any]]:
    """All arrays by name; raises ValueError, in words, for any damage."""
    try:
        return load_file(file)
    except (OSError, SafetensorError) as error:
        raise ValueError(str(error)) from error
    except (TypeError, AttributeError) as error:  # bfloat16 and others of eight bits
        raise ValueError(f"it has numbers of a type that NumPy has not: {error}") from error
