"""Blocks that are freed go back to the system, also after larger ones."""

import platform
import subprocess
import sys

import pytest

HASHED = """
import re, sys
from pathlib import Path
from crosstalk.web.memory import give_back_memory

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

if "give" in sys.argv:
    give_back_memory()
bytes(30 << 20)             # from now on, glibc keeps what is smaller
before = resident()
block = b"x" * (24 << 20)
pin = b"x" * 2000
del block
print(resident() - before)
"""


def kept(*words: str) -> int:
    """Megabytes that stay after a block of 24 was freed."""
    done = subprocess.run(
        [sys.executable, "-c", HASHED, *words], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these options")
def test_large_blocks_are_given_back() -> None:
    assert kept() > 20
    assert kept("give") < 3
