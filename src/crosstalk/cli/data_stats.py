"""`crosstalk data stats`: a corpus in numbers."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import print_json, print_table, track
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.statistics.tables import NumberTable

AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")]


def stats(
    file: Annotated[Path, typer.Argument(help="A corpus in any format we know, zipped or not.")],
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="Draw dialogue lengths to this .svg, .pdf or .png file."),
    ] = None,
    language: Annotated[
        str,
        typer.Option("--language", help="Language code; default: the corpus's own, or a guess."),
    ] = "",
) -> None:
    """Count a corpus as the CrossWOZ paper counts: Tables 1, 6 and 7, Figure 2."""
    from crosstalk.formats.corpus import corpus_file, read_corpus
    from crosstalk.statistics.corpora import count_corpus

    refuse_both(as_json, as_markdown)
    _check_language(language)
    _check_figure(figure)
    counts = count_corpus(track(read_corpus(file), doing="counting"), language=language)
    if figure:
        from crosstalk.statistics.figures import save_lengths

        save_lengths(counts, figure)
    if as_json:
        from crosstalk.statistics.summary import corpus_summary

        print_json(
            {"file": str(file), "sha256": _digest(corpus_file(file)), **corpus_summary(counts)}
        )
    else:
        from crosstalk.statistics.tables import corpus_tables

        show_tables(corpus_tables(file.name, counts), as_markdown)


def refuse_both(as_json: bool, as_markdown: bool) -> None:
    if as_json and as_markdown:
        raise typer.BadParameter("give --json or --markdown, not both")


def show_tables(tables: Iterable["NumberTable"], as_markdown: bool) -> None:
    for table in tables:
        if as_markdown:
            print(table.markdown, end="\n\n")
        else:
            print_table(table.title, list(table.header), [list(row) for row in table.rows])


def _check_figure(figure: Path | None) -> None:
    """Before the counting: a wrong ending should not cost the time of a long corpus."""
    if figure:
        from crosstalk.statistics.figures import check_figure_path

        check_figure_path(figure)


def _check_language(language: str) -> None:
    """A name instead of a code would silently count Chinese as if it had spaces."""
    if language and not re.fullmatch("[a-z]{2,3}([-_][A-Za-z]+)*", language):
        raise InputError(
            f"--language {language}: not a language code",
            remedy="Give a code of two letters: zh, en, de, ar, ru, ...",
        )


def _digest(file: Path) -> str:
    """Of the bytes as they lie on disk, zipped or not."""
    import hashlib

    with file.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()
