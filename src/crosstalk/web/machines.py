"""Machine partners: whoever can answer in a room in place of a person."""

from typing import Protocol

from crosstalk.collection.refusals import Refusal
from crosstalk.collection.roles import Role
from crosstalk.collection.rooms import Room
from crosstalk.conversation.participants import Reply


class Machines(Protocol):
    """Sits in either chair. Keeps nothing between calls: what happened so far is in the room."""

    def can_play(self, role: Role) -> bool: ...

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        """The next turn of that chair; called in a thread of its own."""
        ...


class NoMachines:
    """A site for people only."""

    def can_play(self, role: Role) -> bool:
        return False

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        raise Refusal("no_machine", "this site has no machine partners")
