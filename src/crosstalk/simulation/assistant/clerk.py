"""The clerk: from what was heard to what to look up, what to remember and what to say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crosstalk.dialogue.acts import GENERAL, Act
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.language.names import Place
from crosstalk.simulation.assistant.comparing import compare, is_comparison
from crosstalk.simulation.assistant.desk import Desk, Office
from crosstalk.simulation.assistant.heard import Heard
from crosstalk.simulation.assistant.outcome import Outcome, Remark
from crosstalk.simulation.assistant.riding import distance, ride, tell_ride
from crosstalk.simulation.assistant.searching import say_missing, search
from crosstalk.simulation.assistant.session import Asked, Session
from crosstalk.simulation.assistant.utterance import ORDINALS
from crosstalk.simulation.assistant.wishing import ORDERS, RELATIVE
from crosstalk.system.dst.tracker import empty_form

LISTS: Final = frozenset({"listing", "count"})
UNFINISHED: Final = frozenset(
    {"search", "good", "cheap", "dear", "free", "paid", "details", "booking"}
    | RELATIVE
    | ORDERS
    | LISTS
)
"""Moves that need to know what they are about."""


class Clerk:
    """Decides; keeps nothing between turns."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def begin(self) -> Session:
        return Session(empty_form(self._office.schema))

    def welcome(self) -> Outcome:
        desk = Desk(self._office, Heard("", ""), self.begin())
        desk.say(
            "welcome", places=self._office.places_in_words(), rides=self._office.rides_in_words()
        )
        return desk.outcome

    def answer(self, heard: Heard, session: Session) -> tuple[Session, Outcome]:
        desk = Desk(self._office, *_followed_up(heard, session))
        if "restart" in heard.cues:
            desk.session = self.begin()
            desk.say("restarted")
        else:
            _work(desk)
        return desk.session, desk.outcome


def _followed_up(heard: Heard, session: Session) -> tuple[Heard, Session]:
    """Short answers to what was asked, spelled out; the question is closed."""
    question = session.question.asked if session.question else None
    missed = session.missed
    session = replace(session, question=None, missed=())
    cues, picked = heard.cues, _picked(heard, session, question)
    if picked and not heard.places:
        return replace(heard, places=(picked,), doubtful=(), domains=(), wishes=()), session
    if cues & {*ORDINALS} and session.listed and not heard.has_content:
        return replace(heard, doubtful=session.listed), session  # a fourth one of three
    if heard.has_content:
        return heard, session
    if "dontcare" in cues and missed:
        heard = replace(heard, dropped=missed)
    elif question is Asked.DETAILS and "no" in cues and not cues & {"thank", "bye"}:
        heard = replace(heard, cues=cues | {"another"})
    elif question is Asked.DETAILS and "yes" in cues and not cues & RELATIVE:
        heard = replace(heard, cues=cues | {"details"})
    elif question is Asked.WISH and "no" in cues:
        heard = replace(heard, cues=(cues - {"no"}) | {"details"})
    elif question is Asked.NAME and "yes" in cues and len(session.listed) == 1:
        heard = replace(heard, places=session.listed)
    return heard, session


def _picked(heard: Heard, session: Session, question: Asked | None) -> Place | None:
    """The place of the last list that an ordinal means, or the only one of a kind."""
    fitting = [place for place in session.listed if place[0] in heard.domains]
    if question is Asked.NAME and len(fitting) == 1:
        return fitting[0]
    for number, ordinal in enumerate(ORDINALS):
        if ordinal in heard.cues and number < len(session.listed):
            return session.listed[number]
    return session.listed[-1] if "last" in heard.cues and session.listed else None


