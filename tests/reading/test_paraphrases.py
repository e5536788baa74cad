"""Sentences that say one thing in many ways, in the languages whose words change most."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.language.names import Place
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import Reading, ReadingContext

FOLDER = Path(__file__).parent / "paraphrases"


def paraphrases(language: str) -> Iterator[list[str]]:
    for line in (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("|", 4)


@pytest.mark.parametrize("language", ["ar", "de"])
def test_replies_are_read_however_they_are_put(language: str) -> None:
    reader = ProseReader.of("harbour", language)
    misread = []
    for domain, name, slot, wanted, reply in paraphrases(language):
        if wanted in "RN":
            refused = reader.read(reply, ReadingContext(wanted=domain)).refusals
            found = "R" if refused else "N"
        else:
            place = (domain, name)
            context = ReadingContext(questions=((domain, slot),), topic=place, recent=(place,))
            found = told(reader, place, slot, reader.read(reply, context))
        if found != wanted:
            misread.append(f"{reply} ({slot}: {found} instead of {wanted})")
    assert not misread


def told(reader: ProseReader, place: Place, slot: str, reading: Reading) -> str:
    """Whether what a reply tells of a slot is true or false; a bare yes or no counts."""
    verdicts = {
        str(claim.verdict)
        for claim in reading.claims
        if (claim.domain, claim.entity, claim.slot) == (*place, slot) and not claim.is_relation
    }
    if verdicts:
        return "f" if "false" in verdicts else "t"
    row = reader.check.row(*place) or {}
    service = slot.partition(SERVICE_MARK)[2]
    if service and reading.says_yes != reading.says_no:
        return "t" if (service in row["services"]) == reading.says_yes else "f"  # type: ignore[operator]
    return "t" if reading.denies and row.get(slot) is None else ""
