"""Reading and writing corpora: `python -m benchmarks.formats`.

CrossWOZ val where CROSSTALK_DATA names it, otherwise a corpus made up here of the same shape, in
its own layout and written ten times over. Each figure comes from a process of its own: seconds,
and the peak of its memory. The bars: five times a bare `json.load`, and 500 MB.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.dialogue.states import SystemState

TIMES = 10
FORMATS = ("crosswoz", "native", "parquet", "convlab", "chat")
MEASURE = """
import json, sys, time
from pathlib import Path
from crosstalk.corpora.corpus import read_corpus, write_corpus
what, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if what not in ("json.load", "read"):
    dialogues = list(read_corpus(source))
start = time.perf_counter()
if what == "json.load":
    with source.open(encoding="utf-8") as file:
        json.load(file)
elif what == "read":
    count = sum(1 for _ in read_corpus(source))
else:
    write_corpus(dialogues, target, to=what)
seconds = time.perf_counter() - start
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(json.dumps({"seconds": round(seconds, 2), "peak_mb": round(int(peak) / 1024)}))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        once, often = Path(folder, "once.json"), Path(folder, "often.json")
        dialogues = list(_corpus())
        write_corpus(dialogues, once, to="crosswoz")
        write_corpus(_repeated(dialogues), often, to="crosswoz")
        json.dump(_figures(once, often, Path(folder, "out")), sys.stdout, indent=2)
        print()


def _figures(once: Path, often: Path, out: Path) -> dict[str, object]:
    plain, ours = (_measure(what, often) for what in ("json.load", "read"))
    formats = {}
    for format in FORMATS:
        formats[format] = {"write": _measure(format, once, out)}
        if format != "chat":  # which is not read
            formats[format]["read"] = _measure("read", out)
    return {
        "corpus_mb": round(once.stat().st_size / 1e6, 1),
        "ten_times_mb": round(often.stat().st_size / 1e6, 1),
        "json.load": plain,
        "read": ours,
        "ratio": round(ours["seconds"] / plain["seconds"], 2),
        "formats": formats,
    }


def _measure(what: str, source: Path, target: Path = Path(os.devnull)) -> dict[str, float]:
    command = [sys.executable, "-c", MEASURE, what, str(source), str(target)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(answer.stdout)
    return found


def _corpus() -> Iterator[Dialogue]:
    data = os.environ.get("CROSSTALK_DATA")
    if data:
        yield from read_corpus(Path(data, "crosswoz", "val.json.zip"))
        return
    for number in range(500):
        yield _made_up(number)


def _repeated(dialogues: list[Dialogue]) -> Iterator[Dialogue]:
    for number in range(TIMES):
        for dialogue in dialogues:
            yield replace(dialogue, id=f"{number}-{dialogue.id}")


def _made_up(number: int) -> Dialogue:
    """Sixteen turns about fifteen tuples, the form full of a few different values."""
    from crosstalk.corpora.crosswoz_schema import CHINESE

    form = SystemState()
    for domain in CHINESE.schema:
        for slot in domain.form:
            form = form.with_domain(form.get(domain.key).with_slot(slot.key, f"{number % 50}"))
    wishes = tuple(SemanticTuple(1 + at // 5, "酒店", "名称", f"{at}") for at in range(15))
    act = Act("Inform", "酒店", "名称", f"{number}")
    user = Turn(Speaker.USER, "我想找一家酒店。" * 3, (act, act), user_state=wishes)
    system = Turn(Speaker.SYSTEM, "好的。" * 5, (act,), first_query=form, last_query=form)
    return Dialogue(str(number), (user, system) * 8, Goal(wishes), wishes, (1, 2), "zh", "crosswoz")


if __name__ == "__main__":
    main()
