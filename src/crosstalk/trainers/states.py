"""Train the tracker of MultiWOZ states: boosted trees over values found in texts.

train_states(Job(out=Path("models"), data=Path("multiwoz/train20.json.zip")), [val], share=0.2)
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crosstalk.errors import InputError
from crosstalk.evaluation.corpus_world import found
from crosstalk.files import making_folder, sha256_of
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.trainers.job import Job
from crosstalk.training.identity import digest_of
from crosstalk.transfer import multiwoz_tracker
from crosstalk.transfer.states.state_slots import WORLD
from crosstalk.worlds.world import find_world

FOLDER: Final = "dst-states"
ONTOLOGY: Final = "ontology21.json"


def train_states(job: Job, more: Sequence[Path] = (), *, share: float = 1.0) -> Path:
    """Train on a share of the corpus and on all of the last further one; return the folder."""
    source = job.source()
    if source.corpus is None or find_world(source.world).name != WORLD:
        raise InputError(
            "--model states learns from states of MultiWOZ",
            remedy="Name its file with --data, such as multiwoz/train20.json.zip.",
        )
    files = [source.corpus, *map(found, more)]
    folder, ontology = job.out / FOLDER, source.corpus.with_name(ONTOLOGY)
    with making_folder(folder), job.reporter.training(folder) as watch:
        dialogues = multiwoz_tracker.training_dialogues(files, share)
        tracker = multiwoz_tracker.train(
            dialogues, ontology, seed=job.seed, told=job.reporter.notice
        )
        multiwoz_tracker.save(tracker, folder)
        names = ", ".join(file.name for file in (*files, ontology))
        digest = digest_of(sha256_of(file) for file in (*files, ontology))
        data = Provenance(names, digest, len(dialogues))
        write_card(folder, _card(job, files, data, share, watch.minutes))
    return folder


def _card(job: Job, files: Sequence[Path], data: Provenance, share: float, minutes: float) -> Card:
    more = "".join(f" --more {file.name}" for file in files[1:])
    return Card(
        what="tracker of MultiWOZ states: boosted trees over values found in texts",
        command=f"crosstalk train dst --model states --data {files[0].name}{more} "
        f"--share {share:g} --seed {job.seed}",
        data=data,
        seed=job.seed,
        kind="dst",
        world=WORLD,
        language="en",
        minutes=minutes,
    )
