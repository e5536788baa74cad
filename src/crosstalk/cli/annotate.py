"""`crosstalk annotate`: acts from states, agreement of annotators, adjudication."""

from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.evaluate import hits_rows
from crosstalk.cli.options import (
    AsJson,
    Corpus,
    Data,
    Format,
    Language,
    OutFile,
    Samples,
    Seed,
    Store,
    Tables,
    To,
)
from crosstalk.cli.output import (
    percent,
    print_json,
    print_result,
    print_table,
    track,
    warn,
    warn_first,
)
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.annotation.adjudication import Matched
    from crosstalk.annotation.decisions import Decision
    from crosstalk.evaluation.agreement import Agreement, PairAgreement
    from crosstalk.evaluation.kappa import Figure
    from crosstalk.evaluation.label_agreement import LabelAgreement, LabelTable
    from crosstalk.evaluation.scores import Hits

app = typer.Typer(no_args_is_help=True)
SHOWN = 20
"""Differences shown where all of them are written to a file."""

World = Annotated[
    str | None,
    typer.Option("--world", help="A world, or its folder; default: the one each dialogue names."),
]
Left = Annotated[Path, typer.Argument(metavar="A", help="An annotation, in any format.")]
Right = Annotated[Path, typer.Argument(metavar="B", help="Another of the same dialogues.")]
Out = Annotated[Path, typer.Argument(readable=False, help="The file to write.")]


@app.command("acts")
def acts(
    file: Corpus,
    out: OutFile,
    to: Annotated[
        Format | None, typer.Option("--to", help="The format to write; default: that of FILE.")
    ] = None,
    world: World = None,
    language: Language = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Derive the acts of both sides from states, selections, tables and keywords.

    Acts of FILE are ignored; OUT has the derived ones in their place.
    """
    from crosstalk.annotation.annotator import Annotators
    from crosstalk.corpora.corpus import read_corpus, recognise, write_corpus
    from crosstalk.corpora.dataset_card import Counted

    annotators = Annotators(world, language, tables)
    counted = Counted(map(annotators.annotate, track(read_corpus(file), doing="annotating")))
    write_corpus(counted, out, to=to.value if to else recognise(file))
    counts = counted.counts
    if annotators.stateless:
        warn(f"{annotators.stateless:,} dialogues lack user states; they get few acts")
    facts = {"file": str(out), "dialogues": counts.dialogues, "turns": counts.turns}
    print_result(f"{out}: {counts.dialogues:,} dialogues, {counts.turns:,} turns", facts, as_json)


@app.command("evaluate")
def evaluate(
    file: Corpus,
    rules: Annotated[
        bool, typer.Option("--rules", help="Also show the precision of each rule.")
    ] = False,
    world: World = None,
    language: Language = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Derive the acts of FILE anew and compare them with those it has: F1 over exact acts.

    Acts that these rules made (`acts_from: rules`) are no measure of them: refused, exit 1.
    """
    from crosstalk.annotation.annotator import Annotators
    from crosstalk.corpora.corpus import read_corpus
    from crosstalk.corpora.corpus_files import corpus_digest
    from crosstalk.evaluation.annotation_scores import INPUTS, score_annotation

    annotators = Annotators(world, language, tables)
    score = score_annotation(annotators, track(read_corpus(file), doing="annotating"))
    if score.derived:
        _refuse_own_acts(file, score.derived, as_json)
    found = score.acts
    if found.overall.recall is None:
        raise InputError(
            f"{file}: no turn has an act to compare with",
            remedy="`crosstalk annotate acts` derives acts; this command judges them.",
        )
    if as_json:
        told = {**score.figures(), **({"rules": score.rule_figures()} if rules else {})}
        print_json({**told, "inputs": INPUTS, "sha256": corpus_digest(file)})
        return
    parts: list[tuple[str, Hits]] = [("overall", found.overall)]
    parts += sorted((str(side), hits) for side, hits in found.by_side.items())
    parts += sorted(found.by_intent.items())
    print_table("Acts from states", ["", "F1 %", "precision", "recall"], hits_rows(parts))
    if rules:
        table = [
            [each["rule"], each["why"], f"{each['found']:,}", percent(each["precision"])]
            for each in score.rule_figures()
        ]
        print_table("Rules", ["", "why", "acts", "precision"], table)


def _refuse_own_acts(file: Path, turns: int, as_json: bool) -> None:
    told = f"{turns:,} turns of {file} have acts that these rules made: nothing is measured"
    if as_json:
        print_json({"file": str(file), "derived_turns": turns, "measured": False, "why": told})
    else:
        print(told)
        print("Compare labels that were made independently: `crosstalk annotate agreement A B`.")
    raise typer.Exit(1)


@app.command("agreement")
def agreement(
    files: Annotated[list[Path], typer.Argument(help="Two or more annotations, in any format.")],
    gold: Annotated[
        Path | None, typer.Option("--gold", help="The adjudicated version, to compare each with.")
    ] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Also per act, slot and kind of operation.")
    ] = False,
    seed: Seed = 0,
    samples: Samples = 1000,
    as_json: AsJson = False,
) -> None:
    """Compare annotations of the same dialogues: act F1, state accuracy, kappa, AC1, alpha.

    Dialogues are matched by id; those that are missing or have other turns are named.
    """
    from dataclasses import asdict

    from crosstalk.annotation.merge_files import match_files
    from crosstalk.evaluation.agreement import agreement as agree
    from crosstalk.evaluation.kappa import Bootstrap
    from crosstalk.evaluation.label_agreement import label_agreement

    if len(files) < 2 and gold is None:
        raise InputError("one annotation alone", remedy="Give two files or more, or --gold.")
    matched = match_files([*files, *([gold] if gold else [])])
    named = matched.names[-1] if gold else ""
    found = agree(matched, gold=named, bootstrap=Bootstrap(seed, samples))
    pairs = [pair.names for pair in (*found.pairs, *found.against_gold)] if labels else []
    tables = {names: label_agreement(matched.among(*names)) for names in pairs}
    if as_json:
        drawn = {"samples": samples, "seed": seed, "drawn": "dialogues", "interval": 95}
        left_out = [asdict(each) for each in matched.left_out]
        told = [{"a": a, "b": b, **table.record()} for (a, b), table in tables.items()]
        by_label = {"by_label": told} if labels else {}
        print_json({**found.record(), **by_label, "bootstrap": drawn, "left_out": left_out})
    else:
        _warn_left_out(matched)
        _print_agreement(found)
        for names, table in tables.items():
            _print_labels(names, table)


