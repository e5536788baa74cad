"""Which names a wizard typed in earlier turns of the same dialogue, and which were in sight.

A place near the top of the results can be ticked there; one far down has to be searched for by its
name. How far down is far differs from wizard to wizard, hence the places are kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Domain
from crosstalk.dialogue.states import SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.habits import naming
from crosstalk.system.dst.results import place_of
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class Naming:
    """One exchange about an entity that was known and not in the form."""

    typed: bool
    place: int
    """Where it stood among the results of the form before, as `place_of` counts."""


def naming_features(database: Database, history: tuple[Turn, ...]) -> Features:
    """What the earlier exchanges of a dialogue show; -1 where they show nothing."""
    seen = list(_namings(database, history))
    typed = [each.place for each in seen if each.typed]
    skipped = [each.place for each in seen if not each.typed]
    return {
        "last name typed": int(seen[-1].typed) if seen else -1,
        "last name's place": seen[-1].place if seen else -1,
        "first place typed": min(typed, default=-1),
        "last place skipped": max(skipped, default=-1),
    }


def _namings(database: Database, history: tuple[Turn, ...]) -> Iterator[Naming]:
    world = database.world
    discourse = Discourse(world.schema, world.language.yes)
    for user, system in zip(history[0::2], history[1::2], strict=False):
        heard = UserActs(user, world.schema, world.language.yes)
        if discourse.form and system.first_query:
            for domain in world.schema.places:
                yield from _naming(database, discourse, heard, domain, system.first_query)
        discourse.add(user, system)


def _naming(
    database: Database, discourse: Discourse, heard: UserActs, domain: Domain, typed: SystemState
) -> Iterator[Naming]:
    assert discourse.form is not None
    slot = discourse.names.get(domain.key, "")
    said = heard.informed.get((domain.key, slot), [])
    name = said[0] if said else discourse.last.get(domain.key, "")
    if (
        naming(discourse, heard, domain.key, typed)
        and discourse.form.get(domain.key).get(slot) != name
    ):
        place = place_of(database, domain, discourse.form, name)
        yield Naming(typed.get(domain.key).get(slot) == name, place)
