"""`crosstalk translate`: a corpus in another language: machine, editors, quality control."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options, translate_people
from crosstalk.cli.options import GlossaryFile, Rate, SourceCode, TargetCode, WorkFile
from crosstalk.cli.output import (
    print_json,
    print_table,
    progress_bar,
    track,
    warn,
    warn_first,
    warning_when_stopped,
)
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.translation.checks import Checked, TranslationFinding
    from crosstalk.translation.journal import Effort
    from crosstalk.translation.translation_segments import Segment

app = typer.Typer(no_args_is_help=True)
SHOWN = 20


@app.command("start")
def start(
    corpus: options.Corpus,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="CODE",
            callback=options.language_code,
            help="Language to translate into.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", readable=False, metavar="FILE", help="File to write the records to (JSON)."
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="CODE",
            callback=options.language_code,
            help="Language of the corpus; default: the one it names.",
        ),
    ] = None,
    translator: Annotated[
        str,
        typer.Option(
            "--translator",
            help="offline, transformers:FOLDER, ctranslate2:FOLDER, openai:URL, or corpus:FILE: "
            "a translation that exists already.",
        ),
    ] = "offline",
    model: Annotated[
        str, typer.Option("--model", help="Model name to request from an endpoint.")
    ] = "",
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Timeout of one request in seconds.")
    ] = 60.0,
    glossary: GlossaryFile = None,
    memory: Annotated[
        list[Path] | None,
        typer.Option(
            "--memory",
            metavar="FILE",
            help="Translation memory: finished translations, or a table of source and target.",
        ),
    ] = None,
    values: Annotated[
        str,
        typer.Option("--values", help="together: with their utterance; alone: as the paper did."),
    ] = "together",
    edited: Annotated[
        Path | None,
        typer.Option(
            "--edited",
            metavar="CORPUS",
            help="Corpus with edited translations, to take over as edits.",
        ),
    ] = None,
    split: Annotated[
        str, typer.Option("--split", help="Name of the split, for quality control.")
    ] = "",
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="FILE", help="Cache of translations; default: beside the output."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Number of dialogues to translate; default: all."),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Write only the fields of Appendix A.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Translate a corpus by machine, for people to edit: one record an utterance (Appendix A).

    The same command resumes an interrupted run: finished translations are in the cache.
    """
    from crosstalk.translation.machine_translation import StartOptions, start_translation

    wanted = StartOptions(
        target=to, source=source, translator=translator, model=model, timeout=timeout,
        glossary=glossary, memory=tuple(memory or ()), values=values, edited=edited,
        split=split, cache=cache, limit=limit, plain=plain,
    )  # fmt: skip
    stopped = f"the same command resumes from {wanted.cache_of(out)}"
    with progress_bar("Translating") as progress, warning_when_stopped(stopped):
        segments = start_translation(corpus, out, wanted, progress)
    _print_started(segments, out, as_json)


def _print_started(segments: "list[Segment]", out: Path, as_json: bool) -> None:
    left = sum(bool(segment.untranslated) for segment in segments)
    dialogues = len({segment.dialogue for segment in segments})
    done = sum(segment.finished for segment in segments)
    if as_json:
        counts = {"utterances": len(segments), "incomplete": left, "edited": done}
        print_json({"file": str(out), "dialogues": dialogues, **counts})
        return
    warn(f"{dialogues:,} dialogues, {len(segments):,} utterances in {out}")
    if left:
        warn(f"{left:,} of them have words that nobody translated; editors see which")
    warn(f"`crosstalk translate edit {out}` opens them for editors")


app.command("edit")(translate_people.edit)


