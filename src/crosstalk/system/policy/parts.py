"""The policies by name: what builds each, and what it needs (`docs/parts.md`)."""

from typing import Final

from crosstalk.errors import InputError
from crosstalk.model_folders import find_model
from crosstalk.system import part_models as models
from crosstalk.system.parts import Kind, Part, PartContext
from crosstalk.system.policy.policy import Policy


def _rule_policy(context: PartContext) -> Policy:
    from crosstalk.system.policy.rule_policy import RulePolicy

    return RulePolicy(context.database)


def _sl_policy(context: PartContext) -> Policy:
    from crosstalk.system.policy.sl_policy import SLPolicy

    folder = find_model(models.SL, context.models)
    return SLPolicy.load(folder, context.world, protocol=context.protocol)


def _sl_fits(context: PartContext) -> bool:
    """It was trained for the acts of one world."""
    try:
        _sl_policy(context)
    except InputError:
        return False
    return True


def _tree_policy(context: PartContext) -> Policy:
    from crosstalk.system.policy.tree_policy import TreePolicy

    folder = find_model(models.POLICY, context.models)
    return TreePolicy.load(folder, context.database, always_answers=True)


POLICY: Final = Kind(
    "policy",
    "policy",
    {
        "rule": Part(_rule_policy),
        "sl": Part(_sl_policy, lambda context: (models.SL,), fits=_sl_fits),
        "trees": Part(_tree_policy, lambda context: (models.POLICY,)),
    },
    best=("rule",),
)

PUBLISHED_TRACKERS: Final = {"sl": "rule"}
"""Policy -> the tracker it was published with, where that is not the best one."""
