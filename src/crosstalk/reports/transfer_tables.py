"""Tables of transfer results (states and retrieval) by language and number of shots.

Reads the output of `crosstalk transfer dst --json` and `crosstalk transfer retrieve --json`.
Published figures are of Multi2WOZ itself, whose dialogues and values differ from those of
MultiWOZ-ZH: they are shown for orientation and do not compare digit by digit.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import FileProblem
from crosstalk.files import read_json

SHARES: Final = (0, 1, 5, 10, 50, 100)
PUBLISHED: Final = Path(__file__).with_name("transfer_published.toml")
MEASURES: Final = {
    "states": ("joint_goal_accuracy", "joint goal accuracy"),
    "answers": ("r100@1", "R_100@1"),
}
"""Task -> the field of a result, and its display name."""
Spread = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TransferCurve:
    """One model in one language on one benchmark, by share of shots."""

    asked: str
    """`states` or `answers`"""
    model: str
    data: str
    language: str
    benchmark: str
    """Task and values are the same within a benchmark: Multi2WOZ and its relatives, or WOZ 2.0."""
    values: Mapping[int, float]
    spreads: Mapping[int, Spread] = field(default_factory=dict)
    """Lowest and highest seed."""
    is_published: bool = False

    @property
    def name(self) -> str:
        return f"{self.model}, {self.data}"


# Results


def read_results(files: Iterable[Path]) -> list[TransferCurve]:
    """A later result replaces an earlier one of the same model, language, data and shots."""
    found: dict[tuple[str, ...], dict[int, tuple[float, Spread]]] = {}
    for file in files:
        raw = read_json(file)
        try:
            key, value = _key(raw), _value(raw)
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            raise FileProblem(
                f"{file}: not what `crosstalk transfer dst --json` or `retrieve --json` prints",
                remedy="Keep the output of one of them in a file, and give that.",
            ) from error
        found.setdefault(key, {})[_share(file, raw)] = value
    return [_curve(key, found[key]) for key in sorted(found)]


def _share(file: Path, raw: Mapping[str, Any]) -> int:
    if raw.get("shots") not in SHARES:
        raise FileProblem(
            f"{file}: shots are {raw.get('shots')!r}, which has no column",
            remedy=f"Known shares: {', '.join(map(str, SHARES))} percent.",
        )
    return int(raw["shots"])


def _key(raw: Mapping[str, Any]) -> tuple[str, ...]:
    asked = next(each for each, (name, _) in MEASURES.items() if name in raw)
    data = str(raw["task"] if asked == "states" else raw["data"])
    details = [str(raw[name]) for name in ("encoder",) if name in raw]
    details += ["shared values"] * (raw.get("values") == "shared")
    details += ["distinct candidates"] * bool(raw.get("distinct"))
    details += ["paper's protocol"] * (raw["protocol"] == "paper")
    details += ["without tables"] * (raw.get("tables") is False)
    model = f"{raw['model']} ({', '.join(details)})" if details else str(raw["model"])
    benchmark = "WOZ 2.0" if data.startswith("WOZ 2.0") else "Multi2WOZ"
    return asked, benchmark, str(raw["target"]), model, data


def _value(raw: Mapping[str, Any]) -> tuple[float, Spread]:
    measure = next(name for name, _ in MEASURES.values() if name in raw)
    seeds = raw.get("by_seed", raw.get("seeds", []))
    scores = [each[measure] for each in seeds if isinstance(each, dict)] or [raw[measure]]
    return float(raw[measure]), (min(scores), max(scores))


def _curve(key: tuple[str, ...], found: Mapping[int, tuple[float, Spread]]) -> TransferCurve:
    asked, benchmark, language, model, data = key
    values = {share: value for share, (value, _) in sorted(found.items())}
    return TransferCurve(
        asked, model, data, language, benchmark, values, {each: found[each][1] for each in values}
    )


def published_for(ours: Sequence[TransferCurve]) -> list[TransferCurve]:
    """What was published for the languages and benchmarks of our results."""
    raw = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    wanted = dict.fromkeys((each.asked, each.benchmark, each.language) for each in ours)
    return [
        TransferCurve(
            asked,
            name,
            f"{benchmark} (paper)",
            language,
            benchmark,
            dict(zip(SHARES, by_language[language], strict=False)),
            is_published=True,
        )
        for asked, benchmark, language in wanted
        for name, by_language in raw.get(asked, {}).get(benchmark, {}).items()
        if language in by_language
    ]


# Tables


@dataclass(frozen=True, slots=True)
class ResultTable:
    """For people, or as JSON."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def record(self) -> dict[str, Any]:
        rows = [dict(zip(self.header, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


def tables(curves: Sequence[TransferCurve]) -> list[ResultTable]:
    """For each thing asked: zero-shot with languages side by side, then all shots."""
    found = []
    for asked, (_, measure) in MEASURES.items():
        some = [each for each in curves if each.asked == asked]
        if some:
            found += [zero_shot(some, measure), by_shots(some, measure)]
    return found


def zero_shot(curves: Sequence[TransferCurve], measure: str) -> ResultTable:
    """As tables 3 and 4: a row a model, a column a language."""
    languages = sorted({curve.language for curve in curves})
    rows: dict[str, dict[str, float | None]] = {}
    for curve in curves:
        rows.setdefault(curve.name, {})[curve.language] = curve.values.get(0)
    cells = (
        (name, *(_cell(row.get(language)) for language in languages)) for name, row in rows.items()
    )
    title = f"{measure}, no dialogue of the target"
    return ResultTable(title, ("model", *languages), tuple(cells))


def by_shots(curves: Sequence[TransferCurve], measure: str) -> ResultTable:
    """As table 5: a row a language and model, a column a share of the target's dialogues."""
    ordered = sorted(curves, key=lambda each: (each.language, each.is_published))
    rows = (
        (f"{curve.language}: {curve.name}", *(_cell(curve.values.get(share)) for share in SHARES))
        for curve in ordered
        if set(curve.values) - {0}
    )
    shares = (f"{share} %" for share in SHARES)
    title = f"{measure} by share of the target's dialogues"
    return ResultTable(title, ("language and model", *shares), tuple(rows))


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
