"""`crosstalk data`: corpora in any of our formats."""

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.options import (
    AsJson,
    AsMarkdown,
    Corpus,
    FigureFile,
    Format,
    From,
    OutFile,
    Seed,
    To,
)
from crosstalk.cli.output import TERMINAL, print_json, print_result, print_table, track, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.corpora.convlab import RowOf
    from crosstalk.corpora.convlab_ontology import ListedSlot, Word
    from crosstalk.corpora.corpus_check import SchemaOf
    from crosstalk.corpora.slot_checks import Violation
    from crosstalk.corpora.split import Split
    from crosstalk.evaluation.corpus_world import WorldLookUps
    from crosstalk.statistics.count_tables import NumberTable

app = typer.Typer(no_args_is_help=True)


class Arguments(StrEnum):
    """How the chat format writes the arguments of tool calls."""

    OBJECT = "object"
    TEXT = "text"


class Ungrounded(StrEnum):
    """What the chat format does about answers that state what stands in no message before."""

    KEEP = "keep"
    MARK = "mark"
    CUT = "cut"
    DROP = "drop"


@app.command("convert")
def convert(
    file: Corpus,
    out: OutFile,
    to: To,
    card: Annotated[
        bool,
        typer.Option(
            "--card",
            help="Write a dataset card beside it, README.md, and where dataset libraries cannot "
            "load the format itself, a Parquet table.",
        ),
    ] = False,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help="Continue if dialogues refer to unknown domains, slots or sub-goals."
        ),
    ] = False,
    world: options.CorpusWorld = None,
    tables: options.Tables = None,
    arguments: Annotated[
        Arguments,
        typer.Option(
            "--arguments",
            help="Chat: arguments of tool calls as objects (chat templates, TRL) or JSON text "
            "(OpenAI).",
        ),
    ] = Arguments.OBJECT,
    ungrounded: Annotated[
        Ungrounded,
        typer.Option(
            "--ungrounded",
            help="Chat: where the system states what stands in no message before, keep the "
            "dialogue, mark that answer (weight 0, all others 1), cut before it, or drop the "
            "dialogue.",
        ),
    ] = Ungrounded.KEEP,
    unverified: Annotated[
        bool,
        typer.Option(
            "--unverified", help="Chat of a run: also dialogues that failed or are repeated."
        ),
    ] = False,
    balance: options.Balanced = "none",
    source: From = None,
    as_json: AsJson = False,
) -> None:
    """Convert a corpus to another format; the file is written completely or not at all.

    A run becomes chat data to learn from: only dialogues that succeeded, each once.
    """
    from crosstalk.corpora.chat_trimming import Trimming
    from crosstalk.corpora.corpus import read_corpus, write_corpus
    from crosstalk.corpora.dataset_card import Counted
    from crosstalk.corpora.dataset_export import DatasetExport
    from crosstalk.evaluation.corpus_world import folder_of_world, is_run

    world = world or folder_of_world(file)
    chosen = None
    if to is Format.CHAT and is_run(file) and not unverified:
        chosen = options.chosen_dialogues(file, balance, tables)
        warn(chosen.told)
    elif balance != "none":
        raise typer.BadParameter("is for runs that become chat data", param_hint="--balance")
    held = chosen.dialogues if chosen else read_corpus(file, format=source, strict=not anyway)
    lookups = _lookups(to, world, tables)
    if to is not Format.CHAT and ungrounded is not Ungrounded.KEEP:
        raise typer.BadParameter("is for --to chat", param_hint="--ungrounded")
    trimming = Trimming(lookups, cut=ungrounded is Ungrounded.CUT)
    trims = ungrounded in (Ungrounded.CUT, Ungrounded.DROP)
    if trims:
        held = trimming.parts(held)
    dialogues = Counted(track(held, doing="converting"))
    export = DatasetExport.of([out], to=to.value) if card else None
    write_corpus(
        dialogues,
        out,
        to=to.value,
        lookups=lookups,
        schema_of=_schemas(to, world),
        row_of=_rows(to, world, tables),
        listed=_listed(to, file),
        arguments=arguments.value,
        weights=ungrounded is Ungrounded.MARK,
    )
    _warn_of_missing(lookups)
    counts = dialogues.counts
    if export:
        export.finish([counts], made_from=file.name)
    facts = {"file": str(out), "dialogues": counts.dialogues, "turns": counts.turns}
    facts |= chosen.record() if chosen else {}
    if trims:
        warn(trimming.told)
        facts |= trimming.record()
    words = f"{out}: {counts.dialogues:,} dialogues, {counts.turns:,} turns, {to.value}"
    print_result(words, facts, as_json)


