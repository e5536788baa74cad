"""Editors at work: disjoint, durable, safe with two of them and with a server that is killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.translation.conftest import SEGMENTS

from crosstalk.errors import FormatError, InputError, Rejection
from crosstalk.translation.appendix_files import read_segments, write_segments
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.journal import FILE, Journal, assign_dialogues, journal_folder
from crosstalk.translation.post_editing import EditingQueue, EditRequest
from crosstalk.translation.work import read_work

VALUES = SEGMENTS[0].machine_values


def opened(path: Path, *editors: str) -> EditingQueue:
    return EditingQueue(path, languages=("en", "de"), editors=editors)


def save(text: str, revision: int = 0, **more: object) -> EditRequest:
    return EditRequest("MUL1", 0, text, VALUES, revision, **more)  # type: ignore[arg-type]


def test_dialogues_are_shared_out_and_stay_with_whoever_began_them(work: Path) -> None:
    queue = opened(work, "ana", "ben")
    assert {id: queue.owner(id) for id in queue.dialogues} == {"MUL1": "ana", "SNG2": "ben"}
    with pytest.raises(Rejection, match="somebody else's"):
        queue.save(save("x"), "ben")
    queue.save(save("Ein Hotel."), "ana")
    queue.close()
    queue = opened(work, "cleo")
    assert queue.editors == ("ana", "ben", "cleo")
    assert queue.owner("MUL1") == "ana"
    queue.close()


def test_assignment_is_even_and_disjoint() -> None:
    sizes = {f"d{n}": 10 + n % 3 for n in range(30)}
    given = assign_dialogues(sizes, ["a", "b", "c"], {"d5": "c"})
    loads = [sum(sizes[id] for id, who in given.items() if who == name) for name in "abc"]
    assert set(given) == set(sizes) and given["d5"] == "c" and max(loads) - min(loads) <= 12


def test_saves_are_in_the_journal_at_once_and_in_the_file_when_settled(work: Path) -> None:
    before = work.read_bytes()
    queue = opened(work)
    assert queue.save(save("Ein Hotel.", seconds=12.5), "editor") == 1
    assert work.read_bytes() == before
    assert read_work(work).segments[0].edited == "Ein Hotel."
    queue.close()
    (first, *_) = json.loads(work.read_text(encoding="utf-8"))
    assert first["fixTransUtterance"] == "Ein Hotel." and first["changedUtterance"] == 1
    assert first["fixTransSlotValues"] == dict(VALUES) and first["changedSlotValues"] == 0


def test_a_save_between_is_not_undone_and_one_sent_twice_counts_once(work: Path) -> None:
    queue = opened(work)
    assert queue.save(save("one", client="a1"), "editor") == 1
    assert queue.save(save("one", client="a1"), "editor") == 1
    with pytest.raises(Rejection) as caught:
        queue.save(save("two", revision=0, client="a2"), "editor")
    assert caught.value.code == "changed_meanwhile"
    assert queue.save(save("two", revision=1, client="a2"), "editor") == 2
    assert queue.efforts()["editor"].saves == 2 and queue.efforts()["editor"].utterances == 1
    queue.close()


@pytest.mark.parametrize(
    ("text", "values", "code"),
    [
        (" ", VALUES, "empty_text"),
        ("x" * 8001, VALUES, "too_long"),
        ("a\x00b", VALUES, "unreadable"),
        ("x", VALUES[:1], "bad_value"),
        ("x", (("a", "b"),), "bad_value"),
        ("x", (*VALUES[:2], ("hotel-day", "\x1b")), "unreadable"),
    ],
)
def test_what_cannot_be_kept(work: Path, text: str, values: tuple[object, ...], code: str) -> None:
    queue = opened(work)
    with pytest.raises(Rejection) as caught:
        queue.save(EditRequest("MUL1", 0, text, values, 0), "editor")  # type: ignore[arg-type]
    assert caught.value.code == code
    with pytest.raises(Rejection, match="no turn 9"):
        queue.save(EditRequest("MUL1", 9, "x", (), 0), "editor")
    queue.close()


def test_a_file_changed_by_hand_wins_and_that_is_told(work: Path) -> None:
    queue = opened(work)
    queue.save(save("from the page"), "editor")
    queue._journal.close()  # the server dies before it settles
    segments = read_segments(work)
    write_segments([segments[0].with_edit("by hand", VALUES), *segments[1:]], work)
    found = read_work(work)
    assert found.segments[0].edited == "by hand" and found.conflicts == (("MUL1", 0),)


def test_what_is_typed_into_the_file_while_the_pages_are_open_stays(work: Path) -> None:
    queue = opened(work)
    queue.save(save("Ein Hotel."), "editor")
    queue.write_files()
    segments = read_segments(work)
    by_hand = segments[1].with_edit("Fertig: 6XJZP2J2.", segments[1].machine_values)
    write_segments([segments[0], by_hand, segments[2]], work)

    queue.save(EditRequest("SNG2", 0, "Ein Taxi, bitte.", (), revision=0), "editor")
    queue.write_files()
    texts = [segment.edited for segment in read_segments(work)]
    assert texts == ["Ein Hotel.", "Fertig: 6XJZP2J2.", "Ein Taxi, bitte."]
    with pytest.raises(Rejection, match="another window"):  # a page that shows the old text
        queue.save(EditRequest("MUL1", 1, "Alt.", by_hand.machine_values, revision=0), "editor")
    queue.close()


def test_the_pages_show_what_is_typed_into_the_file_and_leave_it_alone(work: Path) -> None:
    queue = opened(work)
    segments = read_segments(work)
    write_segments([*segments[:2], segments[2].with_edit("Ein Taxi.", ())], work)
    before = work.read_bytes()
    queue.write_files()  # as the site does every few seconds
    assert queue.segments("SNG2")[0].edited == "Ein Taxi."
    assert queue.revision(("SNG2", 0)) == 1
    queue.close()
    assert work.read_bytes() == before


def test_a_half_written_file_is_left_alone_and_nothing_is_lost(work: Path) -> None:
    queue = opened(work)
    queue.save(save("Ein Hotel."), "editor")
    whole = work.read_text(encoding="utf-8")
    work.write_text(whole[:300], encoding="utf-8")
    with pytest.raises(InputError, match=r"left as it is\nNothing is lost: what was saved is in"):
        queue.write_files()
    assert work.read_text(encoding="utf-8") == whole[:300]
    work.write_text(whole, encoding="utf-8")
    queue.close()
    assert read_segments(work)[0].edited == "Ein Hotel."


def test_a_save_upon_a_text_typed_into_the_file_survives_a_crash(work: Path) -> None:
    queue = opened(work)
    queue.save(save("Ein Hotel."), "editor")
    queue._journal.close()  # killed before the file was written
    segments = read_segments(work)
    write_segments([segments[0].with_edit("Von Hand.", VALUES), *segments[1:]], work)
    queue = opened(work)
    assert queue.conflicts == (("MUL1", 0),)
    queue.save(save("Von Hand, und besser.", revision=1), "editor")
    queue._journal.close()
    assert read_work(work).segments[0].edited == "Von Hand, und besser."


def test_whoever_leaves_hands_on_what_is_theirs(work: Path) -> None:
    queue = opened(work, "ana", "ben")
    queue.save(save("Ein Hotel."), "ana")
    queue.close()
    queue = EditingQueue(work, languages=("en", "de"), without=["ana"])
    assert queue.editors == ("ben",)
    assert queue.owner("MUL1") == "ben"
    assert queue.all_segments()[0].edited == "Ein Hotel."
    assert set(queue.efforts()) == {"ana"}
    queue.close()
    with pytest.raises(InputError, match="ana is no editor of this file\nIts editors are ben"):
        EditingQueue(work, languages=("en", "de"), without=["ana"])


def test_names_given_later_replace_the_editor_without_one(work: Path) -> None:
    opened(work).close()
    queue = opened(work, "ana", "ben")
    assert queue.editors == ("ana", "ben")
    queue.close()


def test_a_crash_between_writing_and_noting_it_does_no_harm(work: Path) -> None:
    queue = opened(work)
    queue.save(save("one"), "editor")
    queue.save(save("two", revision=1), "editor")
    write_segments(queue.all_segments(), work)  # the file is new, the journal does not know
    queue._journal.close()
    found = read_work(work)
    assert found.segments[0].edited == "two" and found.conflicts == ()


def test_one_server_at_a_time(work: Path) -> None:
    queue = opened(work)
    with pytest.raises(InputError, match="another server"):
        opened(work)
    queue.close()
    opened(work).close()


def test_a_cut_line_is_passed_over_and_a_broken_one_is_told(work: Path) -> None:
    queue = opened(work)
    queue.save(save("kept"), "editor")
    queue._journal.close()
    file = journal_folder(work) / FILE
    with file.open("ab") as journal:
        journal.write(b'{"event": "edit", "dialogue"')
    assert read_work(work).segments[0].edited == "kept"
    again = opened(work)
    again.save(save("on", revision=1), "editor")
    again.close()
    assert read_work(work).segments[0].edited == "on"
    file.write_bytes(b"broken\n" + file.read_bytes())
    with pytest.raises(FormatError, match="line 1: this line is no event"):
        read_work(work)


def test_editors_at_the_same_time(work: Path) -> None:
    queue = opened(work)

    def one(number: int) -> bool:
        try:
            queue.save(save(f"text {number}", revision=0), "editor")
        except Rejection:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(one, range(40))) == 1
    queue.close()
    assert len([e for e in read_work(work).events if e["event"] == "edit"]) == 1


KILLED = """
import sys
from pathlib import Path
from crosstalk.translation.post_editing import EditingQueue, EditRequest
queue = EditingQueue(Path(sys.argv[1]), languages=("en", "de"))
for number in range(10_000):
    queue.save(EditRequest("SNG2", 0, f"save {number}", (), number), "editor")
    print(number, flush=True)
