"""One interface, four machines: what each gives, and what it says where it cannot."""

import builtins
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.translation.endpoint import Endpoint, Reply, completion, serving, upper

from crosstalk.errors import FileProblem, InputError
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.translators.endpoint import EndpointConfig, EndpointTranslator
from crosstalk.translation.translators.interface import (
    Cache,
    Passage,
    Rendering,
    build_translator,
    mark,
    translate_all,
    unmark,
)
from crosstalk.translation.translators.offline import OfflineTranslator

GLOSSARY = Glossary(
    {("hotel-day", "friday"): "Freitag", ("hotel-day", "monday"): "Montag", ("", "north"): "Norden"}
)
MEMORY = [
    ("A room from friday.", "Ein Zimmer ab Freitag."),
    ("Hello! Thank you.", "Hallo! Danke."),
    ("It costs 40 crowns.", "Es kostet 40 Kronen."),
]


def said(text: str, slot: str = "") -> Rendering:
    return OfflineTranslator(GLOSSARY, MEMORY).translate([Passage(text, slot)])[0]


def test_offline_knows_what_was_translated_before_also_with_other_values() -> None:
    assert said("a room from FRIDAY.") == Rendering("Ein Zimmer ab Freitag.", "memory")
    assert said("A room from monday.").text == "Ein Zimmer ab Montag."
    assert said("It costs 75 crowns.").text == "Es kostet 75 Kronen."
    assert said("Thank you. A room from monday.").text == "Danke. Ein Zimmer ab Montag."


def test_sentences_that_stand_in_another_order_are_not_taken_for_one_another() -> None:
    """`40` shows that the translation begins with the second sentence."""
    crossed = [("It costs 40 crowns. Do you know one?", "Kennen Sie eins? Es kostet 40 Kronen.")]
    machine = OfflineTranslator(Glossary(), crossed)
    (found,) = machine.translate([Passage("Do you know one?")])
    assert found.text == "Do you know one?" and found.untranslated == ("Do you know one",)


def test_of_several_translations_the_commonest_counts() -> None:
    pairs = [("Thanks.", "Bitte."), ("Thanks.", "Danke."), ("Thanks.", "Danke.")]
    (found,) = OfflineTranslator(Glossary(), pairs).translate([Passage("Thanks.")])
    assert found.text == "Danke."


def test_no_as_a_value_is_not_the_no_of_a_sentence() -> None:
    machine = build_translator("offline", "en", "de", glossary=Glossary({("", "no"): "nein"}))
    sentence, value = machine.translate([Passage("There is no room."), Passage("no", "hotel-wifi")])
    assert (sentence.text, value.text) == ("There is no room.", "nein")


def test_offline_marks_what_it_could_not_do() -> None:
    found = said("A hotel in the north at 15:45, reference TR1149.")
    assert found.text == "A hotel in the Norden at 15:45, reference TR1149."
    assert found.untranslated == ("A hotel in the", "at", "reference")


def test_offline_values() -> None:
    assert said("friday", "hotel-day") == Rendering("Freitag", "glossary")
    assert said("15:45", "train-leaveat") == Rendering("15:45", "copied")
    assert said("dontcare", "hotel-area") == Rendering("dontcare", "copied")
    assert said("swimming pool", "attraction-type").untranslated == ("swimming pool",)


def test_offline_keeps_marks() -> None:
    assert said("A room from <v1>monday</v1>.").text == "Ein Zimmer ab <v1>Montag</v1>."
    found = said("In the <v1>north</v1> please")
    assert unmark(found.text) == ("In the Norden please", {1: "Norden"})


def test_marks_around_values_and_away_again() -> None:
    marked = mark("Two nights from friday, friday!", (("a", "friday"), ("b", "two nights")))
    assert marked.text == "<v1>Two nights</v1> from <v2>friday</v2>, friday!"
    assert marked.marks == {1: 1, 2: 0}
    assert unmark("< v2 >пятница</ v2 > <v1>x") == ("пятница x", {2: "пятница"})
    assert mark("a < v1 > b", (("a", "b"),)).marks == {}
    assert mark("at 16", (("n", "6"), ("d", "none"))).marks == {}


