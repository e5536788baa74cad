"""Labels of a file as value ids, and what of them the ontology does not know."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.turns import StateDialogue


def in_ids(dialogue: StateDialogue, ontology: Ontology) -> StateDialogue:
    """The same dialogue with states by value ids."""
    turns = (
        replace(
            turn,
            state={
                slot: ontology.id_of(slot, value, dialogue.labelled)
                for slot, value in turn.state.items()
            },
        )
        for turn in dialogue.turns
    )
    return replace(dialogue, turns=tuple(turns))


def unknown_values(dialogues: Iterable[StateDialogue], ontology: Ontology) -> Counter[str]:
    """Slot and value, and in how many turns; a tracker can never be right about them."""
    return Counter(
        f"{slot}={value}"
        for dialogue in dialogues
        for turn in dialogue.turns
        for slot, value in turn.state.items()
        if not ontology.knows(slot, value, dialogue.labelled)
    )
