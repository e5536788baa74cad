"""The prompts of language models that play the agent or the user of a world, in its language.

The texts are data: `language/data/<code>/agent.toml`; languages without one get the English text,
which asks for answers in the user's language.
"""

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import crosstalk
from crosstalk.worlds.tables import World

_DATA = Path(crosstalk.__file__).parent / "language" / "data"
FILE = "agent.toml"


def agent_prompt(world: World, *, actions: bool = False) -> str:
    """Who the agent is, what it may look up, and what it must not do.

    `actions`: it can also do something, and gets the policy of the world.
    """
    pack = world.language
    domains = ", ".join(pack.domain_name(domain.key) for domain in world.schema)
    text = _texts(pack.code)["prompt"]
    told = text.format(world=world.name, domains=domains, language=pack.name).strip()
    return f"{told}\n\n{world.policy}" if actions and world.policy else told


def user_prompt(world: World, description: Sequence[str]) -> str:
    """Who the user is and what it wants, from the sentences of a goal's description."""
    pack = world.language
    text = _texts(pack.code)["user"]
    goal = "\n".join(description)
    return text.format(world=world.name, goal=goal, language=pack.name).strip()


def fixed_words(code: str, key: str) -> str:
    """`opening`, `failed` or `goodbye`: what is said in place of an agent."""
    return _texts(code)[key]


@lru_cache(maxsize=32)
def _texts(code: str) -> dict[str, str]:
    file = _DATA / code / FILE
    if not file.exists():
        file = _DATA / "en" / FILE
    return tomllib.loads(file.read_text(encoding="utf-8"))
