from crosstalk.system.nlg.template_bank import ALL, Hole, is_sound, parse, with_open_list

DISHES = "Inform+restaurant+dishes"
NAME = "Inform+restaurant+name"


def test_values_fill_holes() -> None:
    template = parse(f"[{NAME}] has [{DISHES}2] and [{DISHES}1].", [NAME, DISHES, DISHES])
    assert template.fill({NAME: ["Salt Shed"], DISHES: ["eel", "crab"]}) == (
        "Salt Shed has crab and eel."
    )


def test_a_sound_template_says_each_value_once() -> None:
    keys = [NAME, DISHES, DISHES]
    assert is_sound(parse(f"[{NAME}]: [{DISHES}1], [{DISHES}2]", keys), keys)
    assert not is_sound(parse(f"[{NAME}]: [{DISHES}1]", keys), keys)
    assert not is_sound(parse(f"[{NAME}], [{NAME}]: [{DISHES}1], [{DISHES}2]", keys), keys)
    assert not is_sound(parse(f"[{NAME}]: [{DISHES}1], [{DISHES}2], [{DISHES}3]", keys), keys)


def test_a_list_of_three_can_hold_any_number() -> None:
    text = f"Try [{DISHES}3], [{DISHES}1] and [{DISHES}2]!"
    template = with_open_list(parse(text, [DISHES] * 3))
    assert template is not None
    assert template.holes == (Hole(DISHES, ALL, ", ", " and "),)
    assert template.fill({DISHES: ["a", "b", "c", "d"]}) == "Try a, b, c and d!"
    assert template.fill({DISHES: ["a"]}) == "Try a!"


def test_what_is_no_plain_list_is_not_stretched() -> None:
    pair = parse(f"[{DISHES}1] or [{DISHES}2]", [DISHES] * 2)
    apart = parse(f"[{DISHES}1], [{DISHES}2] here; there: [{DISHES}3]", [DISHES] * 3)
    mixed = parse(f"[{DISHES}1], [{DISHES}2]; [{DISHES}3] and [{DISHES}4]", [DISHES] * 4)
    assert with_open_list(pair) is None
    assert with_open_list(apart) is not None  # " here; there: " reads as a last comma
    assert with_open_list(mixed) is None
