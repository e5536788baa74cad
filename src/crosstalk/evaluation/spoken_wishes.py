"""Which wishes of a spoken goal were given up: after a refusal, by the user, or not at all."""

from collections.abc import Sequence

from crosstalk.dialogue.acts import DROP, INFORM
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.evaluation.spoken_picks import shares_word
from crosstalk.evaluation.spoken_places import Chosen, Evidence, SpokenPlaces
from crosstalk.evaluation.success import Flaw
from crosstalk.evaluation.told_answers import mentions
from crosstalk.language.normalize import plain
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.conversation import Exchange, UserWords
from crosstalk.reading.items import Found
from crosstalk.reading.prose import Prose
from crosstalk.reading.readings import RefusalRead
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row


class SpokenWishes(SpokenPlaces):
    """What became of the wishes that the places chosen do not meet."""

    def _follow_wishes(self, number: int, group: Tuples, chosen: Chosen, row: Row) -> None:
        domain = self._domain(group)
        name = domain.name_slot.key if domain.name_slot else ""
        offset = self._offsets[number]
        for at, each in enumerate(group):
            if each.is_open or (each.slot == name and not isinstance(each.value, Reference)):
                continue
            if isinstance(each.value, Reference):
                met = self._is_near(each.value, chosen)
            else:
                met = self.truth.meets(domain.key, row, each.slot, each.value)
            if not met:
                self._unmet(number, offset + at, each, domain, row)

    def _is_near(self, reference: Reference, chosen: Chosen) -> bool:
        other = self.chosen.get(reference.subgoal)
        if other is None or not other.name:
            return False
        return self.truth.is_near(chosen.domain, chosen.name, other.domain, other.name)

    def _unmet(
        self, number: int, position: int, each: SemanticTuple, domain: Domain, row: Row
    ) -> None:
        """A wish the entity does not meet: given up after a refusal, by the user, or not at all."""
        if self._is_said_near(number, each) or self._asked_otherwise(number, each, domain, row):
            return
        if self._is_echoed(number, each, domain) and self._dropped(number, each, domain) is None:
            return
        refusal = self._refusal(number, domain.key)
        if refusal is not None:
            at, words = refusal
            self.notes.evidence[position] = Evidence(at, words.quote)
            if self._is_refused_again(number, each, domain) or self.truth.anything(
                domain.key, self._constraints(number)
            ):
                self.notes.needless[position] = Flaw.FALSE_NO_OFFER
            else:
                self.notes.given_up.add(position)
        elif (at_turn := self._regretted(number, domain.key)) is not None:
            self.notes.given_up.add(position)
            quote = self.exchanges[at_turn].reply[:120]
            self.notes.evidence[position] = Evidence(at_turn, quote)
        elif self._is_honest_alternative(number, each, domain, row):
            self.notes.given_up.add(position)
        elif (at_turn := self._dropped(number, each, domain)) is not None or (
            at_turn := self._exchanged(number, each, domain)
        ) is not None:
            self.notes.needless[position] = Flaw.GIVEN_UP
            self.notes.evidence[position] = Evidence(at_turn, self.exchanges[at_turn].user.text)
        else:
            return
        if not isinstance(each.value, Reference):
            said = answer(self.reader.world.language, domain, row, each.slot)
            is_list = isinstance(each.value, tuple)
            self.notes.values[position] = said if is_list else said[0]

    def _is_said_near(self, number: int, each: SemanticTuple) -> bool:
        """Whether a reply says, untruly, that the place is near the one chosen elsewhere."""
        if not isinstance(each.value, Reference):
            return False
        names = {self.chosen[n].name for n in (number, each.value.subgoal) if n in self.chosen}
        return (
            any(
                {claim.entity, claim.value} == names and claim.verdict is Verdict.FALSE
                for exchange in self.exchanges
                for claim in exchange.reading.claims
            )
            or self._is_near_again(number)
            or self._is_near_instead(number)
        )

    def _is_echoed(self, number: int, each: SemanticTuple, domain: Domain) -> bool:
        """Whether a reply after a refusal says, untruly, that the place meets the wish."""
        refusal = self._refusal(number, domain.key)
        if refusal is None or not isinstance(each.value, str):
            return False
        later = [self.exchanges[at] for at in self._span(number) if at > refusal[0]]
        return any(
            self._is_said_met(claim, number, each, domain)
            for exchange in later
            if not (exchange.reading.refusals or exchange.reading.denies)
            for claim in exchange.reading.claims
        )

    def _is_said_met(self, claim: Claim, number: int, each: SemanticTuple, domain: Domain) -> bool:
        """Whether a claim is the wish itself, and false of the place chosen."""
        is_false = claim.verdict is Verdict.FALSE and claim.is_firm and not claim.is_negated
        about = (claim.entity, claim.slot) == (self.chosen[number].name, each.slot)
        return is_false and about and self._same_wish(domain, each, claim.value)

    def _is_near_again(self, number: int) -> bool:
        """Whether the user asks once more for a place nearby, and the offer is said to be."""
        chosen = self.chosen[number]
        for exchange in self.exchanges[self.starts[number] + 1 :]:
            if (chosen.domain, chosen.name) not in (n.place for n in exchange.reading.names):
                continue
            sentences = [text for text in Prose.of(exchange.reply).sentences
                         if mentions(text.text, chosen.name)]  # fmt: skip
            says = any(self._says_near(text.text) for text in sentences)
            return says and self._says_near(exchange.user.text)
        return False

    def _is_near_instead(self, number: int) -> bool:
        """Whether a refusal offers the place instead, in a sentence that says it is near."""
        chosen = self.chosen[number]
        place = chosen.domain, chosen.name
        for at in self._span(number):
            exchange = self.exchanges[at]
            refused = any(chosen.domain in each.domains for each in exchange.reading.refusals)
            offered = chosen.name in self._offered(exchange, chosen.domain)
            if not (refused and offered and self._says_near(exchange.user.text)):
                continue
            for sentence in Prose.of(exchange.reply).sentences:
                here = range(sentence.start, sentence.end)
                names = {n.place for n in exchange.reading.names if n.start in here}
                kinds = self.reader.scanner.scan(sentence).of(Found.DOMAIN)
                alone = all(item.key == chosen.domain for item in kinds)
                if names == {place} and alone and self._puts_near(sentence.text):
                    return True
        return False

    def _puts_near(self, text: str) -> bool:
        """Whether a sentence says *near* without a negation; regret may stand beside it."""
        said, words, cues = plain(text), self.reader.words, self.reader.scanner.book.cues
        harmless, negator = cues.get("not_negator"), cues.get("negator")
        bare = harmless.sub(" ", said) if harmless else said
        denied = any(words.has(cue, bare) for cue in ("lacking", "denying"))
        return words.has("near", said) and not denied and not (negator and negator.search(bare))

    def _says_near(self, text: str) -> bool:
        said = plain(text)
        return self.reader.words.has("near", said) and not self._answers.has_denial(said)

    def _asked_otherwise(self, number: int, each: SemanticTuple, domain: Domain, row: Row) -> bool:
        """Whether the user first asked for something else than the goal says, which the row is."""
        if isinstance(each.value, Reference):
            return False
        begin, end = self.starts[number], self._end(number)
        offers = (at for at in range(begin, end) if self._offers(self.exchanges[at], domain.key))
        said = [
            act.value
            for exchange in self.exchanges[begin : next(offers, begin) + 1]
            for act in exchange.user.acts
            if act.intent == INFORM and act.domain == domain.key and act.slot == each.slot
        ]
        if not said or self._same_wish(domain, each, said[0]):
            return False
        rows = [other for other in self.truth.rows(domain.key) if other.get(each.slot)]
        if all(self.truth.meets(domain.key, other, each.slot, said[0]) for other in rows):
            return False  # "only a 5 will do", read as five or less, asks for nothing
        return self.truth.meets(domain.key, row, each.slot, said[0])

    def _regretted(self, number: int, domain: str) -> int | None:
        """The reply that offers something else with regret; only where nothing fits all wishes.

        Words for a refusal that nobody has listed are refusals all the same where they are true.
        """
        if self.truth.anything(domain, self._constraints(number)):
            return None
        for at in self._span(number):
            reading = self.exchanges[at].reading
            offers = any(claim.is_offer and claim.domain == domain for claim in reading.claims)
            if offers and reading.denies:
                return at
        return None

    def _is_honest_alternative(
        self, number: int, each: SemanticTuple, domain: Domain, row: Row
    ) -> bool:
        """Whether nothing meets all wishes, and a reply tells how the place offered misses one.

        Not where the user had given the wish up before anything was denied, regretted or offered.
        """
        if isinstance(each.value, Reference) or self.truth.anything(
            domain.key, self._constraints(number)
        ):
            return False
        replies = [self.exchanges[at] for at in self._span(number)]
        dropped = self._dropped(number, each, domain)
        before = [self.exchanges[at] for at in self._span(number) if at < (dropped or 0)]
        if dropped is not None and not any(self._answers_search(e, domain) for e in before):
            replies = before
        return self._answers.told(domain, row, each.slot, replies) is not None

    def _answers_search(self, exchange: Exchange, domain: Domain) -> bool:
        """Whether a reply denies or regrets something, or names a place of a kind."""
        reading = exchange.reading
        return reading.denies or any(each.place[0] == domain.key for each in reading.names)

    def _span(self, number: int) -> range:
        """The exchanges about a sub-goal: up to the next of its domain, or its place's offer."""
        chosen = self.chosen.get(number)
        place = (chosen.domain, chosen.name) if chosen else None
        offered = (
            at
            for at, exchange in enumerate(self.exchanges)
            for named in exchange.reading.names
            if named.place == place and named.role == "offer"
        )
        end = max(self._end(number), next(offered, 0) + 1)
        return range(self.starts[number], end)

    def _is_refused_again(self, number: int, each: SemanticTuple, domain: Domain) -> bool:
        """Whether the last refusal is untrue of the wishes that were left by then."""
        refused = [
            at
            for at in self._span(number)
            for words in self.exchanges[at].reading.refusals
            if not words.domains or domain.key in words.domains
        ]
        if not refused:
            return False
        turns = [self.exchanges[at].user for at in range(refused[0] + 1, refused[-1] + 1)]
        wishes = [e for e in self._groups[number] if not e.is_open]
        gone = [
            e
            for e in wishes
            if any(self._speaks_of_wish(user, e, domain) for user in turns)
            or self._is_dropped_by(number, e, domain, refused[-1])
        ]
        if not gone or each in gone or isinstance(each.value, Reference):
            return False
        left = {
            slot: value
            for slot, value in self._constraints(number).items()
            if slot not in {other.slot for other in gone}
        }
        return self.truth.anything(domain.key, left)

    def _is_dropped_by(self, number: int, each: SemanticTuple, domain: Domain, at: int) -> bool:
        """Whether the user has said by a turn that a wish no longer matters.

        Services never count as dropped: it is not known which of several is meant.
        """
        if isinstance(each.value, Reference) or SERVICE_MARK in each.slot:
            return False
        turn = self._dropped(number, each, domain)
        return turn is not None and turn <= at

    def _speaks_of_wish(self, user: UserWords, each: SemanticTuple, domain: Domain) -> bool:
        service = each.slot.partition("-")[2]
        if service:
            return mentions(user.text, service)
        return self._names_slot(user.scanned.items, each, domain)

    def _refusal(self, number: int, domain: str) -> tuple[int, RefusalRead] | None:
        """Words since the sub-goal began that say that nothing matches."""
        for at in self._span(number):
            for each in self.exchanges[at].reading.refusals:
                about = not each.domains or domain in each.domains
                if about and self._is_searching(at, domain):
                    return at, each
        return None

    def _is_searching(self, at: int, domain: str) -> bool:
        """Whether a refusal answers a search, not a question for places nearby."""
        user = self.exchanges[at].user
        return user.wanted == domain or not user.questions or not user.wanted

    def _constraints(self, number: int) -> dict[str, SlotValue]:
        """The wishes of a sub-goal as a search has them."""
        group = self._groups[number]
        domain = self._domain(group)
        wishes: dict[str, SlotValue] = {}
        for each in group:
            if each.is_open:
                continue
            if isinstance(each.value, Reference):
                source = self.chosen.get(each.value.subgoal)
                slots = [
                    slot
                    for slot in domain.of_kind(SlotKind.NEARBY)
                    if source and slot.target == source.domain
                ]
                if slots and source and source.name:
                    wishes[slots[0].key] = source.name
            else:
                wishes[each.slot] = each.value
        return wishes

    def _dropped(self, number: int, each: SemanticTuple, domain: Domain) -> int | None:
        """The turn in which the user says that a wish no longer matters."""
        begin = self.starts[number]
        for at in range(begin, self._end(number)):
            user = self.exchanges[at].user
            if at == begin and self._states(each, domain, user):
                continue
            giving_up = self.reader.words.has("giving_up", user.scanned.plain)
            if at == begin and giving_up and self._names_slot(user.scanned.items, each, domain):
                return at
            if at == begin or self._is_of_later(number, at, domain):
                continue
            for act in user.acts:
                if act.intent == DROP and act.slot.partition("-")[0] in (
                    each.slot.partition("-")[0],
                    "none",
                ):
                    return at
            if giving_up and (
                self._names_slot(user.scanned.items, each, domain)
                or not self._names_other(user.scanned.items, each, number, domain)
            ):
                return at
        return None

    def _is_of_later(self, number: int, at: int, domain: Domain) -> bool:
        """Whether a turn comes after another sub-goal has begun and does not name this domain."""
        later = [self.starts[n] for n in self.starts if self.starts[number] < self.starts[n] < at]
        said = {item.key for item in self.exchanges[at].user.scanned.of(Found.DOMAIN)}
        return bool(later) and domain.key not in said

    def _exchanged(self, number: int, each: SemanticTuple, domain: Domain) -> int | None:
        """The turn for which a place that met the wish gave way to the one chosen, which does not.

        An agent does not take back a place that fits: the user asked for another kind of place.
        """
        chosen = self.chosen[number]
        said = fitting = False
        for at in self._span(number):
            exchange = self.exchanges[at]
            names = self._offered(exchange, domain.key)
            if chosen.name in names:
                is_asked = exchange.user.wanted in ("", domain.key) and names == [chosen.name]
                return at if fitting and is_asked else None
            group = self._groups[number]
            said |= group.index(each) in self._said_wishes(group, exchange)
            fitting |= said and any(self._meets(domain, name, each) for name in names)
        return None

    def _meets(self, domain: Domain, name: str, each: SemanticTuple) -> bool:
        row = self.truth.entity(domain.key, name)
        return row is not None and self.truth.meets(domain.key, row, each.slot, each.value)

    def _states(self, each: SemanticTuple, domain: Domain, user: UserWords) -> bool:
        """Whether words that sound like giving up say the wish: *we don't mind paying 200*."""
        for sentence in Prose.of(user.text).sentences:
            scanned = self.reader.scanner.scan(sentence)
            if self.reader.words.has("giving_up", scanned.plain):
                amounts = [item for item in scanned.items if item.found is Found.AMOUNT]
                return any(self.reader.check.slot_for(domain, i) == each.slot for i in amounts)
        return False

    def is_wish_said(self, each: SemanticTuple) -> bool:
        """Whether a turn about the sub-goal has words for the slot or the value of a wish."""
        begin, end = self.starts[each.subgoal], self._end(each.subgoal)
        return any(self.says_wish(turn.user, each) for turn in self.exchanges[begin : end + 1])

    def says_wish(self, user: UserWords, each: SemanticTuple) -> bool:
        """Whether a turn has words for the slot or the value of a wish."""
        if self._names_slot(user.scanned.items, each, self.truth.domain(each.domain)):
            return True
        service = each.slot.partition("-")[2]
        values = (service,) if service else texts_of(each.value)
        return any(shares_word(user.text, value) for value in values)

    def _names_other(
        self, items: Sequence[object], each: SemanticTuple, number: int, domain: Domain
    ) -> bool:
        """Whether a turn names another wish of the sub-goal than this one."""
        others = [o for o in self._groups[number] if not o.is_open and o.slot != each.slot]
        return any(self._names_slot(items, other, domain) for other in others)

    def _names_slot(self, items: Sequence[object], each: SemanticTuple, domain: Domain) -> bool:
        for item in items:
            found = getattr(item, "found", None)
            key = str(getattr(item, "key", "")).rpartition(".")[2]
            if found in (Found.SLOT, Found.VALUE) and key == each.slot.partition("-")[0]:
                return True
            if found is Found.AMOUNT and self.reader.check.slot_for(domain, item) == each.slot:  # type: ignore[arg-type]
                return True
        return False


def texts_of(value: Value) -> tuple[str, ...]:
    """The texts of a wish's value."""
    if isinstance(value, Reference):
        return ()
    return value if isinstance(value, tuple) else (value,)
