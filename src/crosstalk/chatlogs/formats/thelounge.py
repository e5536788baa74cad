"""The Lounge's text logs: whole times, in UTC.

[2020-01-01T12:21:07.123Z] <@ann> hi
[2020-01-01T12:21:09.456Z] * bob waves
[2020-01-01T12:22:00.789Z] *** cat (~cat@host) joined
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT: Final = lines.line_format(
    "thelounge",
    "The Lounge",
    lines.layout(
        rf"\[{lines.ISO_DAY}[T ]{lines.CLOCK}Z?\] ",
        (LineKind.MESSAGE, lines.SPEECH),
        (LineKind.RENAME, rf"\*\*\* {lines.RENAMED}$"),
        (LineKind.SYSTEM, r"\*\*\* |-[^\s-]\S*- "),
        (LineKind.ACTION, lines.ACTION),
    ),
)
