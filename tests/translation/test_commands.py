"""`crosstalk translate`, as a person calls it, from a corpus to a corpus."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.commands import Call, caller
from tests.translation.conftest import SEGMENTS
from tests.translation.endpoint import Endpoint, serving, upper

from crosstalk.corpora.corpus import read_corpus
from crosstalk.translation.appendix_files import (
    read_judgements,
    read_segments,
    write_judgements,
    write_segments,
)


@pytest.fixture
def translate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    monkeypatch.chdir(tmp_path)
    return caller(monkeypatch, capsys, "translate")


def test_from_a_corpus_to_a_corpus(town: Path, translate: Call) -> None:
    started = translate(
        "start", town / "en.jsonl", "--to", "ru", "--out", "work.json", "--split", "dev",
        "--glossary", town / "en-ru.glossary.json", "--memory", town / "en-ru.json", "--json",
    )  # fmt: skip
    assert started[0] == 0 and json.loads(started[1])["incomplete"] == 0
    segments = read_segments(Path("work.json"))
    assert all(each.extras["provenance"]["how"] == "memory" for each in segments)

    assert translate("finish", "work.json", "--corpus", town / "en.jsonl", "--out", "x")[0] == 2
    write_segments(
        [each.with_edit(each.text, each.text_values) for each in segments], Path("work.json")
    )
    code, out, _ = translate("check", "work.json", "--corpus", town / "en.jsonl", "--json")
    assert code == 0 and json.loads(out)["problems"] == 0

    assert translate("control", "work.json", "--share", "0.5", "--out", "control")[0] == 0
    for name, says in (("annotator-1", 5), ("annotator-2", 7)):
        path = Path(f"control/{name}.json")
        judged = [
            each.answered(number % says > 0, number % 3 > 0, "")
            for number, each in enumerate(read_judgements(path))
        ]
        write_judgements(judged, path)
    code, out, _ = translate(
        "agreement", "control/annotator-1.json", "control/annotator-2.json", "--json"
    )
    found = json.loads(out)
    assert code == 0 and set(found["groups"]) == {"ru", "dev", "ru dev"}
    assert -1 <= found["overall"]["acceptable"]["kappa"]["value"] < 1
    assert found["overall"]["values_match"]["kappa"]["value"] == 1
    assert (
        "kappa" in translate("agreement", "control/annotator-1.json", "control/annotator-2.json")[1]
    )

    finished = translate("finish", "work.json", "--corpus", town / "en.jsonl", "--out", "ru.jsonl")
    assert finished[0] == 0
    spoken = [turn.text for each in read_corpus(town / "ru.jsonl") for turn in each.turns]
    mine = [turn.text for each in read_corpus(Path("ru.jsonl")) for turn in each.turns]
    assert len(spoken) == len(mine) and all(mine)
    with_glossary = ("--glossary", town / "en-ru.glossary.json", "--out", "ru2.jsonl", "--json")
    out = translate("finish", "work.json", "--corpus", town / "en.jsonl", *with_glossary)[1]
    assert json.loads(out)["untranslated"] == []


def test_an_endpoint_from_the_command_line(town: Path, translate: Call) -> None:
    endpoint = Endpoint(upper)
    with serving(endpoint) as url:
        words = ("start", town / "en.jsonl", "--limit", "1", "--to", "de", "--model", "m")
        code = translate(*words, "--translator", f"openai:{url}", "--out", "work.json")[0]
        assert code == 0
        asked = len(endpoint.asked)
        Path("work.json").unlink()
        assert translate(*words, "--translator", f"openai:{url}", "--out", "work.json")[0] == 0
        assert len(endpoint.asked) == asked  # all of it was in the cache
    assert read_segments(Path("work.json"))[0].machine.isupper()


def test_edits_are_not_written_over(work: Path, town: Path, translate: Call) -> None:
    segments = read_segments(work)
    write_segments([segments[0].with_edit("x", segments[0].machine_values), *segments[1:]], work)
    code, _, err = translate("start", town / "en.jsonl", "--to", "de", "--out", work)
    assert code == 2 and "1 edited utterances, which would be lost" in err
    assert read_segments(work)[0].edited == "x"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("start", "nothing.json", "--to", "de", "--out", "x.json"), "no such file"),
        (("start", "TOWN/en.jsonl", "--to", "en", "--out", "x.json"), "in 'en' already"),
        (("start", "TOWN/en.jsonl", "--to", "de", "--out", "x.json", "--values", "b"), "together"),
        (
            ("start", "TOWN/en.jsonl", "--to", "de", "--out", "x", "--translator", "deepl"),
            "unknown translator",
        ),
        (
            ("start", "TOWN/en.jsonl", "--to", "de", "--out", "x", "--translator", "corpus:none"),
            "no such file",
        ),
        (("edit", "nothing.json"), "no such file"),
        (("edit", "WORK", "--editor", "a/b"), "no name for a person"),
        (("check", "TOWN/en.jsonl"), "not valid JSON"),
        (("judge", "TOWN/none"), "no file to judge"),
        (("control", "WORK", "--out", "c"), "not edited yet"),
        (("control", "WORK", "--out", "c", "--annotator", "a"), "1 annotators"),
        (("agreement", "WORK", "WORK"), "given twice"),
        (("agreement", "TOWN", "WORK"), "not two annotators"),
        (("finish", "WORK", "--corpus", "TOWN/en.jsonl", "--out", "x"), "are not edited"),
        (
            ("finish", "WORK", "--unedited", "--corpus", "TOWN/en.jsonl", "--out", "x"),
            "none of the dialogues",
        ),
    ],
)
def test_wrong_input_in_words(
    town: Path, work: Path, translate: Call, words: tuple[str, ...], said: str
) -> None:
    places = {"TOWN": str(town), "WORK": str(work)}
    filled = [
        word.replace("TOWN", places["TOWN"]).replace("WORK", places["WORK"]) for word in words
    ]
    code, out, err = translate(*filled)
    assert (code, out) == (2, "") and said in err and "Traceback" not in err
    assert not Path("x.json").exists() and not Path("x").exists()


def test_a_translation_with_problems_is_told_and_ends_with_1(work: Path, translate: Call) -> None:
    wrong = SEGMENTS[0].with_edit("Ein Hotel.", SEGMENTS[0].machine_values)
    write_segments([wrong, SEGMENTS[2]], work)
    code, out, _ = translate("check", work)
    assert code == 1 and "MUL1, turn 0: 3 of the source is not in the translation" in out
    code, out, _ = translate("check", work, "--json", "--write-glossary", "g.json")
    assert code == 1 and json.loads(out)["values"]["missing"] == 3
    assert json.loads(Path("g.json").read_text(encoding="utf-8"))["hotel-day"] == {
        "friday": "Freitag"
    }


def test_two_languages_are_two_files(work: Path, translate: Call) -> None:
    russian = replace(SEGMENTS[2], extras={**SEGMENTS[2].extras, "language": "ru"})
    write_segments([*SEGMENTS[:2], russian], work)
    code, _, err = translate("check", work)
    assert code == 2 and "the records are in several languages: de, ru\nMake a file" in err


def test_editors_do_not_judge_themselves(work: Path, translate: Call) -> None:
    from crosstalk.translation.post_editing import EditingQueue, EditRequest

    queue = EditingQueue(work, languages=("en", "de"), editors=["ana"])
    for each in queue.all_segments():
        queue.save(
            EditRequest(*each.key, each.machine, each.machine_values, 0, seconds=1800), "ana"
        )
    queue.close()
    words = ("control", work, "--out", "c", "--share", "1")
    code, _, err = translate(*words, "--annotator", "Ana", "--annotator", "cleo")
    assert code == 2 and "Ana is an editor" in err
    assert translate(*words, "--annotator", "dan", "--annotator", "cleo")[0] == 0
    assert translate(*words, "--annotator", "dan", "--annotator", "eve")[0] == 2
    effort = json.loads(translate("effort", work, "--rate", "20", "--json")[1])
    assert effort["total"] == {"utterances": 3, "saves": 3, "hours": 0.75, "cost": 15.0}
    assert "ana" in translate("effort", work)[1]


def test_dialogues_that_only_one_side_has_are_named(town: Path, translate: Call) -> None:
    lines = (town / "en.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("part.jsonl").write_text("".join(lines[:5]), encoding="utf-8")
    segments = read_segments(town / "en-de.json")
    ids = list(dict.fromkeys(each.dialogue for each in segments))
    write_segments([each for each in segments if each.dialogue != ids[0]], Path("work.json"))

    code, _, err = translate("check", "work.json", "--corpus", "part.jsonl")
    assert code == 0 and f"not in work.json: dialogue {ids[0]} of part.jsonl" in err
    assert f"not in part.jsonl: dialogue {ids[5]} of work.json; is it the right corpus?" in err
    found = json.loads(translate("check", "work.json", "--corpus", "part.jsonl", "--json")[1])
    assert (found["not_in_file"], found["not_in_corpus"]) == ([ids[0]], [ids[5]])

    code, _, err = translate("finish", "work.json", "--corpus", "part.jsonl", "--out", "x.jsonl")
    assert code == 0 and f"left out: dialogue {ids[5]} of the translation" in err


def test_a_sample_is_one_folder_for_agreement_and_effort(tmp_path: Path, translate: Call) -> None:
    from tests.translation.test_control import sample

    from crosstalk.translation.control import ControlAnswer, ControlQueue

    queue = ControlQueue(sample(tmp_path / "control"))
    for name in queue.annotators:
        queue.answer(ControlAnswer("D", 3, True, True, seconds=900), name)
    queue._journal.close()  # killed before the files were written
    found = json.loads(translate("agreement", "control", "--json")[1])
    assert found["overall"]["acceptable"]["table"]["yes_yes"] == 1
    effort = json.loads(translate("effort", "control", "--json")[1])
    assert effort["total"] == {"utterances": 2, "saves": 2, "hours": 0.5, "cost": 8.0}


def test_agreement_names_what_it_leaves_out(tmp_path: Path, translate: Call) -> None:
    record = {
        "dialogID": "A",
        "turnID": 0,
        "UtteranceAcceptable": 1,
        "SlotValuesMatchAcceptable": 1,
    }
    for name, records in {"a": [record, {**record, "turnID": 1}], "b": [record]}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "dev-de.json").write_text(json.dumps(records))
    code, out, _ = translate("agreement", "a", "b", "--json")
    found = json.loads(out)
    assert code == 0 and found["left_out"] == ["dialogue A, turn 1: not in b/dev-de.json"]
    assert found["overall"]["acceptable"]["kappa"] == {
        "value": None,
        "interval": None,
        "undefined": "both annotators always gave the same answer: kappa is 0/0 and not defined",
    }
    assert set(found["groups"]) == {"de", "dev", "de dev"}


def test_the_site_starts_says_its_links_and_stops(work: Path) -> None:
    command = [sys.executable, "-m", "crosstalk", "translate", "edit", str(work), "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(4)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert told[0].startswith("Editing ") and told[1].startswith("Coordinator: http://127.0.0.1:")
    assert told[2].startswith("editor: http://127.0.0.1:") and "/enter/" in told[2]
