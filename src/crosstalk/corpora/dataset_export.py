"""What makes written files a dataset: a card, and tables of what dataset libraries cannot load.

    export = DatasetExport.of([Path("out/data.zip")], to="convlab")
    ...  # write the files
    export.finish({Path("out/data.zip"): counts}, made_from="val.json.zip")

Dataset libraries read a column as one type. JSON with a text here and a list there, or with other
keys in every dialogue, they refuse or fill with nulls: beside such a file lies the same corpus as
Parquet, and the card names that as the data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.corpora.convlab import PACKED
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.corpora.dataset_card import (
    CARD,
    CardCounts,
    is_ours,
    refuse_foreign_card,
    write_card,
)
from crosstalk.corpora.formats import find_format
from crosstalk.errors import OutputError

TABLES: Final = "parquet"
"""The format of the tables."""


@dataclass(frozen=True, slots=True)
class DatasetExport:
    """A dataset in the making: the card's folder, the files, and the tables beside them."""

    folder: Path
    files: tuple[Path, ...]
    format: str
    tables: Mapping[Path, Path]
    """File -> its table; empty where dataset libraries load the files themselves."""

    @classmethod
    def of(cls, files: Sequence[Path], *, to: str) -> "DatasetExport":
        """Raises OutputError if a file is in the way that is none of ours."""
        files = tuple(each / PACKED if each.is_dir() else each for each in files)
        folder = files[0].parent
        same = find_format(to).same_columns
        tables = {} if same else {each: _table_of(each) for each in files}
        refuse_foreign_card(folder / CARD)
        taken = next((each for each in tables.values() if each.exists()), None)
        if taken and not is_ours(folder / CARD):
            raise OutputError(
                f"{taken} is there already; the card's table of the dialogues would replace it",
                remedy="Choose another folder or name.",
            )
        return cls(folder, files, to, tables)

    def finish(self, counts: Sequence[CardCounts], *, made_from: str) -> None:
        """Write the tables and the card; `counts` are those of the files."""
        parts = dict(zip(self.files, counts, strict=True))
        for file, table in self.tables.items():
            held = parts[file].dialogues and read_corpus(file, format=self.format, strict=False)
            write_corpus(held or (), table, to=TABLES)
        write_card(self.folder / CARD, parts, made_from=made_from, tables=self.tables)


def _table_of(file: Path) -> Path:
    return file.with_name(f"{file.name.split('.')[0]}.parquet")
