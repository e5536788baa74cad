"""Where networks are computed: what is asked for, what the machine has, how it is refused."""

import os
from collections.abc import Iterator

import pytest

from crosstalk.errors import InputError

pytest.importorskip("torch", reason="networks need the extra `neural`")

import torch

from crosstalk.training import compute
from crosstalk.training.compute import Compute, computing


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (*compute.VARIABLES, "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    yield


def test_what_is_asked_for_holds_inside_and_for_worker_processes() -> None:
    with computing(Compute("cpu", "bf16")):
        assert compute.device() == torch.device("cpu")
        assert compute.precision() == "bf16"
        assert os.environ["CROSSTALK_DEVICE"] == "cpu"
        with compute.autocast():
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.bfloat16
    assert compute.chosen() == Compute()
    assert "CROSSTALK_DEVICE" not in os.environ


@pytest.mark.parametrize("given", [("gpu", "auto"), ("cuda:x", "auto"), ("cpu", "fp8")])
def test_unknown_devices_and_precisions_are_refused(given: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="unknown"):
        Compute(*given)


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with computing(Compute("cuda:7")), pytest.raises(InputError, match="no such device"):
        compute.device()


def test_several_processes_do_not_share_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with computing(Compute("cuda:0")), pytest.raises(InputError, match="cannot share"):
        compute.device()
