"""Times, dates, days and opening hours as people write them, read in a world's language.

moments = Moments(load_world("harbour"))
moments.read(Slot("leave", SlotKind.TIME), "5:45 pm")   ->  "17:45"
moments.wish("Monday 9:00")                                                    ->  "mon 9:00"
"""

from collections.abc import Sequence
from datetime import date
from functools import cached_property

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.language.normalize import comparable
from crosstalk.language.opening_hours import Opening, OpeningHours
from crosstalk.language.phrases import load_phrases, speaks
from crosstalk.language.times import DAYS, times_of
from crosstalk.language.writing import writing_of
from crosstalk.worlds.cells import CellError, read_cell
from crosstalk.worlds.tables import World


def wish_of(date_or_day: str, times: Sequence[str] = ()) -> str:
    """A wish about opening hours from a date or a day of the week, and a time: `wed 19:00`."""
    try:
        day = DAYS[date.fromisoformat(date_or_day).weekday()]
    except ValueError:
        day = date_or_day
    return " ".join((day, *times))


class Moments:
    """Reads what one language says about time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._pack: LanguagePack = world.language

    def read(self, slot: Slot, text: str) -> str | None:
        """A time, a date or a day as tables write it; None where the text says none."""
        try:
            cell = read_cell(slot, text.strip())
        except CellError:
            return self._time(text) if slot.kind is SlotKind.TIME else None
        if slot.kind is SlotKind.DAY:
            return self.day(text)
        return cell if isinstance(cell, str) else None

    def day(self, text: str) -> str | None:
        """A day of the week in the language's words."""
        wanted = text.strip().lower()
        for key, name in zip(DAYS, self._pack.days, strict=False):
            if wanted in (key, name.lower()):
                return name
        return None

    def _time(self, text: str) -> str | None:
        reader = times_of(writing_of(self._pack.code), loose=True)
        found = reader.find(comparable(text))
        if not found:
            return None
        minutes = found[0].written
        return f"{minutes // 60:02}:{minutes % 60:02}"

    def wish(self, text: str) -> str:
        """A wish about opening hours with its day as `OpeningHours` knows it."""
        wanted = text.strip().lower()
        for key, name in zip(DAYS, self._pack.days, strict=False):
            if wanted.startswith(name.lower()):
                return f"{key} {wanted[len(name) :].strip()}".strip()
        return wanted

    def openings(self, hours: str) -> tuple[Opening, ...] | None:
        """The openings that a cell says; None where the language has no words for days."""
        return self._hours.read(hours) if self._hours else None

    def is_open(self, hours: str, wish: str) -> bool | None:
        """Whether opening hours meet a wish; None where the language has no words for days."""
        return self._hours.meets(hours, self.wish(wish)) if self._hours else None

    @cached_property
    def _hours(self) -> OpeningHours | None:
        world, pack = self._world, self._pack
        spoken = world.folder is not None and speaks(world.folder, pack.code)
        book = load_phrases(world.folder, pack, world.schema) if world.folder and spoken else None
        return OpeningHours(book, pack.days, language=pack.code) if book or pack.days else None
