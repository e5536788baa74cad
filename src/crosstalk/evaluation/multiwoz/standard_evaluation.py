"""The figures of MultiWOZ papers: Inform, Success, BLEU, their sum, and joint goal accuracy.

    evaluate_responses(MultiwozTask(Path("multiwoz/val.json.zip"), "gold"))["inform"]  # 93.3

The figures use what no system has in use: REFERENCE counts where the *human* dialogue had booked;
gold states stand in for states that are not predicted. The record lists these oracles.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora.corpus import recognise
from crosstalk.corpora.multiwoz import read_multiwoz
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.corpus_world import dialogues_in, found, is_run
from crosstalk.evaluation.multiwoz import corpus_bleu
from crosstalk.evaluation.multiwoz.booking_success import booking_success
from crosstalk.evaluation.multiwoz.inform_success import Judged, domain_goals, judge
from crosstalk.evaluation.multiwoz.joint_goals import joint_goals
from crosstalk.evaluation.multiwoz.responses import (
    Response,
    Responses,
    booked_domains,
    human_responses,
    read_responses,
    response_id,
    with_act_domains,
    with_estimated_domains,
)
from crosstalk.evaluation.multiwoz.venue_tables import VenueTables, read_tables
from crosstalk.evaluation.scores import Share, rounded, wilson_of
from crosstalk.files import sha256_of

TABLES: Final = "multiwoz/db"
GOLD: Final = "gold"
PREDICTED: Final = "predicted"
ESTIMATED: Final = "estimated from the states"
BOOKINGS_ORACLE: Final = "booked_domains: what the human dialogue had booked by each turn"
STATES_ORACLE: Final = "gold states"
ACTS_ORACLE: Final = "domains of the gold system acts"
DOMAINS_FROM: Final = ("states", "acts")


@dataclass(frozen=True)
class MultiwozTask:
    """A MultiWOZ file, and the responses to score on it."""

    data: Path
    responses: str
    """`gold`, a run folder of dialogues with the same ids, or a file of predictions."""
    tables: Path | None = None
    """Folder of fetched corpora, with `multiwoz/db`; None: CROSSTALK_DATA."""
    domains: str = "states"
    """Where active domains come from if they are not predicted: states | acts (gold)."""
    partial: bool = False
    """Whether dialogues may lack responses; they are left out, as published files do."""

    @property
    def path(self) -> Path:
        """The file, looked for in the data folder too."""
        return multiwoz_file(self.data)

    @property
    def tables_folder(self) -> Path:
        """The folder of the tables; raises InputError if no data folder is known."""
        folder = self.tables or os.environ.get("CROSSTALK_DATA")
        if not folder:
            raise InputError(
                "no data folder is known: the tables of MultiWOZ are needed",
                remedy="Fetch them with `crosstalk fetch multiwoz`, and name the folder with "
                "--tables or CROSSTALK_DATA.",
            )
        return Path(folder) / TABLES

    @cached_property
    def dialogues(self) -> dict[str, Dialogue]:
        """By id, as files of predictions have it."""
        by_id = {response_id(each.id): each for each in read_multiwoz(self.path)}
        if not by_id or any(each.goal is None for each in by_id.values()):
            raise InputError(
                f"{self.data}: not every dialogue has a goal",
                remedy="Give a file of MultiWOZ 2.1, such as val.json.zip.",
            )
        if not any(turn.acts for each in by_id.values() for turn in each.system_turns):
            raise InputError(
                f"{self.data}: it has no dialogue acts, which tell the values in the texts",
                remedy="Give a file of MultiWOZ 2.1 with `dialog_act`, such as val.json.zip, or "
                "put the `dialogue_acts.json` of MultiWOZ 2.0 beside it.",
            )
        return by_id


def multiwoz_file(data: Path) -> Path:
    """The file, looked for in the data folder too; raises InputError for another corpus."""
    path = found(data)
    if (format := recognise(path)) != "multiwoz":
        raise InputError(
            f"{data}: it is in the format {format}, not multiwoz",
            remedy="Give a file of MultiWOZ 2.1, such as val.json.zip.",
        )
    return path


def evaluate_responses(task: MultiwozTask) -> dict[str, Any]:
    """The figures with the number of dialogues and the oracles, as JSON."""
    if task.domains not in DOMAINS_FROM:
        raise InputError(f"--domains {task.domains}: not known", remedy="Give states or acts.")
    tables = read_tables(task.tables_folder)
    human = {id: human_responses(each) for id, each in task.dialogues.items()}
    given = _refuse_unfit(task, _read(task, human), human)
    has_states = all(turn.state is not None for turns in given.values() for turn in turns)
    has_domains = all(turn.domains is not None for turns in given.values() for turn in turns)
    complete = {
        id: _completed(turns, task, id, human[id], has_states, has_domains)
        for id, turns in given.items()
    }
    judged = _judged(task, complete, tables)
    bleu = corpus_bleu.score(*_texts(given, human))
    return {
        **_figures(list(judged.values()), bleu),
        "joint_goal_accuracy": (
            rounded(joint_goals(task.path, given).percent) if has_states else None
        ),
        "booking_success": _booking_figures(task, tables),
        "dialogues": len(given),
        "turns": sum(map(len, given.values())),
        "missing_dialogues": len(task.dialogues) - len(given),
        "states": PREDICTED if has_states and task.responses != GOLD else GOLD,
        "domains": PREDICTED if has_domains else _domain_source(task),
        "oracles": list(_oracles(task, has_states, has_domains)),
        "by_domain": _by_domain(list(judged.values())),
        "sha256": sha256_of(task.path),
    }


# Responses


def _read(task: MultiwozTask, human: Responses) -> Responses:
    if task.responses == GOLD:
        return human
    path = Path(task.responses)
    if is_run(path):
        return {response_id(each.id): human_responses(each) for each in dialogues_in(path)}
    return read_responses(path)


def _refuse_unfit(task: MultiwozTask, given: Responses, human: Responses) -> Responses:
    """The responses to the file's dialogues; raises if some are missing or of another length."""
    fitting = {id: given[id] for id in human if id in given}
    missing = [id for id in human if id not in given]
    if not fitting:
        raise InputError(
            f"{task.responses}: none of its dialogues is in {task.data}: it has "
            f"{_some(given)}, the file {_some(human)}",
            remedy="Give responses to the dialogues of this file, under their ids.",
        )
    if missing and not task.partial:
        raise InputError(
            f"{task.responses}: {len(missing)} of {len(human)} dialogues have no responses, "
            f"{missing[0]} for one",
            remedy="Rates over fewer dialogues do not compare; to have them anyway: --partial.",
        )
    for id, turns in fitting.items():
        if len(turns) != len(human[id]):
            raise InputError(
                f"{task.responses}: {id} has {len(turns)} responses for {len(human[id])} "
                "system turns",
                remedy="Give one response for each system turn of the human dialogue.",
            )
    return fitting


