"""Studies: their folder, their questionnaires, and what their work is worth."""

from pathlib import Path

import pytest

from crosstalk.collection.pay import PayLine, Work, due, generic_file, prolific_file
from crosstalk.collection.questionnaires import READY, Questionnaire, read_questionnaire
from crosstalk.collection.study import Moment, Outcome, Rates, read_study
from crosstalk.collection.study_scaffold import new_study
from crosstalk.errors import CrosstalkError, FileProblem, InputError, Rejection
from crosstalk.problems import Problem

PROLIFIC = {"PROLIFIC_PID": "5f" * 12, "SESSION_ID": "6a" * 12, "STUDY_ID": "77" * 12}


def ready(name: str) -> Questionnaire:
    problems: list[Problem] = []
    found = read_questionnaire(READY / f"{name}.toml", problems)
    assert found is not None and not problems
    return found


def made(tmp_path: Path, *, platform: str = "prolific") -> Path:
    folder = tmp_path / "My pilot"
    new_study(folder, platform=platform, world="harbour", language="en")
    return folder


def test_a_new_study_can_be_served_as_it_is(tmp_path: Path) -> None:
    study = read_study(made(tmp_path))
    assert study.key == "my-pilot"
    assert study.link("https://talk.example.org").startswith(
        "https://talk.example.org/study/my-pilot?PROLIFIC_PID={{%PROLIFIC_PID%}}&"
    )
    assert study.read_ids(PROLIFIC) == ("5f" * 12, "6a" * 12)
    back = study.outcome_link(Outcome.COMPLETED, participant="p", submission="s")
    assert back == (
        "https://app.prolific.com/submissions/complete?cc=" + study.table.codes[Outcome.COMPLETED]
    )
    assert len(set(study.table.codes.values())) == len(Outcome)
    assert [each.title["en"] for each in study.asked(Moment.AFTER_ROOM)] == [
        "How was this dialogue?",
        "Your partner",
    ]


def test_a_placeholder_that_the_platform_did_not_fill_in_is_told(tmp_path: Path) -> None:
    study = read_study(made(tmp_path))
    with pytest.raises(InputError, match="PROLIFIC_PID") as refused:
        study.read_ids({**PROLIFIC, "PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})
    assert "Researchers: the link" in refused.value.remedy


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('preset = "prolific"', 'preset = "prolifc"', "Did you mean `prolific`?"),
        ("format = 1", "format = 2", "line 5"),
        ("user = 150", "user = -1", "`user` is -1"),
        ("user = 150", "usr = 150", "Did you mean `user`?"),
        ('["satisfaction", "partner"]', '["satisfacton"]', "Did you mean `satisfaction`?"),
        ("[quota]", '[quota]\npeople = "many"', "`people` is 'many'"),
        ('completed = "', 'completed = "no code! ', "`completed`"),
    ],
)
def test_every_line_to_correct_is_named(tmp_path: Path, before: str, after: str, told: str) -> None:
    folder = made(tmp_path)
    file = folder / "study.toml"
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(FileProblem) as refused:
        read_study(folder)
    assert told in refused.value.message


def test_a_study_of_ones_own_questionnaire(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "questionnaires" / "partner.toml").write_text(
        'title = { en = "Mine" }\n[[questions]]\nid = "a"\nkind = "choice"\ntext = { en = "?" }\n',
        "utf-8",
    )
    with pytest.raises(FileProblem, match="needs at least two choices"):
        read_study(folder)


def test_sus_and_task_load_are_scored_as_published() -> None:
    """Values of the published examples."""
    sus = ready("sus")
    given = zip((each.id for each in sus.questions), (4, 2, 5, 1, 4, 2, 5, 2, 4, 2), strict=True)
    assert sus.scores(sus.read_answers(dict(given))) == {"sus": 82.5}
    load = ready("nasa_tlx")
    given = zip((each.id for each in load.questions), (70, 10, 60, 30, 65, 40), strict=True)
    assert load.scores(load.read_answers(dict(given))) == {"mean": 45.83}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"reached": "yes", "understood": 6, "fitting": 3}, "bad_answer"),
        ({"reached": "yes", "understood": "2.5", "fitting": 3}, "bad_answer"),
        ({"reached": "maybe", "understood": 2, "fitting": 3}, "bad_answer"),
        ({"reached": "yes", "understood": 2}, "unanswered"),
        ({"reached": "yes", "understood": 2, "fitting": 3, "more": "x"}, "bad_answer"),
    ],
)
def test_what_is_no_answer_is_refused(given: dict[str, object], code: str) -> None:
    with pytest.raises(Rejection) as refused:
        ready("satisfaction").read_answers(given)
    assert refused.value.code == code


def test_questions_that_depend_on_others_and_attention_checks() -> None:
    asked = Questionnaire.model_validate(
        {
            "title": {"en": "T"},
            "questions": [
                {"id": "check", "kind": "scale", "text": {"en": "Choose 4."}, "expected": "4"},
                {
                    "id": "why",
                    "kind": "text",
                    "text": {"en": "Why?"},
                    "shown_if": {"question": "check", "value": "1"},
                },
            ],
        }
    )
    assert asked.read_answers({"check": "4"}) == {"check": 4.0}
    with pytest.raises(Rejection, match="why"):
        asked.read_answers({"check": "1"})
    assert asked.failed_checks({"check": 4.0}) == 0
    assert asked.failed_checks({"check": 1.0, "why": "x"}) == 1


RATES = Rates(user=150, wizard=150, turn=4, waiting_hourly=900, training=50)


@pytest.mark.parametrize(
    ("rates", "work", "granted", "booked", "minor"),
    [
        (RATES, Work(user=1, wizard=1, turns=31, waited=60, trained=True), 0, 0, 489),
        (RATES, Work(user=1, wizard=1, turns=31, waited=60, trained=True), 100, 489, 100),
        (RATES, Work(waited=99_999), 0, 0, 450),  # half an hour at most
        (Rates(waiting_hourly=1), Work(waited=1800), 0, 0, 1),  # half a unit goes up
        (Rates(minimum_hourly=600, reward=200), Work(seconds=1380, completed=True), 0, 0, 30),
        (Rates(user=100, reward=200), Work(user=1, completed=True), 0, 0, 0),
    ],
)
def test_what_is_due(rates: Rates, work: Work, granted: int, booked: int, minor: int) -> None:
    """By hand: 300 + 124 + 15 + 50 = 489; 23 minutes at 6.00 an hour less 2.00 are 0.30."""
    assert due(rates, work, granted=granted, booked=booked) == minor


def test_payment_files() -> None:
    line = PayLine(7, "5f" * 12, "6a" * 12, "pilot", Work(user=1), 30, "=fine")
    assert prolific_file([line], RATES) == f"{'6a' * 12},0.30\n"
    header, row = generic_file([line], RATES).splitlines()
    assert len(header.split(",")) == len(row.split(","))
    assert row.endswith("30,0.30,USD,'=fine")


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with pytest.raises(CrosstalkError, match="exists already"):
        new_study(folder, platform="link", world="harbour", language="en")
