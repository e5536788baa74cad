"""`crosstalk translate check`: what is wrong with a translation, and what is inconsistent."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn
from crosstalk.cli.translate_options import (
    GlossaryFile,
    SourceCode,
    TargetCode,
    WorkFile,
    opened_in,
    some,
)

if TYPE_CHECKING:
    from crosstalk.translation.checks import Checked, Finding
    from crosstalk.translation.comparison import Compared
    from crosstalk.translation.glossary import Glossary
    from crosstalk.translation.segments import Segment
    from crosstalk.translation.work import Work

SHOWN = 20
CorpusFile = Annotated[
    Path | None,
    typer.Option("--corpus", help="The source corpus, to find turns that are missing."),
]
All = Annotated[bool, typer.Option("--all", help="Tell everything, not only the first 20.")]
WriteGlossary = Annotated[
    Path | None,
    typer.Option("--write-glossary", metavar="FILE", help="Write each value's commonest form."),
]


def check(
    file: WorkFile,
    glossary: GlossaryFile = None,
    corpus: CorpusFile = None,
    source: SourceCode = None,
    target: TargetCode = None,
    everything: All = False,
    write_glossary: WriteGlossary = None,
    as_json: options.AsJson = False,
) -> None:
    """Check a translation: values in their utterances, figures kept, language, one form per value.

    Exit code 1 where there are problems to mend; hints alone are fine.
    """
    from crosstalk.translation.checks import check as checked

    work, segments, here, there = opened_in(file, source, target)
    terms = _terms(glossary, work)
    compared = _compared(segments, corpus)
    missing = compared.missing
    found = checked(segments, here, there, terms)
    if write_glossary is not None:
        _write(segments, terms, write_glossary)
    if as_json:
        print_json(_record(found, compared, here, there))
    else:
        _tell(found, missing, SHOWN if not everything else None)
        _tell_strangers(compared, corpus, file)
    if found.problems or missing:
        raise typer.Exit(1)


def _terms(file: Path | None, work: "Work") -> "Glossary":
    from crosstalk.translation.glossary import Glossary, read_glossary
    from crosstalk.translation.work import with_changes

    return with_changes(read_glossary(file) if file else Glossary(), work.events)


def _write(segments: "list[Segment]", terms: "Glossary", file: Path) -> None:
    from crosstalk.translation.glossary import glossary_of, write_glossary

    write_glossary(glossary_of(segments).with_terms(terms.terms), file)


def _compared(segments: "list[Segment]", corpus: Path | None) -> "Compared":
    from crosstalk.formats.corpus import read_corpus
    from crosstalk.translation.comparison import Compared, compare

    return Compared() if corpus is None else compare(segments, read_corpus(corpus))


def _tell_strangers(compared: "Compared", corpus: Path | None, file: Path) -> None:
    if compared.untranslated:
        warn(f"not in {file}: {some(compared.untranslated)} of {corpus}")
    if compared.unknown:
        warn(f"not in {corpus}: {some(compared.unknown)} of {file}; is it the right corpus?")


def _record(found: "Checked", compared: "Compared", source: str, target: str) -> dict[str, Any]:
    missing = compared.missing
    findings = [*missing, *found.findings]
    return {
        "source": source,
        "target": target,
        "utterances": found.segments,
        "finished": found.finished,
        "problems": found.problems + len(missing),
        "hints": len(findings) - found.problems - len(missing),
        "values": found.alignments,
        "not_in_file": list(compared.untranslated),
        "not_in_corpus": list(compared.unknown),
        "findings": [
            {
                "dialogID": each.dialogue,
                "turnID": each.turn,
                "code": each.code.value,
                "problem": each.is_problem,
                "slot": each.slot,
                "message": each.message,
            }
            for each in findings
        ],
        "inconsistent": [
            {
                "slot": each.slot,
                "value": each.value,
                "forms": dict(each.forms),
                "wanted": each.wanted,
                "turns": [list(place) for place in each.where],
            }
            for each in found.inconsistent
        ],
    }


def _tell(found: "Checked", missing: "Sequence[Finding]", most: int | None) -> None:
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
