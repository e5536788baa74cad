"""Trainings in stages that each take a minute or so: a finished stage is not done again.

stages = Stages(folder / STAGES, Identity(settings, digest, seed))
reader = stages.folder("reader", make=lambda place: train_reader(...).save(place))

`write_card` removes the stages: the model is whole then.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crosstalk.files import making_folder, read_text, writing
from crosstalk.model_folders import STAGES as STAGES
from crosstalk.training.identity import Identity

IDENTITY = "identity.json"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Stages:
    """Finished stages of one training, in a folder that goes when the model is whole."""

    place: Path
    identity: Identity

    def __post_init__(self) -> None:
        """Begin, or go on with what this very training left; refuse what another left."""
        file = self.place / IDENTITY
        if file.exists():
            self.identity.refuse_other(read_text(file), self.place)
            return
        with making_folder(self.place), writing(file) as text:
            text.write(self.identity.to_json())

    def folder(self, name: str, make: Callable[[Path], None]) -> Path:
        """The folder of a stage, filled by `make` unless that is done already.

        After a kill `make` gets the folder as it was left, and may go on from a checkpoint there.
        """
        place = self.place / name
        if not (place / DONE).exists():
            place.mkdir(parents=True, exist_ok=True)
            make(place)
            with writing(place / DONE) as text:
                text.write("done\n")
        return place
