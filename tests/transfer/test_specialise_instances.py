"""Lessons for an encoder: cleaned lines, windows of two languages, right and wrong responses."""

import json
import zipfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reproduction import published_files
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.transfer.specialisation import web_text
from crosstalk.transfer.specialisation.instance_sampling import (
    ResponseRow,
    response_rows,
    split_rows_by_context,
    translation_windows,
)
from crosstalk.transfer.specialisation.lines_on_disk import LinesOnDisk
from crosstalk.transfer.specialisation.parallel_text import ParallelText, index_of, read_subtitles
from crosstalk.transfer.specialisation.pretraining_corpora import (
    _alternating,
    listed_corpora,
    pretraining_dialogues,
)
from crosstalk.transfer.specialisation.training_instances import (
    InstanceRequest,
    find_instances,
    find_parallel_text,
    read_rows,
)

ENGLISH = "line {0} of film {1} says a good deal more than ten words in all you see"
CHINESE = "第{0}行属于电影{1}，这一行一共有超过十个汉字"


def films(count: int = 6, lines: int = 30) -> ParallelText:
    rows = [(f"tt{film}", line) for film in range(count) for line in range(lines)]
    return ParallelText(
        tuple(ENGLISH.format(line, film) for film, line in rows),
        tuple(CHINESE.format(line, film) for film, line in rows),
        tuple(film for film, _ in rows),
        ("en", "zh"),
    )


def subtitles(folder: Path, parallel: ParallelText) -> Path:
    folder.mkdir()
    stem = "OpenSubtitles.en-zh"
    ids = [
        f"en/1999/{film}/77.xml.gz\tzh/1999/{film}/78.xml.gz\t1\t1" for film in parallel.documents
    ]
    for ending, lines in (("en", parallel.source), ("zh", parallel.target), ("ids", ids)):
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"{stem}.{ending}").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("(http://a.b/c) and www.x.org for what is left", "[URL] and [URL] for what is left"),
        ('he said "never....." and went_away at last', "he said never and went away at last"),
        ("write to me@home.example as soon as you ever can", "write to as soon as you ever can"),
        ("https://a.com/@someone/1 says so in very many words", "[URL] says so in very many words"),
        ("ask me.too@a.com, or look at a.co.uk for all else", "ask or look at [URL] for all else"),
        ("too short", ""),
        ("https://example.com/a-very-long-address/of-a-page.html", ""),
    ],
)  # fmt: skip
def test_web_text_is_cleaned_as_published(raw: str, clean: str) -> None:
    assert web_text.clean(raw, "en") == clean


def test_a_line_is_long_by_words_or_by_characters() -> None:
    assert web_text.is_long("word " * 31, "en")
    assert not web_text.is_long("word " * 30, "en")
    assert web_text.is_long("字" * 31, "zh")


def test_mono_and_bi_mix_languages_and_hold_out_a_tenth() -> None:
    english = [f"{number} " + "word " * 35 for number in range(100)]
    chinese = [f"{number}" + "字" * 40 for number in range(100)]
    train, test = web_text.mixed({"zh": chinese})
    assert (len(train), len(test)) == (90, 10)
    train, test = web_text.mixed({"zh": chinese, "en": english})
    assert (len(train), len(test)) == (180, 20)
    assert not set(train) & set(test)


def test_a_folder_of_text_files_is_mixed_by_command(tmp_path: Path) -> None:
    for name, line in (("en", "word " * 35), ("de", "Wort " * 35), ("zh-Hans", "字" * 40)):
        lines = "".join(f"{number}{line}\n" for number in range(20))
        (tmp_path / f"{name}.txt").write_text(lines, encoding="utf-8")
    for mix, count in (("mono", 18), ("bi", 36), ("multi", 54)):
        words = ["transfer", "instances", "--objective", "mlm", "--data", str(tmp_path)]
        out = tmp_path / mix
        found = CliRunner().invoke(app, [*words, "--mix", mix, "--out", str(out)])
        assert found.exit_code == 0, found.output
        train = (out / "mlm-en-zh-train.txt").read_text(encoding="utf-8")
        assert train.count("\n") == count
    with pytest.raises(InputError, match=r"no text in ru: found de\.txt, en\.txt"):
        find_instances(InstanceRequest("mlm", tmp_path, "en", "ru", mix="bi"))


def test_text_that_is_cleaned_away_is_told(tmp_path: Path) -> None:
    file = tmp_path / "short.txt"
    file.write_text("a few words only\n" * 30, encoding="utf-8")
    with pytest.raises(InputError, match="too little is left after cleaning"):
        find_instances(InstanceRequest("mlm", file, "de", "en"))


