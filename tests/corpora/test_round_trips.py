"""Out and back loses nothing: every dialogue that can be said, in every format that is read."""

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosstalk.corpora.corpus import read_corpus, recognise, write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple
from crosstalk.dialogue.states import DomainState, SystemState

words = st.sampled_from(["", "none", "a", "hotel", "book people", "酒店", "a-b", "General", "|"])
texts = words | st.text(max_size=5)
values = texts | st.lists(texts, max_size=2).map(tuple)
references = st.builds(Reference, st.integers(1, 3), st.booleans())
acts = st.builds(
    Act, st.sampled_from(["General", "Inform", "Request", "Select"]) | texts, texts, texts, texts
)
tuples = st.lists(
    st.builds(SemanticTuple, st.integers(-3, 3), texts, texts, values | references, st.booleans()),
    max_size=3,
).map(tuple)
tabs = st.builds(
    DomainState,
    texts,
    st.dictionaries(texts, values, max_size=3).map(lambda slots: tuple(slots.items())),
    st.lists(texts, max_size=2).map(tuple),
    st.none() | st.tuples(texts, st.sampled_from(["min", "max"])),
)
states = st.lists(tabs, max_size=2).map(lambda found: SystemState(tuple(found)))
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
own = st.sampled_from(["multiwoz", "convlab", "crosswoz", "crosstalk", "note"])
extras = st.dictionaries(own, plain, max_size=2)
turns = st.builds(
    Turn,
    st.sampled_from(Speaker),
    texts,
    st.lists(acts, max_size=3).map(tuple),
    st.none() | tuples,
    st.none() | states,
    st.none() | states,
    extras,
)
dialogues = st.builds(
    Dialogue,
    id=texts,
    turns=st.lists(turns, max_size=3).map(tuple),
    goal=st.none()
    | st.builds(
        Goal, tuples, st.none() | st.sampled_from(GoalType), st.lists(texts, max_size=2).map(tuple)
    ),
    final_goal=st.none() | tuples,
    workers=st.lists(st.integers(-9, 9) | texts, max_size=2).map(tuple),
    language=words,
    world=words,
    extras=extras,
)


@pytest.mark.parametrize("format", ["native", "parquet", "convlab", "multiwoz"])
@given(dialogue=dialogues)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_dialogue(format: str, dialogue: Dialogue, tmp_path: Path) -> None:
    write_corpus([dialogue], tmp_path / "corpus", to=format)
    assert list(read_corpus(tmp_path / "corpus", format=format, strict=False)) == [dialogue]


@pytest.mark.parametrize("format", ["crosswoz", "native", "parquet", "convlab", "multiwoz"])
def test_dialogues_of_two_worlds(
    format: str, talk: Dialogue, elsewhere: Dialogue, tmp_path: Path
) -> None:
    write_corpus([talk, elsewhere], tmp_path / "corpus", to=format)
    assert recognise(tmp_path / "corpus") == format
    assert list(read_corpus(tmp_path / "corpus")) == [talk, elsewhere]


@pytest.mark.parametrize("format", ["native", "parquet", "convlab", "multiwoz"])
@pytest.mark.parametrize("corpus", ["crosswoz/test-a", "multiwoz_zh/human_val"])
def test_real_dialogues(format: str, corpus: str, data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / f"{corpus}.json.zip"
    some = list(islice(read_corpus(source), 30))
    write_corpus(some, tmp_path / "corpus", to=format)
    assert list(read_corpus(tmp_path / "corpus")) == some
