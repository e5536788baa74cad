"""The label checker, measured: `python -m benchmarks.labels [--half score] [--planted 100]`.

Prints, with the digest of the data that was read:

- faults planted into dialogues of CrossWOZ val (`planted_labels.py`), one a dialogue: how many are
  found at their turn or the one beside it, by kind;
- turns flagged in the dialogues as they are, and findings by rule;
- turns flagged in simulated dialogues of harbour, in each of its languages;
- precision on findings drawn at random and judged by two readers, both language models
  (`label_judgements.jsonl`).

The rules were developed on one half of val's dialogues (`--half tune`); figures are of the other.
`--draw 100` prints findings of that half as JSON Lines, to be judged.
"""

import argparse
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.judging import LANGUAGES, WORLD, own_dialogues
from benchmarks.planted_labels import KINDS
from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.kappa import cohen_kappa
from crosstalk.evaluation.scores import Share, rounded, wilson
from crosstalk.labels.checker import LabelChecker
from crosstalk.labels.findings import Finding
from crosstalk.worlds.world import load_world

SEED: Final = 18
JUDGED: Final = Path(__file__).with_name("label_judgements.jsonl")


def halves(dialogues: Iterable[Dialogue]) -> dict[str, list[Dialogue]]:
    """The dialogues to develop on, and those to score."""
    read = list(dialogues)
    ids = sorted(dialogue.id for dialogue in read)
    Random(SEED).shuffle(ids)
    tune = set(ids[: len(ids) // 2])
    return {
        "tune": [each for each in read if each.id in tune],
        "score": [each for each in read if each.id not in tune],
    }


def planted(checker: LabelChecker, dialogues: list[Dialogue], count: int) -> dict[str, Any]:
    """Of each kind of fault, the share that is found."""
    clean: dict[str, set[Finding]] = {}
    shares, everything = {}, Share()
    for kind, plant in KINDS.items():
        order = list(dialogues)
        Random(SEED).shuffle(order)
        found = Share()
        for dialogue in order:
            fault = plant(dialogue, checker.words.world, Random(f"{SEED} {kind} {dialogue.id}"))
            if fault is None or found.total >= count:
                continue
            if dialogue.id not in clean:
                clean[dialogue.id] = set(checker.check(dialogue))
            new = set(checker.check(fault[0])) - clean[dialogue.id]
            found += Share(int(any(abs(each.turn - fault[1]) <= 1 for each in new)), 1)
        shares[kind] = _share(found)
        everything += found
    return {"all": _share(everything), **shares}


def flagged(checker: LabelChecker, dialogues: Iterable[Dialogue]) -> dict[str, Any]:
    """The share of turns with a finding, and the findings by rule."""
    rules: Counter[str] = Counter()
    turns = Share()
    for dialogue in dialogues:
        found = list(checker.check(dialogue))
        rules.update(each.rule for each in found)
        turns += Share(len({each.turn for each in found}), len(dialogue.turns))
    return {**_share(turns), "rules": dict(rules.most_common())}


def drawn(checker: LabelChecker, dialogues: list[Dialogue], count: int) -> Iterator[dict[str, Any]]:
    """Findings drawn at random."""
    every = [(each.id, found) for each in dialogues for found in checker.check(each)]
    for dialogue, found in Random(SEED).sample(every, min(count, len(every))):
        yield {"dialogue": dialogue, **found.record()}


def precision() -> dict[str, Any]:
    """What the two readers said of the findings that were drawn, and how far they agree."""
    judged = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    both = [(each["right"], each["second"]) for each in judged]
    return {
        "judged": len(judged),
        "readers": "two language models; the second saw neither the first one's answers nor tables",
        **{name: _said(judged, key) for name, key in (("first", "right"), ("second", "second"))},
        "same": sum(one == other for one, other in both),
        "cohen_kappa": round(cohen_kappa(both) or 0.0, 3),
    }


def _said(judged: list[dict[str, Any]], key: str) -> dict[str, Any]:
    said = Counter(each[key] for each in judged)
    rules = Counter(each["rule"] for each in judged)
    right = Counter(each["rule"] for each in judged if each[key] == "yes")
    low, high = wilson(said["yes"], len(judged))
    return {
        **said,
        "strict": rounded(100 * said["yes"] / len(judged)),
        "wilson_95": [rounded(low), rounded(high)],
        "by_rule": {rule: f"{right[rule]} of {count}" for rule, count in rules.most_common()},
    }


def _share(share: Share) -> dict[str, Any]:
    return {"found": share.right, "of": share.total, "percent": rounded(share.percent)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("tune", "score"), default="score")
    parser.add_argument("--planted", type=int, default=100, help="faults of each kind")
    parser.add_argument("--simulated", type=int, default=100, help="dialogues of each language")
    parser.add_argument("--draw", type=int, default=0, help="only draw so many findings")
    options = parser.parse_args()
    val = Path(os.environ["CROSSTALK_DATA"]) / "crosswoz" / "val.json.zip"
    dialogues = halves(read_corpus(val))[options.half]
    checker = LabelChecker.of(load_world("crosswoz"))
    if options.draw:
        for each in drawn(checker, dialogues, options.draw):
            print(json.dumps(each, ensure_ascii=False))
        return
    figures = {
        "sha256": hashlib.sha256(val.read_bytes()).hexdigest(),
        "seed": SEED,
        "half": options.half,
        "dialogues": len(dialogues),
        "planted": planted(checker, dialogues, options.planted),
        "crosswoz": flagged(checker, dialogues),
        WORLD: {
            language: flagged(
                LabelChecker.of(load_world(WORLD, language=language)),
                own_dialogues(language, options.simulated, SEED),
            )
            for language in LANGUAGES
        },
        **({"precision": precision()} if JUDGED.exists() else {}),
    }
    print(json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
