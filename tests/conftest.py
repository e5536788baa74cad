"""What several tests share."""

import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("any machine", deadline=None)
hypothesis.settings.load_profile("any machine")  # how long an example takes says nothing


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real corpora; tests that need it say so when they skip."""
    folder = os.environ.get("CROSSTALK_DATA")
    if not folder:
        pytest.skip("real data: set CROSSTALK_DATA to a folder with the corpora")
    return Path(folder)
