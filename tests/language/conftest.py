"""The world that finders are tried on."""

import pytest

from crosstalk.database.tables import World
from crosstalk.database.worlds import load_world


@pytest.fixture(scope="session")
def harbour() -> World:
    return load_world("harbour", language="en")
