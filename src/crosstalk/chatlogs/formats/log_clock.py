"""The clock of a text log: stamps of hours and minutes become seconds since 1970."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime

LAST_TWELVE_HOUR_DAY = date(2007, 9, 30)
"""The Ubuntu archive's logger wrote hours from 1 to 12, without am and pm, up to about this day."""
SLACK = 5 * 60
"""A step back of at most so many seconds is clock jitter, not the passing of half a day."""
HALF_DAY = 12 * 60 * 60
DAY = 2 * HALF_DAY


class LogClock:
    """Turns stamps into seconds since 1970.

    Time never runs backwards, except where lines name their day themselves.
    """

    def __init__(self, day: date, *, twelve_hours: bool = False) -> None:
        self._midnight = _midnight(day) if day != date.min else 0
        self._twelve = twelve_hours
        self._passed = 0  # half days or days added so far, in seconds
        self._now = 0
        self._steps_back = 0
        self._leaps = 0

    @property
    def now(self) -> int:
        return self._midnight + self._now

    @property
    def day(self) -> date:
        """The day of the last line."""
        return datetime.fromtimestamp(self.now, UTC).date()

    def turn_to(self, day: date) -> None:
        """Set the day that a line names itself; such logs have a 24-hour clock."""
        midnight = _midnight(day)
        if midnight != self._midnight or self._passed or self._twelve:
            self._steps_back += midnight < self._midnight
            self._midnight, self._passed, self._now = midnight, 0, 0
            self._twelve = False

    def problems(self) -> Iterator[str]:
        if self._steps_back:
            yield f"the clock steps back {self._steps_back:,} times"
        if self._leaps:
            yield f"the clock goes back by hours {self._leaps:,} times, taken for a later day"

    def at(self, hours: int, minutes: int, seconds: int = 0) -> int:
        """Return the time of a line with this stamp."""
        if hours > 12 and self._twelve:  # a twelve-hour clock never shows this
            self._twelve = False
            self._passed -= self._passed % DAY
        of_day = 60 * (60 * (hours % 12 if self._twelve else hours) + minutes) + seconds
        time = self._passed + of_day
        if time < self._now:
            time = self._gone_back(time)
        self._now = time
        return self._midnight + time

    def _gone_back(self, time: int) -> int:
        """Keep the time after a small step back; after a larger one add half a day or a day.

        Within a minute there is none: some lines of a log have seconds, others have not.
        """
        if time >= self._now - SLACK:
            self._steps_back += time // 60 < self._now // 60
            return self._now
        step = HALF_DAY if self._twelve else DAY
        self._passed += step
        if time + step - self._now > step // 2:  # more than a night's wrap: cause unknown
            self._leaps += 1
        return max(self._now, time + step)


def shows_twelve_hours(stamps: Iterable[tuple[int, int]]) -> bool:
    """Tell whether hours and minutes come from a twelve-hour clock without am and pm.

    No hour is above 12, and the clock goes back by hours at least once, as from 12:50 to 01:10.
    """
    before, goes_back = 0, False
    for hours, minutes in stamps:
        if hours > 12:
            return False
        now = 60 * (60 * hours + minutes)
        goes_back = goes_back or now < before - SLACK
        before = now
    return goes_back


def _midnight(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
