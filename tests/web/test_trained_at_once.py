"""From the store of a site to trained modules, by commands alone: the same day."""

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.archive import filled_store

from crosstalk.cli.main import run
from crosstalk.corpora.corpus import read_corpus

DIALOGUES = 8


@pytest.fixture
def crosstalk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """A command typed in an empty folder; its exit code."""
    monkeypatch.chdir(tmp_path)

    def command(line: str) -> int:
        monkeypatch.setattr("sys.argv", ["crosstalk", *line.split()])
        with pytest.raises(SystemExit) as ended:
            run()
        return int(ended.value.code or 0)

    return command


def test_what_was_collected_trains_our_modules(
    tmp_path: Path, crosstalk: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    filled_store(str(tmp_path / "talks.db"), DIALOGUES)
    for line in (
        "collect export --store talks.db --to crosswoz --out talks.json",
        "data check talks.json",
        "annotate acts talks.json acts.json",
        "train policy --world harbour --data talks.json --out models",
        "train dst --world harbour --data talks.json --out models",
    ):
        assert crosstalk(line) == 0, f"{line}: {capsys.readouterr().err}"
    assert {each.name for each in (tmp_path / "models").iterdir()} >= {"policy", "dst"}
    annotated = list(read_corpus(tmp_path / "acts.json"))
    assert len(annotated) == DIALOGUES
    assert all(turn.acts for turn in annotated[0].turns)
