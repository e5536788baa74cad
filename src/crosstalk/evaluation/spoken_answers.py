"""What was told of the places that a spoken goal ended with, true or not."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, SlotKind
from crosstalk.evaluation.spoken_places import Chosen, Evidence
from crosstalk.evaluation.spoken_wishes import SpokenWishes
from crosstalk.evaluation.told_answers import mentions
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.prose import Prose
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row, texts
from crosstalk.worlds.truth import LISTS


class SpokenAnswers(SpokenWishes):
    """The answers to the questions of a goal."""

    def _fill_place(self, number: int, group: Tuples) -> None:
        domain = self._domain(group)
        chosen = self.chosen[number]
        offset = self._offsets[number]
        name = domain.name_slot.key if domain.name_slot else ""
        row = self.truth.entity(domain.key, chosen.name) if chosen.name else None
        for at, each in enumerate(group):
            position = offset + at
            if each.slot == name:
                self._fill_name(position, each, chosen)
            elif each.is_open:
                self._fill_answer(position, each, chosen, domain, row)
        if row is not None:
            self._follow_wishes(number, group, chosen, row)

    def _fill_name(self, position: int, each: SemanticTuple, chosen: Chosen) -> None:
        if chosen.name and (each.is_open or isinstance(each.value, Reference)):
            self.notes.values[position] = chosen.name
            if chosen.evidence:
                self.notes.evidence[position] = chosen.evidence

    def _fill_answer(
        self, position: int, each: SemanticTuple, chosen: Chosen, domain: Domain, row: Row | None
    ) -> None:
        told = self._told(chosen, each.slot)
        is_service = not told and SERVICE_MARK in each.slot
        if is_service and row is not None and self._fill_true_answer(position, each, domain, row):
            return
        if not told:
            told = self._yes_or_no(chosen, each.slot, domain)
        if not told and row is not None:
            told = self._misplaced(chosen, each.slot, domain, row)
        if row is not None and (not told or self._is_of_another(told[1], chosen)):
            if self._fill_true_answer(position, each, domain, row):
                return
            told = None if told and self._is_of_another(told[1], chosen) else told
        if not told and row is not None and not row.get(each.slot):
            self._fill_none(position, each, domain)
            return
        if not told:
            return
        at, claims = told
        false = [claim for claim in claims if claim.verdict is Verdict.FALSE and claim.is_firm]
        false = [claim for claim in false if self._is_whole(claim)]
        strange = any(self._is_strange(claim, at, chosen) for claim in false)
        if (
            false
            and not strange
            and row is not None
            and self._tells_truth(domain, row, each.slot, at)
        ):
            self._fill_true_answer(position, each, domain, row)
            return
        quote = (false or claims)[0].quote
        self.notes.evidence[position] = Evidence(at, quote)
        slot = domain.slot(each.slot)
        is_list = slot is not None and slot.kind in LISTS
        if is_list:
            self.notes.values[position] = tuple(
                claim.value for claim in claims if claim.is_firm
            ) or (claims[0].value,)
        elif false or row is None:
            self.notes.values[position] = quote
        else:
            self.notes.values[position] = self._right(domain, row, each.slot, claims)

    def _misplaced(
        self, chosen: Chosen, slot: str, domain: Domain, row: Row
    ) -> tuple[int, list[Claim]] | None:
        """A claim that is true of the entity chosen and false of the one it was bound to."""
        check = self.reader.check
        for at in range(len(self.exchanges) - 1, -1, -1):
            asked = {key for _, key in self.exchanges[at].user.questions}
            for claim in self.exchanges[at].reading.claims:
                item = claim.item
                if claim.verdict is Verdict.TRUE or item is None or slot not in asked:
                    continue
                if check.slot_for(domain, item) != slot:
                    continue
                verdict = check.verdict(domain, row, slot, item, claim.is_negated)
                if verdict is Verdict.TRUE:
                    made = replace(
                        claim,
                        domain=domain.key,
                        entity=chosen.name,
                        slot=slot,
                        value=check.said(domain, row, slot),
                        verdict=verdict,
                    )
                    return at, [made]
        return None

    def _fill_none(self, position: int, each: SemanticTuple, domain: Domain) -> None:
        """The tables have nothing to tell, and a reply to the question denies or regrets."""
        slot = domain.slot(each.slot)
        target = slot.target if slot else ""
        for at, exchange in enumerate(self.exchanges):
            asked = each.slot in {key for _, key in exchange.user.questions} or (
                target and exchange.user.mentions(target)
            )
            named = any(n.place[0] == target for n in exchange.reading.names) and bool(target)
            service = each.slot.partition(SERVICE_MARK)[2]
            denied = self._is_denied(service, exchange) if service else exchange.reading.denies
            if asked and denied and not named:
                pack = self.reader.world.language
                nothing = pack.no if SERVICE_MARK in each.slot else pack.nothing
                is_list = slot is not None and slot.kind in LISTS and slot.key == each.slot
                self.notes.values[position] = (nothing,) if is_list else nothing
                self.notes.evidence[position] = Evidence(at, exchange.reply[:120])
                return

    def _is_denied(self, service: str, exchange: Exchange) -> bool:
        """Whether a sentence has all words of a service and denies something."""
        return any(
            mentions(each.text, service) and self._answers.has_denial(each.text)
            for each in Prose.of(exchange.reply).sentences
        )

    def _tells_truth(self, domain: Domain, row: Row, slot: str, at: int) -> bool:
        """Whether a reply holds the true answer beside what was read as a false one.

        Of a list it would not help: one wrong dish among right ones is wrong.
        """
        found = domain.slot(slot)
        if found is not None and found.kind is SlotKind.LIST:
            return False
        return self._answers.told(domain, row, slot, self.exchanges[at : at + 1]) is not None

    def _fill_true_answer(
        self, position: int, each: SemanticTuple, domain: Domain, row: Row
    ) -> bool:
        """Note the true answer where some reply since the sub-goal began holds it."""
        start = self.starts[each.subgoal]
        at = self._answers.told(domain, row, each.slot, self.exchanges[start:])
        if at is None:
            return False
        said = answer(self.reader.world.language, domain, row, each.slot)
        slot = domain.slot(each.slot)
        is_list = slot is not None and slot.kind in LISTS
        self.notes.values[position] = said if is_list else ", ".join(said)
        reply = self.exchanges[start + at].reply
        self.notes.evidence[position] = Evidence(start + at, reply[:120])
        return True

    def _is_strange(self, claim: Claim, at: int, chosen: Chosen) -> bool:
        """Whether a place said to be nearby is near none that was named up to then.

        Where the user looks for such a place, others may be named that are elsewhere.
        """
        slot = self.truth.domain(claim.domain).slot(claim.slot)
        if slot is None or slot.kind is not SlotKind.NEARBY:
            return False
        is_place = self.truth.entity(slot.target, claim.value) is not None
        is_chosen = any(claim.value == other.name for other in self.chosen.values())
        if not is_place or is_chosen or self.exchanges[at].user.wanted == slot.target:
            return False
        spoken = {n.place for each in self.exchanges[: at + 1] for n in each.reading.names}
        return not any(
            name.startswith(claim.value)  # another house of a chain
            for domain, centre in spoken
            if domain == chosen.domain and centre != claim.value
            for name in self._neighbours(domain, centre, slot.target)
        )

    def _neighbours(self, domain: str, name: str, target: str) -> list[str]:
        """The places of a kind that the tables have near a place."""
        row = self.truth.entity(domain, name)
        slots = [s.key for s in self.truth.domain(domain).of_kind(SlotKind.NEARBY)
                 if s.target == target]  # fmt: skip
        return [each for key in slots if row is not None for each in texts(row.get(key))]

    def _is_of_another(self, claims: Sequence[Claim], chosen: Chosen) -> bool:
        """Whether claims that are false of a place are true of one chosen for another sub-goal."""
        false = [claim for claim in claims if claim.verdict is Verdict.FALSE]
        return bool(false) and all(self._fits_another(claim, chosen) for claim in false)

    def _fits_another(self, claim: Claim, chosen: Chosen) -> bool:
        for other in self.chosen.values():
            if other.name == chosen.name or not other.name:
                continue
            domain = self.truth.domain(other.domain)
            row = self.truth.entity(other.domain, other.name)
            slot = domain.slot(claim.slot)
            if row is not None and self._is_true_of(claim, domain, row):
                return True
            if row is None or slot is None:
                continue
            values: Value = (claim.value,) if slot.kind in LISTS else claim.value
            if self.truth.is_right(domain, row, claim.slot, values):
                return True
        return False

    def _is_true_of(self, claim: Claim, domain: Domain, row: Row) -> bool:
        """Whether the words of a claim tell the truth of a place, be it of another slot."""
        item = claim.item
        slot = self.reader.check.slot_for(domain, item) if item is not None else None
        if item is None or not slot:
            return False
        verdict = self.reader.check.verdict(domain, row, slot, item, claim.is_negated)
        return verdict is Verdict.TRUE

    def _right(self, domain: Domain, row: Row, slot: str, claims: Sequence[Claim]) -> str:
        """What the tables answer, for claims that say so; of an affirmed service, yes."""
        said = answer(self.reader.world.language, domain, row, slot)
        found = domain.slot(slot)
        if found is not None and found.key != slot:
            return claims[0].value
        return said[0] if len(said) == 1 else ", ".join(said)

    def _told(self, chosen: Chosen, slot: str) -> tuple[int, list[Claim]] | None:
        """The claims about a slot of the entity chosen in the last reply that has some.

        "There is none nearby" gives way to names told in another reply: it may refuse a search.
        """
        told = list(self._told_in_replies(chosen, slot))
        nothing = self.reader.world.language.nothing
        some = [each for each in told if any(claim.value != nothing for claim in each[1])]
        return next(iter(some or told), None)

    def _told_in_replies(self, chosen: Chosen, slot: str) -> Iterator[tuple[int, list[Claim]]]:
        """Latest first."""
        for at in range(len(self.exchanges) - 1, -1, -1):
            claims = [
                claim
                for claim in self.exchanges[at].reading.claims
                if (claim.domain, claim.entity, claim.slot) == (chosen.domain, chosen.name, slot)
                and claim.verdict is not Verdict.UNDECIDABLE
                and not claim.is_relation
            ]
            firm = [claim for claim in claims if claim.is_firm or claim.verdict is Verdict.TRUE]
            if firm:
                yield at, self._without_none(firm)

    def _without_none(self, claims: list[Claim]) -> list[Claim]:
        """Without "there is none" where something was told beside it."""
        nothing = self.reader.world.language.nothing
        some = [claim for claim in claims if claim.value != nothing]
        return some or claims

    def _yes_or_no(
        self, chosen: Chosen, slot: str, domain: Domain
    ) -> tuple[int, list[Claim]] | None:
        """A bare yes or no to a question for one service."""
        found = domain.slot(slot)
        if found is None or found.kind is not SlotKind.SERVICES or found.key == slot:
            return None
        pack = self.reader.world.language
        row = self.truth.entity(domain.key, chosen.name)
        for at, exchange in enumerate(self.exchanges):
            asked = slot in {key for _, key in exchange.user.questions}
            reading = exchange.reading
            if not asked or reading.says_yes == reading.says_no or row is None:
                continue
            if not self._answers.begins_with_answer(exchange) or self._tells_others(exchange, slot):
                continue
            value = pack.yes if reading.says_yes else pack.no
            true = self.truth.is_right(domain, row, slot, value)
            verdict = Verdict.TRUE if true else Verdict.FALSE
            quote = exchange.reply[:40]
            return at, [Claim(domain.key, chosen.name, slot, value, verdict, quote, 0, len(quote))]
        return None

    def _tells_others(self, exchange: Exchange, slot: str) -> bool:
        """Whether a reply tells of other services that were asked for with this one."""
        asked = {key for _, key in exchange.user.questions if SERVICE_MARK in key and key != slot}
        return any(claim.slot in asked for claim in exchange.reading.claims)

    def _is_whole(self, claim: Claim) -> bool:
        """Whether the quote of an address has more than the number of a house: `4.8` has not."""
        address = self.reader.scanner.facts.slot_of(claim.domain, "address")
        return claim.slot != address or any(letter.isalpha() for letter in claim.quote)
