"""Which utterances are like those that a model has learnt from."""

from pathlib import Path

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlu.hybrid import Familiarity, HybridNLU
from crosstalk.worlds.world import load_world

LEARNT = ["Could you tell me the address of [name], please?", "What is the phone number there?"]


class Always:
    """An NLU that has one reading of everything."""

    def __init__(self, act: Act) -> None:
        self.acts = (act,)

    def understand(self, utterance: Turn, history: object) -> tuple[Act, ...]:
        return self.acts


def test_what_was_learnt_is_familiar_whatever_the_names(tmp_path: Path) -> None:
    Familiarity.of(LEARNT).save(tmp_path)
    known = Familiarity.load(tmp_path)
    assert known.share("What is the phone number there?") == 1
    assert known.share("Could you tell me the address of Opera Quay Hotel, please?") > 0.6
    assert known.share("nah, cheaper, and no museums") < 0.3
    assert known.share("") == 1


def test_rules_read_what_is_not_familiar() -> None:
    trained = Always(Act("Request", "hotel", "phone", ""))
    rules = Always(Act("Exclude", "attraction", "name", "museum"))
    schema = load_world("harbour", language="en").schema
    nlu = HybridNLU(trained, rules, schema, Familiarity.of(LEARNT))
    familiar = Turn(Speaker.USER, "What is the phone number there?")
    assert nlu.understand(familiar, []) == trained.acts
    assert nlu.understand(Turn(Speaker.USER, "no museums pls"), []) == rules.acts
