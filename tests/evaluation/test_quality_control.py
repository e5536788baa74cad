"""Two annotators' answers: kappa as scikit-learn has it, and what it does not say."""

import math
import warnings
from random import Random

import pytest

from crosstalk.evaluation.kappa import Bootstrap
from crosstalk.evaluation.quality_control import Pair, by_group, judge_agreement

FEW = Bootstrap(seed=0, samples=20)


def pairs(*answers: tuple[bool | None, bool | None], per_dialogue: int = 3) -> list[Pair]:
    return [
        Pair(str(number // per_dialogue), "de", "dev", each, each)
        for number, each in enumerate(answers)
    ]


def table(both: int, first: int, second: int, neither: int) -> list[Pair]:
    return pairs(
        *[(True, True)] * both,
        *[(True, False)] * first,
        *[(False, True)] * second,
        *[(False, False)] * neither,
    )


def random_tables() -> list[tuple[int, int, int, int]]:
    rng = Random(7)
    sizes = (0, 0, 1, 2, 5, 20, 150)
    drawn = [tuple(rng.choice(sizes) for _ in range(4)) for _ in range(40)]
    degenerate = [
        (9, 0, 0, 0),
        (0, 9, 0, 0),
        (0, 0, 9, 0),
        (0, 0, 0, 9),
        (5, 5, 0, 0),
        (0, 4, 0, 4),
    ]
    degenerate += [(2000, 1, 0, 0), (2000, 0, 1, 0), (2000, 1, 1, 0), (1, 0, 0, 2000)]
    return [(a, b, c, d) for a, b, c, d in [*drawn, *degenerate] if a + b + c + d]


def test_kappa_is_that_of_scikit_learn_wherever_it_is_defined() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    for counts in random_tables():
        found = judge_agreement(table(*counts), FEW).acceptable
        answers = [pair.acceptable for pair in table(*counts)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 0/0 is what some of these are about
            wanted = metrics.cohen_kappa_score([a for a, _ in answers], [b for _, b in answers])
        if math.isnan(wanted):
            assert found.kappa.value is None, counts
        else:
            assert found.kappa.value == pytest.approx(wanted, abs=1e-9), counts


def test_constant_annotators() -> None:
    same = judge_agreement(table(30, 0, 0, 0)).acceptable
    assert same.kappa.value is None and same.agreement.value == 100
    assert same.ac1.value == 1 and same.pabak.value == 1 and same.prevalence.value == 1
    assert judge_agreement(table(0, 30, 0, 0)).acceptable.kappa.value == 0
    one = judge_agreement(table(20, 10, 0, 0)).acceptable
    assert one.kappa.value == 0 and one.bias.value == pytest.approx(1 / 3)


def test_high_prevalence_hides_agreement_from_kappa_and_not_from_the_others() -> None:
    found = judge_agreement(table(97, 1, 2, 0)).acceptable
    assert found.table == (97, 1, 2, 0) and found.units == 100
    assert found.accepted.value == 97 and found.agreement.value == pytest.approx(97)
    assert found.kappa.value == pytest.approx(-0.0135, abs=1e-3)
    assert found.pabak.value == pytest.approx(0.94)
    assert found.ac1.value == pytest.approx((0.97 - 2 * 0.985 * 0.015) / (1 - 2 * 0.985 * 0.015))
    assert found.prevalence.value == pytest.approx(0.97)
    assert found.bias.value == pytest.approx(-0.01)
    assert found.agreement.low is not None and found.agreement.low < 97 < (
        found.agreement.high or 0
    )


def test_a_figure_is_told_also_where_no_sample_has_it() -> None:
    answers = [(True, True)] * 400 + [(True, False), (False, True)]
    found = judge_agreement(pairs(*answers, per_dialogue=1), Bootstrap(seed=0, samples=1))
    assert found.acceptable.kappa.value is not None


def test_questions_are_kept_apart() -> None:
    found = judge_agreement(
        [
            Pair("a", "", "", (True, True), (True, False)),
            Pair("a", "", "", (True, True), (None, None), has_values=False),
            Pair("b", "", "", (True, None), (True, True)),
        ],
        FEW,
    )
    assert found.acceptable.units == 2 and found.values_match.units == 2
    assert found.both.table == (1, 1, 0, 0)
    assert found.values_where_any.units == 2


def test_by_language_and_split() -> None:
    german = table(9, 1, 0, 2)
    russian = [
        Pair(p.dialogue, "ru", "test", p.acceptable, p.values_match) for p in table(3, 0, 3, 3)
    ]
    groups = by_group([*german, *russian], FEW)
    assert list(groups) == ["de", "de dev", "dev", "ru", "ru test", "test"]
    assert groups["de"].acceptable == groups["dev"].acceptable
    assert groups["ru"].utterances == 9


def test_the_same_seed_gives_the_same_intervals() -> None:
    once = judge_agreement(table(40, 3, 4, 9), Bootstrap(seed=3, samples=200))
    assert once == judge_agreement(table(40, 3, 4, 9), Bootstrap(seed=3, samples=200))
    assert once != judge_agreement(table(40, 3, 4, 9), Bootstrap(seed=4, samples=200))


def test_nothing_at_all() -> None:
    found = judge_agreement([], FEW)
    assert found.utterances == 0 and found.acceptable.kappa.value is None
