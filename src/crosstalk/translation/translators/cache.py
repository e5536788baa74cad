"""A cache on the disk, keyed by content: what was translated once is never asked for again.

One line a rendering, on the disk before the next batch begins, so that an interrupted run goes on
where it was. A line that was cut off by a crash is passed over.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from crosstalk.files import cannot_write
from crosstalk.translation.translators.interface import Passage, Rendering, Translator


class Cache:
    """Renderings by translator, languages and text."""

    def __init__(self, path: Path | None) -> None:
        """None: nothing is kept beyond this object."""
        self._path = path
        self._known: dict[str, Rendering] = {}
        self._torn = False
        if path is not None and path.is_file():
            raw = path.read_bytes()
            self._torn = bool(raw) and not raw.endswith(b"\n")
            for line in raw.splitlines():
                self._remember(line)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: str) -> Rendering | None:
        return self._known.get(key)

    def add(self, renderings: Iterable[tuple[str, Rendering]]) -> None:
        lines = []
        for key, each in renderings:
            self._known[key] = each
            record = {"key": key, "text": each.text, "how": each.how}
            left = {"untranslated": list(each.untranslated)} if each.untranslated else {}
            lines.append(json.dumps({**record, **left}, ensure_ascii=False) + "\n")
        if self._path is not None and lines:
            self._append("".join(lines))

    def _append(self, text: str) -> None:
        assert self._path is not None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" * self._torn + text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._torn = False

    def _remember(self, line: bytes) -> None:
        try:
            record: Any = json.loads(line)
            known = Rendering(record["text"], record["how"], tuple(record.get("untranslated", ())))
            self._known[record["key"]] = known
        except (ValueError, KeyError, TypeError):
            return


def cache_key(translator: str, source: str, target: str, passage: Passage) -> str:
    parts = json.dumps([translator, source, target, passage.slot, passage.text])
    return hashlib.sha256(parts.encode()).hexdigest()


def translate_all(
    passages: Sequence[Passage],
    translator: Translator,
    languages: tuple[str, str],
    cache: Cache,
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> dict[Passage, Rendering]:
    """Every passage once, whatever its number; what the cache knows is not asked for again."""
    wanted = dict.fromkeys(passages)
    keys = {each: cache_key(translator.name, *languages, each) for each in wanted}
    missing = [each for each in wanted if cache.get(keys[each]) is None]
    done = len(wanted) - len(missing)
    progress(done, len(wanted))
    for chunk in _chunks(missing, translator.batch):
        renderings = translator.translate(chunk)
        cache.add(
            (keys[each], rendering) for each, rendering in zip(chunk, renderings, strict=True)
        )
        done += len(chunk)
        progress(done, len(wanted))
    found = {each: cache.get(keys[each]) for each in wanted}
    return {each: rendering for each, rendering in found.items() if rendering is not None}


def _chunks(passages: Sequence[Passage], size: int) -> Iterable[Sequence[Passage]]:
    return (passages[start : start + size] for start in range(0, len(passages), size))