def test_at_most_so_many_instances_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "windows.txt"
    file.write_text("one window\n" * 90, encoding="utf-8")
    assert len(find_instances(InstanceRequest("tlm", file, wanted=20)).learnt) == 18


def test_accents_go_and_marks_stay() -> None:
    assert web_text.plain("Café [URL]") == "cafe [URL]"


@given(st.integers(0, 50), st.booleans())
def test_a_window_stays_in_its_film_and_holds_both_languages(seed: int, published: bool) -> None:
    for text in translation_windows(films(3, 20), Random(seed), published=published):
        numbers = {word for word in text.split() if word.isdigit()}
        assert "of film" in text
        assert "属于电影" in text
        assert numbers
        named = {film for film in range(3) if f"film tt{film}" in text}
        assert len(named) == 1
        assert ("  " in text) == published


def test_a_window_has_three_lines_or_more() -> None:
    for seed in range(20):
        for text in translation_windows(films(3, 20), Random(seed)):
            assert text.count("属于电影") >= 3


def test_rows_are_one_right_one_hard_and_one_to_three_easy() -> None:
    by_context: dict[str, list[ResponseRow]] = {}
    for row in response_rows(films(), Random(1)):
        by_context.setdefault(row.context, []).append(row)
    assert by_context
    for rows in by_context.values():
        assert [row.label for row in rows][:2] == [1, 0]
        assert 3 <= len(rows) <= 5
        assert sum(row.label for row in rows) == 1


def test_easy_ones_are_from_other_films_and_hard_ones_from_the_same() -> None:
    def film(text: str) -> str:
        return text.split("film ")[1].split()[0] if "film" in text else text.split("电影")[1][:3]

    made = list(response_rows(films(), Random(2)))
    rights = {row.context: film(row.response) for row in made if row.label}
    seen: set[str] = set()
    for row in made:
        if row.label:
            place = 0
            continue
        place = 1 if row.context not in seen else 2
        seen.add(row.context)
        same = film(row.response) == rights[row.context]
        assert same == (place == 1)


