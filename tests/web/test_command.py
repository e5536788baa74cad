"""`crosstalk collect` as a user starts it, stops it, and takes out what was collected."""

import signal
from collections.abc import Callable
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.web.commands import serving
from tests.web.playing import played

from crosstalk.cli.main import run
from crosstalk.corpora.corpus import read_corpus
from crosstalk.web.collect.site import Site

Said = pytest.CaptureFixture[str]


@pytest.fixture
def crosstalk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The command, typed in an empty folder; its exit code."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> int:
        monkeypatch.setattr("sys.argv", ["crosstalk", "collect", *words])
        with pytest.raises(SystemExit) as ended:
            run()
        return int(ended.value.code or 0)

    return command


def test_from_start_to_stop(tmp_path: Path, crosstalk: Callable[..., int], capsys: Said) -> None:
    store = f"sqlite:///{tmp_path}/site.db"
    words = ("--world", "harbour", "--goals", "50", "--store", store)
    with serving(tmp_path, *words) as (process, address, link):
        health = httpx.get(f"{address}/healthz").json()
        assert (health["status"], health["world"]) == ("ok", "harbour")
        browser = httpx.Client(base_url=address)
        csrf = {"X-CSRF-Token": browser.get("/api/me").json()["csrf"]}
        entered = browser.post("/api/enter", json={"token": link.split("/")[-1]}, headers=csrf)
        assert entered.json()["worker"]["admin"]
        goals = browser.get("/api/admin/overview").json()["goals"]
        assert goals == {"pool": 50, "taken": 0, "done": 0}
        browser.close()
        assert crosstalk("--port", "0", "--store", store) == 2
        assert "another server is using this store" in capsys.readouterr().err
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert crosstalk("--port", "0", "--store", store, "--language", "zh") == 2
    assert "language is en, not zh" in capsys.readouterr().err


def test_export_backup_restore(
    tmp_path: Path, open_site: Callable[..., Site], crosstalk: Callable[..., int], capsys: Said
) -> None:
    store = str(tmp_path / "site.db")
    played(open_site(store))
    assert crosstalk("export", "--store", store, "--to", "crosswoz", "--out", "out.json") == 0
    assert "1 dialogues" in capsys.readouterr().out
    [dialogue] = read_corpus(tmp_path / "out.json")
    assert dialogue.turns[0].acts
    for words in (
        ("backup", "--store", store, "--out", "all.jsonl"),
        ("restore", "all.jsonl", "--store", "copy.db"),
        ("export", "--store", "copy.db", "--to", "native", "--out", "copy.jsonl"),
        ("export", "--store", "copy.db", "--to", "run", "--out", "people"),
        ("backup", "--store", store, "--out", "same.db"),
        ("export", "--store", "sqlite:///same.db", "--to", "csv", "--out", "same.csv"),
    ):
        assert crosstalk(*words) == 0, capsys.readouterr().err
    assert list(read_corpus(tmp_path / "copy.jsonl")) == [dialogue]
    capsys.readouterr()
    assert crosstalk("restore", "all.jsonl", "--store", "copy.db") == 2
    assert "holds something already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "--store", "no.db", "--to", "csv", "--out", "x.csv"), "no such store"),
        (("export", "--to", "pdf", "--out", "x.pdf"), "csv"),
        (("restore", "no.jsonl"), "no such file"),
        (("--world", "atlantis"), "atlantis"),
        (("--goals", "no.jsonl", "--port", "0"), "no such file"),
        (("--goals", "-5", "--port", "0"), "no number of goals"),
        (("--host", "256.1.1.1"), "cannot listen"),
        (("--port", "0", "--address", "nonsense"), "no address of a site"),
        (("--port", "0", "--address", "https://a.example:99999"), "no address of a site"),
        (("--port", "0", "--address", "https://a.example/collect"), "no address of a site"),
        (("--port", "0", "--address", "https://a b.example"), "no address of a site"),
        (("--port", "0", "--trusted-proxy", "10.0.0.0/99"), "no network"),
        (("--port", "0", "--client-header", "X Real"), "no name of a header"),
        (("--port", "0", "--store", "mysql://x"), "not supported"),
    ],
)
def test_what_cannot_be(
    crosstalk: Callable[..., int], capsys: Said, words: tuple[str, ...], said: str
) -> None:
    assert crosstalk(*words) == 2
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error


@pytest.mark.parametrize("refused", [("--goals", "nothere.jsonl"), ("--agent", "nobody")])
def test_a_refused_start_leaves_no_store(
    tmp_path: Path, crosstalk: Callable[..., int], capsys: Said, refused: tuple[str, str]
) -> None:
    assert crosstalk("--port", "0", *refused) == 2
    assert refused[1] in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_refused_start_leaves_the_store_that_was_there(
    tmp_path: Path, crosstalk: Callable[..., int], open_site: Callable[..., Site]
) -> None:
    store = tmp_path / "site.db"
    played(open_site(str(store)))
    assert crosstalk("--port", "0", "--store", str(store), "--agent", "nobody") == 2
    assert crosstalk("export", "--store", str(store), "--to", "native", "--out", "out.jsonl") == 0
    assert len(list(read_corpus(tmp_path / "out.jsonl"))) == 1
