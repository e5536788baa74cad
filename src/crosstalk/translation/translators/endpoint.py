"""Translation by any OpenAI-compatible endpoint: one chat completion per batch, as JSON.

Timeouts, status 429 (after the time the server asks for) and server errors are retried. A malformed
answer is requested once more, then passage by passage.
"""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from crosstalk.errors import InputError
from crosstalk.translation.translators.interface import Passage, Rendering

KEY: Final = "CROSSTALK_TRANSLATION_KEY"
AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_WAIT: Final = 60.0
MOST_BYTES: Final = 16 * 1024 * 1024
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
        self._sleep = sleep

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
        body = self._body(passages)
        for last in (False, True):
            try:
                return _read(self._answer(body), passages)
            except BadAnswer:
                if last:
                    raise
        raise AssertionError("the second time returns or raises")

    def _body(self, passages: Sequence[Passage]) -> bytes:
        texts = [
            {"text": passage.text, **({"slot": passage.slot} if passage.slot else {})}
            for passage in passages
        ]
        messages = [
            {"role": "system", "content": self._task},
            {"role": "user", "content": json.dumps(texts, ensure_ascii=False)},
        ]
        request = {"model": self._config.model, "messages": messages, "temperature": 0}
        return json.dumps(request).encode()

    def _answer(self, body: bytes) -> Any:
        problem = ""
        for attempt in range(self._config.tries):
            wait = 0.0
            try:
                return self._post(body)
            except urllib.error.HTTPError as error:
                problem = f"status {error.code}"
                if error.code not in AGAIN:
                    raise self._gave_up(f"{problem}: {_said(error)}") from error
                wait = _asked_to_wait(error)
            except (OSError, TimeoutError) as error:
                problem = str(getattr(error, "reason", "") or error or type(error).__name__)
            if attempt + 1 < self._config.tries:
                self._sleep(min(LONGEST_WAIT, max(wait, 0.5 * 2**attempt)))
        raise self._gave_up(f"{problem}, {self._config.tries} times")

    def _post(self, body: bytes) -> Any:
        request = urllib.request.Request(
            f"{self._config.url.rstrip('/')}/chat/completions",
            data=body,
            headers={"Content-Type": "application/json", **_key()},
        )
        with urllib.request.urlopen(request, timeout=self._config.timeout) as answer:
            raw = answer.read(MOST_BYTES)
        try:
            return json.loads(raw)
        except ValueError as error:
            raise BadAnswer("the answer is no JSON") from error

    def _gave_up(self, problem: str) -> InputError:
        return InputError(
            f"{self._config.url}: no answer: {problem}",
            remedy=f"Check the address and the key ({KEY}). What was translated so far is kept; "
            "the same command goes on with the rest.",
        )


def _key() -> dict[str, str]:
    key = os.environ.get(KEY) or os.environ.get("OPENAI_API_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def _asked_to_wait(error: urllib.error.HTTPError) -> float:
    """Seconds, where the server names a number of them."""
    given = error.headers.get("Retry-After", "")
    try:
        return max(0.0, float(given))
    except ValueError:
        return 0.0


def _said(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(300).decode(errors="replace").strip() or str(error.reason)
    except OSError:
        return str(error.reason)


def _read(answer: Any, passages: Sequence[Passage]) -> list[Rendering]:
    """The translations of an answer; models often put a code fence around their JSON."""
    try:
        content = answer["choices"][0]["message"]["content"]
        start, end = content.index("{"), content.rindex("}") + 1
        found = json.loads(content[start:end])["translations"]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise BadAnswer("there are no translations in the answer") from error
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadAnswer("the translations are no list of texts")
    if len(found) != len(passages):
        raise BadAnswer(f"{len(found)} translations for {len(passages)} texts")
    for passage, text in zip(passages, found, strict=True):
        if passage.text.strip() and not text.strip():
            raise BadAnswer("the translation is empty")
    return [Rendering(text.strip(), "model") for text in found]
