"""How a server that runs for days gives memory back to the system: `give_back_memory()`.

The C library keeps what threads have freed in up to eight arenas a core, and what it has once given
back as one block it keeps the next time: after many hashed passwords (19 MiB each) and exports that
were some hundred megabytes.
"""

import ctypes
import sys
from typing import Final

ARENAS: Final = (-8, 2)
"""M_ARENA_MAX: all threads share two."""
OWN_BLOCK: Final = (-3, 128 * 1024)
"""M_MMAP_THRESHOLD, in bytes: larger blocks are given back as soon as they are freed. Unless it is
set, it grows with every such block."""
MOST_FREE: Final = (-1, 1024 * 1024)
"""M_TRIM_THRESHOLD, in bytes: more at the end of an arena is given back."""


def give_back_memory() -> bool:
    """Set the C library's allocator; False where it is not glibc's, and nothing is set."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is None:
        return False
    return all(set_option(*option) == 1 for option in (ARENAS, OWN_BLOCK, MOST_FREE))
