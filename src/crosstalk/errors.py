"""What can go wrong, in words for the person who has to mend it.

CrosstalkError
├── InputError          something given to us is wrong (exit code 2)
│   ├── FileProblem     a file cannot be opened, unpacked or decoded
│   ├── FetchError      a file cannot be fetched, or is not the one that was published
│   ├── FormatError     a corpus says something its format does not allow
│   ├── UnusableAgent   an agent that no conversation can be held with: a wrong key, no program
│   └── WorldError      a world folder does not hold together
├── OutputError         something could not be written (exit code 2)
├── InfrastructureError a service of somebody else's did not answer (exit code 3; resumable)
│   └── BudgetSpent     the money or the tokens that a run may cost are spent
├── AgentFault          what an agent of somebody's did wrong; it ends a conversation, not a run
└── Rejection           a request of somebody at the website that cannot be met now

Every message says what was given and where; `remedy` says what to do about it.
"""

from dataclasses import dataclass


class CrosstalkError(Exception):
    """Anything we report in words instead of a traceback."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message


class InputError(CrosstalkError):
    """Something given to us is wrong."""


class FileProblem(InputError):
    """A file cannot be opened, unpacked or decoded."""


class FetchError(InputError):
    """A file cannot be fetched, or is not the one that was published."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a corpus something is: as much of it as is known."""

    file: str = ""
    line: int | None = None
    dialogue: str | None = None
    turn: int | None = None
    field: str = ""

    def __str__(self) -> str:
        parts = [self.file] if self.file else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.dialogue is not None:
            parts.append(f"dialogue {self.dialogue}")
        if self.turn is not None:
            parts.append(f"turn {self.turn}")
        if self.field:
            parts.append(self.field)
        return ", ".join(parts)


class FormatError(InputError):
    """A corpus says something its format does not allow."""

    def __init__(self, message: str, *, place: Place | None = None, remedy: str = "") -> None:
        self.place = place or Place()
        where = str(self.place)
        super().__init__(f"{where}: {message}" if where else message, remedy=remedy)


class WorldError(InputError):
    """A world folder does not hold together."""


class UnusableAgent(InputError):
    """An agent refuses every request or cannot be started; raised out of a run, which it stops."""


class OutputError(CrosstalkError):
    """Something could not be written; what stood there before is untouched."""


class InfrastructureError(CrosstalkError):
    """A service did not answer, however often it was asked: nobody's fault in a conversation."""


class BudgetSpent(InfrastructureError):
    """The next request could cost more than is left; no further one is sent."""


class AgentFault(CrosstalkError):
    """What an agent did wrong, in words; it ends the conversation, and a run goes on."""


class Rejection(CrosstalkError):
    """A request that cannot be met; nothing was recorded. Pages translate `code`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
