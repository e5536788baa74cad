"""Who edits what: every dialogue has one editor, and everybody about as many utterances."""

from collections.abc import Mapping, Sequence


def assign(
    sizes: Mapping[str, int], editors: Sequence[str], kept: Mapping[str, str]
) -> dict[str, str]:
    """Dialogue to editor: those `kept` stay, the others go to whoever has the least.

    Dialogues in their order, so that the same file and the same editors give the same answer.
    """
    if not editors:
        return dict(kept)
    load = dict.fromkeys(editors, 0)
    given = {dialogue: name for dialogue, name in kept.items() if dialogue in sizes}
    for dialogue, name in given.items():
        if name in load:
            load[name] += sizes[dialogue]
    for dialogue, size in sizes.items():
        if dialogue not in given:
            least = min(editors, key=lambda name: load[name])
            given[dialogue] = least
            load[least] += size
    return given
