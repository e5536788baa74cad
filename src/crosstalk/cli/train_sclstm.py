"""`crosstalk train nlg --model sclstm`: the network of the CrossWOZ paper, a side at a time."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.cli.evaluate_nlg import SIDES, shipped_templates, speaker_of
from crosstalk.cli.output import track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.modules.nlg.keys import ActKeys
    from crosstalk.modules.nlg.sclstm_checkpoint import Progress
    from crosstalk.modules.nlg.sclstm_words import Saying

CHECKPOINT = "checkpoint.safetensors"
METRICS = "metrics.jsonl"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where sayings come from; a corpus, template files, or both."""

    data: Path | None
    templates: Path | None
    validation: Path | None

    def learnt(self, keys: "ActKeys", language: str) -> "list[Saying]":
        from crosstalk.modules.nlg.crosswoz import read_auto
        from crosstalk.modules.nlg.sclstm_words import sayings

        said = _of_corpus(self.data, keys, language) if self.data else []
        folder = self.templates or (None if self.data else shipped_templates())
        return said + (sayings(read_auto(folder, keys.speaker), language) if folder else [])

    def named(self, keys: "ActKeys") -> Path:
        """The file the card speaks of."""
        from crosstalk.formats.corpus import corpus_file
        from crosstalk.modules.nlg.crosswoz import template_file

        if self.data:
            return corpus_file(self.data)
        return template_file(self.templates or shipped_templates(), "auto", keys.speaker)


def train_sclstm(
    sources: Sources,
    out: Path,
    side: str | None,
    spoken: tuple[str, str | None],
    *,
    epochs: int,
    seed: int,
) -> None:
    """`spoken`: the world and the language."""
    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.modules.nlg.keys import ActKeys
    from crosstalk.modules.nlg.sclstm import folder_name

    if epochs < 1:
        raise InputError(f"--epochs {epochs}: nothing would be learned", remedy="Give 1 or more.")
    schema, pack = load_schema(spoken[0], language=spoken[1])
    for speaker in [speaker_of(side)] if side else list(Speaker):
        keys = ActKeys.of(schema, pack, speaker)
        folder = out / folder_name(find_world(spoken[0]).name, speaker)
        _train_side(sources, keys, pack.code, folder, epochs=epochs, seed=seed)
        print(folder)


def _train_side(
    sources: Sources, keys: "ActKeys", language: str, folder: Path, *, epochs: int, seed: int
) -> None:
    from crosstalk.modules.nlg.sclstm import save_sclstm
    from crosstalk.modules.nlg.sclstm_training import TrainingConfig, split, train

    learnt = sources.learnt(keys, language)
    if sources.validation:
        held_out = _of_corpus(sources.validation, keys, language)
    else:
        learnt, held_out = split(learnt)
    trained = train(
        learnt,
        held_out,
        keys,
        TrainingConfig(epochs=epochs),
        seed=seed,
        checkpoint=folder / CHECKPOINT,
        told=_teller(folder / METRICS),
    )
    parts = (trained.network, trained.conditions, trained.vocabulary)
    save_sclstm(folder, *parts, side=str(keys.speaker), language=language)
    sizes = {"learnt from": len(learnt), "validated on": len(held_out)}
    figures = {"sayings": sizes, "training": asdict(trained.progress)}
    _write_card(sources, keys, folder, f"--epochs {epochs} --seed {seed}", seed, figures)
    (folder / CHECKPOINT).unlink(missing_ok=True)


def _write_card(
    sources: Sources,
    keys: "ActKeys",
    folder: Path,
    options: str,
    seed: int,
    figures: Mapping[str, object],
) -> None:
    from crosstalk.formats.corpus import read_corpus
    from crosstalk.model_folders import write_card

    given = [
        f" --{name} {path.name}" for name, path in asdict(sources).items() if isinstance(path, Path)
    ]
    write_card(
        folder,
        what=f"the SC-LSTM of the CrossWOZ paper, {keys.speaker} side",
        command=f"crosstalk train nlg --model sclstm --side {SIDES[keys.speaker]}"
        f"{''.join(given)} {options}",
        corpus=sources.named(keys),
        dialogues=sum(1 for _ in read_corpus(sources.data)) if sources.data else 0,
        seed=seed,
        figures=figures,
    )


def _of_corpus(data: Path, keys: "ActKeys", language: str) -> "list[Saying]":
    from crosstalk.formats.corpus import read_corpus
    from crosstalk.modules.nlg.extraction import extract
    from crosstalk.modules.nlg.sclstm_words import sayings

    return sayings(extract(track(read_corpus(data), doing="reading"), keys), language)


def _teller(metrics: Path) -> "Callable[[Progress], None]":
    """One line an epoch: in the metrics, and on stderr where a person is watching."""

    def tell(progress: "Progress") -> None:
        with metrics.open("w" if progress.epoch == 1 else "a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(progress)) + "\n")
        if sys.stderr.isatty():
            print(f"epoch {progress.epoch}: loss {progress.loss:.4f}", file=sys.stderr)

    return tell