def _some(responses: Responses) -> str:
    return ", ".join([*responses][:3]) + (", ..." if len(responses) > 3 else "") or "none"


def _completed(
    turns: tuple[Response, ...],
    task: MultiwozTask,
    id: str,
    human: tuple[Response, ...],
    has_states: bool,
    has_domains: bool,
) -> tuple[Response, ...]:
    """Responses with states and domains; if one turn of the file lacks them, all are replaced."""
    if not has_states:
        turns = tuple(
            replace(ours, state=gold.state).without_any()
            for ours, gold in zip(turns, human, strict=True)
        )
    elif task.responses == GOLD:
        turns = tuple(turn.without_any() for turn in turns)
    if has_domains:
        return turns
    if task.domains == "acts":
        return with_act_domains(turns, task.dialogues[id])
    return with_estimated_domains(turns)


def _domain_source(task: MultiwozTask) -> str:
    return ESTIMATED if task.domains == "states" else ACTS_ORACLE


def _oracles(task: MultiwozTask, has_states: bool, has_domains: bool) -> Iterator[str]:
    yield BOOKINGS_ORACLE
    if task.responses == GOLD or not has_states:
        yield STATES_ORACLE
    if task.domains == "acts" and not has_domains:
        yield ACTS_ORACLE


def _texts(given: Responses, human: Responses) -> tuple[list[str], list[str]]:
    """Hypotheses and references."""
    pairs = [
        (ours.normal, gold.normal)
        for id in given
        for ours, gold in zip(given[id], human[id], strict=True)
    ]
    return [ours for ours, _ in pairs], [gold for _, gold in pairs]


# Figures


def _judged(task: MultiwozTask, complete: Responses, tables: VenueTables) -> dict[str, Judged]:
    return {
        id: judge(
            domain_goals(task.dialogues[id]), turns, booked_domains(task.dialogues[id]), tables
        )
        for id, turns in complete.items()
    }


def _figures(judged: Sequence[Judged], bleu: float) -> dict[str, Any]:
    """The combined score is computed from the rates as printed, as papers do."""
    inform = Share(sum(each.informed for each in judged), len(judged))
    success = Share(sum(each.success for each in judged), len(judged))
    rates = [rounded(share.percent, 1) or 0.0 for share in (inform, success)]
    return {
        "inform": rates[0],
        "success": rates[1],
        "bleu": round(bleu, 2),
        "combined": round(bleu + sum(rates) / 2, 2),
        "inform_interval": [round(limit, 1) for limit in wilson_of(inform)],
        "success_interval": [round(limit, 1) for limit in wilson_of(success)],
    }


def _by_domain(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """Success of a domain is 0 where the dialogue failed Inform, as published."""
    rates: dict[str, dict[str, Any]] = {}
    for domain in sorted({domain for each in judged for domain in each.inform}):
        having = [each for each in judged if domain in each.inform]
        informed = Share(sum(each.inform[domain] for each in having), len(having))
        right = sum(each.informed and each.answered[domain] for each in having)
        rates[domain] = {
            "inform": rounded(informed.percent, 1),
            "success": rounded(Share(right, len(having)).percent, 1),
            "dialogues": len(having),
        }
    return rates


def _booking_figures(task: MultiwozTask, tables: VenueTables) -> dict[str, Any] | None:
    """Of people's own bookings; predictions do not book."""
    if task.responses != GOLD:
        return None
    share = sum((booking_success(each, tables) for each in task.dialogues.values()), start=Share())
    return {"right": share.right, "total": share.total, "percent": rounded(share.percent, 1)}
