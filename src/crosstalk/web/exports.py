"""What was collected, as corpora: read from the store room by room, written piece by piece."""

import json
from collections.abc import Container, Iterator

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.formats.encoding import decode_dialogue
from crosstalk.web.archive import Annotate, kept_pieces
from crosstalk.web.export_records import file_of
from crosstalk.web.store.store import Store


def collected(
    store: Store,
    annotate: Annotate | None = None,
    *,
    review: str | None = None,
    skip: Container[int] = frozenset(),
) -> Iterator[Dialogue]:
    """Finished dialogues, by room: all that were not returned, or those of one verdict.

    `annotate` derives the acts of those that have none yet; without it, states only.
    """
    for record in kept_pieces(store, "native", annotate, review=review, skip=skip):
        yield decode_dialogue(json.loads(record))


def exported(
    store: Store, to: str, annotate: Annotate | None = None, *, review: str | None = None
) -> Iterator[str]:
    """A whole file of what was collected, piece by piece, a piece a dialogue."""
    return file_of(kept_pieces(store, to, annotate, review=review), to)
