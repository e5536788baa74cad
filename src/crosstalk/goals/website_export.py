"""Goals in the import format of the published CrossWOZ website: one object per sub-goal.

The field names are the website's; domains, slots and values stay as the goal has them.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crosstalk.corpora.crosswoz_schema import CHINESE
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, subgoals
from crosstalk.errors import InputError
from crosstalk.files import writing
from crosstalk.goals.goal_files import StoredGoal

DOMAIN = "领域"
CONSTRAINTS = "约束条件"
REQUESTS = "需求信息"
ORIGIN = "生成方式"
INDEPENDENT = "单领域生成"
SAME_DOMAIN = "同领域"
OTHER_DOMAIN = "不同领域"


def to_website(tuples: Tuples) -> list[dict[str, Any]]:
    """The sub-goals of a goal, each with the way it was generated."""
    _refuse_exclusions(tuples)
    domains = {number: group[0].domain for number, group in subgoals(tuples)}
    return [
        {
            DOMAIN: domains[number],
            "id": number,
            CONSTRAINTS: [_pair(each) for each in group if not each.is_open],
            REQUESTS: [_pair(each) for each in group if each.is_open],
            ORIGIN: _origin(group, domains),
        }
        for number, group in subgoals(tuples)
    ]


def write_website(records: Iterable[StoredGoal], path: Path) -> int:
    """Write goals as one JSON object, goal id -> sub-goals; return their number."""
    goals = {record.id: to_website(record.goal.tuples) for record in records}
    with writing(path) as file:
        json.dump(goals, file, ensure_ascii=False, indent=2)
    return len(goals)


def _refuse_exclusions(tuples: Tuples) -> None:
    found = next((each for each in tuples if each.is_exclusion), None)
    if found is not None:
        raise InputError(
            f"the website cannot show what a goal excludes: {found.domain}.{found.slot} of "
            f"sub-goal {found.subgoal}",
            remedy="Sample the goals without --exclusions.",
        )


def _pair(each: SemanticTuple) -> list[Any]:
    return [each.slot, CHINESE.render(each.value, each.domain)]


def _origin(group: Tuples, domains: dict[int, str]) -> str:
    match [each.value for each in group if isinstance(each.value, Reference)]:
        case [Reference(subgoal=source, nearby=True)]:
            return f"id={source}的周边{group[0].domain}"
        case [Reference(subgoal=start), Reference(subgoal=end)]:
            return SAME_DOMAIN if domains[start] == domains[end] else OTHER_DOMAIN
    return INDEPENDENT
