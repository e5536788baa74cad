"""Two clerks who write differently."""

from crosstalk.system.dst.wizard_behaviour import TypingStyle, fit_typing_style

TYPIST = ["Sure thing! Try the Old Mill, it is great!", "It costs 40, have fun!"]
OTHER = ["The requested establishment is the Old Mill.", "The price amounts to 40."]
SAMPLES = [(TYPIST, True), (OTHER, False), (TYPIST[:1], True), (OTHER[:1], False)] * 4


def test_a_habit_is_told_from_the_words_of_answers() -> None:
    style = fit_typing_style(SAMPLES)
    assert style.likelihood(["Sure! Have fun!"]) > 0.5 > style.likelihood(["The price is 40."])


def test_before_the_first_answer_only_the_bias_speaks() -> None:
    style = fit_typing_style(SAMPLES)
    assert style.likelihood([]) == TypingStyle(bias=style.bias).likelihood(["whatever"])


def test_nothing_seen_is_even_odds() -> None:
    assert fit_typing_style([]).likelihood(TYPIST) == 0.5


def test_a_style_survives_saving() -> None:
    style = fit_typing_style(SAMPLES)
    assert TypingStyle.from_json(style.to_json()) == style
