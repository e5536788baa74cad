"""Dataset cards: a README beside a corpus, with a YAML head as dataset hubs read it.

The licence is left for the person who publishes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crosstalk import __version__
from crosstalk.corpora.convlab_render import named_split
from crosstalk.corpora.split_names import split_named
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import OutputError
from crosstalk.files import sha256_of, writing

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
CARD = "README.md"
"""The name by which dataset hubs know a card."""
LICENCE = "unknown"
MADE_BY = "by Crosstalk"
WHOLE = "train"
"""The split of a file that belongs to none, as dataset libraries call it."""
RESERVED = "all"
"""What dataset libraries call all splits together, so that no split may be called so."""


@dataclass(frozen=True, slots=True)
class CardCounts:
    """The counts of one file on a card; counts that add."""

    dialogues: int = 0
    turns: int = 0
    types: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    worlds: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "CardCounts") -> "CardCounts":
        return CardCounts(
            self.dialogues + other.dialogues,
            self.turns + other.turns,
            self.types + other.types,
            self.languages + other.languages,
            self.worlds + other.worlds,
            self.splits + other.splits,
        )


def count(dialogue: Dialogue) -> CardCounts:
    kind = dialogue.goal.type if dialogue.goal else None
    return CardCounts(
        dialogues=1,
        turns=len(dialogue.turns),
        types=Counter([kind.value] if kind else []),
        languages=Counter([dialogue.language] if dialogue.language else []),
        worlds=Counter([dialogue.world] if dialogue.world else []),
        splits=Counter([split] if (split := named_split(dialogue.extras)) else []),
    )


class Counted:
    """An iterable of dialogues that counts them."""

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        self._dialogues = dialogues
        self.counts = CardCounts()

    def __iter__(self) -> Iterator[Dialogue]:
        for dialogue in self._dialogues:
            self.counts += count(dialogue)
            yield dialogue


def write_card(
    path: Path,
    parts: Mapping[Path, CardCounts],
    *,
    made_from: str,
    tables: Mapping[Path, Path] | None = None,
) -> None:
    """Write a card for the files of one corpus, which are in the card's folder.

    `tables`: the Parquet tables of those files that dataset libraries cannot load themselves.
    """
    with writing(path) as file:
        file.write(card_text(parts, made_from=made_from, tables=tables or {}))


def refuse_foreign_card(path: Path) -> None:
    """Raise if a card would replace a file that is not one of our cards."""
    if path.is_file() and not is_ours(path):
        raise OutputError(
            f"{path} is there already, and it is no dataset card of ours",
            remedy="Choose another folder.",
        )


def is_ours(path: Path) -> bool:
    """Whether there is a card of ours."""
    return path.is_file() and MADE_BY in path.read_text(encoding="utf-8", errors="replace")


def card_text(
    parts: Mapping[Path, CardCounts], *, made_from: str, tables: Mapping[Path, Path]
) -> str:
    total = sum(parts.values(), CardCounts())
    head, body = _head(parts, total, tables), _body(parts, total, made_from, tables)
    return "\n".join([*head, "", f"# {made_from}", "", *body]) + "\n"


def _head(
    parts: Mapping[Path, CardCounts], total: CardCounts, tables: Mapping[Path, Path]
) -> list[str]:
    """The YAML block."""
    size = next((name for limit, name in SIZES if total.dialogues < limit), "n>1M")
    files = [
        line
        for path, counts in parts.items()
        for line in (
            f"  - split: {_split(path, counts) if len(parts) == 1 else _part(path)}",
            f"    path: {_quoted(tables.get(path, path).name)}",
        )
    ]
    return [
        "---",
        "language:",
        *[f"- {language}" for language in sorted(total.languages) or ["und"]],
        f"license: {LICENCE}",
        "task_categories:",
        "- text-generation",
        "- text-classification",
        "tags:",
        "- task-oriented-dialogue",
        "size_categories:",
        f"- {size}",
        "configs:",
        "- config_name: default",
        "  data_files:",
        *files,
        "---",
    ]


def _body(
    parts: Mapping[Path, CardCounts],
    total: CardCounts,
    made_from: str,
    tables: Mapping[Path, Path],
) -> list[str]:
    worlds = ", ".join(sorted(total.worlds)) or "not named"
    types = ", ".join(f"{kind} {number}" for kind, number in sorted(total.types.items()))
    return [
        f"{total.dialogues:,} task-oriented dialogues, {total.turns:,} turns.",
        "",
        "| file | dialogues | turns | SHA-256 |",
        "| --- | ---: | ---: | --- |",
        *[_row(path, counts) for path, counts in parts.items()],
        *[_row(tables[path], counts) for path, counts in parts.items() if path in tables],
        "",
        f"- Worlds: {worlds}",
        f"- Languages: {', '.join(sorted(total.languages)) or 'not named'}",
        f"- Goal types: {types or 'not named'}",
        f"- Made from `{made_from}` {MADE_BY} {__version__}.",
        "- Licence: **fill in** here and in the head; it is that of the corpus this was made from.",
        "- Fields: `crosstalk data schema` prints the JSON Schema of the native format.",
    ]


def _row(path: Path, counts: CardCounts) -> str:
    return f"| `{path.name}` | {counts.dialogues:,} | {counts.turns:,} | `{_digest(path)}` |"


def _digest(path: Path) -> str:
    return sha256_of(path, may_be_empty=True)


def _split(path: Path, counts: CardCounts) -> str:
    """The split of the only file: that of all its dialogues, or the one that its name tells."""
    if len(counts.splits) == 1 and counts.splits.total() == counts.dialogues:
        return _as_name(next(iter(counts.splits)))
    return split_named(path.name.split(".")[0]) or WHOLE


def _part(path: Path) -> str:
    """The name of one of several parts: the file name up to the first dot."""
    name = _as_name(path.name.split(".")[0])
    return f"{name}_" if name == RESERVED else name


def _as_name(text: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in text) or WHOLE


def _quoted(text: str) -> str:
    """A YAML string in single quotes."""
    return "'" + text.replace("'", "''") + "'"
