"""Names taken out of what is said."""

import pytest
from tests.retrieval.made import run

from crosstalk.retrieval.turn_table import mask_names


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("thanks Ann!", "thanks __name__!"),
        ("<@bob>, and bob| too", "<@__name__>, and __name__ too"),
        ("annual bobs", "annual bobs"),
        ("", ""),
    ],
)
def test_names_of_the_speakers_are_masked(text: str, masked: str) -> None:
    assert mask_names(text, ["ann", "bob", "bob|"]) == masked


def test_triples_without_names(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("masked")
    said = ["why?", "ann: so, ann", "bob: thanks bob", "ann: any time"]
    lines = [f"[10:0{at}] <{'bob' if at % 2 else 'ann'}> {text}" for at, text in enumerate(said)]
    (folder / "2010-01-01.txt").write_text("\n".join(lines))
    run("logs", "extract", folder, "--method", "paper", "--out", folder / "out")
    triples = ("retrieve", "triples", folder / "out", "--negatives", 2, "--out")
    run(*triples, folder / "plain.csv")
    run(*triples, folder / "masked.csv", "--mask-names")
    plain, masked = (folder / "plain.csv").read_text(), (folder / "masked.csv").read_text()
    assert "so, ann __eou__" in plain
    assert masked == plain.replace("so, ann ", "so, __name__ ").replace(
        "thanks bob ", "thanks __name__ "
    )
