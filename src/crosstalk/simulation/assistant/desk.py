"""The clerk's desk: one answer while it is being made."""

from collections.abc import Sequence
from dataclasses import replace

from crosstalk.database.tables import Row, World
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Schema, SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue
from crosstalk.language.phrases import Phrasebook
from crosstalk.simulation.assistant.finding import Finder
from crosstalk.simulation.assistant.heard import Heard
from crosstalk.simulation.assistant.outcome import Facts, Outcome, Piece, Remark, Result
from crosstalk.simulation.assistant.session import Asked, Question, Session
from crosstalk.simulation.assistant.telling import Teller

SHOWN = 10
"""Names of results kept with an answer."""


class Office:
    """What lies on every desk: the tables, the words, and who tells facts."""

    def __init__(self, world: World, finder: Finder, book: Phrasebook) -> None:
        self.schema: Schema = world.schema
        self.pack = world.language
        self.finder = finder
        self.book = book
        self.teller = Teller(world, finder)

    def enumerated(self, items: Sequence[str]) -> str:
        goal = self.pack.goal
        comma, last = (goal.comma, goal.last_comma) if goal else (", ", ", ")
        if len(items) < 2:
            return "".join(items)
        return comma.join(items[:-1]) + last + items[-1]

    def places_in_words(self) -> str:
        return self.enumerated([self.pack.domain_name(each.key) for each in self.schema.places])

    def rides_in_words(self) -> str:
        return self.enumerated([self.pack.domain_name(each.key) for each in self.schema.rides])

    def called(self, domain: Domain, key: str) -> str:
        """What people call a slot, or the term of it that was spoken of."""
        slot, _, term = key.partition(SERVICE_MARK)
        return term or self.pack.slot_name(domain.key, slot)

    def wish(self, domain: Domain, key: str, value: SlotValue) -> str:
        slot = domain.slot(key)
        if slot and slot.kind is SlotKind.NEARBY:
            return self.phrase("near_wish").replace("{name}", self.text(value))
        wish = self.phrase("wish").replace("{slot}", self.called(domain, key))
        return wish.replace("{value}", self.text(value))

    def wishes(self, domain: Domain, tab: DomainState) -> str:
        """Everything that is searched for, in one line."""
        parts = [self.pack.domain_name(domain.key)]
        parts += [self.wish(domain, key, value) for key, value in tab.constraints.items()]
        return self.phrase("wishes").join(parts)

    def text(self, value: SlotValue) -> str:
        return value if isinstance(value, str) else self.enumerated(value)

    def phrase(self, key: str) -> str:
        return next(iter(self.book.sentences.get(key, ())), "")


class Desk:
    """What was heard, what is known by now, and what will be said."""

    def __init__(self, office: Office, heard: Heard, session: Session) -> None:
        self.office = office
        self.heard = heard
        self.session = session
        self.pieces: list[Piece] = []
        self.results: list[Result] = []

    @property
    def outcome(self) -> Outcome:
        return Outcome(tuple(self.pieces), self.session.form, tuple(self.results))

    def chosen(self, domain: Domain) -> Row | None:
        """The place under discussion."""
        name = self.session.chosen.get(domain.key, "")
        return self.office.finder.database.find(domain.key, name)

    def say(self, key: str, *acts: Act, **fills: str) -> None:
        self.pieces.append(Remark(key, fills, acts))

    def tell(self, *groups: Sequence[Act]) -> None:
        """Facts in one breath, each once."""
        acts = tuple(dict.fromkeys(act for group in groups for act in group))
        if acts:
            self.pieces.append(Facts(acts))

    def ask(self, asked: Asked, key: str, *, domain: str = "", **fills: str) -> None:
        remark = Remark(key, fills, asks=True)
        if remark not in self.pieces:  # the same question twice is one
            self.pieces.append(remark)
        self.session = replace(self.session, question=Question(asked, domain, self.heard.text))

    def note(self, domain: Domain, rows: Sequence[Row], missed: Sequence[str] = ()) -> None:
        """Keep what a search gave."""
        tab = self.session.form.get(domain.key)
        wishes = {key: self.office.text(value) for key, value in tab.constraints.items()}
        names = tuple(self.office.teller.name(domain, row) for row in rows[:SHOWN])
        count = 0 if missed else len(rows)
        self.results.append(Result(domain.key, wishes, count, names, tuple(missed)))

    def keep(self, tab: DomainState) -> None:
        """Write a tab of the form; its domain is what the talk is about."""
        form = self.session.form.with_domain(tab)
        self.session = replace(self.session, form=form, focus=tab.domain)
