"""The one table of parts: names, what `best` stands for, and systems that converse."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.cli.main import run
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.simulation.build import Setup, Simulation, build, parts_of
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.system.build import KINDS, WORDS, build_system
from crosstalk.system.parts import context_of, resolve
from crosstalk.worlds.world import load_world

Shown = pytest.CaptureFixture[str]


def hold_some(simulation: Simulation, count: int = 2) -> list[str]:
    """The endings of some conversations."""
    plan = sessions(Plan(3, count=count), simulation.world)
    held = [hold(session, simulation, SessionRules(3)) for session in plan]
    assert all("fault" not in dialogue.extras for dialogue in held), held[0].extras
    return [str(dialogue.extras["ending"]) for dialogue in held]


def test_a_system_from_a_name_a_folder_or_a_loaded_world(tmp_path: Path) -> None:
    world = load_world("harbour", language="de")
    systems = [
        build_system("harbour", language="de"),
        build_system(world),
        build_system(world.folder or tmp_path, language="de"),
    ]
    answers = [
        system.reply(Turn(Speaker.USER, "Ein Hotel, bitte."), system.begin())[0].turn.text
        for system in systems
    ]
    assert answers[0] and len(set(answers)) == 1


def test_the_card_says_what_each_name_stood_for() -> None:
    card = build_system("harbour").card
    assert card is not None
    assert card.parts["nlu"].asked == "best"
    assert card.parts["nlu"].name in ("rules", "hybrid", "trees-practised", "trees")
    record = card.parts["policy"].record()
    assert record["class"] == "crosstalk.system.policy.rule_policy.RulePolicy"


@pytest.mark.parametrize("dst", ["rule", "search", "trees", "trees-words"])
def test_every_tracker_of_harbour_converses(dst: str) -> None:
    assert hold_some(build(Setup("harbour", dst=dst)))
    assert hold_some(build(Setup("harbour", dst=dst, level=WORDS)), 1)


@pytest.mark.parametrize("policy", ["rule", "trees"])
def test_every_policy_of_harbour_converses(policy: str) -> None:
    assert hold_some(build(Setup("harbour", policy=policy)))


@pytest.mark.parametrize("language", ["zh", "en", "de", "ar", "ru"])
@pytest.mark.parametrize("user_nlg", ["template", "ranked-templates"])
def test_users_speak_with_and_without_checking_their_words(language: str, user_nlg: str) -> None:
    setup = Setup("harbour", language, level=WORDS, user_nlg=user_nlg)
    assert hold_some(build(setup), 1)


def test_the_user_has_a_side_of_its_own() -> None:
    usual = build(Setup("harbour", level=WORDS))
    paper = build(Setup("harbour", level=WORDS, user_protocol="paper"))
    given = build(Setup("harbour", level=WORDS, user_nlu="given"))
    assert usual.parts["nlg"].name == paper.parts["nlg"].name
    assert paper.parts["user_nlg"].name == "template"
    assert not getattr(paper.user_understands, "in_context", True)
    assert getattr(usual.user_understands, "in_context", False)
    assert given.parts["user_nlu"].name == "given"
    session = next(iter(sessions(Plan(3, count=1), given.world)))
    turns = hold(session, given, SessionRules(3)).turns
    assert all("understood" not in turn.extras for turn in turns if turn.speaker is Speaker.USER)


def test_the_users_nlu_is_not_the_systems() -> None:
    parts = build(Setup("harbour", level=WORDS)).parts
    assert (parts["nlu"].name, parts["user_nlu"].name) == ("rules", "sentences")
    assert parts["nlu"].part is not parts["user_nlu"].part
    trained = build(Setup("harbour", level=WORDS, nlu="trees", user_nlu="trees-practised")).parts
    assert trained["nlu"].folders != trained["user_nlu"].folders


def test_names_of_earlier_versions_still_work() -> None:
    context = context_of("harbour")
    nlu = KINDS[0]
    assert resolve(nlu, "plain", context) == "trees"
    assert resolve(nlu, "best", context) in nlu.parts


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        (Setup(nlu="nobody"), "no NLU called 'nobody'"),
        (Setup(user_nlg="nobody"), "no generator called 'nobody'"),
        (Setup(user_nlu="nobody", level=WORDS), "no NLU called 'nobody'"),
        (Setup(user_protocol="nobody"), "no protocol called 'nobody'"),
        (Setup(dst="trade"), "no trained model called 'dst-trade-harbour'"),
    ],
)
def test_wrong_names_are_told(setup: Setup, words: str) -> None:
    with pytest.raises(InputError) as told:
        build(setup)
    assert words in str(told.value) and told.value.remedy


def test_parts_that_cannot_be_built_are_not_listed() -> None:
    found = parts_of("harbour", "en", None, None)
    assert "trade" not in found["dst"] and "sl" not in found["policy"]
    assert set(found["best"]) >= {"nlu", "dst", "policy", "nlg", "user"}
    for kind, names in found.items():
        if kind != "best":
            assert found["best"][kind] in names


def test_the_command_that_lists_parts(monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
    for more in ([], ["--json"]):
        argv = ["crosstalk", "system", "parts", "--world", "harbour", *more]
        monkeypatch.setattr("sys.argv", argv)
        with pytest.raises(SystemExit) as ended:
            run()
        assert not ended.value.code
        shown = capsys.readouterr().out
    assert json.loads(shown)["user"] == ["rule", "trees"]


def test_the_same_text_and_state_give_the_same_answer_everywhere() -> None:
    """In a simulation, and to whoever builds the same system alone."""
    simulation = build(Setup("harbour", "en", level=WORDS))
    session = next(iter(sessions(Plan(5, count=1), simulation.world)))
    dialogue = hold(session, simulation, SessionRules(5))
    system = build_system("harbour", language="en")
    state = system.begin()
    for said, answer in zip(dialogue.turns[::2], dialogue.turns[1::2], strict=False):
        reply, state = system.reply(replace(said, acts=()), state)
        assert (reply.turn.text, reply.turn.acts) == (answer.text, answer.acts)
