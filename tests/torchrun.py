"""Two processes that train one network, as `torchrun` starts them."""

import shutil
import subprocess
import sys
from pathlib import Path

COMMAND = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
ABORTED = "terminate called without an active exception"
"""What is said where a thread of torch's gloo outlives a process that has done all its work: seen
on a busy machine in 2 of some 13 runs under pytest, in none of 70 outside (torch 2.13)."""


def torchrun(*words: str, out: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The finished run; torch's abort at the very end is tried again, without what is in `out`."""
    for _ in range(4):
        command = [sys.executable, *COMMAND, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if ABORTED not in done.stderr:
            break
        if out is not None:
            shutil.rmtree(out, ignore_errors=True)
    return done
