"""One thread for each process: libraries that start as many as there are processors mostly wait."""

import os

LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")


def one_thread_each() -> None:
    """Before numpy and polars are imported, as they ask only then; worker processes inherit it.

    Whoever has set a limit keeps it.
    """
    for limit in LIMITS:
        os.environ.setdefault(limit, "1")
