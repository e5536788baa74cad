"""Days as they would read in a channel where nobody is spoken to by name."""

from dataclasses import replace

from crosstalk.chatlogs.annotated import Annotated
from crosstalk.chatlogs.linking.lines import LineReader


def without_addresses(day: Annotated) -> Annotated:
    """The same lines and links without the names at their heads; a line of one word keeps it."""
    lines = LineReader().read(day.messages, 0)
    named = set(lines.orders[lines.targets[:, 0] >= 0].tolist())
    return replace(
        day,
        messages=tuple(
            message._replace(text=message.text.partition(" ")[2].lstrip() or message.text)
            if order in named
            else message
            for order, message in enumerate(day.messages)
        ),
    )
