"""BERTNLU with an encoder of one small layer: it learns, is kept, goes on after a kill."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.evaluation.nlu_scores import score_understanding
from crosstalk.system.nlu.bert import BertConfig, BertNLU
from crosstalk.system.nlu.bert_data import BertTraining, Outputs, Templates, labelled_utterances
from crosstalk.system.nlu.bert_network import Head
from crosstalk.system.nlu.bert_training import BertTrainingData, label_weights, rate_at, train_bert
from crosstalk.system.nlu.training_samples import TemplateGroup
from crosstalk.trainers.bert import BertOptions
from crosstalk.trainers.data import TrainingData
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.identity import Identity
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Progress
from crosstalk.training.steps import Step
from crosstalk.training.transformer_encoders import EncoderShape
from crosstalk.worlds.tables import World

SHAPE = EncoderShape(layers=1, width=48, heads=2, inner=48, positions=200)
BRIEF = BertTraining(
    steps=200, batch=12, rate=5e-3, warm_up=10, dropout=0.0, check_every=100, neighbours=4
)


def course_of(dialogues: list[Dialogue], world: World, *, context: bool = True) -> BertTrainingData:
    heard = [each for dialogue in dialogues for each in labelled_utterances(dialogue)]
    return BertTrainingData(heard, None, world.schema, BRIEF, context, seed=1)


def f1(model: BertNLU, dialogues: list[Dialogue]) -> float:
    judged = map(model.as_judged, dialogues)
    return score_understanding(model.understand_all, judged).overall.f1 or 0.0


@pytest.fixture(scope="module")
def trained(dialogues: list[Dialogue], harbour: World) -> tuple[BertNLU, Progress]:
    torch.set_num_threads(1)
    course = course_of(dialogues, harbour)
    return train_bert(
        course, "", lambda m: f1(m, dialogues[:8]), processes=Processes(), shape=SHAPE
    )


def test_it_learns_what_the_words_say(
    trained: tuple[BertNLU, Progress], dialogues: list[Dialogue]
) -> None:
    model, progress = trained
    assert progress.best_score == f1(model, dialogues[:8])
    thanks = model.understand(Turn(Speaker.USER, "Thank you!"), dialogues[9].turns[:4])
    assert thanks == (Act("General", "thank"),)


def test_a_question_is_about_what_was_talked_of_before(
    trained: tuple[BertNLU, Progress], dialogues: list[Dialogue]
) -> None:
    question = Turn(Speaker.USER, "What is the phone number?")
    answers = {
        dialogue.turns[2].acts: trained[0].understand(question, dialogue.turns[:2])
        for dialogue in dialogues[8:12]
    }
    assert len(answers) == 2
    assert all(guess == true for true, guess in answers.items())


def test_a_whole_dialogue_is_understood_as_turn_by_turn(
    trained: tuple[BertNLU, Progress], dialogues: list[Dialogue]
) -> None:
    turns = dialogues[3].turns
    one_by_one = [trained[0].understand(turn, turns[:at]) for at, turn in enumerate(turns)]
    assert trained[0].understand_all(turns) == one_by_one


def test_odd_utterances_are_understood_somehow(
    trained: tuple[BertNLU, Progress],
) -> None:
    for text in ("", " ", "\t\n", "[SEP] [CLS]", "hotel " * 200, "\U0001f600", "旅馆"):
        trained[0].understand(Turn(Speaker.USER, text), (Turn(Speaker.SYSTEM, text),))


def test_a_folder_holds_all_of_it(
    trained: tuple[BertNLU, Progress],
    dialogues: list[Dialogue],
    harbour: World,
    tmp_path: Path,
) -> None:
    trained[0].save(tmp_path, BertConfig(True, "harbour", "en", training=BRIEF))
    again = BertNLU.load(tmp_path, harbour.schema, values="wordpiece")
    assert f1(again, dialogues) == pytest.approx(f1(trained[0], dialogues), abs=0.5)
    raw = BertNLU.load(tmp_path, harbour.schema)
    assert raw.as_judged(dialogues[0]) == dialogues[0]
    assert f1(raw, dialogues) == pytest.approx(f1(again, dialogues), abs=3)


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("config.json", '{"kind": "sclstm"}', "does not describe a BERTNLU"),
        ("config.json", '{"kind": "bertnlu", "version": 9}', "its version is 9"),
        ("config.json", '{"kind": "bertnlu", "version": 1, "context": 7, "age": 3}', "age"),
        ("vocabulary.json", '{"spans": [["a"]], "labels": []}', "spans of three words"),
        ("vocabulary.json", '{"spans": [], "labels": []}', "do not fit the vocabulary"),
        ("heads.safetensors", "no tensors", "do not fit the vocabulary"),
        ("encoder/model.safetensors", "no tensors", "cannot be used"),
    ],
)
def test_a_folder_of_another_kind_or_damaged_is_refused(
    trained: tuple[BertNLU, Progress],
    harbour: World,
    tmp_path: Path,
    file: str,
    content: str,
    complaint: str,
) -> None:
    trained[0].save(tmp_path, BertConfig(True))
    (tmp_path / file).write_text(content)
    with pytest.raises(CrosstalkError, match=complaint):
        BertNLU.load(tmp_path, harbour.schema)


def test_a_killed_training_goes_on_and_ends_with_the_same_weights(
    dialogues: list[Dialogue], harbour: World, tmp_path: Path
) -> None:
    course = replace(
        course_of(dialogues[:6], harbour, context=False),
        training=replace(BRIEF, steps=6, check_every=2, dropout=0.1),
    )
    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", Identity({}, "", 1))
    scores = iter([1.0, 2.0, 3.0])
    whole, _ = train_bert(course, "", lambda _: next(scores), processes=Processes(), shape=SHAPE)

    def killed(step: Step) -> None:
        if step.step == 2:
            raise KeyboardInterrupt

    judged = iter([1.0, 2.0, 2.0, 3.0])

    def again(told: object = None) -> BertNLU:
        return train_bert(
            course,
            "",
            lambda _: next(judged),
            processes=Processes(),
            shape=SHAPE,
            checkpoint=checkpoint,
            **({"told": told} if told else {}),  # type: ignore[arg-type]
        )[0]

    with pytest.raises(KeyboardInterrupt):
        again(killed)
    resumed = again()
    for name, weight in whole.model.network.state_dict().items():
        assert torch.equal(weight, resumed.model.network.state_dict()[name]), name


def test_templates_borrow_the_context_of_utterances_like_them(
    groups: list[TemplateGroup], dialogues: list[Dialogue], harbour: World
) -> None:
    heard = [each for dialogue in dialogues for each in labelled_utterances(dialogue)]
    templates = Templates(groups, harbour, heard)
    filled = list(templates.once(Random(1)))
    asked = [each for each in filled if each.acts == (Act("Request", "restaurant", "phone", ""),)]
    assert len(filled) == len(templates)
    assert asked
    assert all("eat" in each.context[0] for each in asked)
    dish = next(each for each in filled if each.text.startswith("I would like to eat"))
    assert dish.acts[0].value in dish.text


def test_rare_labels_weigh_more(dialogues: list[Dialogue], harbour: World) -> None:
    heard = [each for dialogue in dialogues for each in labelled_utterances(dialogue)]
    outputs = Outputs.of((act for each in heard for act in each.acts), harbour.schema)
    weights = label_weights(heard, outputs)
    thank, phone = (
        outputs.label(act)
        for act in (Act("General", "thank"), Act("Request", "hotel", "phone", ""))
    )
    assert weights[phone] == pytest.approx(1.0414, abs=1e-3)  # 20 of 240: log10(11)
    assert weights[thank] == pytest.approx(0.699, abs=1e-3)  # 40 of 240: log10(5)


def test_the_rate_falls_in_a_straight_line() -> None:
    published = BertTraining()
    assert rate_at(0, published) == 3e-5
    assert rate_at(20_000, published) == pytest.approx(1.5e-5)
    assert rate_at(0, BRIEF) == pytest.approx(5e-4)


def test_the_protocol_of_the_paper_learns_from_dialogues_alone_for_all_steps() -> None:
    published = BertOptions(protocol="paper", steps=12).training()
    assert published.dialogue_share == (1.0, 1.0)
    assert (published.neighbours, published.patience, published.xavier) == (1, 0, True)
    assert "--protocol paper" in BertOptions(protocol="paper").command(
        "bert", "harbour", TrainingData([], "nothing", "", ""), 1
    )
    with pytest.raises(InputError, match="--protocol"):
        BertOptions(protocol="other").training()
    torch.manual_seed(1)
    head = Head(8, 4, 0.0)
    head.begin_as_published()
    bound = (6 / (8 + 4)) ** 0.5
    assert bound / 2 < float(head.out.weight.detach().abs().max()) <= bound
