"""HexChat and XChat: the day and month on each line, the year where logging begins.

**** BEGIN LOGGING AT Fri Jan  1 12:00:00 2010
Jan 01 12:21:07 <ann>	hi
Jan 01 12:21:09 *	bob waves
Jan 01 12:22:00 *	cat (~cat@host) has joined #help
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

HAPPENED: Final = (
    r"\*\t?\s*(?:(?:Now talking|Topic|You|Disconnected|Connected|Looking|Ping|Received|[#&]\S+|"
    r"Channel|Nickname|Cannot|Unknown|Users)\b|\S+ (?:\(.*?\) |\[.*?\] )?"
    r"(?:has (?:joined|left|quit|kicked|changed|set|banned)|sets? (?:mode|ban)|gives? |removes? |"
    r"was kicked|is now known as))"
)
"""What starts like an action, and is none."""
FORMAT: Final = lines.line_format(
    "hexchat",
    "HexChat, XChat",
    lines.layout(
        rf"(?P<month>[^\W\d]{{3,5}})\.? +(?P<day>\d\d?) {lines.CLOCK}\s+",
        (LineKind.MESSAGE, rf"<{lines.NICK}>\s?(?P<text>.*)$"),
        (LineKind.RENAME, rf"\*\s+{lines.RENAMED}$"),
        (LineKind.SYSTEM, HAPPENED),
        (LineKind.ACTION, rf"\*\s+{lines.MODE}(?P<name>\S+)\s(?P<text>\S.*)$"),
        (LineKind.SYSTEM, r"\*|-\S+-|-+\s|>\S+<"),
        days=rf"\*{{4}} .*? {lines.NAMED_DAY}",
        others=r"\*{4} ",
    ),
)
