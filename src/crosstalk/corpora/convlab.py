"""ConvLab's unified format: a list of dialogues, acts sorted by kind, states on user turns.

    write_convlab(dialogues, Path("crosswoz/data.zip"))  # data/dialogues.json, data/ontology.json

It has no sub-goals, no user state and only one query per turn; lost_fields.py keeps those. What a
ConvLab file has and our records do not is kept in the extras (`kept_fields`), so that it comes back
when the dialogues are written again.
"""

import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, TextIO

from crosstalk.corpora import json_types
from crosstalk.corpora.convlab_ontology import ListedSlot, Ontology, Word
from crosstalk.corpora.convlab_parse import (
    DIALOGUE_FIELDS,
    TURN_FIELDS,
    as_of_today,
    id_of,
    parse,
)
from crosstalk.corpora.convlab_render import EXTRAS, given_fields, render
from crosstalk.corpora.corpus_check import SchemaOf
from crosstalk.corpora.crosswoz_schema import crosswoz_schema
from crosstalk.corpora.formats import Format, Shape, Signature
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.corpora.lost_fields import OURS, restore, with_lost_fields
from crosstalk.corpora.record_encoding import Record, encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.files import ZIP_DATE, Source, writing, writing_binary

PACKED: Final = "data.zip"
"""The file of a corpus folder."""
DIALOGUES: Final = "data/dialogues.json"
ONTOLOGY: Final = "data/ontology.json"
RowOf = Callable[[str, str, str, str], Record | None]
"""World, language, domain, name of a place -> its row; None where it is not known."""
DUMMIES: Final = 10
"""Dialogues in `dummy_data.json`."""
PREPROCESS: Final = '''"""Written by Crosstalk; ConvLab-3's check asks that this file is there."""


def preprocess():
    """The data are in their final form: nothing is to be done."""
'''


def read_convlab(path: Source) -> Iterator[Dialogue]:
    for number, raw in enumerate(JsonStream(path).items()):
        with json_types.reading(path, f"number {number}"):
            document = json_types.members(raw)
            id = id_of(document)
        with json_types.reading(path, id):
            document = as_of_today(document)
            yield restore(from_unified(document), document, "turns", path)


def from_unified(document: Record) -> Record:
    """The record of a dialogue, with what it has no place for in the extras."""
    record = parse(document)
    derived = render(record)
    _keep(record, document, derived, DIALOGUE_FIELDS - {OURS, "turns"}, DIALOGUE_FIELDS)
    for turn, raw, again in zip(record["turns"], document["turns"], derived["turns"], strict=True):
        _keep(
            turn, raw, again, TURN_FIELDS - {OURS, "speaker", "utterance", "utt_idx"}, TURN_FIELDS
        )
    return record


def _keep(
    record: Record, raw: Record, derived: Record, checked: Iterable[str], known: Iterable[str]
) -> None:
    """Keep unknown fields, and known ones that would be written otherwise than they were."""
    changed = {field for field in checked if field in raw and raw[field] != derived.get(field)}
    kept = {field: value for field, value in raw.items() if field not in known or field in changed}
    if kept:
        record["extras"] = {EXTRAS: kept}


