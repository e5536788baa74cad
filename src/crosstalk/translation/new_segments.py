"""From a corpus to segments that wait for their translation."""

from collections.abc import Iterable

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.translation.segments import Segment
from crosstalk.translation.values import services, utterance_values


def segments_of(
    dialogues: Iterable[Dialogue], *, source: str, target: str, split: str = ""
) -> list[Segment]:
    """Every utterance of every dialogue, with its values."""
    extras = {"source": source, "language": target, "split": split}
    kept = {name: value for name, value in extras.items() if value}
    found = []
    for dialogue in dialogues:
        domains = services(dialogue)
        for number, (turn, values) in enumerate(
            zip(dialogue.turns, utterance_values(dialogue), strict=True)
        ):
            about = {**kept, "speaker": turn.speaker.value}
            found.append(Segment(dialogue.id, number, turn.text, values, domains, extras=about))
    return found