def _work(desk: Desk) -> None:
    heard, office = desk.heard, desk.office
    _courtesies(desk)
    riding = office.schema.domain(heard.ride)
    if heard.doubtful and not heard.places:
        names = [name for _, name in heard.doubtful]
        desk.ask(Asked.NAME, "which_name", names=office.phrase("or").join(names))
        desk.session = replace(desk.session, listed=heard.doubtful)
    elif any(not domain for domain, _, _ in heard.wishes) and not heard.domains:
        _ask_domain(desk)
    elif riding:
        ride(desk, riding)
    elif "distance" in heard.cues:
        distance(desk)
    elif is_comparison(desk) and not (heard.places or heard.near):
        compare(desk)
    else:
        for place in heard.near.values() if "listing" in heard.cues else ():
            desk.session = desk.session.choosing(place) if place else desk.session
        for domain in _concerned(desk):
            _attend(desk, domain)
    if "booking" in heard.cues:
        _refuse_booking(desk)
    if not desk.pieces:
        _fall_back(desk)
    elif desk.results and heard.unexplained and not heard.asked:
        desk.pieces.insert(0, _ignored(desk))


def _concerned(desk: Desk) -> list[Domain]:
    """The domains to speak of, in the order in which they came up."""
    heard = desk.heard
    keys = [*heard.near, *heard.domains, *(domain for domain, _, _ in heard.wishes)]
    keys += [place[0] for place in heard.places]
    keys += [domain for domain, *_ in (*heard.asked, *heard.dropped, *heard.unwanted)]
    moves = heard.cues & (RELATIVE | ORDERS | LISTS | {"details", "dontcare"})
    looks_on = "search" in heard.cues and not heard.unexplained
    if not any(keys) and (moves or (looks_on and desk.session.seen.get(desk.session.focus))):
        keys.append(desk.session.focus)
    if heard.asked and not all(domain for domain, _ in heard.asked):
        desk.ask(Asked.PLACE, "which_place")
    found = (desk.office.schema.domain(key) for key in dict.fromkeys(keys))
    return [domain for domain in found if domain is not None]


def _attend(desk: Desk, domain: Domain) -> None:
    """Everything that was said about one domain."""
    asked = [slot for key, slot in desk.heard.asked if key == domain.key]
    named = [name for key, name in desk.heard.places if key == domain.key]
    if domain.kind is not DomainKind.PLACE:
        tell_ride(desk, domain)
    elif named:
        for name in named:
            _name(desk, domain, name, asked)
        listed = tuple((domain.key, name) for name in named)
        desk.session = replace(desk.session, listed=listed)
        if not asked and "details" not in desk.heard.cues:
            desk.ask(Asked.DETAILS, "ask_more")
    elif _is_search(desk, domain, asked):
        search(desk, domain, asked)
    else:
        _tell_chosen(desk, domain, asked)


def _is_search(desk: Desk, domain: Domain, asked: Sequence[str]) -> bool:
    """Whether places are to be looked for, not the one under discussion to be spoken of."""
    heard, key = desk.heard, domain.key
    chosen = bool(desk.session.chosen.get(key))
    changed = (*heard.wishes, *heard.dropped, *heard.unwanted)
    if key in heard.near or any(where == key for where, *_ in changed):
        return True
    if asked and all(_is_nearby(domain, slot) for slot in asked):
        return False
    if heard.cues & (RELATIVE | ORDERS):
        return True
    if heard.cues & LISTS:
        return not (asked and chosen)
    if chosen and "details" in heard.cues:
        return False
    if asked:
        looks = desk.session.form.get(key).constraints or "search" in heard.cues
        return not chosen and bool(looks)
    return key in heard.domains or bool(heard.cues & {"dontcare", "search"})


def _is_nearby(domain: Domain, key: str) -> bool:
    slot = domain.slot(key)
    return slot is not None and slot.kind is SlotKind.NEARBY


