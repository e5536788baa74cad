"""A translation beside the corpus it comes from: what one of them has and the other has not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.translation.checks import Checked, Code, TranslationFinding
from crosstalk.translation.segments import Segment, by_dialogue


@dataclass(frozen=True, slots=True)
class Compared:
    """What does not pair."""

    missing: tuple[TranslationFinding, ...] = ()
    """Turns in which the file and the corpus differ, of dialogues that both have."""
    untranslated: tuple[str, ...] = ()
    """Dialogues of the corpus that the file does not have: a part may be all that is wanted."""
    unknown: tuple[str, ...] = ()
    """Dialogues of the file that the corpus does not have."""

    def record(self, found: Checked) -> dict[str, Any]:
        """As JSON, with what the check of the file found."""
        findings = [*self.missing, *found.findings]
        return {
            "utterances": found.segments,
            "finished": found.finished,
            "problems": found.problems + len(self.missing),
            "hints": len(findings) - found.problems - len(self.missing),
            "values": found.alignments,
            "not_in_file": list(self.untranslated),
            "not_in_corpus": list(self.unknown),
            "findings": [each.record() for each in findings],
            "inconsistent": [each.record() for each in found.inconsistent],
        }


def compare(segments: Sequence[Segment], corpus: Iterable[Dialogue]) -> Compared:
    ours = by_dialogue(segments)
    found: list[TranslationFinding] = []
    seen: dict[str, None] = {}
    for dialogue in corpus:
        seen[dialogue.id] = None
        found += _missing(ours.get(dialogue.id, ()), dialogue)
    return Compared(
        tuple(found),
        tuple(id for id in seen if id not in ours),
        tuple(id for id in ours if id not in seen),
    )


def _missing(segments: Sequence[Segment], dialogue: Dialogue) -> Iterator[TranslationFinding]:
    """After the last turn of the file; gaps before it are seen without the source."""
    if not segments:
        return
    for number in range(segments[-1].turn + 1, len(dialogue.turns)):
        told = "this turn of the source is missing"
        yield TranslationFinding(dialogue.id, number, Code.MISSING_TURN, told)
    for segment in segments:
        if segment.turn >= len(dialogue.turns):
            told = f"the source ends with turn {len(dialogue.turns) - 1}"
            yield TranslationFinding(dialogue.id, segment.turn, Code.MISSING_TURN, told)
