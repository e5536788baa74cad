"""What is learnt from, written as published instance files; and orders that make no sense refused.

write_instance_files(Order("rs-x", Path("data"), target="de"), Path("instances"))
"""

from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.files import making_folder
from crosstalk.transfer.languages import refuse_no_code
from crosstalk.transfer.specialisation.material import (
    InstanceRequest,
    find_material,
    write_instances,
)
from crosstalk.transfer.specialisation.names import MIXES, OBJECTIVES


def write_instance_files(order: InstanceRequest, out: Path) -> list[Path]:
    """The files of what is learnt from and of what is held out: train and test."""
    refuse_unknown(order)
    if order.objective == "tod":
        raise InputError("tod learns from dialogues as they are", remedy="Give another objective.")
    material = find_material(order)
    ending = "json" if order.objective.startswith("rs") else "txt"
    files = []
    with making_folder(out):
        for split, held in (("train", material.learnt), ("test", material.held_out)):
            name = f"{order.objective}-{order.source}-{order.target}-{split}.{ending}"
            write_instances(held, out / name)
            files.append(out / name)
    return files


def refuse_unknown(order: InstanceRequest) -> None:
    """Raise for an objective, a language or a mix that nobody knows."""
    objective, mix = order.objective, order.mix
    if objective not in OBJECTIVES:
        raise InputError(
            f"there is no objective called {objective!r}", remedy=f"Known: {', '.join(OBJECTIVES)}."
        )
    for option, language in (("--source", order.source), ("--target", order.target)):
        refuse_no_code(option, language)
    if mix not in MIXES:
        raise InputError(f"--mix {mix}: unknown", remedy=f"Give {', '.join(MIXES)}.")
    if mix != "mono" and objective != "mlm":
        raise InputError(f"--mix {mix}: only mlm mixes languages", remedy="Leave --mix out.")
    if order.source == order.target:
        raise InputError(
            f"--source {order.source} --target {order.target}: the same language",
            remedy="Give two languages.",
        )
