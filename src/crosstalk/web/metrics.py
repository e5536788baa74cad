"""Counters and histograms of a server, in Prometheus' text format.

    metrics = Metrics()
    metrics.count("crosstalk_requests_total", method="GET", status="200")
    metrics.text([Sample("crosstalk_sockets", 12.0)])

No label names a person, a room or an address.
"""

import math
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
FAMILIES: Final[Mapping[str, tuple[str, str]]] = {
    "crosstalk_build_info": ("gauge", "Version of the server; always 1."),
    "crosstalk_ready": ("gauge", "1 while the store is written and read back."),
    "crosstalk_store_age_seconds": ("gauge", "Seconds since the store was written and read back."),
    "crosstalk_disk_free_bytes": ("gauge", "Free space beside the store."),
    "crosstalk_memory_bytes": ("gauge", "Resident memory of the server."),
    "crosstalk_waiting_jobs": ("gauge", "Jobs that wait for the writer of the store."),
    "crosstalk_requests_total": ("counter", "Requests answered, by method and status."),
    "crosstalk_request_seconds": ("histogram", "From a request to the end of its answer."),
    "crosstalk_messages_total": ("counter", "Messages on sockets, by kind and outcome."),
    "crosstalk_ack_seconds": ("histogram", "From a message on a socket to its acknowledgement."),
    "crosstalk_sockets": ("gauge", "Open sockets."),
    "crosstalk_sockets_closed_total": ("counter", "Sockets closed by the server, by code."),
    "crosstalk_throttled_total": ("counter", "Requests and messages refused as too many."),
    "crosstalk_store_errors_total": ("counter", "Requests and messages the store failed."),
    "crosstalk_rooms": ("gauge", "Rooms, by status."),
    "crosstalk_waiting": ("gauge", "People in the lobby, by role."),
}
"""Name -> kind and help."""
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, math.inf)
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of a family, as of now."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


class Metrics:
    """What one server has counted since its start; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._sums: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def count(self, name: str, **labels: str) -> None:
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += 1

    def observe(self, name: str, seconds: float) -> None:
        with self._lock:
            buckets = self._buckets.setdefault(name, [0] * len(BOUNDS))
            buckets[next(place for place, bound in enumerate(BOUNDS) if seconds <= bound)] += 1
            self._sums[name] += seconds  # type: ignore[assignment]

    def text(self, now: Iterable[Sample]) -> str:
        """All families that have values; `now`: gauges, measured by the caller."""
        samples = [*now, *self._samples()]
        lines = list[str]()
        for name, (kind, about) in FAMILIES.items():
            own = [each for each in samples if _family(each.name) == name]
            if own:
                lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *map(_line, own)]
        return "\n".join(lines) + "\n"

    def _samples(self) -> Iterator[Sample]:
        with self._lock:
            counts, sums = dict(self._counts), dict(self._sums)
            buckets = {name: list(each) for name, each in self._buckets.items()}
        for (name, labels), count in counts.items():
            yield Sample(name, count, dict(labels))
        for name, each in buckets.items():
            total = 0
            for bound, count in zip(BOUNDS, each, strict=True):
                total += count
                yield Sample(f"{name}_bucket", total, {"le": _number(bound)})
            yield Sample(f"{name}_sum", sums[name])
            yield Sample(f"{name}_count", total)


def _family(name: str) -> str:
    for ending in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(ending)
        if base != name and FAMILIES.get(base, ("", ""))[0] == "histogram":
            return base
    return name


def _line(sample: Sample) -> str:
    labels = ",".join(f'{name}="{_escaped(text)}"' for name, text in sample.labels.items())
    return f"{sample.name}{{{labels}}} {_number(sample.value)}".replace("{}", "")


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return "+Inf" if value == math.inf else f"{value:.10g}"
