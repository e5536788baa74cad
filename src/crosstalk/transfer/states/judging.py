"""Labels of a file as value ids, and what of them the ontology does not know."""

from collections import Counter
from collections.abc import Iterable

from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.turns import StateDialogue


def unknown_values(dialogues: Iterable[StateDialogue], ontology: Ontology) -> Counter[str]:
    """Slot and value, and in how many turns; a tracker can never be right about them."""
    return Counter(
        f"{slot}={value}"
        for dialogue in dialogues
        for turn in dialogue.turns
        for slot, value in turn.state.items()
        if not ontology.knows(slot, value, dialogue.labelled)
    )
