"""`crosstalk evaluate dst`: single-turn state tracking on a corpus."""

from crosstalk.cli.evaluation_parts import (
    Model,
    Tables,
    evaluation_world,
    part_to_judge,
    read_fitting,
)
from crosstalk.cli.options import AsJson, CorpusOption, CorpusWorld, Language, Models, Protocol
from crosstalk.cli.output import percent, print_json, print_table, track

OFFERED = (
    "gold form before, gold acts, texts, forms and selections of all earlier turns, "
    "the world's tables"
)
"""What every tracker is given; what it reads of it is its own affair."""
INPUTS = {
    "rule": "gold form before, gold user acts",
    "search": "gold form before, gold acts of all earlier turns, the world's tables",
    "trees-words": "gold form before, gold acts and texts of all earlier turns, the world's tables",
    "trade": "texts of all earlier turns",
}


def evaluate_dst(
    data: CorpusOption,
    model: Model = "best",
    protocol: Protocol = "corrected",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Joint accuracy over the 26 fields of the form (RuleDST's row in Table 8 of the paper).

    `paper` withholds the system's acts from the rules, as the published evaluation does;
    `corrected` shows them. Our tracker reads what the row of inputs says under either.
    """
    from crosstalk.database.worlds import load_schema
    from crosstalk.evaluation.tracking import score_tracking

    corpus = read_fitting(data, world, language)
    schema, pack = load_schema(corpus.world, language=corpus.language)
    built = part_to_judge("dst", model, evaluation_world(corpus, tables, models, protocol))
    dialogues = track(corpus.dialogues, doing="tracking")
    hidden = built.name == "rule" and protocol == "paper"
    score = score_tracking(built.part, dialogues, schema, hide_system_acts=hidden)
    result = {
        **score.figures(),
        "model": model,
        "part": built.name,
        "protocol": protocol,
        "inputs": INPUTS.get(built.name, OFFERED),
        "world": corpus.world_name,
        "language": pack.code,
        "sha256": corpus.digest,
    }
    if as_json:
        print_json(result)
        return
    rows = [
        ["overall", percent(score.overall.percent)],
        ["Select turns", percent(score.select.percent)],
    ]
    rows += [[str(kind), percent(share.percent)] for kind, share in sorted(score.by_type.items())]
    print_table(f"State tracking, {built.name}, {protocol}", ["", "joint accuracy %"], rows)
