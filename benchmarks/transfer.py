"""What each objective brings a nano encoder: `python -m benchmarks.transfer DATA [TARGET] [STEPS]`.

Every objective starts from the same random weights and vocabulary. Printed are the perplexity of
hidden words on held-out text of both languages, and weighted F1 of response selection (RS-Mono) on
held-out rows after the same short training in selection.
"""

import copy
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from crosstalk.transfer.encoders import NanoShape, TextEncoder, nano_encoder
from crosstalk.transfer.learning import Pace
from crosstalk.transfer.specialisation.material import Material, Order, find_material
from crosstalk.transfer.specialisation.names import OBJECTIVES
from crosstalk.transfer.specialisation.training import Lessons, perplexity, specialise

CHAINS = {
    "none": (),
    "mlm": ("mlm",),
    "tlm": ("tlm",),
    "rs-x": ("rs-x",),
    "rs-mono": ("rs-mono",),
    "tod": ("tod",),
    "tlm, rs-mono": ("tlm", "rs-mono"),
}
MOST = 2_000
PROBED = 60
"""Steps of the selection head that every encoder gets."""


def measure(data: Path, target: str, steps: int) -> dict[str, Any]:
    torch.set_num_threads(1)
    material = {
        name: find_material(Order(name, data, "en", target, wanted=MOST)) for name in OBJECTIVES
    }
    start = nano_encoder(material["tlm"].texts(), seed=1, shape=NanoShape(vocabulary=3000))
    return {name: _after(start, chain, material, steps) for name, chain in CHAINS.items()}


def _after(
    start: TextEncoder, chain: Sequence[str], material: dict[str, Material], steps: int
) -> dict[str, float]:
    encoder = TextEncoder(copy.deepcopy(start.network), start.tokenizer)
    for objective in chain:
        _learn(encoder, objective, material[objective], steps)
    held_out = material["tlm"].held_out[:100]
    found = round(perplexity(encoder, held_out), 1)
    selected = _learn(encoder, "rs-mono", material["rs-mono"], PROBED)
    return {"perplexity": found, "response_selection_f1": round(selected, 2)}


def _learn(encoder: TextEncoder, objective: str, material: Material, steps: int) -> float:
    pace = Pace(steps, steps, 1.5e-3, batch=16, warm_up=steps // 10)
    lessons = Lessons(material.learnt, material.held_out[:400])
    return specialise(encoder, objective, lessons, pace, seed=1).best_score


if __name__ == "__main__":
    folder, *rest = sys.argv[1:]
    target, steps = (*rest, *("ru", "400")[len(rest) :])
    print(json.dumps(measure(Path(folder), target, int(steps))))