class Counting:
    """A machine that counts what it is asked, and breaks when told to."""

    name, batch = "counting", 2

    def __init__(self, breaks_after: int = 1000) -> None:
        self.asked: list[str] = []
        self._left = breaks_after

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        if self._left <= 0:
            raise KeyboardInterrupt
        self._left -= 1
        self.asked += [passage.text for passage in passages]
        return [Rendering(passage.text.upper(), "model") for passage in passages]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    passages = [Passage(letter) for letter in "abcdeab"]
    place = tmp_path / "cache.jsonl"
    with pytest.raises(KeyboardInterrupt):
        translate_all(passages, Counting(2), ("en", "de"), Cache(place))
    with place.open("ab") as file:
        file.write(b'{"key": "cut o')  # a crash in the middle of a line
    rest = Counting()
    found = translate_all(passages, rest, ("en", "de"), Cache(place))
    assert rest.asked == ["e"] and found[Passage("a")].text == "A"
    nothing = Counting()
    translate_all(passages, nothing, ("en", "de"), Cache(place))
    assert nothing.asked == []
    other = Counting()
    translate_all(passages, other, ("en", "fr"), Cache(place))
    assert len(other.asked) == 5


def asked_of(url: str, **config: Any) -> tuple[EndpointTranslator, list[float]]:
    waits: list[float] = []
    settings = EndpointConfig(url, "tiny", **{"timeout": 30, "tries": 3, **config})
    return EndpointTranslator(settings, "en", "de", sleep=waits.append), waits


def fails(status: int, **headers: str) -> Callable[[list[dict[str, str]]], Reply]:
    return lambda texts: (status, {k.replace("_", "-"): v for k, v in headers.items()}, "no")


def says(content: str) -> Callable[[list[dict[str, str]]], Reply]:
    return lambda texts: (200, {}, completion(content))


def test_an_endpoint_translates_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSTALK_TRANSLATION_KEY", "secret")
    endpoint = Endpoint(upper)
    with serving(endpoint) as url:
        translator, _ = asked_of(url)
        found = translator.translate([Passage("a <v1>b</v1>"), Passage("north", "hotel-area")])
    assert [each.text for each in found] == ["A <v1>B</v1>", "NORTH"]
    assert endpoint.asked == [[{"text": "a <v1>b</v1>"}, {"text": "north", "slot": "hotel-area"}]]
    assert endpoint.headers[0]["Authorization"] == "Bearer secret"
    assert "secret" not in translator.name


def test_an_endpoint_is_waited_for() -> None:
    with serving(Endpoint(fails(429, Retry_After="7"), fails(503), upper)) as url:
        translator, waits = asked_of(url)
        assert translator.translate([Passage("a")])[0].text == "A"
    assert waits == [7.0, 1.0]


def test_broken_answers_are_asked_for_again_then_one_by_one() -> None:
    short = says('{"translations": ["X"]}')
    fenced = says('```json\n{"translations": ["Y"]}\n```')
    endpoint = Endpoint(says("{ broken"), short, fenced, lambda texts: (200, {}, "no json"), upper)
    with serving(endpoint) as url:
        translator, _ = asked_of(url)
        found = translator.translate([Passage("a"), Passage("b")])
    assert [each.text for each in found] == ["Y", "B"]
    assert [len(texts) for texts in endpoint.asked] == [2, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (fails(429), "status 429, 3 times"),
        (fails(401), "status 401: no"),
        (says('{"translations": [1]}'), "no translation of 'a'"),
    ],
)
def test_an_endpoint_that_will_not(
    answer: Callable[[list[dict[str, str]]], Reply], words: str
) -> None:
    with serving(Endpoint(answer)) as url:
        translator, _ = asked_of(url)
        with pytest.raises(InputError) as caught:
            translator.translate([Passage("a")])
    assert words in str(caught.value) and "goes on with the rest" in str(caught.value)


