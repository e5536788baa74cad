"""irssi: one file for all days, with lines that say when the day changed.

--- Log opened Fri Jan 01 00:00:00 2010
12:21 <@ann> hi
12:21  * bob waves
12:22 -!- cat [~cat@host] has joined #help
--- Day changed Sat Jan 02 2010
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT: Final = lines.line_format(
    "irssi",
    "irssi",
    lines.layout(
        rf"(?:{lines.ISO_DAY}[ T])?{lines.CLOCK}\s",
        (LineKind.MESSAGE, lines.SPEECH),
        (LineKind.ACTION, rf"\s?{lines.ACTION}"),
        (LineKind.RENAME, rf"-!- {lines.RENAMED}$"),
        (LineKind.SYSTEM, r"-!- |-[^\s-]\S*- |!\S* |>>>|<<<"),
        days=rf"--- (?:Log (?:opened|closed)|Day changed|\S.*?) {lines.NAMED_DAY}",
        others=r"--- ",
    ),
)
