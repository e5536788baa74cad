"""Whether the goals of a file are about the world they are to be talked about in."""

from pathlib import Path
from typing import NoReturn

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, SlotKind
from crosstalk.errors import FormatError, Place
from crosstalk.evaluation.outcomes import Judge
from crosstalk.goals.files import read_goals
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World


def check_goals(path: Path, world: World) -> None:
    """Refuse a file that names other worlds, languages, domains or slots, before anybody talks."""
    for record in read_goals(path):
        place = Place(str(path), dialogue=record.id)
        if record.world != world.name or record.language != world.language.code:
            raise FormatError(
                f"the goal is about {record.world} in {record.language!r}, not about "
                f"{world.name} in {world.language.code!r}",
                place=place,
                remedy=f"Simulate it with --world {record.world} --language {record.language}.",
            )
        for each in record.goal.tuples:
            _check(each, record.goal.tuples, world.schema, place)


def unsatisfiable(path: Path, world: World) -> list[str]:
    """Ids of goals that the tables cannot meet as they stand, self-contradictory ones included."""
    judge = Judge(Database(world))
    return [record.id for record in read_goals(path) if not judge.is_satisfiable(record.goal)]


def _check(each: SemanticTuple, tuples: Tuples, schema: Schema, place: Place) -> None:
    domain = schema.domain(each.domain)
    if domain is None:
        known = ", ".join(domain.key for domain in schema)
        _refuse(place, f"there is no domain {each.domain!r}", f"The world has {known}.")
    if any(other.domain != each.domain for other in tuples if other.subgoal == each.subgoal):
        _refuse(place, f"sub-goal {each.subgoal} has two domains", "Give each its own sub-goal.")
    if domain.slot(each.slot) is None:
        known = ", ".join(slot.key for slot in domain.slots)
        _refuse(place, f"{domain.key} has no slot {each.slot!r}", f"It has {known}.")
    if isinstance(each.value, Reference):
        _check_reference(each, each.value, domain, tuples, schema, place)


def _check_reference(
    each: SemanticTuple,
    value: Reference,
    domain: Domain,
    tuples: Tuples,
    schema: Schema,
    place: Place,
) -> None:
    slot = domain.slot(each.slot)
    wanted = SlotKind.NAME if value.nearby else SlotKind.ENDPOINT
    if slot is None or slot.kind is not wanted:
        what = "the name of a place near" if value.nearby else "an end of a ride at"
        _refuse(
            place,
            f"{each.domain}.{each.slot} cannot be {what} sub-goal {value.subgoal}",
            f"Only slots of kind `{wanted}` can.",
        )
    source = next((other for other in tuples if other.subgoal == value.subgoal), None)
    found = schema.domain(source.domain) if source else None
    if found is None or found.kind is not DomainKind.PLACE:
        _refuse(
            place,
            f"sub-goal {each.subgoal} refers to sub-goal {value.subgoal}, which is no place",
            "Refer to a sub-goal that finds a place.",
        )


def _refuse(place: Place, message: str, remedy: str) -> NoReturn:
    raise FormatError(message, place=place, remedy=remedy)