def _print_labels(names: tuple[str, str], table: "LabelTable") -> None:
    title = " : ".join(Path(name).name for name in names)
    header = ["", "used", "same %", "interval", "kappa", "PABAK", "AC1", "alpha"]
    for part in ("acts", "states"):
        rows = [_label_row(each) for each in table.labels if each.part == part]
        if rows:
            print_table(f"{title}, {part}", header, rows)
    rows = [
        [str(kind), f"{hits.right:,}", f"{hits.missed:,}", f"{hits.wrong:,}", percent(hits.f1)]
        for kind, hits in table.operations.items()
    ]
    if rows:
        print_table(f"{title}, operations", ["", "both", "only A", "only B", "F1 %"], rows)


def _label_row(each: "LabelAgreement") -> list[str]:
    low, high = each.interval
    beyond = (each.kappa, each.pabak, each.ac1, each.alpha)
    return [
        " ".join(each.name),
        f"{each.used:,}",
        f"{each.agreement:.1f}",
        f"{low:.0f}-{high:.0f}",
        *("-" if value is None else f"{value:.2f}" for value in beyond),
    ]


def _warn_left_out(matched: "Matched") -> None:
    warn_first([f"left out: {each}" for each in matched.left_out], 3)


def _print_agreement(found: "Agreement") -> None:
    header = ["", "", "95 % interval"]
    for pair in (*found.pairs, *found.against_gold):
        left, right = (Path(name).name for name in pair.names)
        print_table(f"{left} : {right}, {pair.dialogues:,} dialogues", header, _pair_rows(pair))
    if found.pairs:
        together = {
            "Fleiss' kappa, acts": found.act_fleiss,
            "Fleiss' kappa, states": found.state_fleiss,
            "Krippendorff's alpha, acts": found.act_alpha,
            "Krippendorff's alpha, states": found.state_alpha,
        }
        rows = [_row(name, figure, 3) for name, figure in together.items()]
        print_table(f"All together, {found.dialogues:,} dialogues", header, rows)


