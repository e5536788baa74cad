"""Stage 1 end to end: provenance on every segment, values with their utterance or alone."""

from collections.abc import Sequence

from crosstalk.translation.glossary import Glossary
from crosstalk.translation.machine_translation import translate_segments
from crosstalk.translation.translation_segments import Segment
from crosstalk.translation.translators.interface import Passage, Rendering
from crosstalk.translation.translators.offline import OfflineTranslator

SEGMENT = Segment(
    "d",
    0,
    "A cheap room from friday.",
    (("hotel-pricerange", "cheap"), ("hotel-day", "friday"), ("hotel-area", "dontcare")),
)


class Machine:
    """Says another word for a value inside a sentence than alone, as real ones do."""

    name, batch = "machine", 8

    def __init__(self, *, loses_marks: bool = False) -> None:
        self._loses = loses_marks
        self.asked: list[str] = []

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        self.asked += [passage.text for passage in passages]
        return [Rendering(self._said(passage), "model") for passage in passages]

    def _said(self, passage: Passage) -> str:
        if passage.slot:
            return {"cheap": "billig", "friday": "Freitag"}[passage.text]
        text = passage.text.replace("A ", "Ein ").replace("cheap", "günstiges")
        text = text.replace("room from", "Zimmer ab").replace("friday", "Freitag")
        return text.replace("<v1>", "") if self._loses else text


def test_values_are_translated_with_their_utterance() -> None:
    machine = Machine()
    (found,) = translate_segments([SEGMENT], machine, ("en", "de"))
    assert found.machine == "Ein günstiges Zimmer ab Freitag."
    assert dict(found.machine_values) == {
        "hotel-pricerange": "günstiges",
        "hotel-day": "Freitag",
        "hotel-area": "dontcare",
    }
    assert machine.asked == ["A <v1>cheap</v1> room from <v2>friday</v2>."]
    assert found.extras["provenance"] == {
        "translator": "machine",
        "how": "model",
        "values": "together",
        "value_sources": {
            "hotel-pricerange": "utterance",
            "hotel-day": "utterance",
            "hotel-area": "label",
        },
    }


def test_values_alone_as_the_paper_did() -> None:
    (found,) = translate_segments([SEGMENT], Machine(), ("en", "de"), together=False)
    assert found.machine == "Ein günstiges Zimmer ab Freitag."
    assert dict(found.machine_values)["hotel-pricerange"] == "billig"
    assert found.extras["provenance"]["values"] == "alone"


def test_marks_that_are_lost_are_no_loss() -> None:
    (found,) = translate_segments([SEGMENT], Machine(loses_marks=True), ("en", "de"))
    assert found.machine == "Ein günstiges Zimmer ab Freitag."
    assert dict(found.machine_values)["hotel-pricerange"] == "billig"
    assert dict(found.machine_values)["hotel-day"] == "Freitag"


def test_the_glossary_wins() -> None:
    glossary = Glossary({("hotel-pricerange", "cheap"): "preiswert"})
    (found,) = translate_segments([SEGMENT], Machine(), ("en", "de"), glossary=glossary)
    assert dict(found.machine_values)["hotel-pricerange"] == "preiswert"


def test_a_value_that_nobody_translated_is_said_to_be_so() -> None:
    """Without any tables, the offline machine copies and says that it did."""
    (found,) = translate_segments([SEGMENT], OfflineTranslator(Glossary()), ("en", "de"))
    provenance = found.extras["provenance"]
    assert (found.machine, provenance["how"]) == (SEGMENT.utterance, "copied")
    assert provenance["value_sources"] == {
        "hotel-pricerange": "untranslated",
        "hotel-day": "untranslated",
        "hotel-area": "label",
    }
