"""`crosstalk evaluate policy`: a policy against what wizards said, turn by turn."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.evaluation_parts import (
    Model,
    Tables,
    evaluation_world,
    part_to_judge,
    read_fitting,
)
from crosstalk.cli.options import AsJson, CorpusOption, CorpusWorld, Language, Models, Protocol
from crosstalk.cli.output import percent, print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.evaluation.corpora import FittingCorpus
    from crosstalk.evaluation.policies import Answer, PolicyScores
    from crosstalk.system.parts import BuiltPart

Lingering = Annotated[
    bool | None,
    typer.Option(
        "--lingering-bounds/--fresh-bounds",
        help="sl: whether bounds of earlier queries linger; default: in the protocol paper.",
        show_default=False,
    ),
]
Mended = Annotated[
    bool, typer.Option("--mended-lexicaliser", help="sl: our lexicaliser, not the published one.")
]


@dataclass(frozen=True, slots=True)
class Switches:
    """In what the published policy differs from protocol to protocol."""

    protocol: str
    lingering: bool
    mended: bool

    @property
    def told(self) -> dict[str, str]:
        return {
            "bounds": "lingering" if self.lingering else "fresh",
            "lexicaliser": "mended" if self.mended else "published",
        }


SL = "sl"
INPUTS = "gold last form without its ticks, gold acts of all turns before"
"""What every policy is given; what else it reads of the turns before is its own affair."""
TOLD = {
    "paper": ", that the dialogue ends (wrongly: from the third user turn on)",
    "corrected": ", whether this is the last exchange",
}
"""What the supervised policy is told besides."""


def evaluate_policy(
    data: CorpusOption,
    model: Model = "best",
    protocol: Protocol = "corrected",
    lingering: Lingering = None,
    mended: Mended = False,
    world: CorpusWorld = None,
    language: Language = None,
    tables: Tables = None,
    models: Models = None,
    as_json: AsJson = False,
) -> None:
    """Micro F1 of a policy's acts, with values (exact) and without them (delexicalised).

    For sl, `paper` says that the dialogue has ended from the third user turn on and lets bounds of
    earlier queries linger, as the published code does; `corrected` does neither. Other policies
    answer the same under both.
    """
    from crosstalk.evaluation.policies import score_answers

    switches = _switches(protocol, lingering, mended)
    corpus = read_fitting(data, world, language)
    built = part_to_judge("policy", model, evaluation_world(corpus, tables, models, protocol))
    scores = score_answers(_answer(built, switches), track(corpus.dialogues, doing="judging"))
    if not scores.overall.turns:
        raise InputError(
            f"{data}: no system turn has a query form, which policies start from",
            remedy="Give a corpus with system states, such as CrossWOZ.",
        )
    if as_json:
        print_json(_summary(corpus, built, switches, scores))
    else:
        _show(f"Policy, {built.name}, {protocol}", scores)


def _switches(protocol: str, lingering: bool | None, mended: bool) -> Switches:
    if protocol not in TOLD:
        raise InputError(
            f"there is no protocol called {protocol!r}", remedy="Known: paper, corrected."
        )
    return Switches(protocol, protocol == "paper" if lingering is None else lingering, mended)


def _answer(built: "BuiltPart", switches: Switches) -> "Answer":
    """The supervised policy is told what others have to find out."""
    from crosstalk.evaluation.policies import answers_of, answers_of_sl

    if built.name != SL:
        return answers_of(built.part)
    policy = built.part.as_judged(lingering=switches.lingering, mended=switches.mended)
    return answers_of_sl(policy, published=switches.protocol == "paper")


def _summary(
    corpus: "FittingCorpus", built: "BuiltPart", switches: Switches, scores: "PolicyScores"
) -> dict[str, Any]:
    from crosstalk.evaluation.rates import BOOTSTRAP, bootstrap

    return {
        **scores.overall.figures(),
        "select": {**scores.select.figures(), "turns": scores.select.turns},
        "by_type": {str(kind): score.figures() for kind, score in sorted(scores.by_type.items())},
        "turns": scores.overall.turns,
        "intervals": {
            "exact_f1": bootstrap(scores.by_dialogue, lambda score: score.exact.f1),
            "delex_f1": bootstrap(scores.by_dialogue, lambda score: score.delexicalised.f1),
        },
        "interval": BOOTSTRAP,
        "model": built.asked,
        "part": built.name,
        "protocol": switches.protocol,
        **(switches.told if built.name == SL else {}),
        "inputs": INPUTS + (TOLD[switches.protocol] if built.name == SL else ""),
        "world": corpus.world_name,
        "sha256": corpus.digest,
    }


def _show(title: str, scores: "PolicyScores") -> None:
    rows = {"overall": scores.overall, "Select turns": scores.select}
    rows |= {str(kind): score for kind, score in sorted(scores.by_type.items())}
    print_table(
        title,
        ["", "turns", "exact F1 %", "delexicalised F1 %"],
        [
            [name, f"{score.turns:,}", percent(score.exact.f1), percent(score.delexicalised.f1)]
            for name, score in rows.items()
        ],
    )