def test_an_easy_one_is_never_the_right_one_in_so_many_words() -> None:
    farewell = "goodbye and thank you very much for everything you have done today"
    lines = tuple(farewell if at % 5 == 4 else ENGLISH.format(at, at // 5) for at in range(200))
    films_ = tuple(f"tt{at // 20}" for at in range(200))
    parallel = ParallelText(lines, lines, films_, ("en", "en"))
    made = [row for seed in range(5) for row in response_rows(parallel, Random(seed))]
    right = {(row.context, row.response) for row in made if row.label}
    assert not right & {(row.context, row.response) for row in made if not row.label}


def test_responses_are_long_in_dialogues_too(tmp_path: Path) -> None:
    for place, line in (
        ("multiwoz_ru/english_dev", "short {0}"),
        ("multiwoz_zh/val.json", "短{0}"),
    ):
        file = tmp_path / place
        file.parent.mkdir()
        file.write_text("\n".join(line.format(at) for at in range(60)), encoding="utf-8")
    instance_set = find_instances(InstanceRequest("rs-x", tmp_path, "en", "zh"))
    assert not instance_set.learnt


def test_rs_x_answers_in_the_other_language_and_rs_mono_does_not() -> None:
    for row in response_rows(films(), Random(3)):
        assert ("film" in row.context) != ("film" in row.response)
    for row in response_rows(films().alone(), Random(3)):
        assert "电影" in row.context
        assert "电影" in row.response


def test_contexts_are_not_on_both_sides_once_mended() -> None:
    train, test = split_rows_by_context(response_rows(films(), Random(4)))
    assert test
    assert not {row.context for row in train} & {row.context for row in test}


def test_documents_of_one_line_have_a_span_of_one() -> None:
    parallel = ParallelText(("a", "b", "c"), ("x", "y", "z"), ("1", "2", "2"), ("en", "zh"))
    assert parallel.spans() == [range(0, 1), range(1, 3)]
    assert index_of(["en/1/f/a.xml.gz", "en/1/f/b.xml.gz", "en/1/f/b.xml.gz"]) == {
        "en/1/f/a": {"start": 0, "end": 0},
        "en/1/f/b": {"start": 1, "end": 2},
    }


def sides_of(parallel: ParallelText) -> list[list[str]]:
    return [list(each) for each in (parallel.source, parallel.target, parallel.documents)]


def test_subtitles_that_a_user_brings_become_published_files(tmp_path: Path) -> None:
    folder = subtitles(tmp_path / "os", films())
    assert sides_of(read_subtitles(folder, "en", "zh")) == sides_of(films())
    runner = CliRunner()
    for out in ("made", "again"):
        for objective in ("tlm", "rs-x", "rs-mono"):
            words = ["transfer", "instances", "--objective", objective, "--data", str(folder)]
            found = runner.invoke(app, [*words, "--out", str(tmp_path / out)])
            assert found.exit_code == 0, found.output
    made = {file.name: file.read_bytes() for file in (tmp_path / "made").iterdir()}
    assert made == {file.name: file.read_bytes() for file in (tmp_path / "again").iterdir()}
    assert len(made) == 6
    rows = json.loads(made["rs-x-en-zh-train.json"])
    assert set(rows[0]) == {"context", "response", "label"}
    assert read_rows(tmp_path / "made" / "rs-x-en-zh-train.json")[0].context == rows[0]["context"]


def test_files_that_are_not_aligned_are_refused(tmp_path: Path) -> None:
    folder = subtitles(tmp_path / "os", films())
    (folder / "OpenSubtitles.en-zh.zh").write_text("一行\n", encoding="utf-8")
    with pytest.raises(InputError, match="not aligned"):
        read_subtitles(folder, "en", "zh")


def test_dialogues_of_no_benchmark_come_first(tmp_path: Path) -> None:
    def write(place: str, *lines: str) -> None:
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("\n".join(lines), encoding="utf-8")

    for place, mark in (("multiwoz_ru/english_dev", "e"), ("multiwoz_zh/val.json", "z")):
        write(place, *(f"{mark} {number}" for number in range(4)))
    order = InstanceRequest("tlm", tmp_path, "en", "zh")
    assert find_parallel_text(order)[0].target[0] == "z 0"
    write("crosswoz_en/val.json", "good day", "hello")
    write("crosswoz/val.json", "你好", "您好")
    parallel, told = find_parallel_text(order)
    assert (parallel.source, parallel.target) == (("good day", "hello"), ("你好", "您好"))
    assert told == "CrossWOZ-EN (machine-translated) and CrossWOZ, parallel"


def test_subtitles_are_read_from_the_zip_of_opus_and_regions_do_not_count(tmp_path: Path) -> None:
    plain = subtitles(tmp_path / "plain", films())
    (tmp_path / "packed").mkdir()
    with zipfile.ZipFile(tmp_path / "packed" / "en-zh_cn.txt.zip", "w") as archive:
        for file in plain.iterdir():
            ending = file.suffix.replace(".zh", ".zh_cn")
            archive.write(file, f"OpenSubtitles.en-zh_cn{ending}")
    packed = read_subtitles(tmp_path / "packed", "en", "zh")
    assert sides_of(packed) == sides_of(read_subtitles(plain, "en", "zh"))
    request = InstanceRequest("tlm", tmp_path / "packed", wanted=20)
    assert find_parallel_text(request)[1] == "subtitles en-zh"


def test_tod_learns_from_every_corpus_of_the_folder(tmp_path: Path) -> None:
    data = published_files.multi2woz(tmp_path)
    alone = pretraining_dialogues(data)
    (data / "woz2").mkdir()
    (data / "woz2" / "woz_train_en.json").write_text(
        json.dumps([published_files._dials(each, "en") for each in range(5)]), encoding="utf-8"
    )
    german = json.dumps([published_files._dials(each, "de") for each in range(5)])
    (data / "woz2" / "woz_train_de_en.json").write_text(german, encoding="utf-8")
    both = pretraining_dialogues(data)
    assert len(both.learnt) == len(alone.learnt) + 5
    assert both.learnt_from == f"{alone.learnt_from}, WOZ 2.0 (5)"
    (data / "multiwoz" / "train.json.zip").unlink()
    tenth = pretraining_dialogues(data)
    assert len(tenth.held_out) == 1 and len(tenth.learnt) == 11 + 5


def test_the_corpora_of_pretraining_are_the_papers() -> None:
    listed = listed_corpora()
    assert len(listed) == 8  # and MultiWOZ
    assert [each.name for each in listed if not each.files] == ["MSR-E2E"]


def test_turns_of_one_speaker_are_joined_and_the_user_begins() -> None:
    said = [("system", "Welcome ."), ("user", "A hotel ,"), ("user", "please ."), ("system", "Yes")]
    turns = tuple(Turn(Speaker(who), text) for who, text in said)
    dialogue = Dialogue("1", turns=turns)
    assert _alternating(dialogue).texts == ("A hotel , please .", "Yes")


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=8), max_size=9))
def test_lines_on_disk_are_a_list_of_lines(texts: list[str]) -> None:
    lines = LinesOnDisk(texts)
    assert (len(lines), list(lines), lines[1:3]) == (len(texts), texts, texts[1:3])
    assert [lines[-at] for at in range(1, len(texts) + 1)] == texts[::-1]
