"""Encoder folders with `pytorch_model.bin` become folders with safetensors, and no code is run.

    convert_encoder(Path("old-bert"), Path("bert"))

Such a file is a pickle, which could run anything when it is read. It is read by torch with
`weights_only`, which knows tensors and nothing else and refuses the rest, and in a process of its
own that writes safetensors and ends.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import making_folder, read_json

WEIGHTS: Final = "model.safetensors"
OLD: Final = "pytorch_model.bin"
INDEX: Final = "pytorch_model.bin.index.json"
"""Names the files of weights that are split."""
COMMAND: Final = "crosstalk models convert {folder} --out NEW"


def needs_conversion(folder: Path) -> bool:
    """Tell whether a folder has weights that are only in the old format."""
    has_old = any((folder / name).is_file() for name in (OLD, INDEX))
    return has_old and not any(folder.glob("*.safetensors"))


def convert_encoder(folder: Path, out: Path) -> Path:
    """Write a copy of an encoder's folder with safetensors; returns the new folder.

    Raises `FileProblem` for weights that hold anything but tensors.
    """
    if not (folder / "config.json").is_file():
        raise InputError(
            f"{folder}: not the folder of an encoder: it has no config.json",
            remedy="Give a folder that transformers wrote, or that was downloaded whole.",
        )
    if not needs_conversion(folder):
        raise InputError(
            f"{folder}: nothing to convert: no {OLD}, or there are safetensors already",
            remedy="Give the folder itself as --encoder.",
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out}: is there already", remedy="Name a new folder.")
    parts = _weight_files(folder)
    with making_folder(out):
        _convert_in_a_process(parts, out / WEIGHTS)
        for file in folder.iterdir():
            if file.is_file() and file.suffix in (".json", ".txt", ".model") and file.name != INDEX:
                shutil.copyfile(file, out / file.name)
    return out


def _weight_files(folder: Path) -> list[Path]:
    if (folder / OLD).is_file():
        return [folder / OLD]
    index = read_json(folder / INDEX)
    try:
        names = sorted(set(index["weight_map"].values()))
    except (TypeError, KeyError, AttributeError) as error:
        raise FileProblem(
            f"{folder / INDEX}: names no files", remedy="Download the folder again."
        ) from error
    files = [folder / Path(name).name for name in names]
    for file in files:
        if not file.is_file():
            raise FileProblem(f"{file}: missing", remedy="Download the folder again.")
    return files


def _convert_in_a_process(files: Sequence[Path], out: Path) -> None:
    command = [sys.executable, "-m", __name__, str(out), *map(str, files)]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TORCH_FORCE_WEIGHTS_ONLY_LOAD": "1"},
    )
    if done.returncode or not out.is_file():
        out.unlink(missing_ok=True)
        problem = (done.stderr.strip().splitlines() or ["the process ended"])[-1]
        raise FileProblem(
            f"{files[0]}: not converted: {problem}",
            remedy="Nothing in it was run. Take the model's safetensors from its publisher, or "
            "another encoder.",
        )


def main() -> None:
    """The process of its own: OUT FILE..."""
    import torch
    from safetensors.torch import save_file

    out, *files = map(Path, sys.argv[1:])
    tensors: dict[str, torch.Tensor] = {}
    for file in files:
        try:
            held = torch.load(file, map_location="cpu", weights_only=True)
        except Exception:  # whatever a file that is no weights makes of it; torch advises to run it
            sys.exit("it holds more than tensors, or is damaged")
        held = held.get("state_dict", held) if isinstance(held, dict) else {}
        tensors |= {
            name: each.detach().clone().contiguous()
            for name, each in held.items()
            if isinstance(each, torch.Tensor)
        }
    if not tensors:
        sys.exit("it holds no tensors by name")
    save_file(tensors, out, {"format": "pt"})
    print(json.dumps({"tensors": len(tensors)}))


if __name__ == "__main__":
    main()
