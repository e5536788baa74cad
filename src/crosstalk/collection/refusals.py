"""What somebody may not do now: a code for pages to translate, words for everybody else."""

from dataclasses import dataclass

from crosstalk.errors import CrosstalkError


@dataclass(frozen=True, slots=True)
class Hint:
    """Something that looks wrong with a turn; the person decides."""

    code: str
    message: str
    value: str = ""
    cell: int | None = None


class Refusal(CrosstalkError):
    """A wish that leads to no event. Nothing was recorded."""

    def __init__(self, code: str, message: str, *, hints: tuple[Hint, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.hints = hints