def write_convlab(
    dialogues: Iterable[Dialogue],
    path: Path,
    schema_of: SchemaOf = crosswoz_schema,
    row_of: RowOf | None = None,
    listed: Mapping[Word, ListedSlot] | None = None,
) -> None:
    """Write `data.zip` with its ontology if the name ends in `.zip`, else the dialogues alone.

    In a folder that exists, `data.zip`, `dummy_data.json` and a `preprocess.py` that does nothing
    are written. `schema_of` gives the slots of a world, and which are categorical; `row_of` the
    rows of its tables (None: results have names alone); `listed` the slots of the corpus's own
    schema file. The dialogues are read twice, the second time from a temporary file: an ontology
    has to be complete before the first act can be written.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool:
        ontology = _collected(dialogues, schema_of, spool, listed or {})
        if path.is_dir():
            _write_packed(spool, ontology, path / PACKED, row_of)
            with writing(path / "dummy_data.json") as file:
                _write_dialogues(islice(_documents(spool, ontology, row_of), DUMMIES), file)
            if not (path / "preprocess.py").exists():
                with writing(path / "preprocess.py") as file:
                    file.write(PREPROCESS)
        elif path.suffix == ".zip":
            _write_packed(spool, ontology, path, row_of)
        else:
            with writing(path) as file:
                _write_dialogues(_documents(spool, ontology, row_of), file)


def _collected(
    dialogues: Iterable[Dialogue],
    schema_of: SchemaOf,
    spool: TextIO,
    listed: Mapping[Word, ListedSlot],
) -> Ontology:
    """The domains, slots and values of all dialogues; their records go to the spool."""
    ontology = Ontology()
    ontology.add_listed(listed)
    schemas: dict[str, Schema | None] = {}
    for dialogue in dialogues:
        label = f"{dialogue.world} {dialogue.language}"
        if label not in schemas:
            schemas[label] = schema = schema_of(dialogue)
            if schema:
                ontology.add_schema(schema)
        record = encode_dialogue(dialogue)
        _collect(record, ontology)
        spool.write(json.dumps(record) + "\n")
    return ontology


def _collect(record: Record, ontology: Ontology) -> None:
    document = render(record)
    ontology.add_domains(document["domains"])
    for wishes in (document["goal"]["inform"], document["goal"]["request"]):
        for domain, slots in wishes.items():
            for slot, value in slots.items():
                ontology.add_value(domain, slot, value)
    for turn, before in zip(document["turns"], record["turns"], strict=True):
        ontology.add_state(turn.get("state", {}))
        acts: Record = turn["dialogue_acts"]
        if given_fields(before).get("dialogue_acts") is acts:
            ontology.add_given(acts)
        for kind in ("categorical", "non-categorical"):
            for act in acts.get(kind, []):
                ontology.add_value(act["domain"], act["slot"], act["value"])


def _documents(spool: TextIO, ontology: Ontology, row_of: RowOf | None) -> Iterator[Record]:
    """The documents in order, numbered from 0 in each split; ids of ConvLab files are kept."""
    spool.seek(0)
    numbers: Counter[str] = Counter()
    used: set[str] = set()
    for line in spool:
        record = json.loads(line)
        document = render(record, ontology.is_categorical)
        document["dialogue_id"] = _dialogue_id(document, numbers, used)
        for turn in document["turns"]:
            ontology.add_acts(turn["dialogue_acts"], turn["speaker"])
            if row_of and "db_results" in turn:
                find = partial(row_of, record.get("world", ""), record.get("language", ""))
                turn["db_results"] = _with_rows(turn["db_results"], find)
        yield with_lost_fields(record, document, "turns", from_unified)


def _with_rows(results: Record, find: Callable[[str, str], Record | None]) -> Record:
    """Results with the whole row of each place that is known by its name alone."""
    return {
        domain: [(find(domain, *row.values()) if len(row) == 1 else None) or row for row in rows]
        for domain, rows in results.items()
    }


def _dialogue_id(document: Record, numbers: Counter[str], used: set[str]) -> str:
    prefix = f"{document['dataset']}-{document['data_split']}"
    id = str(document["dialogue_id"])
    if not _is_number(id, prefix) or id in used:
        while (id := f"{prefix}-{numbers[prefix]}") in used:
            numbers[prefix] += 1
    used.add(id)
    return id


def _is_number(id: str, prefix: str) -> bool:
    return id.startswith(f"{prefix}-") and id[len(prefix) + 1 :].isdecimal()


def _write_dialogues(documents: Iterable[Record], file: TextIO) -> None:
    before = "[\n"
    for document in documents:
        file.write(before + json.dumps(document, ensure_ascii=False, indent=2))
        before = ",\n"
    file.write("[]\n" if before == "[\n" else "\n]\n")


def _write_packed(spool: TextIO, ontology: Ontology, path: Path, row_of: RowOf | None) -> None:
    with writing_binary(path) as raw, zipfile.ZipFile(raw, "w") as archive:
        with _member(archive, DIALOGUES) as file:
            _write_dialogues(_documents(spool, ontology, row_of), file)
        with _member(archive, ONTOLOGY) as file:
            json.dump(ontology.document(), file, ensure_ascii=False, indent=2)


@contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[TextIO]:
    info = zipfile.ZipInfo(name, date_time=ZIP_DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    with (
        archive.open(info, "w", force_zip64=True) as inside,
        io.TextIOWrapper(inside, encoding="utf-8", newline="") as file,
    ):
        yield file


FORMAT = Format(
    name="convlab",
    title="ConvLab's unified format",
    signature=Signature(
        (Shape.LIST,),
        needs=("dataset", "turns"),
        usual=("data_split", "dialogue_id", "turns.utt_idx", "turns.dialogue_acts"),
    ),
    read=read_convlab,
    write=write_convlab,
)