def _lookups(to: Format, world: str | None, tables: Path | None) -> "WorldLookUps | None":
    """The tables that tool calls of the chat format are answered from; other formats need none."""
    if to is not Format.CHAT:
        return None
    from crosstalk.evaluation.corpus_world import WorldLookUps

    return WorldLookUps(world or "", tables)


def _schemas(to: Format, world: str | None) -> "SchemaOf | None":
    """The slots of the dialogues' worlds, for the ontology of the ConvLab format."""
    if to is not Format.CONVLAB:
        return None
    from crosstalk.evaluation.corpus_world import schema_finder

    return schema_finder(world or "")


def _rows(to: Format, world: str | None, tables: Path | None) -> "RowOf | None":
    """The rows of the worlds' tables, for results of the ConvLab format."""
    if to is not Format.CONVLAB:
        return None
    from crosstalk.evaluation.corpus_world import WorldLookUps

    return WorldLookUps(world or "", tables).row


def _listed(to: Format, file: Path) -> "Mapping[Word, ListedSlot] | None":
    """The slots of the schema file beside a corpus, for the ontology of the ConvLab format."""
    if to is not Format.CONVLAB:
        return None
    from crosstalk.corpora.corpus_schema import listed_slots

    return listed_slots(file)


def _warn_of_missing(lookups: "WorldLookUps | None") -> None:
    for label, problem in lookups.missing.items() if lookups else ():
        warn(f"tool calls of dialogues of {label} have no answers of the tables: {problem}")


@app.command("check")
def check(
    file: Corpus,
    as_json: AsJson = False,
    world: Annotated[
        str,
        typer.Option("--world", help="Check against this world; default: the dialogues' own."),
    ] = "",
    source: From = None,
    labels: Annotated[
        bool,
        typer.Option(
            "--labels",
            help="Check the labels instead: text, acts, ticks, searches, selections and tables "
            "against each other.",
        ),
    ] = False,
    tables: options.Tables = None,
) -> None:
    """Report every violation of the rules that CrossWOZ-like corpora keep; exit 1 if any.

    With --labels, every turn whose labels contradict its words or the tables, by rule.
    """
    if labels:
        _check_labels(file, world, source, tables, as_json)
        return
    from crosstalk.corpora.corpus import read_corpus
    from crosstalk.corpora.corpus_check import check as find_violations
    from crosstalk.corpora.dataset_card import Counted
    from crosstalk.evaluation.corpus_world import schema_finder

    read = read_corpus(file, format=source, strict=False)
    dialogues = Counted(track(read, doing="checking"))
    found = list(find_violations(dialogues, str(file), schema_of=schema_finder(world)))
    if not dialogues.counts.dialogues:
        raise InputError(
            f"{file}: there is nothing to check: it holds no dialogues",
            remedy="Give a corpus with dialogues.",
        )
    if as_json:
        print_json({"file": str(file), "violations": [each.record() for each in found]})
    elif found:
        _print_violations(found)
    else:
        print(f"{file}: no violations")
    if found:
        raise typer.Exit(1)


def _check_labels(
    file: Path, world: str, source: str | None, tables: Path | None, as_json: bool
) -> None:
    from crosstalk.corpora.corpus import read_corpus
    from crosstalk.corpora.corpus_files import corpus_digest
    from crosstalk.labels.checker import LabelCheckers
    from crosstalk.labels.corpus_labels import check_labels
    from crosstalk.labels.findings import RULES

    read = track(read_corpus(file, format=source), doing="checking")
    report = check_labels(read, LabelCheckers(world, tables=tables))
    if not report.dialogues:
        raise InputError(
            f"{file}: there is nothing to check: it holds no dialogues",
            remedy="Give a corpus with dialogues.",
        )
    if as_json:
        print_json({"file": str(file), "sha256": corpus_digest(file), **report.record()})
    else:
        for dialogue, finding in report.findings:
            print(f"{dialogue}, turn {finding.turn + 1}: {finding}")
        rows = [[rule, RULES[rule], f"{n:,}", f"{d:,}"] for rule, n, d in report.by_rule()]
        if rows:
            print_table("Labels", ["rule", "", "findings", "dialogues"], rows)
        told = f"{report.flagged:,} of {report.turns:,} turns ({report.share:.1f} %)"
        print(f"{file}: {told} have labels to look at")
    if report.findings:
        raise typer.Exit(1)


def _print_violations(found: "list[Violation]") -> None:
    for each in found:
        print(each)
    kinds = Counter(each.rule for each in found)
    dialogues = {rule: {each.dialogue for each in found if each.rule == rule} for rule in kinds}
    rows = [[rule, str(count), str(len(dialogues[rule]))] for rule, count in kinds.most_common()]
    print_table("Violations", ["rule", "violations", "dialogues"], rows)


