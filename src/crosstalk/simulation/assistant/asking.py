"""Questions in an utterance: which slots of which domain somebody wants to know."""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.dialogue.schema import SERVICE_MARK, Schema, SlotKind
from crosstalk.simulation.assistant.session import Session
from crosstalk.simulation.assistant.utterance import Utterance
from crosstalk.simulation.assistant.wanting import Wish

Question = tuple[str, str]
"""Domain and slot; a service or a dish as `<slot>-<term>`."""

QUESTION_MARKS: Final = "?？؟"


class Questions:
    """Finds out what is asked, and about what."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def find(
        self, said: Utterance, focus: Sequence[str], session: Session, wishes: Sequence[Wish]
    ) -> Iterator[Question]:
        """Questions for slots, but for those that a wish speaks of."""
        wished = {(domain, slot) for domain, slot, _ in wishes}
        ways = self._ways(said)
        clear = [domain for slots in ways for domain in slots if len(slots) == 1]
        for slots in ways:
            owners = [domain for domain in slots if domain in clear] or list(slots)
            for domain in self._addressed(owners, focus, session):
                slot = slots.get(domain) or next(iter(slots.values()))
                if (domain, slot) not in wished:
                    yield domain, slot

    def _ways(self, said: Utterance) -> list[dict[str, str]]:
        """For each stretch of words that names slots: domain -> its slot."""
        ways: dict[tuple[int, int], dict[str, str]] = {}
        for each in said.slots:
            domain, _, slot = each.key.rpartition(".")
            owners = [domain] if domain else [one.key for one in self._schema if one.slot(slot)]
            ways.setdefault((each.start, each.end), {}).update(dict.fromkeys(owners, slot))
        return list(ways.values())

    def _addressed(
        self, owners: Sequence[str], focus: Sequence[str], session: Session
    ) -> Sequence[str]:
        """Whom a question is about: what is named, the focus, or what was spoken of lately.

        That may be a domain without the slot: then there is no record of it. Empty: nobody knows.
        """
        spoken = [key for key in focus if key in owners]
        if spoken or focus:
            return spoken or focus[-1:]
        lately = [session.focus, *(place[0] for place in session.recent)]
        known = [key for key in lately if key in owners and session.chosen.get(key)]
        known += [key for key in lately if key in owners]
        if len(owners) == 1 and session.form.get(owners[0]).constraints:
            return owners
        if known or session.chosen.get(session.focus):
            return known[:1] or [session.focus]
        return owners if len(owners) == 1 else [session.focus]

    def turned(
        self, said: Utterance, shown: str, session: Session, wishes: Sequence[Wish]
    ) -> tuple[list[Wish], list[Question]]:
        """Wishes, and what looked like wishes and is a question: `does it have a sauna?`."""
        subject = self._subject(said, shown, session)
        terms = [wish for wish in wishes if subject and self._is_term(wish)]
        asked = [(subject, f"{slot}{SERVICE_MARK}{value}") for _, slot, value in terms]
        return [wish for wish in wishes if wish not in terms], asked

    def _is_term(self, wish: Wish) -> bool:
        domain = self._schema.domain(wish[0])
        slot = domain.slot(wish[1]) if domain else None
        return bool(slot and slot.kind in (SlotKind.LIST, SlotKind.SERVICES))

    def is_question(self, said: Utterance, shown: str) -> bool:
        return any(mark in shown for mark in QUESTION_MARKS) or said.has("asking")

    def _subject(self, said: Utterance, shown: str, session: Session) -> str:
        """The domain whose place is asked about; empty where something is wished for."""
        named = [place[0] for each in said.names if each.sure for place in each.places[:1]]
        searching = said.has("search") and not said.has("here")
        ordered = any(each.key in ("cheapest", "dearest", "best") for each in said.moves)
        if not said.values or said.has("near") or ((searching or ordered) and not named):
            return ""
        if named and not said.domains:
            return named[0]
        if not self.is_question(said, shown) or said.quantities:
            return ""
        if session.chosen.get(session.focus) and not said.domains:
            return session.focus
        owners = [each.domain for each in said.values if session.chosen.get(each.domain)]
        return owners[0] if owners else ""
