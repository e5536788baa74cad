"""Opening hours that cannot be read, or that a translation says otherwise."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.opening_hours import Opening
from crosstalk.problems import Problem
from crosstalk.toml_files import TomlFile
from crosstalk.worlds.moments import Moments
from crosstalk.worlds.table_files import TableFile
from crosstalk.worlds.tables import World

FORM: Final = "Write days and times: Monday to Friday 9:00-17:00, Sat 9:00-12:00 (in its words)."


def check_hours(
    world: World, tables: Sequence[TableFile], base: LanguagePack, translation: TomlFile | None
) -> Iterator[Problem]:
    """Cells of kind `hours` in one language; `translation`: the file of any but the base."""
    own = Moments(world)
    original = Moments(replace(world, language=base))
    for file in tables:
        for slot in file.table.domain.of_kind(SlotKind.HOURS):
            renderings = world.language.values.get(slot.key, {})
            cells = {str(row[slot.key]): line for row, line in file if row.get(slot.key)}
            for cell, line in cells.items():
                openings = original.openings(cell)
                if translation is None and not openings:
                    message = f"{cell!r} says no hours that could be searched"
                    yield Problem(
                        file=file.name,
                        message=message,
                        remedy=FORM,
                        line=line,
                        slot=slot.key,
                        fatal=False,
                    )
                elif translation is not None and cell in renderings:
                    said = own.openings(renderings[cell])
                    if openings is not None and said is not None and _week(said) != _week(openings):
                        message = f"{renderings[cell]!r} is read as other hours than {cell!r}"
                        problem = translation.problem(("values", slot.key), message, FORM)
                        yield replace(problem, fatal=False)


def _week(openings: Sequence[Opening]) -> set[tuple[int, int, int]]:
    return {(day, each.start, each.end) for each in openings for day in each.days}