@app.command("show")
def show(
    file: Corpus,
    id: Annotated[str | None, typer.Option("--id", help="The dialogue with this id.")] = None,
    nth: Annotated[
        int, typer.Option("--nth", min=1, help="The dialogue at this position, from 1.")
    ] = 1,
    turns: Annotated[bool, typer.Option("--turns", help="Print only speakers and texts.")] = False,
    source: From = None,
    as_json: AsJson = False,
) -> None:
    """Show one dialogue: its goal, who said what, the acts, and what changed in the states."""
    from crosstalk.corpora.corpus import find_dialogue
    from crosstalk.corpora.record_encoding import encode_dialogue
    from crosstalk.reports.dialogue_text import dialogue_lines

    dialogue = find_dialogue(file, id=id, nth=nth, format=source)
    if as_json:
        print_json(encode_dialogue(dialogue))
        return
    for line in dialogue_lines(dialogue, only_turns=turns):
        print(line)


@app.command("stats")
def stats(
    file: Corpus,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    figure: FigureFile = None,
    language: Annotated[
        str,
        typer.Option("--language", help="Language code; default: the corpus's own, or a guess."),
    ] = "",
    source: From = None,
) -> None:
    """Count a corpus as the CrossWOZ paper counts: Tables 1, 6 and 7, Figure 2."""
    from crosstalk.corpora.corpus import read_corpus
    from crosstalk.corpora.corpus_files import corpus_digest
    from crosstalk.statistics.corpus_counts import check_language_code, count_corpus
    from crosstalk.statistics.count_tables import corpus_summary, corpus_tables

    refuse_both(as_json, as_markdown)
    check_language_code(language)
    if figure:  # before the counting: a wrong ending should not cost the time of a long corpus
        from crosstalk.statistics.length_figure import check_figure_path

        check_figure_path(figure)
    counts = count_corpus(
        track(read_corpus(file, format=source), doing="counting"), language=language
    )
    if figure:
        from crosstalk.statistics.length_figure import save_lengths

        save_lengths(counts, figure)
    if as_json:
        digest = corpus_digest(file)
        print_json({"file": str(file), "sha256": digest, **corpus_summary(counts)})
    else:
        show_tables(corpus_tables(file.name, counts), as_markdown)


def refuse_both(as_json: bool, as_markdown: bool) -> None:
    """Raise where two ways to print are asked for."""
    if as_json and as_markdown:
        raise typer.BadParameter("give --json or --markdown, not both")


def show_tables(tables: "Iterable[NumberTable]", as_markdown: bool) -> None:
    """Tables of counts, for a terminal or as Markdown."""
    for table in tables:
        if as_markdown:
            print(table.markdown, end="\n\n")
        else:
            print_table(table.title, list(table.header), [list(row) for row in table.rows])


@app.command("split")
def split(
    file: Corpus,
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="The folder to write the parts into.")
    ],
    parts: Annotated[
        str, typer.Option("--parts", help="Names and shares of the parts.")
    ] = "train=0.8,val=0.1,test=0.1",
    seed: Seed = 0,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Keep the shares exact within each goal type."),
    ] = False,
    to: To = Format.NATIVE,
    source: From = None,
    as_json: AsJson = False,
) -> None:
    """Split a corpus by dialogue into one file a part, with a dataset card.

    A dialogue's part depends on its id and the seed alone, so a corpus that grows is never
    reshuffled; with --exact each goal type is split exactly, and borders may move as it grows.
    """
    from crosstalk.corpora.split import parse_shares, split_corpus

    shares = parse_shares(parts)
    lookups = _lookups(to, None, None)
    made = split_corpus(
        file,
        out,
        shares,
        seed=seed,
        exact=exact,
        to=to.value,
        format=source,
        reporter=TERMINAL,
        lookups=lookups,
    )
    _warn_of_missing(lookups)
    if as_json:
        files = {
            path.stem: {"file": str(path), "dialogues": counts.dialogues}
            for path, counts in made.files.items()
        }
        print_json(files)
    else:
        _print_split(made, list(shares))


def _print_split(made: "Split", parts: list[str]) -> None:
    columns = sorted({kind for _, kind in made.kinds})
    counts = {part: [made.kinds[part, kind] for kind in columns] for part in parts}
    rows = [[part, *map(str, (sum(each), *each))] for part, each in counts.items()]
    print_table("Dialogues", ["part", "all", *(kind or "no type" for kind in columns)], rows)


@app.command("schema")
def schema(as_json: AsJson = True) -> None:
    """Print the JSON Schema of the native format (one dialogue per line); JSON in any case."""
    from crosstalk.corpora.native import native_schema

    print_json(native_schema())
