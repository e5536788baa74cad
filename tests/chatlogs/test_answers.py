"""Questions and answers of a log, as articles with provenance."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from crosstalk.chatlogs.answers import Article, article_of, ranked
from crosstalk.chatlogs.conversation_threads import Thread, ThreadLine
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.cli.main import app

Line = tuple[str, str, int, float]
"""Who, what, the number of the line that it answers, and how sure that is."""


def thread(*lines: Line) -> Thread:
    return tuple(
        ThreadLine(
            at, LogMessage(at, 60 * at, LineKind.MESSAGE, who, text), who, "", text, parent, sure
        )
        for at, (who, text, parent, sure) in enumerate(lines)
    )


ASKED = ("ann", "how do I mount a disk?", 0, 0.9)


def test_an_answer_of_several_lines_and_thanks() -> None:
    article = article_of(
        thread(
            ASKED,
            ("ann", "it is an old one", 0, 0.9),
            ("bob", "which disk is it?", 0, 0.99),
            ("cat", "sudo mount /dev/sdb1 /mnt", 1, 0.8),
            ("cat", "or use the file manager", 3, 0.9),
            ("ann", "thanks cat", 4, 1.0),
        )
    )
    assert article is not None
    assert article.asked == "how do I mount a disk?\nit is an old one"
    assert article.answered == "sudo mount /dev/sdb1 /mnt\nor use the file manager"
    assert article.confidence == pytest.approx(0.9 * 0.8 * 0.9)
    assert article.thanked


@pytest.mark.parametrize(
    "answer",
    [
        ("bob", "which disk do you mean?", 0, 1.0),
        ("bob", "yes", 0, 1.0),
        ("ubottu", "mounting is explained on the wiki page", 0, 1.0),
        ("ann", "I found it in the manual myself", 0, 1.0),
    ],
)
def test_what_is_no_answer(answer: Line) -> None:
    assert article_of(thread(ASKED, answer)) is None


def test_an_answer_after_asking_back_and_what_the_asker_added() -> None:
    article = article_of(
        thread(
            ASKED,
            ("bob", "which disk is it?", 0, 0.9),
            ("ann", "an old one with usb", 1, 1.0),
            ("cat", "we have had many of those", 2, 1.0),
            ("bob", "then sudo mount /dev/sdb1 /mnt", 2, 1.0),
        )
    )
    assert article is not None
    assert article.asked == "how do I mount a disk?\nan old one with usb"
    assert article.answered == "then sudo mount /dev/sdb1 /mnt"
    assert article.confidence == pytest.approx(0.9)


def test_a_short_answer_counts_if_the_asker_gives_thanks() -> None:
    asked = ("ann", "where is the configuration of nginx?", 0, 1.0)
    answer = ("bob", "/etc/nginx/nginx.conf", 0, 1.0)
    assert article_of(thread(asked, answer)) is None
    article = article_of(thread(asked, answer, ("ann", "great, thanks", 1, 1.0)))
    assert article is not None and article.answered == "/etc/nginx/nginx.conf"
    assert article_of(thread(asked, ("bob", "yes", 0, 1.0), ("ann", "thanks", 1, 1.0))) is None


def test_what_is_no_question() -> None:
    answer = ("bob", "it was a good day for all of us", 0, 1.0)
    assert article_of(thread(("ann", "today the weather was fine", 0, 1.0), answer)) is None


def test_a_question_asked_again_is_one_article_and_the_surest_comes_first() -> None:
    def article(asked: str, answered: str, sure: float) -> Article:
        found = article_of(thread(("ann", asked, 0, 1.0), ("bob", answered, 0, sure)))
        assert found is not None
        return found

    first, second = ranked(
        [
            article("how do I mount a disk?", "with the file manager I think", 0.7),
            article("why is my sound so quiet?", "open the mixer and raise it", 0.8),
            article("How do I mount a disk", "sudo mount /dev/sdb1 /mnt", 0.9),
        ]
    )
    assert (first.answered, second.answered) == (
        "sudo mount /dev/sdb1 /mnt",
        "open the mixer and raise it",
    )
    assert [each.answered for each in first.also] == ["with the file manager I think"]


LOG = """\
[10:00] <ann> how do I mount a <disk>?
[10:01] <bob> ann: sudo mount /dev/sdb1 /mnt
[10:02] <ann> bob: thanks
"""


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output if result.exception is None else str(result.exception)


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    (tmp_path / "help").mkdir()
    (tmp_path / "help/2010-01-01.txt").write_text(LOG)
    assert (
        run("logs", "extract", tmp_path / "help", "--method", "rules", "--out", tmp_path / "out")[0]
        == 0
    )
    return tmp_path / "out"


def test_json_lines_have_the_lines_that_articles_come_from(
    tmp_path: Path, conversations: Path
) -> None:
    assert run("logs", "answers", conversations, "--out", tmp_path / "a.jsonl")[0] == 0
    (article,) = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert (article["question"], article["answer"]) == (
        "how do I mount a <disk>?",
        "sudo mount /dev/sdb1 /mnt",
    )
    assert (article["asked_by"], article["answered_by"]) == ("ann", "bob")
    assert article["answer_lines"] == [
        {
            **{"file": "2010-01-01.txt", "line": 1, "time": "2010-01-01T10:01:00Z"},
            **{"sender": "bob", "text": "sudo mount /dev/sdb1 /mnt"},
        }
    ]


def test_markdown_shows_marks_as_they_were_written(tmp_path: Path, conversations: Path) -> None:
    assert run("logs", "answers", conversations, "--out", tmp_path / "a.md")[0] == 0
    text = (tmp_path / "a.md").read_text()
    assert "## how do I mount a \\<disk\\>?" in text
    assert "bob to ann, 2010-01-01 10:00; help; 2010-01-01.txt, lines 1, 2" in text


def _without_texts(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(text=pl.lit(None, pl.String))


def _of_no_year(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(time=pl.lit(2**62, pl.Int64))


def _of_times_in_words(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(time=pl.lit("noon"))


def _of_two_columns(table: pl.DataFrame) -> pl.DataFrame:
    return table.select("channel", "text")


@pytest.mark.parametrize(
    "change", [_without_texts, _of_no_year, _of_times_in_words, _of_two_columns]
)
def test_files_of_other_lines_are_named(
    tmp_path: Path, conversations: Path, change: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    [file] = (conversations / "conversations").glob("*.parquet")
    change(pl.read_parquet(file)).write_parquet(file)
    code, text = run("logs", "answers", conversations, "--out", tmp_path / "a.md")
    assert code == 1 and file.name in text, "the command line makes 2 of it"
    assert not (tmp_path / "a.md").exists()


def test_bytes_that_are_no_text(tmp_path: Path, conversations: Path) -> None:
    [file] = (conversations / "conversations").glob("*.parquet")
    table = pl.read_parquet(file)
    table.write_parquet(file, compression="uncompressed")
    file.write_bytes(file.read_bytes().replace(b"mount", b"mo\xffnt"))
    code, text = run("logs", "answers", conversations, "--out", tmp_path / "a.md")
    assert code == 1 and file.name in text and "Extract" in text


def test_wrong_files_are_named(tmp_path: Path, conversations: Path) -> None:
    assert "unknown ending" in run("logs", "answers", conversations, "--out", tmp_path / "a.doc")[1]
    (tmp_path / "none").mkdir()
    code, text = run("logs", "answers", tmp_path / "none", "--out", tmp_path / "a.md")
    assert code != 0
    assert "--method links" in text
    assert not (tmp_path / "a.md").exists()


def test_answers_are_in_the_conversation_of_their_question(data_folder: Path) -> None:
    scores = json.loads(run("logs", "evaluate", data_folder / "irc/dev.zip", "--json")[1])
    assert scores["answers"]["articles"] > 60
    assert scores["answers"]["answer_in_thread"] > 95
