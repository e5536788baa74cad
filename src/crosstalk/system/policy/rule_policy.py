"""The rule policy: it answers from the database by rules, without learning.

For every domain the user speaks of it finds the entity meant (named, spoken of, or the best match),
offers it and answers every question about it. If nothing matches, it relaxes the search and offers
the nearest match together with how it differs. `response_rules` has the answers to user acts
beyond the published ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from crosstalk.dialogue.acts import (
    ASK,
    EXCLUDE,
    FACT,
    GENERAL,
    IGNORED,
    INFORM,
    LIST,
    NO_OFFER,
    NOTHING,
    PUBLISHED,
    RECOMMEND,
    REQUEST,
    UNSUPPORTED,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.rule_tracker import nearby_slot
from crosstalk.system.dst.search_tracker import SEARCHES
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.policy.policy import Decision, DomainContext
from crosstalk.system.policy.response_rules import first_response
from crosstalk.worlds.conditions import terms
from crosstalk.worlds.display import answer, label
from crosstalk.worlds.queries import Database, ends_of, relax
from crosstalk.worlds.tables import Row

COURTESY = {"thank": "welcome", "bye": "bye", "greet": "greet"}
"""The answer to a general act that comes alone."""
SILENT = frozenset({IGNORED, UNSUPPORTED})
"""Acts that are answered by repeating them: what cannot be answered or taken into account."""


@dataclass(frozen=True, slots=True)
class DomainAnswer:
    """What the answer is about in one domain."""

    rows: tuple[Row, ...]
    """The entity, or several to choose from; none where nothing is to be had."""
    dropped: tuple[str, ...] = ()
    """Slots the entity does not meet, because nothing meets all."""
    form: DomainState | None = None
    """The tab as searched, where it was relaxed."""
    is_new: bool = False
    """Whether to name it: found just now, or not known to the user yet."""


class RulePolicy:
    """`offers`: how many matches are named at once where several fit.

    By default one: the system could not tell which of several a user has picked.
    """

    def __init__(self, database: Database, *, offers: int = 1) -> None:
        self._database = database
        self._world = database.world
        self._offers = offers

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        yes = self._world.language.yes
        discourse = belief.discourse or Discourse.of(self._world.schema, yes, history)
        heard = discourse.heard(history[-1])
        if heard.general("repeat") and discourse.system_acts:
            return Decision(discourse.system_acts, discourse.form or belief.form)
        acts, form = self._attend_all(belief, discourse, heard)
        acts += self._unanswered(heard, discourse, belief)
        acts += self._courtesies(heard, bool(acts))
        return Decision(in_order(acts or self._fallback(heard)), form)

    def _attend_all(
        self, belief: DialogueState, discourse: Discourse, heard: UserActs
    ) -> tuple[list[Act], SystemState]:
        """What to say about every domain that is spoken of, and the form with what was found."""
        acts: list[Act] = []
        form = belief.form
        for domain in self._concerned(belief, heard):
            tab = self._near_found(domain, form, heard)
            asked = tuple(slot for key, slot in belief.requests if key == domain.key)
            context = DomainContext(self._database, discourse, heard, domain, tab, asked)
            response = first_response(context) if domain.kind is DomainKind.PLACE else None
            found = DomainAnswer(response.rows) if response else self._find(context)
            acts += response.acts if response else self._answer(context, found)
            tab = found.form or tab
            selected = tuple(label(self._world, domain, row) for row in found.rows)
            form = form.with_domain(replace(tab, selected=selected))
        return acts, form

    def _near_found(self, domain: Domain, form: SystemState, heard: UserActs) -> DomainState:
        """The tab, with the place just found in another domain if it shall be near that one."""
        tab, source = form.get(domain.key), heard.near.get(domain.key, "")
        found = form.get(source).selected if source != domain.key else ()
        slot = nearby_slot(self._world.schema, domain.key, source)
        if len(found) == 1 and slot and not tab.get(slot):
            return tab.with_slot(slot, found[0])
        return tab

    def _concerned(self, belief: DialogueState, heard: UserActs) -> list[Domain]:
        """The domains to speak of: mentioned now, or with a question still open.

        Where one shall be near what is sought in another, that other one comes first.
        """
        keys = [act.domain for act in heard.acts if act.intent not in {GENERAL, *SILENT}]
        keys += [domain for domain, _ in belief.requests]
        sought = {act.domain for act in heard.acts if self._seeks(act)}
        sources = set(heard.near.values()) - set(heard.near) - {d for d, _ in belief.requests}
        keys.sort(key=lambda key: key in heard.near and heard.near[key] in sought)
        found = (
            self._world.schema.domain(key)
            for key in dict.fromkeys(keys)
            if key not in sources - sought
        )
        return [domain for domain in found if domain is not None]

    def _seeks(self, act: Act) -> bool:
        """Whether an act asks for a place to be found."""
        domain = self._world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        return act.intent == REQUEST and slot is not None and slot.kind is SlotKind.NAME

    def _answer(self, context: DomainContext, found: DomainAnswer) -> list[Act]:
        if context.domain.kind is DomainKind.PLACE and self._is_about_nothing(context):
            return [Act(ASK, context.key, "place", "")]
        if context.domain.kind is not DomainKind.PLACE:
            return list(self._ride(context, found.rows))
        return [*self._offer(context, found), *self._answers(context, found)]

    def _is_about_nothing(self, context: DomainContext) -> bool:
        """Whether a question is about a place that nobody has named."""
        sought = any(self._seeks(act) for act in context.heard.acts) or context.key in (
            context.heard.near
        )
        said = context.tab.constraints or context.heard.slots(context.key) or context.tab.order
        return not (sought or said or context.current)

    def _find(self, context: DomainContext) -> DomainAnswer:
        key, tab = context.key, context.tab
        if context.domain.kind is not DomainKind.PLACE:
            return DomainAnswer(self._database.search(key, tab.constraints))
        searches = bool(context.heard.slots(key)) or key in context.heard.near
        searches = searches or bool(context.acts(*SEARCHES, LIST)) or context.was_counted
        last = context.discourse.current.get(key, "")
        current = self._database.find(key, last) if last else None
        if current and not searches:
            return DomainAnswer((current,), is_new=self._asks_again(context))
        rows = context.rows()
        if current and current in rows:
            return DomainAnswer((current,), is_new=True)
        if rows:
            return DomainAnswer(self._best(rows, context), is_new=True)
        return self._nearest(context, current)

    def _asks_again(self, context: DomainContext) -> bool:
        """Whether the last turn answered the question already: then the place is named too."""
        told = {(act.domain, act.slot) for act in context.discourse.system_acts}
        return any((context.key, slot) in told for slot in context.asked)

    def _best(self, rows: tuple[Row, ...], context: DomainContext) -> tuple[Row, ...]:
        """Places spoken of before come first; tables run from well known to little known."""
        name = context.discourse.names[context.key]
        spoken_of = {act.value for act in context.discourse.told}
        ranked = sorted(rows, key=lambda row: row[name] not in spoken_of)
        return tuple(ranked[: self._offers])

    def _nearest(self, context: DomainContext, current: Row | None) -> DomainAnswer:
        """The entity that misses fewest wishes; the one under discussion if it is no worse."""
        tab = context.tab
        said = [key for key in context.heard.slots(context.key) if tab.get(key)]
        relaxed = relax(self._database, context.key, tab.constraints, keep=said)
        if not relaxed.rows:  # nothing meets what was said just now
            relaxed = relax(self._database, context.key, tab.constraints)
        if not relaxed.rows:
            return DomainAnswer(())
        row = min(relaxed.rows, key=lambda each: self._excess(context, each))
        if current and not context.acts(EXCLUDE):
            unmet = self._unmet(context, current)
            worse = len(unmet) > len(self._unmet(context, row)) or bool({*unmet} & {*said})
            row = row if worse else current
        slots = tuple((key, relaxed.kept.get(key, "")) for key, _ in tab.slots)
        return DomainAnswer((row,), self._unmet(context, row), DomainState(tab.domain, slots), True)

    def _excess(self, context: DomainContext, row: Row) -> float:
        """How far the numbers of a row lie beyond what is wished, as a share of that."""
        excess = 0.0
        for slot in context.domain.of_kind(SlotKind.NUMBER, SlotKind.RATING):
            wish, cell = context.tab.get(slot.key), row.get(slot.key)
            forms = forms_of(self._world.language, context.key, slot)
            bounds = read_bounds(forms, wish) if isinstance(wish, str) and wish else None
            if bounds and isinstance(cell, int | float):
                low, high = bounds.low or 0.0, bounds.high
                beyond = max(low - cell, cell - high if high is not None else 0.0, 0.0)
                excess += beyond / max(low, high or 0.0, 1.0)
            elif bounds:
                excess += float("inf")
        return excess

    def _unmet(self, context: DomainContext, row: Row) -> tuple[str, ...]:
        return self._database.unmet(context.key, row, context.tab.constraints)

    def _offer(self, context: DomainContext, found: DomainAnswer) -> Iterator[Act]:
        if found.dropped or not found.rows:
            yield Act(NO_OFFER, context.key, NOTHING, NOTHING)
        if found.is_new:
            intent = RECOMMEND if len(found.rows) > 1 else INFORM
            for row in found.rows:
                yield context.named_act(row, intent)
        for key in found.dropped:
            for slot in self._differing(context, key):
                yield from context.tell(found.rows[0], slot)

    def _differing(self, context: DomainContext, key: str) -> list[str]:
        """The slots to tell of a wish that is not met: of services, each that was wanted."""
        slot = context.domain.slot(key)
        if slot is None or slot.kind is SlotKind.NEARBY:
            return []  # what it is near instead helps nobody
        if slot.kind is not SlotKind.SERVICES:
            return [slot.key]
        wished = terms(self._world.language, context.tab.get(key))
        return [f"{slot.key}{SERVICE_MARK}{service}" for service in wished]

    def _answers(self, context: DomainContext, found: DomainAnswer) -> Iterator[Act]:
        told = [act for act in context.discourse.system_acts if act.domain == context.key]
        several = sum(act.intent == FACT for act in told) > 1  # say which of them is meant
        if found.rows and several and context.asked and not found.is_new:
            yield context.named_act(found.rows[0])
        for slot in context.asked if found.rows else ():
            yield from context.tell(found.rows[0], slot)

    def _ride(self, context: DomainContext, rows: tuple[Row, ...]) -> Iterator[Act]:
        missing = [key for key in ends_of(context.domain) if not context.tab.get(key)]
        if missing and context.asked and context.acts(INFORM, REQUEST):
            yield Act(ASK, context.key, missing[-1], "")
        for key in () if missing or not context.asked else ends_of(context.domain):
            yield Act(INFORM, context.key, key, str(context.tab.get(key)))
        known = rows or tuple(self._stations(context))
        for slot in context.asked:
            found = context.domain.slot(slot)
            row = next((each for each in known if slot in each), None)
            if row is not None and found is not None:
                for value in answer(self._world.language, context.domain, row, slot):
                    yield Act(INFORM, context.key, slot, value)

    def _stations(self, context: DomainContext) -> Iterator[Row]:
        """The station of the one end that is known."""
        for slot in context.domain.of_kind(SlotKind.STATION):
            name = context.tab.get(slot.target)
            for place in self._world.schema.places if isinstance(name, str) and name else ():
                row = self._database.find(place.key, str(name))
                station = next(iter(place.of_kind(SlotKind.STATION)), None)
                if row and station and row.get(station.key):
                    yield {slot.key: row[station.key]}

    def _unanswered(
        self, heard: UserActs, discourse: Discourse, belief: DialogueState
    ) -> list[Act]:
        """What cannot be answered or used, and wishes without a domain."""
        acts = [act for act in heard.acts if act.intent in SILENT]
        lost = [act for act in heard.acts if not act.domain and act.intent not in SILENT]
        if lost:
            asks = REQUEST in {act.intent for act in lost}
            acts.append(Act(ASK, "", "place" if asks else "domain", ""))
        return acts

    def _courtesies(self, heard: UserActs, answered: bool) -> list[Act]:
        acts = []
        for act in heard.acts:
            reply = COURTESY.get(act.domain) if act.intent == GENERAL else None
            if reply and not (answered and act.domain == "greet"):
                acts.append(Act(GENERAL, reply))
        if heard.general("help") and acts and not answered:
            acts.append(Act(GENERAL, "help"))
        if heard.general("restart") and not answered:
            acts.append(Act(GENERAL, "restart"))
        return acts

    def _fallback(self, heard: UserActs) -> list[Act]:
        """For turns without an answer so far: a reply to short words, or what can be asked."""
        said = {act.domain for act in heard.acts if act.intent == GENERAL}
        if said & {"help"}:
            return [Act(GENERAL, "help")]
        if said & {"yes", "no", "dontcare"}:
            return [Act(GENERAL, "reqmore")]
        beyond = any(act.intent not in PUBLISHED for act in heard.acts)
        if heard.acts and not beyond:
            return []
        return [Act(GENERAL, "misunderstood")] if heard.text else []
