"""Names of translators become objects: `offline`, `transformers:FOLDER`, `ctranslate2:FOLDER`,
`openai:URL`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crosstalk.errors import InputError
from crosstalk.language.writing import writing_of
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.translators.interface import Translator

KNOWN: Final = "offline, transformers:FOLDER, ctranslate2:FOLDER, openai:URL or corpus:FILE"


def build_translator(
    name: str,
    source: str,
    target: str,
    *,
    glossary: Glossary,
    pairs: Iterable[tuple[str, str]] = (),
    model: str = "",
    timeout: float = 60.0,
) -> Translator:
    """`pairs` is the memory of the offline translator, `model` the one an endpoint is asked for."""
    kind, _, place = name.partition(":")
    if kind == "offline" and not place:
        from crosstalk.translation.translators.offline import OfflineTranslator

        return OfflineTranslator(glossary, pairs, writing_of(source).yes_no)
    if kind in ("transformers", "ctranslate2") and place:
        from crosstalk.translation.translators import local_models

        if kind == "transformers":
            return local_models.TransformersTranslator(Path(place), source, target)
        return local_models.CTranslate2Translator(Path(place), source, target)
    if kind == "openai" and place:
        from crosstalk.translation.translators.endpoint import EndpointConfig, EndpointTranslator

        if not model:
            raise InputError(
                "an endpoint is asked for a model, and none is named", remedy="Give --model NAME."
            )
        return EndpointTranslator(EndpointConfig(place, model, timeout), source, target)
    raise InputError(f"unknown translator {name!r}", remedy=f"Choose {KNOWN}.")
