"""Dialogues in which the system states nothing that does not stand in a message before.

    trimming = Trimming(lookups)
    write_corpus(trimming.parts(dialogues), path, to="chat", lookups=lookups)
    trimming.told    # what was cut and left out, in words

People who answered in a corpus invented values, misread their tables, or misspelt them. Data to
learn from can end before the first such answer, or leave the whole dialogue out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from crosstalk.corpora.chat import CUT_TURNS, LookUps, chat_record
from crosstalk.dialogue.dialogues import Dialogue, Speaker


class Trimming:
    """Takes ungrounded answers out of dialogues and counts what is lost."""

    def __init__(self, lookups: LookUps | None = None, *, cut: bool = True) -> None:
        """`lookups`: as for writing; `cut`: before the answer, else the dialogue is left out."""
        self._lookups, self._cuts = lookups, cut
        self.cut = self.turns = self.dropped = 0
        """Dialogues that end early, turns cut off from them, dialogues left out."""

    def parts(self, dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
        """The dialogues, or what is left of them; those of which nothing is left are missing."""
        for dialogue in dialogues:
            if part := self._part(dialogue):
                yield part

    def _part(self, dialogue: Dialogue) -> Dialogue | None:
        record = chat_record(dialogue, self._lookups(dialogue) if self._lookups else None)
        if not record["metadata"]["ungrounded"]:
            return dialogue
        turns = _grounded_turns(dialogue, record) if self._cuts else 0
        if not turns:
            self.dropped += 1
            return None
        lost = len(dialogue.turns) - turns
        self.cut, self.turns = self.cut + 1, self.turns + lost
        extras = {**dialogue.extras, CUT_TURNS: lost}
        return replace(dialogue, turns=dialogue.turns[:turns], extras=extras)

    def record(self) -> dict[str, int]:
        """The counts, for programs."""
        return {"cut": self.cut, "turns_cut": self.turns, "dropped": self.dropped}

    @property
    def told(self) -> str:
        """The counts in words."""
        cut = (
            f"{self.cut:,} dialogues end before the first answer that states an ungrounded value "
            f"({self.turns:,} turns cut off)"
        )
        left_out = f"{self.dropped:,} dialogues are left out"
        return f"{cut}, {left_out}" if self._cuts else left_out


def _grounded_turns(dialogue: Dialogue, record: dict[str, Any]) -> int:
    """How many turns stand before the first ungrounded answer, the last one an answer."""
    first = record["metadata"]["ungrounded"][0]["message"]
    spoken = [m for m in record["messages"][:first] if m["role"] in ("user", "assistant")]
    turns = sum(not message.get("tool_calls") for message in spoken)
    while turns and dialogue.turns[turns - 1].speaker is Speaker.USER:
        turns -= 1
    return turns
