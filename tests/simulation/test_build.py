"""Names become objects, or words about names."""

import pytest

from crosstalk.errors import InputError
from crosstalk.simulation.build import Setup, build
from crosstalk.system.dst.rule_tracker import RuleTracker
from crosstalk.system.dst.search_tracker import SearchTracker
from crosstalk.system.dst.tracker import Tracker


@pytest.mark.parametrize("language", ["zh", "en", "de", "ar", "ru"])
def test_a_setup_builds_in_every_language(language: str) -> None:
    stage = build(Setup("harbour", language, user="rule", policy="rule"))

    assert stage.world.language.code == language


def test_a_policy_brings_the_tracker_it_is_made_for() -> None:
    def tracker(setup: Setup) -> Tracker:
        return build(setup).pipeline.tracker

    assert isinstance(tracker(Setup(policy="rule")), SearchTracker)
    assert isinstance(tracker(Setup(policy="rule", dst="rule")), RuleTracker)


@pytest.mark.parametrize(
    "setup",
    [
        Setup(user="nobody"),
        Setup(policy="nobody"),
        Setup(dst="nobody"),
        Setup(protocol="nobody"),
        Setup(world="nobody"),
        Setup(language="xx"),
    ],
)
def test_an_unknown_name_is_told_with_the_known_ones(setup: Setup) -> None:
    with pytest.raises(InputError) as told:
        build(setup)
    assert told.value.remedy
