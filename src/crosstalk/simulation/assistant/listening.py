"""Listening: from words to what was said about which domain, in the light of the talk so far.

    Listener(world, book).hear("a cheap hotel near the zoo", session)

Names, numbers, values and cues are looked for in plain text; where they stand to each other says
what they mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain, tidy
from crosstalk.language.phrases import Phrasebook
from crosstalk.simulation.assistant.asking import Question, Questions
from crosstalk.simulation.assistant.comparing import WHICH
from crosstalk.simulation.assistant.heard import Heard
from crosstalk.simulation.assistant.relating import Near, Relations
from crosstalk.simulation.assistant.session import Session
from crosstalk.simulation.assistant.spotting import Spotter
from crosstalk.simulation.assistant.utterance import Named, Utterance
from crosstalk.simulation.assistant.wanting import PRICES, Wants, Wish

MOST_DOUBTS: Final = 5
"""Places to choose from where it is not clear which was meant."""


@dataclass(frozen=True, slots=True)
class Content:
    """Wishes and questions of an utterance."""

    wishes: Sequence[Wish]
    asked: Sequence[Question]
    near: Near
    lists: bool
    """Whether several places near something are asked for."""


class Listener:
    """Understands one world in one language by its words."""

    def __init__(self, world: World, book: Phrasebook) -> None:
        self._places_of = frozenset(domain.key for domain in world.schema.places)
        self.spotter = Spotter(world, book)
        self._relations = Relations(world.schema, book)
        self._wants = Wants(world)
        self._questions = Questions(world.schema)

    def hear(self, text: str, session: Session) -> Heard:
        shown = tidy(text)
        said = self.spotter.spot(plain(shown), session)
        near = self._relations.near(said, session)
        ride, ends = self._relations.ride(said, session, bool(near.targets))
        used = [*near.used, *ends.used]
        targets = [] if ride else self._targets(said, near.used)
        focus = targets + self._named(said, used) or [each.domain for each in said.values]
        content = self._content(said, shown, near, focus, session)
        expected = bool(content.asked or content.near.targets or ride)
        places, doubtful = self._places(said, used, targets, expected, session)
        forgets = said.has("dontcare")
        return Heard(
            text=shown,
            plain=plain(shown),
            cues=self._cues(said, content),
            domains=tuple(targets),
            places=places,
            doubtful=doubtful,
            wishes=tuple(content.wishes),
            asked=() if forgets else tuple(dict.fromkeys(content.asked)),
            near=content.near.targets,
            ride=ride,
            ends=ends.places,
            dropped=tuple(content.asked) if forgets else (),
            unwanted=tuple((each.domain, each.slot, each.value) for each in said.unwanted),
            unexplained=said.unexplained,
        )

    def _content(
        self, said: Utterance, shown: str, near: Near, focus: Sequence[str], session: Session
    ) -> Content:
        found = self._wants.find(said, focus, session)
        wishes, asked = self._questions.turned(said, shown, session, found)
        asks = self._questions.is_question(said, shown)
        wanted = [domain for domain, _, _ in wishes if domain]
        if near.place and wanted and not asked:  # "anything free near it?"
            near = Near(dict.fromkeys(wanted, near.place))
        # who asks what is near something wants to hear of several, and goes on about that thing
        lists = bool(near.targets) and not wishes and asks
        about = [place[0] for place in near.targets.values() if place] if lists else focus
        asked = [*self._questions.find(said, about, session, wishes), *asked]
        if near.asked and not asked and not asks:
            wishes.append(("", SlotKind.NEARBY, ""))  # "near the zoo": what is to be near it?
        return Content(wishes, asked or near.asked, near, lists)

    def _cues(self, said: Utterance, content: Content) -> frozenset[str]:
        cues = {each.key for each in said.moves}
        if content.near.compared:
            cues.add("distance")
        if content.lists:
            cues.add("listing")
        if said.has(WHICH):
            cues.add(WHICH)
        if self._wants.names_price(said):
            cues -= PRICES | {"cheaper", "dearer"}
        if content.near.used:  # others than the place named, not others than those offered
            cues.discard("another")
        return frozenset(cues)

    def _targets(self, said: Utterance, used: Sequence[object]) -> list[str]:
        """Domains of places that are sought, in order."""
        found = [each.key for each in said.domains if each not in used]
        found += [each.domain for each in said.kinds]
        return list(dict.fromkeys(key for key in found if key in self._places_of))

    def _named(self, said: Utterance, used: Sequence[object]) -> list[str]:
        """Domains of places named for their own sake."""
        alone = len(said.names) == 1
        names = [each for each in said.names if (each.sure or alone) and each not in used]
        return [place[0] for each in names for place in each.places]

    def _places(
        self,
        said: Utterance,
        used: Sequence[object],
        targets: Sequence[str],
        expected: bool,
        session: Session,
    ) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
        """Places named for their own sake, and those of which one was meant."""
        places: list[Place] = []
        doubtful: list[Place] = []
        alone = not (targets or said.values or said.kinds or said.quantities)
        for each in said.names:
            if each in used or not (each.sure or expected or alone):
                continue
            meant = self._meant(each, targets, session)
            if len(meant) == 1:
                places += meant
            else:
                doubtful += meant[:MOST_DOUBTS]
        return tuple(dict.fromkeys(places)), tuple(dict.fromkeys(doubtful))

    def _meant(self, named: Named, targets: Sequence[str], session: Session) -> tuple[Place, ...]:
        """What a name means: of the domains named, of the focus, of the last list, or anything."""
        named_too = tuple(place for place in named.places if place[0] in targets)
        focused = tuple(place for place in named.places if place[0] == session.focus)
        listed = tuple(place for place in named.places if place in session.listed)
        if named_too:
            return named_too
        for few in (focused, listed):
            if len(few) == 1:
                return few
        return named.places