@app.command("check")
def check(
    file: WorkFile,
    glossary: GlossaryFile = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", help="The source corpus, to find turns that are missing."),
    ] = None,
    source: SourceCode = None,
    target: TargetCode = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print everything, not only the first 20.")
    ] = False,
    write_glossary: Annotated[
        Path | None,
        typer.Option(
            "--write-glossary",
            readable=False,
            metavar="FILE",
            help="Write a glossary with the most frequent form of each value.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Check a translation: values in their utterances, figures kept, language, one form per value.

    Exit code 1 where there are problems to mend; hints alone are fine.
    """
    from crosstalk.corpora.corpus import read_corpus
    from crosstalk.translation import glossary as glossaries
    from crosstalk.translation.checks import Compared, check_translation, compare_with_corpus
    from crosstalk.translation.work import with_term_events, work_languages

    work = translate_people.read_with_warnings(file)
    segments = list(work.segments)
    here, there = work_languages(segments, source, target)
    given = glossaries.read_glossary(glossary) if glossary else glossaries.Glossary()
    terms = with_term_events(given, work.events)
    compared = Compared() if corpus is None else compare_with_corpus(segments, read_corpus(corpus))
    found = check_translation(segments, here, there, terms)
    if write_glossary is not None:
        commonest = glossaries.glossary_of(segments).with_terms(terms.terms)
        glossaries.write_glossary(commonest, write_glossary)
    if as_json:
        print_json({"source": here, "target": there, **compared.record(found)})
    else:
        _print_checked(found, compared.missing, None if everything else SHOWN)
        if compared.untranslated:
            warn(f"not in {file}: {_some(compared.untranslated)} of {corpus}")
        if compared.unknown:
            warn(f"not in {corpus}: {_some(compared.unknown)} of {file}; is it the right corpus?")
    if found.problems or compared.missing:
        raise typer.Exit(1)


def _some(ids: Sequence[str]) -> str:
    """Dialogues by their number and the first of their names."""
    return f"dialogue {ids[0]}" if len(ids) == 1 else f"{len(ids):,} dialogues ({ids[0]} ...)"


def _print_checked(
    found: "Checked", missing: "Sequence[TranslationFinding]", most: int | None
) -> None:
    problems = [*missing, *(each for each in found.findings if each.is_problem)]
    for each in problems[:most]:
        slot = f", {each.slot}" if each.slot else ""
        print(f"{each.dialogue}, turn {each.turn}{slot}: {each.message}")
    if most is not None and len(problems) > most:
        warn(f"... and {len(problems) - most:,} more; --all tells them, --json for programs")
    counts = Counter(each.code.value for each in [*missing, *found.findings])
    rows = [[name.replace("_", " "), f"{count:,}"] for name, count in counts.most_common()]
    if rows:
        print_table("Problems and hints", ["", "turns or values"], rows)
    values = [[name, f"{count:,}"] for name, count in found.alignments.items() if count]
    if values:
        print_table("Values in their utterances", ["", ""], values)
    if found.inconsistent:
        forms = [
            [f"{each.slot}: {each.value}", ", ".join(f"{form} ({n})" for form, n in each.forms)]
            for each in found.inconsistent[:most]
        ]
        print_table(f"{len(found.inconsistent):,} values in several forms", ["", "forms"], forms)
    warn(f"{found.finished:,} of {found.segments:,} utterances are edited")
    if not problems:
        warn("no problems")


@app.command("effort")
def effort(
    file: Annotated[
        Path, typer.Argument(help="A translation, or the folder that `translate control` made.")
    ],
    rate: Rate = 16.0,
    as_json: options.AsJson = False,
) -> None:
    """Time and cost per person, as measured by the pages; the paper paid 16 $ an hour."""
    from crosstalk.translation.control import JOURNAL
    from crosstalk.translation.journal import Effort, efforts, read_events

    is_sample = file.is_dir()
    read = translate_people.read_with_warnings
    people = efforts(read_events(file / JOURNAL) if is_sample else read(file).events)
    total = sum(people.values(), Effort())
    if as_json:
        editors = {name: each.record(rate) for name, each in people.items()}
        print_json({"rate": rate, "total": total.record(rate), "editors": editors})
        return
    rows = [_effort_row(name, each, rate) for name, each in {**people, "all": total}.items()]
    header = ["", "utterances", "saves", "hours", "seconds each", "cost"]
    print_table(f"{file}, {rate:g} an hour", header, rows)


def _effort_row(name: str, effort: "Effort", rate: float) -> list[str]:
    each = effort.seconds / effort.utterances if effort.utterances else 0.0
    numbers = [f"{effort.utterances:,}", f"{effort.saves:,}"]
    return [name, *numbers, f"{effort.hours:.2f}", f"{each:.0f}", f"{effort.cost(rate):,.2f}"]


app.command("control")(translate_people.control)
app.command("judge")(translate_people.judge)
app.command("agreement")(translate_people.agreement)


@app.command("finish")
def finish(
    file: WorkFile,
    corpus: Annotated[
        Path,
        typer.Option("--corpus", help="The corpus that gets the texts: source, or translated."),
    ],
    out: Annotated[
        Path, typer.Option("--out", readable=False, metavar="FILE", help="The finished corpus.")
    ],
    format: Annotated[
        str, typer.Option("--format", help="native, multiwoz, crosswoz, convlab ...")
    ] = "native",
    glossary: GlossaryFile = None,
    source: SourceCode = None,
    target: TargetCode = None,
    unedited: Annotated[
        bool, typer.Option("--unedited", help="Use the machine translation where there is no edit.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Put the edited texts and values into the corpus they come from.

    Values of states and acts that no turn has are looked up in the glossary, by default that of
    the translation itself; what has no form stays as it is and is named.
    """
    from crosstalk.corpora.corpus import read_corpus, write_corpus
    from crosstalk.translation.finished_corpus import finish_corpus
    from crosstalk.translation.work import work_languages

    work = translate_people.read_with_warnings(file)
    spoken = work_languages(work.segments, source, target)
    found = finish_corpus(work, spoken, read_corpus(corpus), glossary=glossary, unedited=unedited)
    if not found.dialogues:
        raise InputError(
            f"{corpus} has none of the dialogues of {file}",
            remedy="Give the corpus that the translation was started from.",
        )
    write_corpus(found.dialogues, out, to=format)
    left, unknown = found.untranslated, list(found.not_in_corpus)
    if as_json:
        names = [{"slot": slot, "value": value, "times": n} for (slot, value), n in left.items()]
        about = {"untranslated": names, "not_in_corpus": unknown}
        print_json({"file": str(out), "dialogues": len(found.dialogues), **about})
        return
    warn(f"{len(found.dialogues):,} dialogues in {spoken[1]} in {out}")
    if unknown:
        warn(f"left out: {_some(unknown)} of the translation, which {corpus} does not have")
    named = [
        f"{slot}: {value!r} has no translation, {times:,} times"
        for (slot, value), times in left.most_common()
    ]
    warn_first(named, 5, " values; a --glossary gives them a form")


@app.command("parallel")
def parallel(
    out: Annotated[
        Path, typer.Option("--out", readable=False, metavar="FOLDER", help="Folder to write to.")
    ],
    world: options.World = "harbour",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Number of dialogues.")] = 20,
    seed: options.Seed = 0,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a parallel corpus: simulated dialogues, generated in all languages of a world.

    Writes LANGUAGE.jsonl for each, and for each language but the first a finished translation
    (FIRST-LANGUAGE.json, Appendix A) and a glossary (FIRST-LANGUAGE.glossary.json).
    """
    from crosstalk.simulation.build import Setup
    from crosstalk.simulation.sessions import Plan, simulated_dialogues
    from crosstalk.translation.parallel_corpora import write_parallel

    held = simulated_dialogues(Plan(seed, count=count), Setup(world, data=data, words=True))
    dialogues = list(track(held, doing="Talking", total=count))
    codes = write_parallel(dialogues, world, out, data=data)
    if as_json:
        print_json({"folder": str(out), "languages": codes})
    else:
        warn(f"{count:,} dialogues in {', '.join(codes)} in {out}")
