"""Trainings in stages that take about a minute each: a resumed training skips finished stages.

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
    """Finished stages of one training, in a folder that is removed when the model is complete."""

    place: Path
    identity: Identity

    def __post_init__(self) -> None:
        """Begin, or resume this training; refuse the stages of another one."""
        file = self.place / IDENTITY
        if file.exists():
            self.identity.refuse_other(read_text(file), self.place)
            return
        with making_folder(self.place), writing(file) as text:
            text.write(self.identity.to_json())

    def folder(self, name: str, make: Callable[[Path], None]) -> Path:
        """The folder of a stage; `make` fills it unless the stage is finished.

        After a kill `make` gets the folder as it was left, and may go on from a checkpoint there.
        """
        place = self.place / name
        if not (place / DONE).exists():
            place.mkdir(parents=True, exist_ok=True)
            make(place)
            with writing(place / DONE) as text:
                text.write("done\n")
        return place