"""


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(work: Path) -> None:
    for _ in range(2):
        command = [sys.executable, "-c", KILLED, str(work)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            acknowledged = [process.stdout.readline() for _ in range(25)][-1]
            os.kill(process.pid, signal.SIGKILL)
            rest = process.stdout.read().split()
        last = int(rest[-1] if rest else acknowledged)
        edits = [e["text"] for e in read_work(work).events if e["event"] == "edit"]
        assert int(edits[-1].removeprefix("save ")) in (last, last + 1)
        (journal_folder(work) / FILE).unlink()


SAVED = """
import os, sys
from pathlib import Path
from crosstalk.translation.post_editing import EditingQueue, EditRequest
queue = EditingQueue(Path(sys.argv[1]), languages=("en", "de"))
queue.save(EditRequest("SNG2", 0, "Ein Taxi, bitte.", (), 0), "editor")
os._exit(0)
"""


def test_the_command_writes_the_file_that_it_was_given(work: Path) -> None:
    subprocess.run([sys.executable, "-c", SAVED, work], check=True)
    assert "Ein Taxi, bitte." not in work.read_text(encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "crosstalk",
        "translate",
        "edit",
        str(work),
        "--editor",
        "editor",
    ]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([*command, "--port", str(port)], stderr=subprocess.PIPE) as site:
        until = time.monotonic() + 30
        while time.monotonic() < until and "Ein Taxi" not in work.read_text(encoding="utf-8"):
            time.sleep(0.1)
        site.send_signal(signal.SIGINT)
    assert "Ein Taxi, bitte." in work.read_text(encoding="utf-8")


def test_forms_of_values(work: Path) -> None:
    queue = opened(work)
    queue.save(save("Ein Hotel im Norden ab Freitag."), "editor")
    queue.set_form("hotel-day", "Friday", "freitags", "editor")
    segment = queue.preview(("MUL1", 0), "x", VALUES)
    assert "form" in {finding.code.value for finding in queue.findings(segment)}
    assert [each.wanted for each in queue.inconsistencies()] == ["freitags"]
    assert queue.unify("hotel-day", "friday", "freitags", "coordinator") == 1
    edited = queue.segments("MUL1")[0]
    assert edited.edited == "Ein Hotel im Norden ab freitags."
    assert dict(edited.edited_values or ())["hotel-day"] == "freitags"
    assert queue.inconsistencies() == []
    queue.close()
    again = opened(work)
    assert again.glossary == Glossary({("hotel-day", "friday"): "freitags"})
    again.close()


def test_links_stay_as_long_as_the_secret_does(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.edits")
    first = journal.secret()
    assert journal.secret() == first and len(first) == 64
    assert ((tmp_path / "x.edits" / "secret").stat().st_mode & 0o777) == 0o600
    assert journal.secret(renew=True) != first
    journal.close()


def test_names_that_are_none(work: Path) -> None:
    for names in (["../x"], [""], ["a" * 41], ["Ana", "ana"], ["★"]):
        with pytest.raises(InputError):
            EditingQueue(work, languages=("en", "de"), editors=names)
