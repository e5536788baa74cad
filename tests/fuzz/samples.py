"""Valid files of every kind that commands read, made by the commands themselves."""

import json
import os
import sys
from pathlib import Path

LOG = "\n".join(
    f"[{pair:02}:{minute:02}] <{speaker}{pair}> {other}{pair}: {said} {pair}{minute}"
    for pair in range(24)
    for minute in range(6)
    for speaker, other, said in (
        [("ann", "ben", "how do I mount disk"), ("ben", "ann", "mount /dev/sd")][minute % 2],
    )
)
"""Pairs, one an hour."""
COMMANDS = (
    "simulate -n 3 --level words --out run",
    "simulate -n 3 --level words --seed 2 --out run-two",
    "goals sample -n 3 --out goals.jsonl",
    "data convert run native.jsonl --to native",
    "data convert run crosswoz.json --to crosswoz",
    "data convert run chat.jsonl --to chat",
    "data convert run corpus.parquet --to parquet",
    "data convert run convlab.zip --to convlab",
    "data convert run multiwoz.json --to multiwoz",
    "data convert run packed.json.zip --to crosswoz",
    "data split run --out split",
    "annotate acts native.jsonl acts.json --to native",
    "annotate sample native.jsonl sample.json --to native --share 1",
    "translate start native.jsonl --to de --out work.json",
    "translate control work.json --unedited --out control --share 1 --annotator a --annotator b",
    "world new town --from harbour",
    "logs extract logs --out threads",
    "retrieve triples threads --out triples.csv",
)
FILES = {
    "glossary.csv": "source,target,slot\nhotel,Hotel,name\n5 points,5 Punkte,rating\n",
    "glossary.json": json.dumps({"rating": {"5 points": "5 Punkte"}}),
    "choices.json": json.dumps({"choices": {}}),
    "vectors.txt": "hotel 0.1 0.2 0.3\nrestaurant 0.4 0.5 0.6\n",
    "prompt.txt": "You help tourists in {world}.\n",
    "body.json": json.dumps({"text": "{message}", "id": "{session}"}),
    "rows.csv": "dialogue,turn,speaker,text\n1,1,user,Hello\n1,2,system,Hi\n",
    "results.json": json.dumps({"target": "de", "seed": 1, "scores": {"joint": 0.5}}),
    "transcripts.jsonl": json.dumps(
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}]}
    ),
    "logs/#help.txt": LOG,
    "logs/chat.csv": "sender,time,text\nann,2024-01-01 10:00,hello\nben,2024-01-01 10:01,hi\n",
    "logs/chat.jsonl": json.dumps({"sender": "ann", "time": 1700000000, "text": "hello"}) + "\n",
    "logs/discord.json": json.dumps(
        {"messages": [{"id": "1", "timestamp": "2024-01-01T10:00:00", "content": "hello",
                       "author": {"name": "ann"}}]}
    ),
}  # fmt: skip


def make_samples(folder: Path) -> dict[str, Path]:
    """Name -> file or folder; those that are there already are taken as they are."""
    if not (folder / "models").exists():
        _make(folder)
    return {each.name: each for each in sorted(folder.iterdir())}


def _make(folder: Path) -> None:
    for name, text in FILES.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    for words in COMMANDS:
        code = _in_fork(folder, words)
        assert code in (0, 1), f"crosstalk {words} ended with {code}"
    _models(folder / "models")


def _in_fork(folder: Path, words: str) -> int:
    """The exit code of a command in a copy of this process, where much is imported already."""
    pid = os.fork()
    if not pid:
        code = 99
        try:
            from crosstalk.cli.main import run

            os.chdir(folder)
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(2):
                os.dup2(nothing, number)
            sys.argv = ["crosstalk", *words.split()]
            run()
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _models(folder: Path) -> None:
    """Copies of small models that ship."""
    from crosstalk.model_folders import SHIPPED

    for name in ("policy", "user", "linker"):
        (folder / name).mkdir(parents=True)
        for file in (SHIPPED / name).iterdir():
            if file.is_file():
                (folder / name / file.name).write_bytes(file.read_bytes())
