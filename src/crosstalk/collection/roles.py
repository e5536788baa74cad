"""The two chairs of a room."""

from enum import StrEnum

from crosstalk.dialogue.dialogues import Speaker


class Role(StrEnum):
    """Who somebody is in a dialogue."""

    USER = "user"
    """Has a goal."""
    WIZARD = "wizard"
    """Has the database, and speaks as the system."""

    @property
    def other(self) -> "Role":
        return Role.WIZARD if self is Role.USER else Role.USER

    @property
    def speaker(self) -> Speaker:
        return Speaker.USER if self is Role.USER else Speaker.SYSTEM


def role_of(speaker: Speaker) -> Role:
    return Role.USER if speaker is Speaker.USER else Role.WIZARD
