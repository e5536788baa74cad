"""What dialogues of the target language say in the source: a translated corpus is parallel."""

from collections.abc import Sequence
from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.transfer.corpora import DialogueTexts, all_corpora, read_talks
from crosstalk.transfer.interpreter import Pair


def turns_with_originals(
    data: Path, source: str, talks: Sequence[DialogueTexts], shots: Sequence[DialogueTexts]
) -> list[Pair]:
    """Every turn of the shots, which are among `talks`, and what it says in the source.

    Raises in words where the data folder does not hold the dialogues that were translated.
    """
    known = _originals(data, source, talks)
    pairs = [
        pair
        for shot in shots
        if shot.id in known
        for pair in zip(shot.texts, known[shot.id].texts, strict=True)
    ]
    if not pairs:
        raise InputError(
            f"{data}: the dialogues to learn from are not there in the source language, {source}",
            remedy="Put the development dialogues that were translated, with the same ids, beside "
            "their translations.",
        )
    return sorted(dict.fromkeys(pairs))


def _originals(data: Path, source: str, talks: Sequence[DialogueTexts]) -> dict[str, DialogueTexts]:
    """By id; of several files, those of the one that holds the most."""
    files = [corpus.file for corpus in all_corpora(data, source, "dev")]
    return max((_matched(talks, read_talks(file)) for file in files), key=len)


def _matched(
    talks: Sequence[DialogueTexts], others: Sequence[DialogueTexts]
) -> dict[str, DialogueTexts]:
    """By the same id, or by place where ids say nothing; as many turns on both sides."""
    by_id = {talk.id: talk for talk in others}
    pairs = [(talk, by_id[talk.id]) for talk in talks if talk.id in by_id]
    if not pairs and len(talks) == len(others):
        pairs = list(zip(talks, others, strict=True))
    return {one.id: other for one, other in pairs if len(one.texts) == len(other.texts)}
