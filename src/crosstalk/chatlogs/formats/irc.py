"""IRC logs of any other program: a time, then `<name> text`.

2010-01-01T12:21:07  <ann> hi          Supybot, Limnoria
[12:21] ann (~ann@host) joined #help.   Eggdrop
"""

from typing import Final

from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT: Final = lines.line_format(
    "irc",
    "IRC logs of other programs",
    lines.layout(
        rf"[\[(]?(?:{lines.ISO_DAY}(?:[ T_]|\] ?\[))?"
        rf"{lines.CLOCK}{lines.HALF}{lines.ZONE}[\])]?\s+",
        (LineKind.MESSAGE, lines.SPEECH),
        (LineKind.RENAME, rf"(?:-!-|\*{{1,3}}|Nick change:) {lines.RENAMED}$"),
        (LineKind.ACTION, rf"(?:Action: |\*\s+){lines.MODE}(?P<name>[^\s*:]+) (?P<text>\S.*)$"),
        (
            LineKind.SYSTEM,
            r"-!- |\*\*\* |-->|<--|-[^\s-]\S*- |\S+ \(\S*@\S*\) (?:joined|left|quit)",
        ),
        days=rf"(?:\[\d\d:\d\d\] )?--- \S.*?{lines.NAMED_DAY}",
        others=r"---|\*{3,4} ",
    ),
)
