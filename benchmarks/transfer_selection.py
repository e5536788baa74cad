"""What RS-Mono and RS-X teach an encoder from nothing about responses.

python -m benchmarks.transfer_selection DATA TARGET STEPS

Of contexts that were not learnt from: how often the right response is scored above its wrong ones,
before anything was learnt and after so many steps. Most encoders from nothing call every response
wrong for long, three in four being so, and weighted F1 does not move; which of them is rather right
they tell much earlier.
"""

import json
import sys
from pathlib import Path

from benchmarks.transfer import JUDGED_ROWS, SOURCE, chance, right_first
from crosstalk.training.small_encoders import nano_encoder
from crosstalk.transfer.specialisation.objectives import ObjectiveData, ResponseClassifier, teach
from crosstalk.transfer.specialisation.training_instances import InstanceRequest, find_instances
from crosstalk.transfer.step_training import Pace, TrainingSetup

import torch  # isort: skip

INSTANCES = 20_000


def measure(data: Path, target: str, objective: str, steps: int) -> dict[str, float]:
    instance_set = find_instances(
        InstanceRequest(objective, data, SOURCE, target, wanted=INSTANCES)
    )
    judged = sorted(instance_set.held_out, key=lambda row: row.context)[:JUDGED_ROWS]
    texts = find_instances(InstanceRequest("tlm", data, SOURCE, target, wanted=INSTANCES)).texts()
    torch.manual_seed(1)
    module = ResponseClassifier(nano_encoder(texts, seed=1))
    module.eval()
    before = right_first(module, judged)
    pace = Pace(steps, steps, 1e-3, batch=32, warm_up=50)
    progress = teach(
        module, objective, ObjectiveData(instance_set.learnt, judged), pace, TrainingSetup(1)
    )
    return {
        "contexts": len({row.context for row in judged}),
        "chance": round(chance(judged), 2),
        "before": round(before, 2),
        "right_first": round(right_first(module, judged), 2),
        "weighted_f1": round(progress.best_score, 2),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    data, target, steps = sys.argv[1:]
    found = {each: measure(Path(data), target, each, int(steps)) for each in ("rs-mono", "rs-x")}
    print(json.dumps(found, indent=1))
