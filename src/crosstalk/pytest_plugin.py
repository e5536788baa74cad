"""A pytest plugin: judge an agent inside a test.

    @pytest.mark.crosstalk(world="harbour", language="en", goals=20, seed=3)
    def test_my_agent(crosstalk_judge):
        scores = crosstalk_judge("python:my_agent.py:make_agent")
        assert scores.success >= 90

Installed with the package (entry point `pytest11`). Nothing heavy is imported until a test asks.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from crosstalk.evaluation.agent_scores import AgentScores

MARKER = "crosstalk(world, language, goals, trials, seed, perturbation, max_turns): how to judge"
DEFAULTS: dict[str, Any] = {
    "world": "harbour",
    "language": None,
    "goals": 10,
    "trials": 1,
    "seed": 0,
    "perturbation": "",
    "max_turns": 15,
    "timeout": 60.0,
    "concurrency": 1,
}


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def crosstalk_judge(request: pytest.FixtureRequest, tmp_path: Path) -> "Callable[..., AgentScores]":
    """Judges an agent by the options of the marker; the result reaches JUnit as properties."""
    marker = request.node.get_closest_marker("crosstalk")
    given = dict(marker.kwargs) if marker else {}
    unknown = sorted(set(given) - set(DEFAULTS))
    if unknown:
        raise pytest.UsageError(
            f"the marker crosstalk takes {', '.join(DEFAULTS)}, not {', '.join(unknown)}"
        )

    def judge(agent: str, **changes: Any) -> "AgentScores":
        options = {**DEFAULTS, **given, **changes}
        scores = _judged(agent, options, tmp_path / f"run{len(list(tmp_path.iterdir()))}")
        record = scores.record()
        for key in ("success", "pass", "blame", "undecided"):
            request.node.user_properties.append((f"crosstalk_{key}", str(record[key])))
        _show(request.node, scores)
        return scores

    return judge


def _judged(agent: str, options: dict[str, Any], out: Path) -> "AgentScores":
    import crosstalk

    return crosstalk.judge_agent(agent, out=out, **options)


def _show(item: pytest.Item, scores: "AgentScores") -> None:
    """What went wrong, printed by pytest where the test fails."""
    from crosstalk.evaluation.agent_scores import failures
    from crosstalk.reports.agent_report import agent_lines, result, why

    lines = [*agent_lines(scores)]
    lines += [
        f"{each.trial.id}: {result(each.outcome)}, {each.outcome.blame}: {why(each.outcome)}"
        for each in failures(scores)[:20]
    ]
    item.add_report_section("call", "crosstalk", "\n".join(lines))