def _pair_rows(pair: "PairAgreement") -> list[list[str]]:
    acts, states = pair.act_f1, pair.state_accuracy
    return [
        _row("act F1 %", acts.overall, 2),
        _row("  user", acts.user, 2),
        _row("  system", acts.system, 2),
        _row("joint state accuracy %", states.overall, 2),
        _row("  user", states.user, 2),
        _row("  system", states.system, 2),
        _row("Cohen's kappa, acts", pair.act_kappa, 3),
        _row("Cohen's kappa, states", pair.state_kappa, 3),
        _row("PABAK, acts", pair.act_pabak, 3),
        _row("Gwet's AC1, acts", pair.act_ac1, 3),
        _row("Krippendorff's alpha, sets of acts (MASI)", pair.act_masi, 3),
    ]


def _row(name: str, figure: "Figure", digits: int) -> list[str]:
    return [name, *figure.words(digits)]


@app.command("sample")
def sample(
    file: Corpus,
    out: Out,
    share: Annotated[
        float, typer.Option("--share", help="Share of the dialogues to draw; at least one.")
    ] = 0.1,
    seed: Seed = 0,
    to: To = Format.NATIVE,
    as_json: AsJson = False,
) -> None:
    """Draw a sample for blind annotation: texts and goals, without annotations."""
    from random import Random

    from crosstalk.annotation.expert_sample import blind
    from crosstalk.annotation.expert_sample import sample as draw
    from crosstalk.corpora.corpus import read_corpus, write_corpus

    dialogues = list(read_corpus(file))
    drawn = draw(dialogues, share, Random(seed))
    write_corpus(map(blind, drawn), out, to=to.value)
    facts = {"file": str(out), "dialogues": len(drawn), "of": len(dialogues)}
    words = f"{out}: {len(drawn):,} of {len(dialogues):,} dialogues, without annotation"
    print_result(words, facts, as_json)


