"""Times of lines that carry only hours and minutes.

IRC logs before October 2007 use a twelve-hour clock without am and pm: read naively, every
afternoon is a morning and time runs backwards once a day.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime

LAST_TWELVE_HOUR_DAY = date(2007, 9, 30)
SLACK = 5
"""Minutes a clock may step back without meaning that half a day or a day has passed."""
HALF_DAY = 12 * 60
DAY = 24 * 60


class LogClock:
    """Hours and minutes in, seconds since 1970 out; runs backwards only where days are named."""

    def __init__(self, day: date) -> None:
        self._midnight = _midnight(day) if day != date.min else 0
        self._twelve = day <= LAST_TWELVE_HOUR_DAY
        self._passed = 0  # half days or days added so far, in minutes
        self._now = 0
        self._steps_back = 0
        self._leaps = 0

    @property
    def now(self) -> int:
        return self._midnight + 60 * self._now

    def turn_to(self, day: date) -> None:
        """The day that lines name themselves from now on; such logs have a 24-hour clock."""
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

    def at(self, hours: int, minutes: int) -> int:
        """The time of a line stamped so."""
        if hours > 12 and self._twelve:  # a twelve-hour clock never shows this
            self._twelve = False
            self._passed -= self._passed % DAY
        time = self._passed + 60 * (hours % 12 if self._twelve else hours) + minutes
        if time < self._now:
            time = self._gone_back(time)
        self._now = time
        return self._midnight + 60 * time

    def _gone_back(self, time: int) -> int:
        """A little: the clock stands still; by more: half a day or a day has passed."""
        if time >= self._now - SLACK:
            self._steps_back += 1
            return self._now
        step = HALF_DAY if self._twelve else DAY
        self._passed += step
        if time + step - self._now > step // 2:  # more than a night's wrap: who knows what it was
            self._leaps += 1
        return max(self._now, time + step)


def _midnight(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
