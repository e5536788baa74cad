"""The turns of a dialogue with all a tracker needs to judge its candidates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crosstalk.transfer.states.candidates import SlotCandidate, candidates
from crosstalk.transfer.states.memory import StateHistory
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.scene import SILENCE, TokenizedUtterance, UtteranceReader
from crosstalk.transfer.states.slots import StateSlot
from crosstalk.transfer.states.turns import StateDialogue, StateTurn


@dataclass(frozen=True, slots=True)
class TurnFeatures:
    """One turn, before its outcome is known."""

    dialogue: str
    """The id of the dialogue: translations of it have the same."""
    language: str
    turn: StateTurn
    system: TokenizedUtterance
    user: TokenizedUtterance
    memory: StateHistory
    found: Sequence[SlotCandidate]

    def answers(self, state: Mapping[str, str]) -> list[bool]:
        """Which candidates a state proves right."""
        return [state.get(each.slot.key) == each.value for each in self.found]

    def after(self, state: Mapping[str, str], slots: tuple[StateSlot, ...]) -> StateHistory:
        return self.memory.after(self.system, self.user, state, slots)


class ReaderCache:
    """One reader a language, made when it is first needed."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._readers: dict[str, UtteranceReader] = {}

    def __call__(self, language: str) -> UtteranceReader:
        if language not in self._readers:
            self._readers[language] = UtteranceReader(self.ontology, language)
        return self._readers[language]

    def moment(self, dialogue: StateDialogue, number: int, memory: StateHistory) -> TurnFeatures:
        turn = dialogue.turns[number]
        system = self(dialogue.heard).read(turn.system) if turn.system else SILENCE
        user = self(dialogue.language).read(turn.user)
        found = candidates(self.ontology.slots, system, user, memory)
        return TurnFeatures(dialogue.id, dialogue.language, turn, system, user, memory, found)

    def ids(self, dialogue: StateDialogue, number: int) -> dict[str, str]:
        """The true state after a turn, by value ids."""
        state = dialogue.turns[number].state
        return {
            slot: self.ontology.id_of(slot, value, dialogue.labelled)
            for slot, value in state.items()
        }

    def taught(self, dialogue: StateDialogue) -> Iterator[tuple[TurnFeatures, dict[str, str]]]:
        """Every turn with the state it led to; the one before is taken as known."""
        memory = StateHistory()
        for number in range(len(dialogue.turns)):
            moment = self.moment(dialogue, number, memory)
            state = self.ids(dialogue, number)
            yield moment, state
            memory = moment.after(state, self.ontology.slots)