@app.command("start")
def start(
    file: Annotated[
        Path, typer.Argument(metavar="FILE|RUN", help="Dialogues in any format, or a run's folder.")
    ],
    store: Store = "crosstalk.db",
    world: World = None,
    language: Language = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Bring dialogues into the store of a site, for experts to annotate them again.

    `crosstalk collect --store PATH` then serves them: appoint experts on its page, compare, decide.
    """
    from itertools import chain

    from crosstalk.corpora.corpus import read_corpus
    from crosstalk.web.annotate.imported_dialogues import import_dialogues
    from crosstalk.web.collect.startup import open_site, unmade_if_refused
    from crosstalk.worlds.world import load_world

    dialogues = iter(read_corpus(file / "dialogues" if (file / "dialogues").is_dir() else file))
    first = next(dialogues, None)
    if first is None:
        raise InputError(f"{file} has no dialogues", remedy="Give a corpus that has some.")
    name = world or first.world
    if not name:
        raise InputError(
            f"dialogue {first.id} does not say in which world it takes place",
            remedy="Name it: --world harbour, or the folder of your own.",
        )
    site = open_site(store, load_world(name, language=language or first.language, data=data))
    try:
        with unmade_if_refused(site.store):
            report = import_dialogues(site, track(chain([first], dialogues), doing="importing"))
            if not report.rooms and not report.known:
                raise InputError(
                    f"no dialogue of {file} could be brought in: {report.left_out[0]}",
                    remedy="Dialogues need the domains of the world and turns that alternate.",
                )
    finally:
        site.store.close()
    warn_first([f"left out: {each}" for each in report.left_out], 3)
    facts = {
        "store": store,
        "dialogues": len(report.rooms),
        "known": report.known,
        "left_out": list(report.left_out),
    }
    known = f", {report.known:,} were there before" if report.known else ""
    print_result(f"{store}: {len(report.rooms):,} dialogues for experts{known}", facts, as_json)


@app.command("opinions")
def opinions(
    out: Annotated[
        Path,
        typer.Option(
            "--out", readable=False, metavar="DIR", help="Folder to write, one file an annotator."
        ),
    ],
    store: Store = "crosstalk.db",
    world: World = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write what a site's experts annotated, for `agreement`, `compare` and `adjudicate`.

    Finished annotations only: `collected.jsonl`, a file for each expert (`expert-7.jsonl`), and
    `settled.jsonl`, the adjudicated version. Acts are derived from states. Stop the site before.
    """
    from crosstalk.corpora.corpus import write_corpus
    from crosstalk.web.annotate.expert_annotations import all_versions
    from crosstalk.web.collect.corpus_export import annotation, stored_world
    from crosstalk.web.collect.startup import open_site
    from crosstalk.web.store.store import Store, store_url
    from crosstalk.worlds.world import load_world

    with closing(Store(store_url(store), create=False, alone=False)) as opened:
        known, language = opened.read(stored_world)
    site = open_site(store, load_world(world or known, language=language, data=data))
    try:
        found = all_versions(site, annotation(world or known, language, data))
    finally:
        site.store.close()
    if not found:
        raise InputError(f"{store}: nobody has finished a second opinion", remedy="Wait for one.")
    out.mkdir(parents=True, exist_ok=True)
    names = {name: f"expert-{name}" if name.isdecimal() else name for name in found}
    for name, dialogues in found.items():
        write_corpus(dialogues, out / f"{names[name]}.jsonl", to=Format.NATIVE.value)
    counts = {names[name]: len(dialogues) for name, dialogues in found.items()}
    words = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    print_result(f"{out}: {words}", {"folder": str(out), "dialogues": counts}, as_json)


@app.command("compare")
def compare(
    left: Left,
    right: Right,
    out: Annotated[
        Path | None,
        typer.Option("--out", readable=False, help="Write all causes, one JSON object a line."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show where two annotations differ: what their annotators did otherwise, turn by turn.

    A tick that one has forgotten is one cause, however many states and acts differ for it. The
    exit code is 1 where they differ and --out was not asked for.
    """
    from crosstalk.annotation.merge_files import (
        all_decisions,
        encode_decision,
        match_files,
        write_decisions,
    )

    matched = match_files([left, right])
    found = list(all_decisions(matched))
    if out is not None:
        write_decisions(found, out)
    if as_json:
        print_json([encode_decision(each) for each in found])
    else:
        _warn_left_out(matched)
        _print_decisions(found, out, [left.name, right.name])
    raise typer.Exit(1 if found and out is None else 0)


def _print_decisions(found: "list[Decision]", out: Path | None, names: list[str]) -> None:
    shown = found if out is None else found[:SHOWN]
    if shown:
        explained = sum(len(each.explains) for each in found)
        title = f"{len(found):,} causes of {explained:,} differences"
        print_table(title, ["", *names, "explains"], _decision_rows(shown))
    if len(shown) < len(found):
        warn(f"{len(shown)} of {len(found):,} causes shown; all of them are in {out}")
    elif not found:
        print("no differences")


def _decision_rows(found: "list[Decision]") -> Iterator[list[str]]:
    """Under the words of each turn, what is to be decided in it."""
    from crosstalk.annotation.merge_files import side_words

    for (dialogue, turn), several in groupby(
        found, lambda each: (each.key.dialogue, each.key.turn)
    ):
        here = list(several)
        yield [f"{dialogue}, turn {turn}, {here[0].speaker}: {here[0].text}", "", "", ""]
        for each in here:
            name = each.key.cell if each.key.kind == "act" else each.about
            words = " ".join(filter(None, (str(each.key.kind), each.key.search, *name)))
            moved = f", at turn {each.moved} by the other" if each.moved else ""
            sides = side_words(each.left), side_words(each.right)
            yield [f"  {words}{moved}", *sides, str(len(each.explains))]


@app.command("adjudicate")
def adjudicate(
    left: Left,
    right: Right,
    out: Out,
    choices: Annotated[
        Path, typer.Option("--choices", help="What `compare --out` wrote, with choices filled in.")
    ],
    to: Annotated[
        Format | None, typer.Option("--to", help="The format to write; default: that of A.")
    ] = None,
    otherwise: Annotated[
        str, typer.Option("--otherwise", help="a or b: the choice for undecided differences.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Merge two annotations into one, according to the choices of an adjudicator.

    Every label of the result is marked agreed, settled or open (`labels` in the native format).
    Dialogues that only one of them has, or has with other turns, are written as A has them; those
    that only B has, as B has them.
    """
    from crosstalk.annotation.merge_files import decided, match_files, merge, read_verdicts
    from crosstalk.corpora.corpus import recognise, write_corpus

    matched = match_files([left, right])
    made = decided(read_verdicts(choices), matched, otherwise=otherwise, file=str(choices))
    merged = list(merge(matched, made, left, right, otherwise=otherwise))
    _warn_left_out(matched)
    write_corpus(merged, out, to=to.value if to else recognise(left))
    facts = {"file": str(out), "dialogues": len(merged), "choices": len(made)}
    words = f"{out}: {len(merged):,} dialogues, {len(made):,} causes decided"
    print_result(words, facts, as_json)
