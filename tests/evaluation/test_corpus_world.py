"""A corpus knows its world: what is chosen for it, and what is refused."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import InputError, WorldError
from crosstalk.evaluation.corpus_world import WorldChoice, choose_world, refuse_unfit
from crosstalk.goals.sampler import goal_sampler
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.worlds.world import load_world

EVALUATIONS = {
    "dst": (),
    "nlu": (),
    "nlg": ("--side", "usr"),
    "policy": (),
    "user": (),
    "tracking": (),
}


@pytest.fixture(scope="module")
def talks() -> list[Dialogue]:
    """Of harbour, in German."""
    return list(practice_dialogues("harbour", "de", 6, seed=1, user="rule"))


def unlabelled(dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    return [replace(each, world="", language="") for each in dialogues]


def saved(dialogues: Iterable[Dialogue], folder: Path) -> Path:
    write_corpus(dialogues, folder / "talks.jsonl", to="native")
    return folder / "talks.jsonl"


def crosstalk(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_dialogues_name_their_world_and_language(talks: list[Dialogue], tmp_path: Path) -> None:
    assert choose_world(saved(talks, tmp_path), "talks") == WorldChoice("harbour", "de")
    assert refuse_unfit(talks, "talks", WorldChoice("harbour", "de")) == ""


def test_the_language_of_the_world_itself_need_not_be_named(
    talks: list[Dialogue], tmp_path: Path
) -> None:
    english = [replace(each, language="en") for each in talks]
    assert choose_world(saved(english, tmp_path), "talks") == WorldChoice("harbour", None)


def test_dialogues_that_name_no_world_are_known_by_their_slots(
    talks: list[Dialogue], tmp_path: Path
) -> None:
    assert choose_world(saved(unlabelled(talks), tmp_path), "talks").world == "harbour"
    note = refuse_unfit(unlabelled(talks), "talks", WorldChoice("harbour", "de"))
    assert "does not say its language; taken as de" in note


def test_a_corpus_of_an_unknown_world_is_a_world_without_tables(tmp_path: Path) -> None:
    strange = Dialogue(
        "1",
        (
            Turn(Speaker.USER, "a full one", (Act("Inform", "moon", "phase", "full"),)),
            Turn(Speaker.SYSTEM, "Where?", (Act("Request", "moon", "place.seen", ""),)),
        ),
        world="sky",
    )
    choice = choose_world(saved([strange], tmp_path), "talks", out=tmp_path / "models")
    world = load_world(choice.world)
    assert choice.world == str(tmp_path / "models" / "worlds" / "sky")
    assert world.tableless and world.texts("moon", "phase") == ["full"]
    assert world.language.code == "en"  # guessed from the words
    with pytest.raises(WorldError, match="the world sky has domains and slots and no tables"):
        goal_sampler(world)


def test_states_where_the_system_speaks_first(tmp_path: Path) -> None:
    """Its greeting has a form, too, to which nobody has said anything: KddRES."""
    full, nothing = (SystemState((DomainState("moon", s),)) for s in ((("phase", "full"),), ()))
    said = Act("Inform", "moon", "phase", "full")
    turns = (
        Turn(Speaker.SYSTEM, "Good evening.", first_query=nothing, last_query=nothing),
        Turn(Speaker.USER, "a full one", (said,)),
        Turn(Speaker.SYSTEM, "Nice.", first_query=full, last_query=full),
    )
    talks = [Dialogue(str(id), turns, world="sky") for id in range(2)]
    path, models = saved(talks, tmp_path), tmp_path / "models"
    assert crosstalk("train", "dst", "--data", path, "--out", models).exit_code == 0
    judged = crosstalk("evaluate", "dst", "--data", path, "--models", models, "--json")
    assert json.loads(judged.stdout)["turns"] == 2


def test_judged_labels_give_no_values_away(tmp_path: Path) -> None:
    said = Act("Inform", "moon", "phase", "full")
    talk = Dialogue("1", (Turn(Speaker.USER, "a full one", (said,)),), world="sky")
    world = load_world(choose_world(saved([talk], tmp_path), "talks").world)
    assert world.schema.domain("moon") and world.texts("moon", "phase") == []


@pytest.mark.parametrize("part", ["nlu", "dst"])
def test_models_of_a_world_without_tables_are_trained_on_its_corpus(
    part: str, tmp_path: Path
) -> None:
    """No world is called so, and the folder that it is read from is a temporary one."""
    said = Act("Inform", "moon", "phase", "full")
    state = SystemState((DomainState("moon", (("phase", "full"),)),))
    told = Turn(Speaker.SYSTEM, "Nice.", first_query=state, last_query=state)
    talk = Dialogue("1", (Turn(Speaker.USER, "a full one", (said,)), told), world="sky")
    refused = crosstalk("evaluate", part, "--data", saved([talk], tmp_path)).exception
    assert isinstance(refused, InputError)
    assert f"crosstalk train {part} --data FILE --out models" in refused.remedy


def test_dialogues_without_labels_ask_for_a_world(tmp_path: Path) -> None:
    silent = Dialogue("1", (Turn(Speaker.USER, "hi"),))
    with pytest.raises(InputError, match="neither acts nor states nor goals") as refused:
        choose_world(saved([silent], tmp_path), "talks")
    assert "--world" in refused.value.remedy


def test_another_world_is_refused_with_an_example(talks: list[Dialogue]) -> None:
    with pytest.raises(InputError) as refused:
        refuse_unfit(talks, "talks.jsonl", WorldChoice("crosswoz"))
    message, remedy = refused.value.message, refused.value.remedy
    assert message.startswith("talks.jsonl: the corpus does not fit the world crosswoz in zh: ")
    assert "of the world harbour in de (6)" in message
    assert "unknown domains" in message
    assert f"in dialogue {talks[0].id}, turn 0, " in message
    assert "crosswoz has the domains 景点" in remedy
    assert "--world" in remedy


def test_another_language_is_refused(talks: list[Dialogue]) -> None:
    with pytest.raises(InputError, match=r"harbour in ru: its dialogues .* in de") as refused:
        refuse_unfit(talks, "talks", WorldChoice("harbour", "ru"))
    assert "--language" in refused.value.remedy


def test_two_worlds_in_one_corpus_are_refused(talks: list[Dialogue], tmp_path: Path) -> None:
    mixed = [*talks, *(replace(each, world="moon", id=f"moon-{each.id}") for each in talks)]
    with pytest.raises(InputError, match=r"the world moon in de \(6\)"):
        refuse_unfit(mixed, "talks", choose_world(saved(mixed, tmp_path), "talks"))


def with_odd_slot(dialogue: Dialogue) -> Dialogue:
    odd = replace(dialogue.turns[0], acts=(Act("Inform", "hotel", "colour", "red"),))
    return replace(dialogue, turns=(odd, *dialogue.turns[1:]))


def test_a_few_odd_slots_are_told_and_tolerated(talks: list[Dialogue]) -> None:
    choice = WorldChoice("harbour", "de")
    note = refuse_unfit([with_odd_slot(talks[0]), *talks[1:]], "talks", choice)
    assert "unknown slots hotel-colour" in note
    with pytest.raises(InputError, match="unknown slots hotel-colour"):
        refuse_unfit([with_odd_slot(each) for each in talks], "talks", choice)


@pytest.mark.parametrize("module", EVALUATIONS)
def test_every_evaluation_refuses_in_the_same_words(
    module: str, talks: list[Dialogue], tmp_path: Path
) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(talks, corpus, to="native")
    given = ("--world", "crosswoz", "--data", corpus, *EVALUATIONS[module])
    refused = crosstalk("evaluate", module, *given).exception
    assert isinstance(refused, InputError)
    assert f"{corpus}: the corpus does not fit the world crosswoz in zh" in refused.message


@pytest.mark.parametrize("module", ["dst", "nlu", "nlg", "policy", "user"])
def test_every_training_refuses_in_the_same_words(
    module: str, talks: list[Dialogue], tmp_path: Path
) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(talks, corpus, to="native")
    given = ("--language", "ru", "--data", corpus, "--out", tmp_path / "models")
    refused = crosstalk("train", module, *given).exception
    assert isinstance(refused, InputError)
    assert f"{corpus}: the corpus does not fit the world harbour in ru" in refused.message
    assert not (tmp_path / "models").exists()


def test_a_run_is_evaluated_in_its_own_world(tmp_path: Path) -> None:
    run = tmp_path / "run"
    simulated = crosstalk("simulate", "--world", "harbour", "-n", 3, "--out", run)
    assert simulated.exit_code == 0, simulated.output
    scored = crosstalk("evaluate", "dst", "--model", "rule", "--data", run, "--json")
    assert scored.exit_code == 0, scored.output
    assert '"world": "harbour"' in scored.output
    refused = crosstalk("evaluate", "dst", "--model", "best", "--data", run).exception
    assert isinstance(refused, InputError)
    assert "trained for the world crosswoz, not for harbour" in refused.message


# Real data


@pytest.fixture
def first(data_folder: Path) -> Callable[[str], list[Dialogue]]:
    """Some dialogues of a real corpus."""

    def read(name: str) -> list[Dialogue]:
        path = data_folder / name
        if not path.exists():
            pytest.skip(f"real data: {name} is not in CROSSTALK_DATA")
        return [each for each, _ in zip(read_corpus(path), range(50), strict=False)]

    return read


@pytest.mark.parametrize("split", ["val", "test-a"])
def test_crosswoz_fits_its_world(
    first: Callable[[str], list[Dialogue]], split: str, data_folder: Path
) -> None:
    dialogues = first(f"crosswoz/{split}.json.zip")
    assert choose_world(data_folder / f"crosswoz/{split}.json.zip", split) == WorldChoice(
        "crosswoz", None
    )
    assert refuse_unfit(dialogues, split, WorldChoice("crosswoz")) == ""


@pytest.mark.parametrize(
    ("file", "of"),
    [
        ("crosswoz_en/val.json.zip", "crosswoz in en"),
        ("multiwoz/val.json.zip", "multiwoz in en"),
        ("multiwoz_zh/val.json.zip", "multiwoz in zh"),
    ],
)
@pytest.mark.parametrize("world", ["crosswoz", "harbour"])
def test_other_corpora_fit_no_world_of_ours(
    first: Callable[[str], list[Dialogue]], file: str, of: str, world: str, data_folder: Path
) -> None:
    dialogues = first(file)
    with pytest.raises(InputError, match=f"its dialogues are of the world {of}"):
        refuse_unfit(dialogues, file, choose_world(data_folder / file, file, world=world))
    with pytest.raises(InputError, match="unknown domains"):
        refuse_unfit(unlabelled(dialogues), file, WorldChoice(world))


def test_a_path_inside_the_data_folder(data_folder: Path) -> None:
    if not (data_folder / "multiwoz" / "val.json.zip").exists():
        pytest.skip("real data: multiwoz/val.json.zip is not in CROSSTALK_DATA")
    given = ("--world", "crosswoz", "--data", "multiwoz/val.json.zip")
    refused = crosstalk("evaluate", "dst", *given).exception
    assert isinstance(refused, InputError)
    assert "multiwoz/val.json.zip: the corpus does not fit the world crosswoz" in refused.message
