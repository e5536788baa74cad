"""Translation by any OpenAI-compatible endpoint: one chat completion per batch, as JSON.

The client of agents asks (`agents/chat_client.py`). A malformed answer is requested once more, then
passage by passage.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from crosstalk.agents.chat_client import (
    ChatClient,
    ContextTooLong,
    Endpoint,
    Message,
    NoAnswer,
    RefusedRequest,
)
from crosstalk.errors import BudgetSpent, InputError
from crosstalk.translation.translators.interface import Passage, Rendering

KEY: Final = "CROSSTALK_TRANSLATION_KEY"
TASK: Final = (
    "You translate dialogues between a user and a clerk from {source} to {target}. "
    "Translate every text as a native speaker would say it. Keep numbers, times and reference "
    "codes as they are. Keep every mark <v1>...</v1> around the translation of what it encloses. "
    "A text with a slot is the value of that slot: give the form a sentence would use. "
    'Answer with JSON only: {{"translations": ["...", ...]}}, one text for each, in order.'
)


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """Address, model and limits of an endpoint."""

    url: str
    """Its base, such as `http://localhost:8080/v1`."""
    model: str
    timeout: float = 60.0
    """Timeout of one request in seconds."""
    tries: int = 5
    batch: int = 8


class BadAnswer(Exception):
    """The endpoint's answer does not contain the translations."""


class EndpointTranslator:
    """One chat completion a batch."""

    def __init__(
        self,
        config: EndpointConfig,
        source: str,
        target: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if urlsplit(config.url).scheme not in ("http", "https"):
            raise InputError(
                f"{config.url!r} is no address of an endpoint",
                remedy="Give openai:http://HOST:PORT/v1, or https.",
            )
        self._config = config
        self._task = TASK.format(source=source, target=target)
        keys = (KEY, "OPENAI_API_KEY")
        endpoint = Endpoint(config.model, config.url, config.timeout, config.tries, keys=keys)
        self._client = ChatClient(endpoint, sleep=sleep, jitter=0)

    @property
    def name(self) -> str:
        parts = urlsplit(self._config.url)
        return f"openai:{self._config.model}@{parts.hostname}"

    @property
    def batch(self) -> int:
        return self._config.batch

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        try:
            return self._ask(passages)
        except BadAnswer as error:
            if len(passages) > 1:
                return [each for passage in passages for each in self.translate([passage])]
            raise InputError(
                f"{self._config.url}: no translation of {passages[0].text!r}: {error}",
                remedy="Try another --model. What was translated so far is kept; "
                "the same command goes on with the rest.",
            ) from error

    def _ask(self, passages: Sequence[Passage]) -> list[Rendering]:
        """Ask, and ask once more after a malformed answer: models are not deterministic."""
        messages = self._messages(passages)
        for last in (False, True):
            try:
                return _read(self._answer(messages), passages)
            except BadAnswer:
                if last:
                    raise
        raise AssertionError("the second time returns or raises")

    def _messages(self, passages: Sequence[Passage]) -> list[Message]:
        texts = [
            {"text": passage.text, **({"slot": passage.slot} if passage.slot else {})}
            for passage in passages
        ]
        return [
            {"role": "system", "content": self._task},
            {"role": "user", "content": json.dumps(texts, ensure_ascii=False)},
        ]

    def _answer(self, messages: list[Message]) -> str:
        try:
            return self._client.complete(messages).text
        except RefusedRequest as error:
            said = f"status {error.status}: {error.words}" if error.status else error.message
            raise self._gave_up(said) from error
        except NoAnswer as error:
            raise self._gave_up(f"{error.problem}, {self._config.tries} times") from error
        except (BudgetSpent, ContextTooLong) as error:
            raise self._gave_up(str(error)) from error

    def _gave_up(self, problem: str) -> InputError:
        return InputError(
            f"{self._config.url}: no answer: {problem}",
            remedy=f"Check the address and the key ({KEY}). What was translated so far is kept; "
            "the same command goes on with the rest.",
        )


def _read(content: str, passages: Sequence[Passage]) -> list[Rendering]:
    """The translations of an answer; models often put a code fence around their JSON."""
    try:
        start, end = content.index("{"), content.rindex("}") + 1
        found = json.loads(content[start:end])["translations"]
    except (KeyError, TypeError, ValueError) as error:
        raise BadAnswer("there are no translations in the answer") from error
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadAnswer("the translations are no list of texts")
    if len(found) != len(passages):
        raise BadAnswer(f"{len(found)} translations for {len(passages)} texts")
    for passage, text in zip(passages, found, strict=True):
        if passage.text.strip() and not text.strip():
            raise BadAnswer("the translation is empty")
    return [Rendering(text.strip(), "model") for text in found]
