"""ZNC's log module: one file a day, such as `network/#help/2010-01-01.log`.

[12:21:07] <ann> hi
[12:21:09] * bob waves
[12:22:00] *** Joins: cat (~cat@host)
[12:22:03] -cat- a notice
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT: Final = lines.line_format(
    "znc",
    "ZNC",
    lines.layout(
        rf"\[{lines.CLOCK}\] ",
        (LineKind.MESSAGE, lines.SPEECH),
        (LineKind.RENAME, rf"\*\*\* {lines.RENAMED}$"),
        (LineKind.SYSTEM, r"\*\*\* |-[^\s-]\S*- "),
        (LineKind.ACTION, rf"(?!\* \S+ \(\S+@\S+\) ){lines.ACTION}"),
    ),
)
