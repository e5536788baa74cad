"""Dates and times as programs write them: months by name, and halves of the day."""

from functools import cache
from typing import Final

MONTHS: Final = (
    *("jan jän gen ene янв", "feb fév fev фев", "mar mär mrt мар", "apr avr abr апр"),
    *("may mai maj mei mag май мая", "jun juin giu июн", "jul juil lug июл", "aug aoû ago авг"),
    *("sep set сен", "oct okt ott out окт", "nov ноя", "dec dez déc dic дек"),
)
"""The beginnings of the twelve months' names, in the languages in which C's library writes them."""
MORNING: Final = ("am", "上午", "早上", "凌晨", "清晨", "午前", "오전", "ص", "पूर्वाह्न", "पू")
AFTERNOON: Final = ("pm", "下午", "晚上", "中午", "傍晚", "午後", "오후", "م", "अपराह्न", "अ")
HALVES: Final = (*MORNING, *AFTERNOON, "a.m.", "p.m.", "a. m.", "p. m.", "a.m", "p.m")


@cache
def month_number(name: str) -> int:
    """Return the number of a month by name or number; 0 if it is none."""
    name = name.rstrip("月")
    if name.isdecimal():
        return int(name) if 1 <= int(name) <= 12 else 0
    folded = name.casefold()
    for number, starts in enumerate(MONTHS, 1):
        if folded.startswith(tuple(starts.split())):
            return number
    return 0


@cache
def of_twenty_four(hour: int, half: str) -> int:
    """Return the hour from 0 to 23; `half` is what stands for am or pm, empty without."""
    half = half.casefold().replace(".", "").replace(" ", "")
    if not half:
        return hour
    return hour % 12 + 12 * (half in AFTERNOON)
