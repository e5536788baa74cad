import numpy as np
import pytest

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.lexicon import Lexicon
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.system.nlu.encoding import LONGEST, CharacterEncoder, ReaderConfig, ReaderVocabulary
from crosstalk.system.nlu.reader import Reader
from crosstalk.system.nlu.training_samples import TemplateGroup
from crosstalk.worlds.tables import World

torch = pytest.importorskip("torch")

TEXTS = ["", "A", "How about Grand Hotel Halmora?", "I want breakfast " * 40]


@pytest.mark.parametrize("text", TEXTS)
def test_reading_without_torch_gives_what_the_network_gives(harbour: World, text: str) -> None:
    from crosstalk.system.nlu.reader_training import Batch, ReaderNetwork, weights_of

    gazetteer, config = (
        Gazetteer.of(harbour.columns(*SAID)),
        ReaderConfig(width=32, pair_buckets=64),
    )
    spans = ("Inform+hotel+name", "Inform+hotel+services+yes")
    vocabulary = ReaderVocabulary(
        "abc detHoHlu", spans, (*spans, "General+thank+none"), gazetteer.columns
    )
    torch.manual_seed(5)
    network = ReaderNetwork(config, vocabulary).eval()
    reader = Reader(weights_of(network), vocabulary, gazetteer, config)
    reading = reader.read(Speaker.SYSTEM, text)
    codes = CharacterEncoder(vocabulary, gazetteer, config).encode(Speaker.SYSTEM, text)
    tags, labels = network(Batch.of([codes], len(gazetteer.columns)))
    assert len(reading.tags) == min(LONGEST, max(1, len(text)))
    assert np.allclose(reading.tags, torch.softmax(tags[0], -1).detach().numpy(), atol=3e-3)
    assert np.allclose(reading.labels, torch.sigmoid(labels[0]).detach().numpy(), atol=3e-3)


@pytest.mark.parametrize("text", TEXTS)
def test_reading_words_without_torch_gives_what_the_network_gives(
    harbour: World, text: str
) -> None:
    from crosstalk.system.nlu.reader_training import Batch, ReaderNetwork, weights_of

    lexicon = Lexicon(harbour.columns(*SAID), TrainingPhrases())
    config = ReaderConfig(width=32, pair_buckets=64, words=True)
    spans = ("Inform+hotel+name", "Inform+hotel+services+yes")
    vocabulary = ReaderVocabulary(("how", "about"), spans, spans, lexicon.all_columns)
    torch.manual_seed(5)
    network = ReaderNetwork(config, vocabulary).eval()
    reader = Reader(weights_of(network), vocabulary, lexicon, config)
    codes = reader.encoder.encode(Speaker.USER, text)
    tags, labels = network(Batch.of([codes], len(lexicon.all_columns)))
    reading = reader.read(Speaker.USER, text)
    assert len(reading.tags) == min(LONGEST, max(1, len(text)))
    for row, (start, _) in enumerate(codes.places):
        odds = torch.softmax(tags[0, row], -1).detach().numpy()
        assert np.allclose(reading.tags[start], odds, atol=3e-3)
    assert np.allclose(reading.tags.sum(axis=1), 1, atol=1e-3)
    assert np.allclose(reading.labels, torch.sigmoid(labels[0]).detach().numpy(), atol=3e-3)


def test_the_same_seed_trains_the_same_reader(harbour: World, groups: list[TemplateGroup]) -> None:
    from crosstalk.system.nlu.augmentation import FROM_TEMPLATES, NLUTrainingData, prepare
    from crosstalk.system.nlu.reader_training import ReaderTraining, train_reader

    prepared = prepare(harbour, NLUTrainingData([], groups), FROM_TEMPLATES)
    training = ReaderTraining(passes=1, batch=8)
    once, again, other = (
        train_reader(prepared.supply, prepared.lookup.finder, seed=seed, training=training)
        for seed in (3, 3, 4)
    )
    said = (Speaker.USER, "I want a luxury hotel.")
    assert np.array_equal(once.read(*said).tags, again.read(*said).tags)
    assert not np.array_equal(once.read(*said).tags, other.read(*said).tags)
