"""The supervised policy: trained, saved, loaded, talking."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.evaluation.policy_scores import answers_of_sl, samples, score_answers
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.model_folders import find_model
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.system.dst.rule_tracker import RuleTracker
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.pipeline import System
from crosstalk.system.policy.delexicalised_acts import extract_vocabulary
from crosstalk.system.policy.rule_policy import RulePolicy
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import SimulatedUser
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

pytest.importorskip("torch", reason="training needs the extra `neural`")

from crosstalk.system.policy.sl_policy import PolicyNetwork, SLPolicy
from crosstalk.system.policy.sl_policy_training import SLConfig, SLTrainingResult, save_sl, split


@pytest.fixture(scope="module")
def harbour() -> World:
    return load_world("harbour")


def conversations(world: World, system: System, count: int) -> list[Dialogue]:
    """Dialogues of the published simulated user with a system."""
    sampler = goal_sampler(world)
    simulator = RuleUser(world.schema, world.language)
    held = []
    for number in range(count):
        goal = sampler.sample(goal_rng(0, number))
        user = SimulatedUser(simulator, goal, f"user {number}")
        held.append(
            Dialogue(
                str(number),
                talk(user, system, schema=world.schema, goal=goal, patience=0).turns,
                goal,
            )
        )
    return held


@pytest.fixture(scope="module")
def corpus(harbour: World) -> list[Dialogue]:
    tracker = RuleTracker(harbour.schema, harbour.language)
    system = System(harbour.schema, tracker, RulePolicy(Database(harbour)))
    return conversations(harbour, system, 150)


@pytest.fixture(scope="module")
def folder(
    harbour: World, corpus: Sequence[Dialogue], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    made = tmp_path_factory.mktemp("models") / "policy-sl"
    save_sl(corpus, harbour, extract_vocabulary(corpus), made, SLConfig(seed=1))
    return made


def test_it_learns_what_another_policy_says(
    harbour: World, corpus: Sequence[Dialogue], folder: Path
) -> None:
    policy = SLPolicy.load(folder, harbour, mended=True)
    _, held_out = split(corpus)
    learnt = score_answers(answers_of_sl(policy, published=False), held_out).overall
    assert (learnt.delexicalised.f1 or 0) > 45  # a network that has learnt nothing is silent: 0


def test_the_same_seed_gives_the_same_bytes(
    harbour: World, corpus: Sequence[Dialogue], tmp_path: Path
) -> None:
    few = corpus[:10]
    known = extract_vocabulary(few)
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        save_sl(few, harbour, known, tmp_path / name, SLConfig(seed=seed))
    one, two, three = (
        (tmp_path / name / "weights.safetensors").read_bytes() for name in ("one", "two", "three")
    )
    assert one == two != three


def test_training_reports_the_epoch_it_kept(
    harbour: World, corpus: Sequence[Dialogue], tmp_path: Path
) -> None:
    report = save_sl(corpus[:10], harbour, extract_vocabulary(corpus), tmp_path, SLConfig(seed=0))
    assert isinstance(report, SLTrainingResult)
    assert 1 <= report.epoch <= 20
    assert report.loss < 0.69  # that of a network which has learnt nothing


def test_the_last_of_every_ten_dialogues_is_held_out(corpus: Sequence[Dialogue]) -> None:
    learnt, held_out = split(corpus[:25])
    assert [each.id for each in held_out] == ["9", "19"]
    assert len(learnt) == 23


def test_a_validation_split_chooses_the_epoch_and_nothing_else_is_held_out(
    harbour: World, corpus: Sequence[Dialogue], tmp_path: Path
) -> None:
    """Nine dialogues are too few to hold one in ten out of; a split beside them will do."""
    known = extract_vocabulary(corpus)
    config = SLConfig(seed=0)
    save_sl(corpus[:9], harbour, known, tmp_path, config, validation=corpus[10:12])
    assert any(tmp_path.glob("*.safetensors"))


def test_it_talks_in_any_language_of_the_world_it_learnt(folder: Path) -> None:
    german = load_world("harbour", language="de")
    policy = SLPolicy.load(folder, german, mended=True)
    tracker = RuleTracker(german.schema, german.language)
    held = conversations(german, System(german.schema, tracker, policy), 5)
    names = {row["name"] for table in german.tables.values() for row in table if "name" in row}
    named = [
        act.value
        for dialogue in held
        for turn in dialogue.system_turns
        for act in turn.acts
        if act.slot == "name" and act.value != german.language.nothing
    ]
    assert named
    assert set(named) <= names


def test_what_is_named_is_ticked(harbour: World, folder: Path) -> None:
    policy = SLPolicy.load(folder, harbour)
    tracker = RuleTracker(harbour.schema, harbour.language)
    named = 0
    for dialogue in conversations(harbour, System(harbour.schema, tracker, policy), 5):
        for turn in dialogue.system_turns:
            assert turn.last_query is not None
            for act in turn.acts:
                if (act.intent, act.slot) in (("Inform", "name"), ("Recommend", "name")):
                    named += 1
                    assert act.value in turn.last_query.get(act.domain).selected
    assert named


@pytest.mark.parametrize("protocol", ["paper", "corrected"])
def test_decisions_depend_on_the_history_alone(
    harbour: World, corpus: Sequence[Dialogue], folder: Path, protocol: str
) -> None:
    """Bounds linger from turn to turn in the paper's protocol, never from dialogue to dialogue."""
    policy = SLPolicy.load(folder, harbour, protocol=protocol)
    asked = [sample for dialogue in corpus[:8] for sample in samples(dialogue)]
    forwards = [policy.decide(each.belief, each.history) for each in asked]
    backwards = [policy.decide(each.belief, each.history) for each in reversed(asked)]
    assert forwards == backwards[::-1]


