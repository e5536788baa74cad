"""Crosstalk: task-oriented dialogue across domains and across languages.

The library: worlds, corpora, goals, systems, simulation and judgement, imported when first used.

    import crosstalk

    system = crosstalk.build_system("harbour", language="en")
    run = crosstalk.simulate(system=system, goals=5, seed=1)
    print(crosstalk.judge(run).success)
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "AgentRunOptions",
    "RunOptions",
    "build_system",
    "check_world",
    "compare",
    "evaluate",
    "judge",
    "judge_agent",
    "load_world",
    "read_corpus",
    "sample_goals",
    "simulate",
    "train",
]

if TYPE_CHECKING:
    from crosstalk.library import AgentRunOptions as AgentRunOptions
    from crosstalk.library import RunOptions as RunOptions
    from crosstalk.library import build_system as build_system
    from crosstalk.library import check_world as check_world
    from crosstalk.library import compare as compare
    from crosstalk.library import evaluate as evaluate
    from crosstalk.library import judge as judge
    from crosstalk.library import judge_agent as judge_agent
    from crosstalk.library import load_world as load_world
    from crosstalk.library import read_corpus as read_corpus
    from crosstalk.library import sample_goals as sample_goals
    from crosstalk.library import simulate as simulate
    from crosstalk.library import train as train


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'crosstalk' has no attribute {name!r}")
    from crosstalk import library

    return getattr(library, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
