"""What several tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real corpora; tests that need it say so when they skip."""
    folder = os.environ.get("CROSSTALK_DATA")
    if not folder:
        pytest.skip("real data: set CROSSTALK_DATA to a folder with the corpora")
    return Path(folder)