def test_bounds_of_earlier_questions_linger_in_the_paper_only(harbour: World, folder: Path) -> None:
    """`50-80` and then `100 or more` finds nothing where the 80 lingers: the bucket differs."""
    form = empty_form(harbour.schema)
    cheap = form.with_domain(form.get("hotel").with_slot("price", "50-80 crowns"))
    dear = form.with_domain(form.get("hotel").with_slot("price", "100 crowns or more"))
    ask = Turn(Speaker.USER, "", (Act("Request", "hotel", "name", ""),))
    earlier = (ask, Turn(Speaker.SYSTEM, "", last_query=cheap), ask)
    found = {}
    for protocol in ("paper", "corrected"):
        policy = SLPolicy.load(folder, harbour, protocol=protocol)
        policy.decide(DialogueState(dear, "hotel"), earlier)
        found[protocol] = len(policy._lookup.find(dear, "hotel"))
    assert found["paper"] == 0
    assert found["corrected"] > 0


def test_a_model_of_another_world_is_refused(folder: Path, harbour: World) -> None:
    kept = tuple(domain for domain in harbour.schema if domain.key != "taxi")
    smaller = replace(harbour, name="small", schema=replace(harbour.schema, domains=kept))
    with pytest.raises(InputError, match="another world than small: it speaks of taxi"):
        SLPolicy.load(folder, smaller)


def test_a_model_of_another_size_is_refused(folder: Path, harbour: World, tmp_path: Path) -> None:
    told = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
    told["user"].pop()
    (tmp_path / "vocabulary.json").write_text(json.dumps(told), encoding="utf-8")
    (tmp_path / "weights.safetensors").write_bytes((folder / "weights.safetensors").read_bytes())
    with pytest.raises(InputError, match="its network is made for"):
        SLPolicy.load(tmp_path, harbour)


def test_damaged_weights_are_reported_in_words(
    folder: Path, harbour: World, tmp_path: Path
) -> None:
    (tmp_path / "vocabulary.json").write_bytes((folder / "vocabulary.json").read_bytes())
    (tmp_path / "weights.safetensors").write_bytes(b"not weights")
    with pytest.raises(FileProblem, match=r"weights\.safetensors: the weights cannot be read"):
        SLPolicy.load(tmp_path, harbour)


def test_an_unknown_protocol_is_refused(folder: Path, harbour: World) -> None:
    with pytest.raises(InputError, match="no protocol called 'papers'"):
        SLPolicy.load(folder, harbour, protocol="papers")


def test_too_few_dialogues_are_refused(
    harbour: World, corpus: Sequence[Dialogue], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="cannot be trained on 9 dialogues"):
        save_sl(corpus[:9], harbour, extract_vocabulary(corpus), tmp_path, SLConfig(seed=0))


def test_dialogues_without_forms_are_refused(harbour: World, tmp_path: Path) -> None:
    turns = (Turn(Speaker.USER, ""), Turn(Speaker.SYSTEM, "", (Act("General", "bye"),)))
    bare = [Dialogue(str(number), turns) for number in range(20)]
    with pytest.raises(CrosstalkError, match="none of the dialogues has a query form"):
        save_sl(bare, harbour, extract_vocabulary(bare), tmp_path, SLConfig(seed=0))


def test_a_network_adds_the_columns_that_are_lit() -> None:
    np = pytest.importorskip("numpy")
    network = PolicyNetwork(
        (np.array([[1.0, 2.0, -4.0]]), np.array([[2.0]])), (np.array([0.5]), np.array([-1.0]))
    )
    assert network.logits([0, 1]) == pytest.approx([6.0])
    assert network.logits([2]) == pytest.approx([-1.0])  # a negative sum is cut to zero
    assert network.shape == (3, 1)


def test_the_shipped_policy_fits_crosswoz(data_folder: Path) -> None:
    world = load_world("crosswoz", data=data_folder)
    policy = SLPolicy.load(find_model("policy-sl"), world)
    dialogue = next(read_corpus(data_folder / "crosswoz" / "val.json.zip"))
    said = [policy.decide(each.belief, each.history).acts for each in samples(dialogue)]
    assert any(said)
