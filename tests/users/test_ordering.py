"""The order of lists in user states."""

from crosstalk.users.user_model import ListOrder, learn_order


def test_longer_names_come_first_and_each_once() -> None:
    assert ListOrder().sort(["zoo", "museum", "zoo", "pier"]) == ("museum", "pier", "zoo")


def test_names_of_one_length_keep_the_order_that_was_seen() -> None:
    order = learn_order([("zoo", "bay"), ("bay", "art")])
    assert order.sort(["art", "zoo", "bay"]) == ("zoo", "bay", "art")
    assert order.sort(["inn", "art"]) == ("art", "inn")


def test_lists_that_contradict_each_other_teach_nothing() -> None:
    assert learn_order([("zoo", "bay"), ("bay", "zoo")]) == ListOrder()
