"""Samples from dialogues: which words of an annotated turn give which act its value."""

from collections.abc import Iterable, Iterator, Mapping

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlu.filling import FilledUtterance, Span


def samples_of(
    dialogues: Iterable[Dialogue], keys: Mapping[Speaker, ActKeys]
) -> Iterator[FilledUtterance]:
    for dialogue in dialogues:
        for turn in dialogue.turns:
            yield sample_of(turn, keys[turn.speaker])


def sample_of(turn: Turn, keys: ActKeys) -> FilledUtterance:
    """The first place of each value; of two that overlap, the longer one; absent ones have none."""
    spoken = [keys.spoken(act) for act in turn.acts]
    found = []
    for each in spoken:
        at = turn.text.find(each.value) if each.has_hole else -1
        if at >= 0:
            found.append(Span(at, at + len(each.value), each.key))
    found.sort(key=lambda span: (span.start - span.end, span.start))
    kept: list[Span] = []
    for span in found:
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    held = frozenset(each.key for each in spoken)
    return FilledUtterance(
        turn.speaker, turn.text, tuple(sorted(kept, key=lambda s: s.start)), held
    )
