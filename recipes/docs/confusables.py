"""Make the table of look-alike letters from Unicode's own.

    python recipes/docs/confusables.py confusables.txt

`confusables.txt` is Unicode's (security data, UTS 39). Letters that NFKC replaces are left out, and
the version and the terms of use are kept at the top of the file; its licence stands beside it.
"""

import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

TABLE = Path(__file__).parents[1] / "src" / "crosstalk" / "language" / "confusables.tsv"


def rows(text: str) -> Iterator[str]:
    """`source target`, as code points in hexadecimal."""
    for line in text.splitlines():
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) == 3:
            letter = chr(int(fields[0], 16))
            if unicodedata.normalize("NFKC", letter) == letter:
                yield f"{fields[0]}\t{fields[1]}"


def main(source: Path) -> None:
    text = source.read_text(encoding="utf-8-sig")
    notice = [line for line in text.splitlines()[:12] if line.startswith("#") and line != "#"]
    note = "# Without letters that NFKC replaces; made by recipes/docs/confusables.py."
    TABLE.write_text("\n".join([*notice, note, *rows(text)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
