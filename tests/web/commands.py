"""The command that collects, as a process of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CROSSTALK = [sys.executable, "-m", "crosstalk"]


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The running command, its address and the administrator's link."""
    command = [*CROSSTALK, "collect", "--port", "0", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        address = re.search(r"http://\S+", process.stdout.readline())
        link = re.search(r"http://\S+/enter/\S+", process.stdout.readline())
        assert address and link
        yield process, address[0].rstrip("/"), link[0]
    finally:
        process.terminate()
        process.communicate(timeout=60)
