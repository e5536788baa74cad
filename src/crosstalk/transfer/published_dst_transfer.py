"""The published picklist tracker across languages: trained in English, then on shots, per seed.

The network is in `states/picklist.py`. The English network is cached by a digest of its training
data, and trainings on shots start from it; an interrupted training resumes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.files import making_folder
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import Identity, digest_of
from crosstalk.training.processes import Processes, joined
from crosstalk.training.small_encoders import NANO, is_small, nano_encoder
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.training.transformer_encoders import TransformerEncoder, identity_of, load_masked_lm
from crosstalk.transfer.dst_transfer import JUDGED, Guesses, PicklistOptions, TransferRun
from crosstalk.transfer.states import picklist
from crosstalk.transfer.states.ontology import with_value_ids
from crosstalk.transfer.states.state_dialogues import state_turns
from crosstalk.transfer.states.state_tracker import part_of
from crosstalk.transfer.step_training import TrainingSetup

import torch  # isort: skip  # after encoders, which say in words that it is missing

FORMAT: Final = 4
"""Increased when training on the same files gives another tracker."""
CHECKS: Final = 6
"""Number of checks in a training with `--steps`."""


def training_of(picking: PicklistOptions, *, published: bool) -> picklist.PicklistTraining:
    chosen = picklist.FROM_NOTHING if is_small(picking.encoder) else picklist.PUBLISHED
    if picking.steps is not None:
        every = -(-picking.steps // CHECKS)
        pace = replace(chosen.pace, steps=picking.steps, check_every=every)
        chosen = replace(chosen, pace=pace)
    return chosen.as_published() if published else chosen


class PublishedTracker:
    """Trains one network per seed on the source and then on the shots."""

    def __init__(
        self, run: TransferRun, picking: PicklistOptions, kept: Path, told: StepCallback = nobody
    ) -> None:
        self._run = run
        self._picking = picking
        self._kept = kept
        self._told = told
        self._is_published = run.protocol == "paper"
        self._training = training_of(picking, published=self._is_published)
        self._source = [self._labelled(each) for each in run.source]
        if is_small(picking.encoder):  # sums in one order: the same weights whatever the cores
            use_single_thread()

    def track(self, dialogues: Sequence[Dialogue]) -> Iterator[tuple[int, Guesses]]:
        """Yield for every seed the predicted states of every turn.

        Under torchrun several processes train each network together.
        """
        for seed in self._run.seeds:
            with joined() as processes:
                network = self.network(seed, dialogues, processes)
            yield seed, network.track(dialogues)

    def network(
        self, seed: int, tested: Sequence[Dialogue], processes: Processes | None = None
    ) -> picklist.Picklist:
        """Learnt; as published, its lists hold the values of `tested` too.

        Two networks over one encoder: values that only the shots have are not in the first.
        """
        leaked = [*self._run.target, *tested] if self._is_published else []
        processes = processes or Processes()
        encoder, shown = self._encoder(seed), self.shown(seed)
        torch.manual_seed(seed)
        lists = self.lists([*self._source, *leaked])
        network = picklist.Picklist(encoder, lists, self._training)
        wider = self.lists([*self._source, *leaked, *self._run.shown(seed)])
        fuller = picklist.Picklist(encoder, wider, self._training) if shown else network
        self._learn_source(network, seed, processes)
        if shown:
            fuller.take_over(network)
            told = self._told if processes.is_first else nobody
            course = TrainingSetup(seed, None, told, f"shots, seed {seed}", processes)
            picklist.train(fuller, shown, (), self._training.over_shots(len(shown)), course)
        return fuller

    def _learn_source(self, network: picklist.Picklist, seed: int, processes: Processes) -> None:
        learnt = [each for each in self._source if part_of(each.id)]
        held_out = [each for each in self._source if not part_of(each.id)]
        target = [self._labelled(each) for each in self._run.target]
        judged = target if self._is_published and target else held_out
        identity = Identity(self._settings(), self._run.digest, seed)
        key = digest_of((identity.to_json(), network.lists))[:20]
        place = self._kept / f"dst-published-{self._run.task.target}-{seed}-{key}"
        with making_folder(place):
            saved = Checkpoint(place / CHECKPOINT, identity, writes=processes.is_first)
            some = Random(seed).sample(judged, min(len(judged), JUDGED))
            told = self._told if processes.is_first else nobody
            course = TrainingSetup(seed, saved, told, f"source, seed {seed}", processes)
            picklist.train(network, picklist.examples(learnt), some, self._training.pace, course)

    def _settings(self) -> dict[str, object]:
        picking = self._picking
        return {
            "encoder": identity_of(picking.encoder),
            "training": asdict(self._training),
            "shared": picking.shared,
            "protocol": self._run.protocol,
            "format": FORMAT,
        }

    def shown(self, seed: int) -> list[picklist.Example]:
        """Return the turns of the drawn dialogues; as published, turns are drawn instead."""
        run = self._run
        if not self._is_published:
            return picklist.examples([self._labelled(each) for each in run.shown(seed)])
        every = picklist.examples([self._labelled(each) for each in run.target])
        return Random(seed).sample(every, len(every) * run.shots // 100)

    def _encoder(self, seed: int) -> TransformerEncoder:
        """Return the encoder; `nano` learns its vocabulary from source and target texts."""
        if self._picking.encoder != NANO:
            return load_masked_lm(self._picking.encoder)
        learnt = [each for each in self._run.source if part_of(each.id)]
        turns = [turn for each in (*learnt, *self._run.target) for turn in state_turns(each)]
        return nano_encoder(
            [text for each in turns for text in (each.system, each.user)], seed=seed
        )

    def _labelled(self, dialogue: Dialogue) -> Dialogue:
        return with_value_ids(dialogue, self._run.ontology) if self._picking.shared else dialogue

    def lists(self, met: Sequence[Dialogue]) -> dict[str, list[str]]:
        """Return the values of the ontology and of the given dialogues."""
        states = (turn.state for each in met for turn in state_turns(self._labelled(each)))
        return picklist.picklists(
            self._run.task.slots,
            [
                *self._listed(),
                *({slot: [value] for slot, value in each.items()} for each in states),
            ],
        )

    def _listed(self) -> list[Mapping[str, Sequence[str]]]:
        """Return lists with strings of both languages, or with shared ids."""
        shared = self._picking.shared
        return [
            {slot: [*(labels.values() if shared else labels)] for slot, labels in by_slot.items()}
            for by_slot in self._run.ontology.labels.values()
        ]
