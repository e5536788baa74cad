"""Lines of a text too large for memory: they lie in a file without a name, 8 bytes a line stay.

The file is in the folder for temporary files (`TMPDIR`) and goes with the process.
"""

import mmap
from array import array
from collections.abc import Iterable, Sequence
from tempfile import TemporaryFile
from typing import overload


class LinesOnDisk(Sequence[str]):
    """The lines of a text, read from the disk as they are asked for."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._ends = array("Q", [0])
        with TemporaryFile() as file:
            size = 0
            for line in lines:
                size += file.write(line.encode("utf-8", "surrogatepass"))
                self._ends.append(size)
            file.flush()
            # an empty file cannot be mapped
            self._text = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        return self._text[self._ends[place] : self._ends[place + 1]].decode(
            "utf-8", "surrogatepass"
        )
