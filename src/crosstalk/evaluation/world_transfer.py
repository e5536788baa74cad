"""The task of tracking states of a world across its languages, with the dialogues it needs.

    task = task_of_world(Path("arabic.jsonl"), "ar", data, kept)

A world that ships in several languages needs no corpus: dialogues in English, to learn from, and
texts in the target language are simulated, once, and kept beside the models.
"""

from itertools import islice
from pathlib import Path
from typing import Final

from crosstalk.corpora import woz
from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.native import write_native
from crosstalk.dialogue.schema import SlotKind
from crosstalk.errors import WorldError
from crosstalk.files import sha256_of
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.training.identity import digest_of
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.transfer.states.state_slots import WORLD as MULTIWOZ
from crosstalk.transfer.states.state_slots import form_slot
from crosstalk.transfer.states.world_tasks import WorldTask, WorldValues, world_task
from crosstalk.transfer.transfer_corpora import SOURCE
from crosstalk.translation.parallel_corpora import value_renderings
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, load_outline, load_world

TRAINED: Final = 600
"""Dialogues that are simulated in each language."""
SEEDS: Final = {"source": 1, "target": 2}
PLACES: Final = (SlotKind.ENDPOINT, SlotKind.NEARBY)
"""Slots that any place of the world may fill."""
BENCHMARKS: Final = (MULTIWOZ, woz.WORLD)
"""Worlds whose dialogues are scored as published."""


def task_of_world(
    test: Path, target: str, data: Path, kept: Path, reporter: Reporter = SILENT
) -> WorldTask | None:
    """The task that a file of dialogues belongs to; None if it is of no world in both languages."""
    name = next((each.world for each in islice(read_corpus(test, strict=False), 1)), "")
    if name in BENCHMARKS or not _speaks(name, {SOURCE, target}):
        return None
    english, other = (load_world(name, language=code, data=data) for code in (SOURCE, target))
    learnt = _simulated(name, SOURCE, SEEDS["source"], kept, data, reporter)
    texts = _simulated(name, target, SEEDS["target"], kept, data, reporter)
    return world_task(_values(english, other), target, learnt, texts, data)


def _speaks(name: str, languages: set[str]) -> bool:
    try:
        return bool(name) and languages <= set(load_outline(name).languages)
    except WorldError:
        return False


def _simulated(
    world: str, language: str, seed: int, kept: Path, data: Path, reporter: Reporter
) -> Path:
    """The file of simulated dialogues, made if it is not there for this version of the world."""
    folder = find_world(world)
    version = digest_of(sha256_of(file) for file in sorted(folder.rglob("*")) if file.is_file())
    file = kept / f"{folder.name}-{language}-{TRAINED}-{seed}-{version[:12]}.jsonl"
    if not file.exists():
        reporter.notice(f"simulating {TRAINED} dialogues of {folder.name} in {language}")
        setup = Setup(world, language, data=data, words=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_native(simulated_dialogues(Plan(seed, count=TRAINED), setup), file)
    return file


def _values(english: World, other: World) -> WorldValues:
    names: dict[str, str] = {}
    by_domain = {domain.key: value_renderings(domain, english, other) for domain in english.schema}
    for domain in english.schema.places:
        for slot in domain.of_kind(SlotKind.NAME):
            names |= by_domain[domain.key].get(slot.key, {})
    renderings = {}
    for domain in english.schema:
        for slot in domain.form:
            own = by_domain[domain.key].get(slot.key, {})
            if slot.kind.is_number:  # wishes are bands: no single price of a table is asked for
                forms = forms_of(english.language, domain.key, slot)
                own = {said: own[said] for said in (say_band(forms, band) for band in slot.bands)}
            said = names if slot.kind in PLACES else own
            renderings[form_slot(domain.key, slot).key] = {
                value: form for value, form in said.items() if value
            }
    pack = english.language
    return WorldValues(english.name, english.schema, {**pack.domains, **pack.slots}, renderings)
