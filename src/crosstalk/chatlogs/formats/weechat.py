"""WeeChat: three columns, divided by tabs; the second is the name, or a sign for what happened.

2010-01-01 12:21:07	@ann	hi
2010-01-01 12:21:09	 *	bob waves
2010-01-01 12:22:00	-->	cat (~cat@host) has joined #help
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT: Final = lines.line_format(
    "weechat",
    "WeeChat",
    lines.layout(
        rf"{lines.ISO_DAY} {lines.CLOCK}\t",
        (LineKind.RENAME, rf" ?--\t{lines.RENAMED}$"),
        (LineKind.ACTION, rf" ?\*\t{lines.MODE}(?P<name>\S+)(?: (?P<text>.*))?$"),
        (LineKind.SYSTEM, r" ?(?:-->|<--|--|=!=|\*\*\*|-\S+-)?\t"),
        (LineKind.MESSAGE, rf"<?{lines.MODE}(?P<name>[^\t<>\s]+)>?\t(?P<text>.*)$"),
    ),
)
