"""The SC-LSTM on a toy corpus, which it learns by heart in seconds."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("torch")

import torch

from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import FileProblem, InputError
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import extract
from crosstalk.system.nlg.sclstm_data import (
    END,
    SPECIAL,
    UNKNOWN,
    DelexicalisedUtterance,
    SclstmConditions,
    SclstmTrainingConfig,
    SclstmVocabulary,
    condition_features,
    spoken_text,
    utterances,
)
from crosstalk.system.nlg.sclstm_nlg import (
    SCLSTM,
    VOCABULARY,
    WEIGHTS,
    SclstmGenerator,
    SclstmShape,
    TrainedSclstm,
    beam_search,
    save_sclstm,
)
from crosstalk.system.nlg.sclstm_training import split, train
from crosstalk.training.config import CONFIG
from crosstalk.training.steps import Step

FAST = SclstmTrainingConfig(hidden=32, dropout=0.0, batch=8, learning_rate=0.02, epochs=25)

HARBOUR = ("--world", "harbour")
SAUNA = Act("Inform", "hotel", "services-sauna facilities", "yes")
PRICE = Act("Inform", "hotel", "price", "90 crowns")
INNS = tuple(Act("Recommend", "hotel", "name", name) for name in ("Inn A", "Inn B"))
WELCOME = Act("General", "welcome")
SAID = [
    ((PRICE,), "A night costs 90 crowns."),
    ((SAUNA,), "They have sauna facilities."),
    ((PRICE, SAUNA), "A night costs 90 crowns, with sauna facilities."),
    (INNS, "Try Inn A or Inn B."),
    ((WELCOME,), "You are welcome."),
]


Crosstalk = Callable[..., int]


@pytest.fixture(scope="module")
def corpus() -> list[Dialogue]:
    turns = tuple(Turn(Speaker.SYSTEM, text, acts) for acts, text in SAID)
    return [Dialogue(str(number), turns) for number in range(12)]


@pytest.fixture(scope="module")
def said(corpus: list[Dialogue], system: ActKeys) -> list[DelexicalisedUtterance]:
    return utterances(extract(corpus, system), "en")


@pytest.fixture(scope="module")
def trained(said: list[DelexicalisedUtterance], system: ActKeys) -> TrainedSclstm:
    return train(said, said, system, FAST, seed=1)


@pytest.fixture
def folder(trained: TrainedSclstm, tmp_path: Path) -> Path:
    save(trained, tmp_path)
    return tmp_path


def save(trained: TrainedSclstm, folder: Path) -> None:
    save_sclstm(folder, trained, side="system", language="en", config=FAST)


def test_features_of_acts(system: ActKeys, user: ActKeys) -> None:
    group = [system.spoken(act).key for act in (*INNS, SAUNA, WELCOME)]
    assert condition_features(group, system) == [
        "hotel",
        "hotel+Recommend",
        "hotel+Recommend+name+1",
        "hotel+Recommend+name+2",
        "hotel+Inform",
        "hotel+Inform+services+yes+1",
        "welcome",
        "welcome+General",
        "welcome+General+none+none",
    ]
    assert condition_features(["Request+hotel+price"], user)[-1] == "hotel+Request+price+?"


def test_the_published_generator_loses_services_when_it_speaks(system: ActKeys) -> None:
    group = [system.spoken(SAUNA).key]
    conditions = SclstmConditions(tuple(sorted(condition_features(group, system))))
    assert conditions.lit(condition_features(group, system)) == [0, 1, 2]
    assert conditions.lit(condition_features(group, system, facility_defect=True)) == [0, 1]


def test_sayings_have_one_word_a_hole(said: list[DelexicalisedUtterance]) -> None:
    assert DelexicalisedUtterance(
        ("Recommend+hotel+name", "Recommend+hotel+name"),
        ("Try", "[Recommend+hotel+name1]", "or", "[Recommend+hotel+name2]", "."),
    ) in set(said)


def test_seldom_words_are_unknown() -> None:
    often, seldom = DelexicalisedUtterance((), ("yes",)), DelexicalisedUtterance((), ("rarely",))
    vocabulary = SclstmVocabulary.of([often] * 4 + [seldom] * 3)
    assert vocabulary.words == (*SPECIAL, "yes")
    assert vocabulary.numbers(["yes", "rarely"]) == [1, 4, SPECIAL.index(UNKNOWN), 2]


@pytest.mark.parametrize(("keep_open", "text"), [(True, "a为[y1]b"), (False, "a为b")])
def test_words_become_text(keep_open: bool, text: str) -> None:
    words = ["[x1]", UNKNOWN, "为", "[y1]", "[x2]"]
    values = {"x": ["a", "b"]}
    assert spoken_text(words, values, language="zh", keep_open=keep_open) == text


@pytest.mark.parametrize(("acts", "text"), SAID)
def test_learns_a_toy_corpus_by_heart(
    folder: Path, system: ActKeys, acts: tuple[Act, ...], text: str
) -> None:
    generator = SclstmGenerator.load(folder, system, language="en")
    assert generator.say(acts, Random(0)) == text


def test_values_are_those_of_the_acts(folder: Path, system: ActKeys) -> None:
    generator = SclstmGenerator.load(folder, system, language="en")
    dearer = (replace(PRICE, value="900 crowns"),)
    assert generator.say(dearer, Random(0)) == "A night costs 900 crowns."


def test_services_are_dropped_in_the_paper_s_protocol_alone(folder: Path, system: ActKeys) -> None:
    both = (PRICE, SAUNA)
    paper = SclstmGenerator.load(folder, system, language="en", protocol="paper")
    corrected = SclstmGenerator.load(folder, system, language="en", protocol="corrected")
    assert "sauna" not in paper.say(both, Random(0))
    assert "sauna" in corrected.say(both, Random(0))


def test_a_beam_finds_what_greed_misses() -> None:
    """After word 4 (.6) nothing is sure, after word 5 (.4) the end is."""
    found = beam_search(Scripted(), torch.zeros(1), width=4)
    assert found[0].words == (5,)
    assert beam_search(Scripted(), torch.zeros(1), width=1)[0].words[0] == 4
    assert len(found) == 4 and found == sorted(found, key=lambda each: -each.likelihood)


class Scripted(SCLSTM):
    """Knows its next words by the last one: start, then 4 or 5; after 4 anything, after 5 end."""

    def __init__(self) -> None:
        super().__init__(SclstmShape(words=8, features=1, hidden=1))
        chances = torch.full((8, 8), 1e-6)
        chances[SPECIAL.index("<sos>"), [4, 5]] = torch.tensor([0.6, 0.4])
        chances[[4, 6, 7], 4:] = 0.2
        chances[[4, 6, 7], SPECIAL.index(END)] = 0.2
        chances[5, SPECIAL.index(END)] = 0.99
        self.script = chances.log()

    def after(self, words, memory):  # type: ignore[no-untyped-def]
        return self.script[words].clone(), memory


def test_the_reading_gate_only_ever_ticks_off(trained: TrainedSclstm) -> None:
    network = trained.network
    condition = torch.ones(1, network.shape.features)
    _, memory = network.after(torch.tensor([1]), network.start(condition))
    assert bool((memory.condition < condition).all() and (memory.condition >= 0).all())


def test_the_same_seed_gives_the_same_bytes(
    said: list[DelexicalisedUtterance], system: ActKeys, tmp_path: Path
) -> None:
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        save(train(said, said, system, replace(FAST, epochs=2), seed=seed), tmp_path / name)
    one, same, other = (
        (tmp_path / each / WEIGHTS).read_bytes() for each in ("one", "same", "other")
    )
    assert one == same != other


def test_a_stopped_training_goes_on_to_the_same_weights(
    said: list[DelexicalisedUtterance], system: ActKeys, tmp_path: Path
) -> None:
    config = replace(FAST, epochs=4, dropout=0.25)
    file = tmp_path / "checkpoint.safetensors"
    train(said, said, system, replace(config, epochs=2), seed=1, checkpoint=file)
    heard: list[Step] = []
    resumed = train(said, said, system, config, seed=1, checkpoint=file, told=heard.append)
    assert [each.step for each in heard] == [3, 4]
    straight = train(said, said, system, config, seed=1).network.state_dict()
    for name, weights in resumed.network.state_dict().items():
        assert torch.equal(weights, straight[name]), name


def test_a_checkpoint_of_another_training_is_refused(
    said: list[DelexicalisedUtterance], system: ActKeys, tmp_path: Path
) -> None:
    file = tmp_path / "checkpoint.safetensors"
    config = replace(FAST, epochs=1)
    train(said, said, system, config, seed=1, checkpoint=file)
    with pytest.raises(FileProblem, match="its seed was 1 and is now 2"):
        train(said, said, system, config, seed=2, checkpoint=file)
    file.write_bytes(b"nothing")
    with pytest.raises(FileProblem, match="cannot be read"):
        train(said, said, system, config, seed=1, checkpoint=file)


def test_training_ends_when_validation_no_longer_improves(
    said: list[DelexicalisedUtterance], system: ActKeys
) -> None:
    """What is validated contradicts what is learnt, so the first epochs are the best."""
    learnt = [each for each in said if each.group == ("Inform+hotel+price",)]
    other = [replace(each, words=tuple(reversed(each.words))) for each in learnt]
    config = replace(FAST, epochs=60, patience=2)
    progress = train(learnt, other, system, config, seed=1).progress
    assert progress.stale == 2 and progress.epoch < 60


def test_nothing_to_learn_from(system: ActKeys) -> None:
    with pytest.raises(InputError, match="cannot learn from 0 turns"):
        train([], [], system, FAST, seed=1)


def test_one_in_ten_is_held_out() -> None:
    said = [DelexicalisedUtterance((), (str(number),)) for number in range(20)]
    learnt, held_out = split(said)
    assert [each.words[0] for each in held_out] == ["9", "19"] and len(learnt) == 18


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def drop_a_word(file: Path) -> None:
    lists = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**lists, "words": lists["words"][:-1]}), encoding="utf-8")


def of_another_kind(file: Path) -> None:
    file.write_text(json.dumps({"encoder": "bert"}))


def without_size(file: Path) -> None:
    config = json.loads(file.read_text())
    file.write_text(json.dumps({**config, "training": {**config["training"], "hidden": "wide"}}))


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        (WEIGHTS, cut, "weights.safetensors"),
        (WEIGHTS, Path.unlink, "weights.safetensors"),
        (VOCABULARY, drop_a_word, "do not fit the vocabulary"),
        (VOCABULARY, cut, "not valid JSON"),
        (VOCABULARY, lambda file: file.write_text("[]"), "lists of words and of features"),
        (VOCABULARY, lambda file: file.write_text('{"words": [], "features": []}'), "<pad>"),
        (CONFIG, Path.unlink, "config.json"),
        (CONFIG, of_another_kind, "unknown field encoder"),
        (CONFIG, without_size, "training.hidden"),
    ],
)
def test_damaged_folders_are_refused(folder: Path, system: ActKeys, name, damage, words) -> None:  # type: ignore[no-untyped-def]
    damage(folder / name)
    with pytest.raises(FileProblem, match=words):
        SclstmGenerator.load(folder, system, language="en")


def test_weights_that_are_no_numbers_are_refused(
    trained: TrainedSclstm, system: ActKeys, tmp_path: Path
) -> None:
    broken = SCLSTM(trained.network.shape)
    broken.speak.bias.data.fill_(float("nan"))
    save(replace(trained, network=broken), tmp_path)
    with pytest.raises(FileProblem, match="not numbers"):
        SclstmGenerator.load(tmp_path, system, language="en")


def test_models_of_another_side_or_language_are_refused(
    folder: Path, system: ActKeys, user: ActKeys
) -> None:
    with pytest.raises(InputError, match="trained for side 'system', not 'user'"):
        SclstmGenerator.load(folder, user, language="en")
    with pytest.raises(InputError, match="trained for language 'en', not 'zh'"):
        SclstmGenerator.load(folder, system, language="zh")
    with pytest.raises(InputError, match="Known: paper, corrected"):
        SclstmGenerator.load(folder, system, language="en", protocol="x")


def test_training_and_judging_as_a_person_does(
    corpus: list[Dialogue],
    tmp_path: Path,
    crosstalk: Crosstalk,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "toy.jsonl"
    write_corpus(corpus, file, to="native")
    common = ["nlg", "--model", "sclstm", "--side", "sys", "--world", "harbour", "--data", file]
    assert crosstalk("train", *common, "--epochs", 40, "--out", tmp_path) == 0
    folder = tmp_path / "nlg-sclstm-harbour-system"
    files = {WEIGHTS, CONFIG, VOCABULARY, "card.json", "metrics.jsonl"}
    assert {path.name for path in folder.iterdir()} == files
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert card["dialogues"] == 12 and card["figures"]["learnt from"] == 54
    assert card["command"].startswith("crosstalk train nlg --model sclstm --world harbour")
    capsys.readouterr()
    assert crosstalk("evaluate", *common, "--models", tmp_path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["bleu"] > 0.5


def test_a_model_that_is_not_there_is_asked_for(
    corpus: list[Dialogue],
    tmp_path: Path,
    crosstalk: Crosstalk,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "toy.jsonl"
    write_corpus(corpus, file, to="native")
    asked = ["evaluate", "nlg", "--model", "sclstm", "--side", "usr", "--data", file, *HARBOUR]
    assert crosstalk(*asked) == 2
    trained = "crosstalk train nlg --model sclstm --world harbour --side usr"
    assert trained in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "nlg", "--model", "x", "--out", "o"], "Known: templates, best, sclstm."),
        (["train", "nlg", "--out", "o"], "there is nothing to learn crosswoz from"),
        (["train", "nlg", "--model", "sclstm", "--out", "o"], "nothing to learn crosswoz from"),
        (["train", "nlg", "--model", "best", "--out", "o"], "CROSSTALK_DATA is not set"),
        (["train", "nlg", "--model", "sclstm", "--epochs", "0", "--out", "o"], "--epochs 0"),
    ],
)
def test_wrong_input_is_answered_in_words(
    arguments: list[str],
    words: str,
    crosstalk: Crosstalk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    assert crosstalk(*arguments) == 2
    assert words in capsys.readouterr().err
