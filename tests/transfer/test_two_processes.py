"""Learning under `torchrun`: two processes, one network."""

import json
from pathlib import Path

from tests.reproduction import published_files
from tests.torchrun import torchrun

SCRIPT = """
import sys
import torch
from torch import nn
from crosstalk.training.processes import joined
from crosstalk.transfer.step_training import TrainingSetup, Pace, train_in_steps

class Pull(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
    def forward(self, batch):
        return ((self.weight - batch) ** 2).sum()

with joined() as processes:
    network, drawn = Pull(), []
    def draw(rng):
        drawn.append(rng.random())
        return drawn[-1]
    pace = Pace(steps=2, check_every=2, rate=0.1, batch=1, decay=0)
    train_in_steps(network, draw, lambda: 0.0, pace, TrainingSetup(1, processes=processes))
    with open(f"{sys.argv[1]}/{processes.rank}", "w") as out:
        print(processes.count, float(network.weight), drawn[0], file=out)
"""


def test_two_processes_draw_apart_and_end_alike(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = torchrun(str(script), str(tmp_path))
    assert done.returncode == 0, done.stderr
    first, second = ((tmp_path / rank).read_text().split() for rank in "01")
    assert first[0] == second[0] == "2"
    assert first[1] == second[1]
    assert float(first[1]) > 0
    assert first[2] != second[2]


def test_two_processes_train_the_published_tracker(tmp_path: Path) -> None:
    """From the command to one JSON result, zero-shot training and shots included."""
    data = published_files.multi2woz(tmp_path / "data")
    words = ["crosstalk", "transfer", "dst", "--model", "published", "--target", "zh", "--seeds"]
    options = ["1", "--shots", "100", "--steps", "6", "--device", "cpu", "--json"]
    test = data / "multi2woz" / "test_dials-cn.json"
    files = ["--data", str(data), "--test", str(test), "--out", str(tmp_path / "kept")]
    done = torchrun("-m", *words, *options, *files)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["turns"] == 160