def test_an_empty_answer_is_no_translation_and_is_not_kept() -> None:
    with serving(Endpoint(says('{"translations": [""]}'))) as url:
        translator, _ = asked_of(url)
        with pytest.raises(InputError, match="the translation is empty"):
            translator.translate([Passage("a")])
        assert translator.translate([Passage("")]) == [Rendering("", "model")]


def test_nobody_at_the_address() -> None:
    with serving(Endpoint(upper)) as url:
        pass
    translator, waits = asked_of(url)
    with pytest.raises(InputError, match=r"no answer: .*, 3 times"):
        translator.translate([Passage("a")])
    assert len(waits) == 2


def test_names_of_machines(tmp_path: Path) -> None:
    def build(name: str, model: str = "") -> object:
        return build_translator(name, "en", "de", glossary=GLOSSARY, model=model)

    assert isinstance(build("offline"), OfflineTranslator)
    assert isinstance(build("openai:http://localhost:1/v1", "m"), EndpointTranslator)
    with pytest.raises(InputError, match="none is named"):
        build("openai:http://localhost:1/v1")
    with pytest.raises(InputError, match="no address"):
        build("openai:ftp://x", "m")
    with pytest.raises(InputError, match="unknown translator 'google'"):
        build("google")
    with pytest.raises(FileProblem, match=r"config\.json is missing"):
        build(f"transformers:{tmp_path}")
    with pytest.raises(FileProblem, match=r"model\.bin is missing"):
        build(f"ctranslate2:{tmp_path}")


def test_a_folder_of_the_wrong_kind(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match="kind 'bert' does not translate"):
        build_translator(f"transformers:{tmp_path}", "en", "de", glossary=GLOSSARY)


def test_a_package_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    (tmp_path / "config.json").write_text('{"is_encoder_decoder": true}')
    real = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name in ("ctranslate2", "transformers", "torch"):
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    for kind, words in (("ctranslate2", "pip install ctranslate2"), ("transformers", "neural")):
        with pytest.raises(InputError) as caught:
            build_translator(f"{kind}:{tmp_path}", "en", "de", glossary=GLOSSARY)
        assert words in caught.value.remedy


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A model of five words that knows nothing, saved as real ones are."""
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = {"<pad>": 0, "</s>": 1, "<unk>": 2, "hello": 3, "hallo": 4}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(tmp_path)
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
    config = transformers.T5Config(vocab_size=5, decoder_start_token_id=0, **sizes)
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    return tmp_path


def test_a_model_in_a_folder(model_folder: Path) -> None:
    translator = build_translator(f"transformers:{model_folder}", "en", "de", glossary=GLOSSARY)
    found = translator.translate([Passage("hello hello"), Passage("hallo")])
    assert len(found) == 2 and all(each.how == "model" for each in found)
    assert translator.translate([Passage("hello hello"), Passage("hallo")]) == found
    assert translator.name.startswith(f"transformers:{model_folder.name}@")

    (model_folder / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(FileProblem, match="cannot be opened"):
        build_translator(f"transformers:{model_folder}", "en", "de", glossary=GLOSSARY)


def test_a_converted_model(model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is played by a few lines: what is asked of it is what its manual says."""

    class Translator:
        def __init__(self, folder: str, device: str) -> None:
            assert Path(folder) == model_folder and device == "cpu"

        def translate_batch(self, tokens: list[list[str]], **options: Any) -> list[Any]:
            assert options["target_prefix"] is None
            greeted = [
                ["hallo" if token == "hello" else token for token in each] for each in tokens
            ]
            return [SimpleNamespace(hypotheses=[each]) for each in greeted]

    (model_folder / "model.bin").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "ctranslate2", SimpleNamespace(Translator=Translator))
    translator = build_translator(f"ctranslate2:{model_folder}", "en", "de", glossary=GLOSSARY)
    assert [each.text for each in translator.translate([Passage("hello hello")])] == ["hallo hallo"]


def test_cache_lines_are_readable(tmp_path: Path) -> None:
    place = tmp_path / "cache.jsonl"
    translate_all([Passage("ä")], Counting(), ("de", "en"), Cache(place))
    (line,) = place.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["text"] == "Ä" and len(Cache(place)) == 1
