"""The published retriever made: a dual encoder, trained once and kept by what it learnt from."""

from contextlib import nullcontext, suppress
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.model_folders import CARD, Card, Provenance, write_card
from crosstalk.training.identity import digest_of
from crosstalk.transfer.corpora import Corpus, find_corpus, known_languages, read_talks
from crosstalk.transfer.exchanges import Exchange, exchanges_of
from crosstalk.transfer.retrieve_order import Read, RetrieveOrder

if TYPE_CHECKING:
    from crosstalk.transfer.dual_encoder import DualTraining


class PublishedMaker:
    """Dual encoders as published; the zero-shot one is kept."""

    def __init__(self, order: RetrieveOrder) -> None:
        self.order = order

    def retriever(self, seed: int) -> Read:
        from crosstalk.transfer.dual_encoder import load_dual, train_dual
        from crosstalk.transfer.training_steps import TrainingSetup

        order, training = self.order, self._training()
        folder = self._zero_shot(training)
        dual = load_dual(folder, training)
        if order.shots:
            shots = self._shots(seed)
            train_dual(dual, shots, shots, training.over_shots(len(shots)), TrainingSetup(seed))
        return dual.read

    def _shots(self, seed: int) -> list[Exchange]:
        """Of dialogues drawn; as published, drawn from the exchanges of all dialogues."""
        order = self.order
        if not order.published:
            return exchanges_of(order.target_shots(seed))
        every = exchanges_of(order.target_talks())
        return Random(seed).sample(every, max(1, len(every) * order.shots // 100))

    def _training(self) -> "DualTraining":
        from crosstalk.training.small_encoders import is_small
        from crosstalk.transfer import dual_encoder

        if is_small(self.order.encoder):
            dual_encoder.use_one_thread()
            chosen = dual_encoder.FROM_NOTHING
        else:
            chosen = dual_encoder.PUBLISHED
        return replace(chosen, slips=self.order.published)

    def _zero_shot(self, training: "DualTraining") -> Path:
        """The folder of the model trained on the source alone."""
        from crosstalk.training.transformer_encoders import identity_of

        order = self.order
        train = find_corpus(order.data, order.source, "train")
        dev = find_corpus(order.data, order.target if order.published else order.source, "dev")
        files = [train.file, dev.file, *(each.file for each in self._heard())]
        digest = digest_of([*map(sha256_of, files), training, identity_of(order.encoder)])
        folder = order.models / f"retrieve-published-{order.source}-{digest[:12]}"
        if not (folder / CARD).exists():
            self._train(folder, train, dev, training, digest)
        return folder

    def _heard(self) -> list[Corpus]:
        """What `nano` knows words from: every language that is there, as XLM-R knows a hundred."""
        order = self.order
        if order.encoder != "nano":
            return []
        found = []
        for language in known_languages("dev"):
            with suppress(InputError):  # not in this folder
                found.append(find_corpus(order.data, language, "dev"))
        return found

    def _train(
        self, folder: Path, train: Corpus, dev: Corpus, training: "DualTraining", digest: str
    ) -> None:
        from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
        from crosstalk.training.identity import Identity
        from crosstalk.training.steps import nobody
        from crosstalk.transfer.dual_encoder import new_dual, train_dual
        from crosstalk.transfer.training_steps import TrainingSetup

        order = self.order
        learnt, judged = (exchanges_of(read_talks(each.file)) for each in (train, dev))
        heard = [
            text for each in self._heard() for talk in read_talks(each.file) for text in talk.texts
        ]
        dual = new_dual(order.encoder, heard, training, seed=1)
        identity = Identity({"encoder": order.encoder}, digest, 1)
        checkpoint = Checkpoint(folder / CHECKPOINT, identity)
        with order.watching(folder) if order.watching else nullcontext(nobody) as told:
            progress = train_dual(
                dual, learnt, judged, training.pace, TrainingSetup(1, checkpoint, told)
            )
        dual.save(folder)
        write_card(
            folder,
            Card(
                what=f"response retrieval as published, {Path(order.encoder).name}, "
                f"{order.source}; selected on {dev.name}, {dev.language}",
                command=f"crosstalk transfer retrieve --model published --encoder "
                f"{Path(order.encoder).name} --source {order.source} --target {order.target}",
                data=Provenance(train.name, digest, len(learnt)),
                seed=1,
                figures={"training": asdict(progress)},
                kind="retrieval",
                minutes=progress.seconds / 60,
            ),
        )