def _name(desk: Desk, domain: Domain, name: str, asked: Sequence[str]) -> None:
    """A place somebody named: it is chosen, and told of."""
    row = desk.office.finder.database.find(domain.key, name)
    if row is None or domain.name_slot is None:
        return
    desk.keep(desk.session.form.get(domain.key).cleared().with_slot(domain.name_slot.key, name))
    desk.session = desk.session.choosing((domain.key, name))
    desk.note(domain, (row,))
    if asked or "details" in desk.heard.cues:
        _tell_chosen(desk, domain, asked)
    else:
        teller = desk.office.teller
        desk.tell(teller.named(domain, row), teller.brief(domain, row))


def _tell_chosen(desk: Desk, domain: Domain, asked: Sequence[str]) -> None:
    """Answers about the place under discussion; what no table holds is said to be missing."""
    row, teller = desk.chosen(domain), desk.office.teller
    if row is None:
        desk.ask(Asked.PLACE, "which_place")
        return
    facts = [act for slot in asked for act in teller.about(domain, row, slot)]
    if "details" in desk.heard.cues:
        facts += teller.full(domain, row)
    if facts:
        desk.tell(teller.named(domain, row), facts)
    say_missing(desk, domain, row, asked)
    desk.session = desk.session.choosing((domain.key, teller.name(domain, row)))
    desk.session = replace(desk.session, used=desk.session.used | {domain.key})


def _refuse_booking(desk: Desk) -> None:
    """We cannot book, but people can call the place."""
    desk.pieces.insert(0, Remark("no_booking"))
    domain = desk.office.schema.domain(desk.session.focus)
    row = desk.chosen(domain) if domain else None
    if domain and row and not desk.heard.has_content:
        contact = [slot.key for slot in domain.of_kind(SlotKind.TEXT)]
        facts = [act for key in contact for act in desk.office.teller.about(domain, row, key)]
        desk.tell(desk.office.teller.named(domain, row), facts)


def _courtesies(desk: Desk) -> None:
    cues, alone = desk.heard.cues, not desk.heard.has_content
    acts = [Act(GENERAL, "welcome")] if "thank" in cues else []
    if alone and "bye" in cues:
        acts.append(Act(GENERAL, "bye"))
    elif alone and "thank" in cues:
        acts.append(Act(GENERAL, "reqmore"))
    elif alone and "greet" in cues and not cues & (UNFINISHED | {"help"}):
        acts.append(Act(GENERAL, "greet"))
    desk.tell(acts)


def _fall_back(desk: Desk) -> None:
    """Nothing to do so far: answer short words, or ask."""
    heard, session = desk.heard, desk.session
    chosen = session.chosen.get(session.focus)
    if not heard.plain:
        desk.say("nothing_said")
    elif "help" in heard.cues:
        _can_do(desk)
    elif "repeat" in heard.cues:
        desk.say("said_before" if session.said else "nothing_before", said=session.said)
    elif "yes" in heard.cues and chosen:
        desk.say("chosen", name=chosen)
        desk.say("ask_more")
    elif heard.cues & {"yes", "no", "dontcare"}:
        desk.say("anything_else")
    elif heard.cues & {*ORDINALS, "last"}:
        desk.ask(Asked.PLACE, "which_place")
    elif heard.cues & UNFINISHED:
        if heard.unexplained:
            desk.pieces.append(_ignored(desk))
        _ask_domain(desk)
    else:
        desk.say("not_understood")
        _can_do(desk)
        desk.session = replace(session, lost=session.lost + 1)


def _ask_domain(desk: Desk) -> None:
    desk.ask(Asked.DOMAIN, "ask_domain", domains=desk.office.places_in_words())


def _ignored(desk: Desk) -> Remark:
    return Remark("ignored", {"words": desk.office.enumerated(desk.heard.unexplained)})


def _can_do(desk: Desk) -> None:
    """What can be asked, with two examples, other ones each time."""
    office, examples = desk.office, desk.office.book.examples
    at = (2 * desk.session.lost) % max(len(examples), 1)
    shown = [*examples, *examples][at : at + 2]
    desk.say(
        "can_do",
        places=office.places_in_words(),
        rides=office.rides_in_words(),
        examples=" / ".join(shown),
    )
