"""The world that finders are tried on."""

import pytest

from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world


@pytest.fixture(scope="session")
def harbour() -> World:
    return load_world("harbour", language="en")
