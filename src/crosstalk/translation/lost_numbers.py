"""Numbers, times and reference codes of the source that a translation has lost."""

from crosstalk.language.figures import Figures, read_figures
from crosstalk.language.writing import writing_of


def lost_figures(utterance: str, translation: str, source: str, target: str) -> list[str]:
    """As the source has them; what it writes in words may be written otherwise or left out."""
    before = read_figures(utterance, writing_of(source))
    after = read_figures(translation, writing_of(target))
    lost = sorted(before.codes - after.codes)
    lost += [_clock(time) for time in before.times if not time & _minutes(after)]
    lost += sorted(before.numbers - after.all_numbers - after.implied - _whole_hours(after))
    return lost


def _minutes(figures: Figures) -> frozenset[int]:
    """Times, and numbers that may be full hours: `at 3 o'clock` is `um drei`."""
    hours = {int(number) for number in figures.all_numbers if number.isdecimal()}
    full = {hour % 24 * 60 for hour in hours if hour <= 24}
    return figures.minutes | full | {(each + 720) % 1440 for each in full}


def _whole_hours(figures: Figures) -> frozenset[str]:
    return frozenset(str(minute // 60) for minute in figures.minutes if not minute % 60)


def _clock(time: frozenset[int]) -> str:
    return " / ".join(f"{minute // 60}:{minute % 60:02}" for minute in sorted(time))
