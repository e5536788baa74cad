"""What more dialogues bring: `python -m benchmarks.learning_curves VAL TEST WORK`.

Understanding and tracking learn from 10, 25, 50 and 100 % of CrossWOZ val, each share a part of
the next, and are judged on test. Of understanding only the trees that choose learn from val; the
reader, which learns from template files alone, is the one that ships, and guesses at earlier turns
are made once instead of twice. Tracking is the edit tracker on gold acts and forms. Points lie in
WORK as soon as they are known, so that a run that was stopped goes on. Draws `learning-curves.svg`.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.dst_scores import score_tracking
from crosstalk.evaluation.nlu_scores import score_understanding
from crosstalk.files import sha256_of, writing
from crosstalk.language.training_phrases import kept_book
from crosstalk.model_folders import find_model
from crosstalk.system.dst.tree_tracker import train_tree_tracker
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.system.nlu.ranked_training import Growing, train_trees
from crosstalk.system.nlu.reader import Reader
from crosstalk.system.nlu.value_linking import lookup_of
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

SHARES = (10, 25, 50, 100)
FIGURE = Path(__file__).parent / "results" / "learning-curves.svg"


@dataclass(frozen=True, slots=True)
class Curves:
    """What all points share."""

    world: World
    learnt: Sequence[Dialogue]
    judged: Sequence[Dialogue]

    @property
    def model(self) -> Path:
        """The understanding that ships, whose reader serves at every point."""
        return find_model(f"nlu-{self.world.name}-{self.world.language.code}")

    def part(self, share: int) -> list[Dialogue]:
        """So many percent of the dialogues; the same few are in every larger share."""
        order = Random(0).sample(range(len(self.learnt)), len(self.learnt))
        return [self.learnt[number] for number in order[: len(self.learnt) * share // 100]]

    def understanding(self, share: int) -> float | None:
        lookup = lookup_of(self.world, kept_book(self.model))
        reader = Reader.load(self.model, lookup.finder)
        trees = train_trees(lookup, [reader], self.part(share), seed=1, growth=Growing(passes=1))
        understanding = RankedNLU(lookup, reader, trees)
        return score_understanding(understanding.understand_all, self.judged).overall.f1

    def tracking(self, share: int) -> float | None:
        tracker = train_tree_tracker(self.part(share), Database(self.world))
        score = score_tracking(tracker, self.judged, self.world.schema, hide_system_acts=False)
        return score.overall.percent


def measure(val: Path, test: Path, work: Path) -> dict[str, Any]:
    curves = Curves(load_world("crosswoz"), list(read_corpus(val)), list(read_corpus(test)))
    reader = sha256_of(curves.model / "reader.safetensors")[:8]
    return {
        "dialogues": {str(share): len(curves.part(share)) for share in SHARES},
        "tracking": {str(s): _kept(work, f"tracking-{s}", curves.tracking, s) for s in SHARES},
        "understanding": {
            str(s): _kept(work, f"understanding-{reader}-{s}", curves.understanding, s)
            for s in SHARES
        },
    }


def _kept(work: Path, name: str, point: Callable[[int], float | None], share: int) -> float | None:
    """A point of a curve, measured once."""
    file = work / f"{name}.json"
    if not file.exists():
        began = time.monotonic()
        told = {"score": point(share), "minutes": round((time.monotonic() - began) / 60, 1)}
        with writing(file) as text:
            json.dump(told, text)
        print(f"{name}: {told}", file=sys.stderr, flush=True)
    score: float | None = json.loads(file.read_text(encoding="utf-8"))["score"]
    return score


def draw(curves: dict[str, Any], file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "crosstalk"  # the same numbers draw the same bytes
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    counts = [curves["dialogues"][str(share)] for share in SHARES]
    for name, label, mark in (
        ("understanding", "understanding, act F1", "o"),
        ("tracking", "tracking (single turn), joint accuracy", "s"),
    ):
        scores = [curves[name][str(share)] for share in SHARES]
        axes.plot(counts, scores, marker=mark, label=label)
        for count, score in zip(counts, scores, strict=True):
            axes.annotate(f"{score:.1f}", (count, score), (0, 6), textcoords="offset points")
    axes.set_xlabel("dialogues of CrossWOZ val learnt from")
    axes.set_ylabel("percent, on test")
    axes.set_xticks(counts)
    axes.margins(y=0.15)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    found = measure(*map(Path, sys.argv[1:4]))
    draw(found, FIGURE)
    print(json.dumps(found))
