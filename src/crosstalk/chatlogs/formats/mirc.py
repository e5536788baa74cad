"""mIRC: one file for many sessions; stamps are hours and minutes, if they are on at all.

Session Start: Fri Jan 01 12:00:00 2010
Session Ident: #help
[12:21] <@ann> hi
[12:21] * bob waves
[12:22] * cat (~cat@host) has joined #help
Session Time: Sat Jan 02 00:00:00 2010
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT: Final = lines.line_format(
    "mirc",
    "mIRC",
    lines.layout(
        rf"[\[(]?(?:{lines.ISO_DAY}[ T])?{lines.CLOCK}{lines.HALF}[\])]? ",
        (LineKind.MESSAGE, lines.SPEECH),
        (LineKind.RENAME, rf"\* {lines.RENAMED}$"),
        (
            LineKind.SYSTEM,
            r"\* (?:(?:Joins|Parts|Quits|Topic|Disconnected|Rejoined|Attempting|Now talking|Set by|"
            r"Retrieving)\b|\S+ (?:\(.*?\) )?(?:(?:has )?(?:joined|left|quit|Quit)\b|sets mode|"
            r"changes topic|was kicked))|-[^\s-]\S*- |\* \* |\* Closing",
        ),
        (LineKind.ACTION, lines.ACTION),
        days=rf"Session (?:Start|Time|Close): {lines.NAMED_DAY}",
        others=r"Session \w+:",
    ),
)
