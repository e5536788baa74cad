"""Search by looking at every row: slow, plainly right, and what the indexes are tested against."""

from crosstalk.worlds.conditions import ConditionReader, Constraints
from crosstalk.worlds.queries import decisive, name_key
from crosstalk.worlds.tables import Row, World


class Scan:
    """Answers about places as `Database` does."""

    def __init__(self, world: World, *, conjunctive: bool = False) -> None:
        self.world = world
        self._conjunctive = conjunctive
        self._reader = ConditionReader(world)

    def search(self, domain: str, constraints: Constraints) -> tuple[Row, ...]:
        table = self.world.tables[domain]
        if not self._conjunctive:
            name = name_key(table.domain)
            constraints = decisive(name, constraints, {str(row.get(name)) for row in table})
        conditions = list(self._reader.read_all(table.domain, constraints))
        return tuple(
            row for row in table if all(each.holds(row.get(slot)) for slot, each in conditions)
        )
