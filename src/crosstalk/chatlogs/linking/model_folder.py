"""A linker trained from annotated days, as a model folder with its card."""

from pathlib import Path

from crosstalk.chatlogs.annotated import read_annotated
from crosstalk.chatlogs.linking.training import train_linker
from crosstalk.chatlogs.methods import LINKER_MODEL
from crosstalk.files import sha256_of
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.training.reporter import SILENT, Reporter


def train_linker_folder(
    logs: Path,
    out: Path,
    *,
    members: int = 3,
    unaddressed: float = 0.5,
    seed: int = 1,
    reporter: Reporter = SILENT,
) -> Path:
    """Learn which line answers which from annotated days; the folder of the model inside `out`."""
    days = list(reporter.track(read_annotated(logs), doing="reading"))
    linker = train_linker(days, members=members, seed=seed, unaddressed=unaddressed)
    folder = out / LINKER_MODEL
    folder.mkdir(parents=True, exist_ok=True)
    linker.save(folder)
    digest = sha256_of(logs) if logs.is_file() else ""
    card = Card(
        what="linker: which line of a chat answers which; small networks",
        command=f"crosstalk logs train {logs.name} --members {members} "
        f"--unaddressed {unaddressed} --seed {seed}",
        data=Provenance(logs.name, digest, len(days)),
        seed=seed,
        kind="logs",
    )
    write_card(folder, card)
    return folder
