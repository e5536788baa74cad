"""The objectives by name; here so that asking for them needs no torch."""

from typing import Final

OBJECTIVES: Final = ("mlm", "tlm", "rs-x", "rs-mono", "tod")
