from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.goals.website_export import to_website


def test_the_import_format_of_the_published_website() -> None:
    goal = (
        SemanticTuple(1, "餐馆", "推荐菜", ("烤鸭",)),
        SemanticTuple(1, "餐馆", "名称", ""),
        SemanticTuple(1, "餐馆", "周边景点", ()),
        SemanticTuple(2, "景点", "名称", Reference(1, nearby=True)),
        SemanticTuple(2, "景点", "电话", ""),
        SemanticTuple(3, "出租", "出发地", Reference(1, nearby=False)),
        SemanticTuple(3, "出租", "目的地", Reference(2, nearby=False)),
        SemanticTuple(3, "出租", "车型", ""),
    )
    assert to_website(goal) == [
        {
            "领域": "餐馆",
            "id": 1,
            "约束条件": [["推荐菜", ["烤鸭"]]],
            "需求信息": [["名称", ""], ["周边景点", []]],
            "生成方式": "单领域生成",
        },
        {
            "领域": "景点",
            "id": 2,
            "约束条件": [["名称", "出现在id=1的周边景点里"]],
            "需求信息": [["电话", ""]],
            "生成方式": "id=1的周边景点",
        },
        {
            "领域": "出租",
            "id": 3,
            "约束条件": [["出发地", "id=1"], ["目的地", "id=2"]],
            "需求信息": [["车型", ""]],
            "生成方式": "不同领域",
        },
    ]
