"""Domains, slots, goal types and references of CrossWOZ files, in Chinese and in English.

The released Chinese files name goal types in Chinese and end each tab of the form with
`selectedResults`; CrossWOZ-EN uses the paper's codes and begins each tab with it.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import GoalType, Reference, Value
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind

SELECTED = "selectedResults"
WORLD = "crosswoz"
SUBGOAL = re.compile(r"id=([1-9][0-9]{0,3})")

Names = tuple[str, str]
"""Chinese and English name."""
NEARBY: tuple[tuple[Names, SlotKind], ...] = (
    (("周边景点", "nearby attract."), SlotKind.NEARBY),
    (("周边餐馆", "nearby rest."), SlotKind.NEARBY),
    (("周边酒店", "nearby hotels"), SlotKind.NEARBY),
)
NAME = (("名称", "name"), SlotKind.NAME)
RATING = (("评分", "rating"), SlotKind.RATING)
ENDS = ((("出发地", "from"), SlotKind.ENDPOINT), (("目的地", "to"), SlotKind.ENDPOINT))
FORMS: Mapping[Names, tuple[tuple[Names, SlotKind], ...]] = {
    ("景点", "Attraction"): (
        NAME,
        (("门票", "fee"), SlotKind.NUMBER),
        (("游玩时间", "duration"), SlotKind.DURATION),
        RATING,
        *NEARBY,
    ),
    ("餐馆", "Restaurant"): (
        NAME,
        (("推荐菜", "dishes"), SlotKind.LIST),
        (("人均消费", "cost"), SlotKind.NUMBER),
        RATING,
        *NEARBY,
    ),
    ("酒店", "Hotel"): (
        NAME,
        (("酒店类型", "type"), SlotKind.CATEGORY),
        (("酒店设施", "Hotel Facilities"), SlotKind.SERVICES),
        (("价格", "price"), SlotKind.NUMBER),
        RATING,
        *NEARBY,
    ),
    ("地铁", "Metro"): ENDS,
    ("出租", "Taxi"): ENDS,
}
"""The tabs of the form, field by field."""
TOLD: Mapping[str, tuple[Names, ...]] = {
    "景点": (("地址", "address"), ("电话", "phone"), ("地铁", "metro")),
    "餐馆": (("地址", "address"), ("电话", "phone"), ("营业时间", "open"), ("地铁", "metro")),
    "酒店": (("地址", "address"), ("电话", "phone"), ("地铁", "metro")),
    "地铁": (("出发地附近地铁站", "from station"), ("目的地附近地铁站", "to station")),
    "出租": (("车型", "car type"), ("车牌", "plate number")),
}
"""Slots that can be requested but are not in the form."""
RIDES = {"地铁": DomainKind.METRO, "出租": DomainKind.TAXI}


def _schema(column: int) -> Schema:
    return Schema(tuple(_domain(names, column) for names in FORMS))


def _domain(names: Names, column: int) -> Domain:
    form = [Slot(slot[column], kind, search=True) for slot, kind in FORMS[names]]
    told = [Slot(slot[column], SlotKind.TEXT) for slot in TOLD[names[0]]]
    kind = RIDES.get(names[0], DomainKind.PLACE)
    return Domain(names[column], kind, (*form, *told))


@dataclass(frozen=True, slots=True, eq=False)
class FileSpelling:
    """What differs between the Chinese and the English files."""

    language: str
    types: Mapping[str, GoalType]
    schema: Schema
    selected_first: bool
    source: str
    """The slot of `Select` acts."""
    patterns: Mapping[SlotKind, re.Pattern[str]]
    """How values of the form are spelled; anything else is a mistake of the wizard."""

    def near(self, subgoal: int, domain: str) -> str:
        """The text of a reference: some entity of `domain` near the one of that sub-goal."""
        if self is ENGLISH:
            return f"Appearing in {domain.lower()}s near id={subgoal}"
        return f"出现在id={subgoal}的周边{domain}里"

    def type_name(self, goal_type: GoalType) -> str:
        return next(name for name, each in self.types.items() if each is goal_type)

    def parse(self, value: str, domain: str) -> Value:
        """A reference if the text is exactly as `render` writes it, else the text."""
        found = SUBGOAL.search(value)
        if not found:
            return value
        subgoal = int(found[1])
        if value == found[0]:
            return Reference(subgoal, nearby=False)
        return Reference(subgoal, nearby=True) if value == self.near(subgoal, domain) else value

    def render(self, value: Value, domain: str) -> str | list[str]:
        if isinstance(value, Reference):
            return self.near(value.subgoal, domain) if value.nearby else f"id={value.subgoal}"
        return value if isinstance(value, str) else list(value)


HOURS = r"\d+(\.\d+)?(分钟|小时|天)"
ENGLISH_HOURS = r"\d+(\.\d+)? (minute|hour|day)s?"
CHINESE = FileSpelling(
    language="zh",
    types={
        "单领域": GoalType.S,
        "独立多领域": GoalType.M,
        "独立多领域+交通": GoalType.M_T,
        "不独立多领域": GoalType.CM,
        "不独立多领域+交通": GoalType.CM_T,
    },
    schema=_schema(0),
    selected_first=False,
    source="源领域",
    patterns={
        SlotKind.NUMBER: re.compile(r"\d+元|\d+-\d+元|\d+元以[上下]|不?免费"),
        SlotKind.RATING: re.compile(r"([0-4](\.\d)?|5(\.0)?)分(以上)?"),
        SlotKind.DURATION: re.compile(rf"{HOURS}( - {HOURS})?"),
        SlotKind.CATEGORY: re.compile("经济型|舒适型|高档型|豪华型"),
    },
)
ENGLISH = FileSpelling(
    language="en",
    types={each.value: each for each in GoalType},
    schema=_schema(1),
    selected_first=True,
    source="source domain",
    patterns={
        SlotKind.NUMBER: re.compile(r"\d+ yuan|\d+-\d+ yuan|\d+ yuan or (more|less)|(not )?free"),
        SlotKind.RATING: re.compile(r"([0-4](\.\d)?|5(\.0)?) points?( or above)?"),
        SlotKind.DURATION: re.compile(rf"{ENGLISH_HOURS}(-{ENGLISH_HOURS})?"),
        SlotKind.CATEGORY: re.compile("budget|comfort|high-end|luxury"),
    },
)
TYPES: Mapping[str, GoalType] = {**CHINESE.types, **ENGLISH.types}


def spelling_of(domains: Collection[str]) -> FileSpelling | None:
    """The spelling that has one of these domains; None for dialogues of other worlds."""
    for spelling in (CHINESE, ENGLISH):
        if any(domain.key in domains for domain in spelling.schema):
            return spelling
    return None


def crosswoz_spelling(dialogue: Dialogue) -> FileSpelling | None:
    """The spelling of a CrossWOZ dialogue, from whatever file; None for other worlds."""
    if dialogue.world != WORLD:
        return None
    return next((each for each in (CHINESE, ENGLISH) if each.language == dialogue.language), None)


def crosswoz_schema(dialogue: Dialogue) -> Schema | None:
    spelling = crosswoz_spelling(dialogue)
    return spelling.schema if spelling else None
