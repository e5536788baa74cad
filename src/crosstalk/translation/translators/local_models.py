"""Translation by a local model: any sequence-to-sequence model of `transformers`, or CTranslate2.

The packages are imported when a model is opened.
"""

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_json
from crosstalk.translation.translators.interface import Passage, Rendering

LONGEST: Final = 256
"""Pieces of a translation; at most three for each piece of the source, and some."""
BEAMS: Final = 4
NLLB: Final = {
    "en": "eng_Latn",
    "zh": "zho_Hans",
    "de": "deu_Latn",
    "ru": "rus_Cyrl",
    "ar": "arb_Arab",
    "fr": "fra_Latn",
    "es": "spa_Latn",
    "it": "ita_Latn",
}


class TransformersTranslator:
    """Marian, M2M, NLLB, T5 or any other encoder-decoder saved by `transformers`."""

    batch = 16

    def __init__(self, folder: Path, source: str, target: str) -> None:
        config = _config(folder)
        if not config.get("is_encoder_decoder"):
            kind = config.get("model_type", "unknown")
            raise InputError(
                f"{folder}: a model of the kind {kind!r} does not translate",
                remedy="Give the folder of a sequence-to-sequence model, such as opus-mt or NLLB.",
            )
        transformers, self._torch = _transformers()
        with _opening(folder):
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True
            )
            self._model: Any = transformers.AutoModelForSeq2SeqLM.from_pretrained(
                folder, local_files_only=True, use_safetensors=True
            ).eval()
        if hasattr(self._tokenizer, "src_lang"):
            self._tokenizer.src_lang = _language_token(self._tokenizer, source) or source
        self._first = _language_token(self._tokenizer, target)
        self._name = f"transformers:{folder.name}@{_digest(folder)}"

    @property
    def name(self) -> str:
        return self._name

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        texts = [passage.text for passage in passages]
        pieces = self._tokenizer(
            texts, return_tensors="pt", padding=True, truncation=True, max_length=2 * LONGEST
        )
        pieces.pop("token_type_ids", None)
        most = min(LONGEST, 16 + 3 * int(pieces["input_ids"].shape[1]))
        options: dict[str, Any] = {"num_beams": BEAMS, "max_new_tokens": most}
        if self._first:
            options["forced_bos_token_id"] = self._tokenizer.convert_tokens_to_ids(self._first)
        with self._torch.inference_mode():
            found = self._model.generate(**pieces, **options)
        said = self._tokenizer.batch_decode(found, skip_special_tokens=True)
        return [Rendering(text.strip(), "model") for text in said]


class CTranslate2Translator:
    """A converted model, with the tokenizer of `transformers` in the same folder."""

    batch = 32

    def __init__(self, folder: Path, source: str, target: str) -> None:
        if not (folder / "model.bin").is_file():
            raise FileProblem(
                f"{folder}: no model of CTranslate2, model.bin is missing",
                remedy="Convert one with ct2-transformers-converter --copy_files tokenizer files.",
            )
        engine = _ctranslate2()
        transformers, _ = _transformers()
        with _opening(folder):
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True
            )
            self._model: Any = engine.Translator(str(folder), device="cpu")
        if hasattr(self._tokenizer, "src_lang"):
            self._tokenizer.src_lang = _language_token(self._tokenizer, source) or source
        self._first = _language_token(self._tokenizer, target)
        self._name = f"ctranslate2:{folder.name}@{_digest(folder)}"

    @property
    def name(self) -> str:
        return self._name

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        tokens = [self._tokens(passage.text) for passage in passages]
        first = [[self._first]] * len(tokens) if self._first else None
        results = self._model.translate_batch(
            tokens, target_prefix=first, beam_size=BEAMS, max_decoding_length=LONGEST
        )
        return [Rendering(self._text(result.hypotheses[0]), "model") for result in results]

    def _tokens(self, text: str) -> list[str]:
        ids = self._tokenizer.encode(text, truncation=True, max_length=2 * LONGEST)
        return list(self._tokenizer.convert_ids_to_tokens(ids))

    def _text(self, tokens: list[str]) -> str:
        ids = self._tokenizer.convert_tokens_to_ids(tokens)
        return str(self._tokenizer.decode(ids, skip_special_tokens=True)).strip()


def _config(folder: Path) -> dict[str, Any]:
    if not (folder / "config.json").is_file():
        raise FileProblem(
            f"{folder}: no model, config.json is missing",
            remedy="Give the folder of a model saved by transformers; nothing is downloaded.",
        )
    config = read_json(folder / "config.json")
    return config if isinstance(config, dict) else {}


def _transformers() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError:
        raise InputError(
            "models in a folder need transformers and torch, which are not installed",
            remedy="Install them with `pip install 'crosstalk-dialogue[neural]'`.",
        ) from None
    quiet: Any = transformers.utils.logging
    quiet.disable_progress_bar()
    return transformers, torch


def _ctranslate2() -> Any:
    try:
        import ctranslate2  # type: ignore[import-not-found]
    except ImportError:
        raise InputError(
            "models of CTranslate2 need the package ctranslate2, which is not installed",
            remedy="Install it with `pip install ctranslate2`, or give transformers:FOLDER.",
        ) from None
    return ctranslate2


@contextmanager
def _opening(folder: Path) -> Iterator[None]:
    """Turns a library's error about an unreadable folder into a FileProblem."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    # Catches everything: transformers, safetensors, sentencepiece and CTranslate2 raise exceptions
    # without a common base class (even plain Exception) for damaged files.
    except Exception as error:
        said = str(error).strip().partition("\n")[0]
        raise FileProblem(
            f"{folder}: the model cannot be opened: {said}",
            remedy="Check that the folder is complete: configuration, weights and tokenizer.",
        ) from error


def _language_token(tokenizer: Any, code: str) -> str:
    """The token by which a multilingual model names a language; empty for bilingual models."""
    vocabulary = tokenizer.get_vocab()
    for token in (NLLB.get(code, ""), f"__{code}__", f"{code}_XX", f">>{code}<<"):
        if token and token in vocabulary:
            return token
    return ""


def _digest(folder: Path) -> str:
    """Digest of configuration, file names and sizes; weights (gigabytes) are not read."""
    digest = hashlib.sha256((folder / "config.json").read_bytes())
    for file in sorted(each for each in folder.iterdir() if each.is_file()):
        digest.update(f"{file.name} {file.stat().st_size}".encode())
    return digest.hexdigest()[:12]
