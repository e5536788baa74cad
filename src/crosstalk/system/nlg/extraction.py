"""Templates from a corpus: what people said, with holes where values stood."""

from collections.abc import Iterable, Sequence

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.system.nlg.keys import ActKeys, SpokenAct, group_key
from crosstalk.system.nlg.templates import HOLE, numbered


def extract(dialogues: Iterable[Dialogue], keys: ActKeys) -> dict[str, list[str]]:
    """Group key -> templates of the keys' side, each as often as it was said, sorted by key.

    Turns that do not say all their values word for word give no template.
    """
    texts: dict[str, list[str]] = {}
    for dialogue in dialogues:
        for turn in dialogue.turns:
            if turn.speaker is keys.speaker and turn.text:
                spoken = keys.in_order(turn.acts)
                template = open_holes(turn.text, spoken)
                if template is not None:
                    texts.setdefault(group_key(spoken), []).append(template)
    return dict(sorted(texts.items()))


def open_holes(text: str, spoken: Sequence[SpokenAct]) -> str | None:
    """The text with every value replaced by its hole; None where a value is not said.

    Longer values first: one name may be part of another. Holes are numbered in the order of acts.
    """
    repeated = {each.key for each in spoken if [o.key for o in spoken].count(each.key) > 1}
    holes = [
        (each.value, f"[{key}{number if key in repeated else ''}]")
        for each, (key, number) in zip(spoken, numbered(e.key for e in spoken), strict=True)
        if each.has_hole
    ]
    for value, hole in sorted(holes, key=lambda pair: -len(pair[0])):
        pieces = HOLE.split(text)
        if not any(value in piece for piece in pieces[::2]):
            return None
        pieces[::2] = [piece.replace(value, hole) for piece in pieces[::2]]
        text = "".join(pieces)
    return text
