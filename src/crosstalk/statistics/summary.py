"""Counts as plain JSON values; what is not known is null."""

from collections.abc import Mapping, Sequence

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.statistics.corpora import CorpusCounts
from crosstalk.statistics.counts import Counts
from crosstalk.statistics.databases import PlaceCounts
from crosstalk.statistics.measures import EVERY, Number

Json = str | int | float | None | Sequence["Json"] | Mapping[str, "Json"]


def corpus_summary(counts: CorpusCounts) -> dict[str, Json]:
    """Tables 1, 6 and 7 and Figure 2 of a corpus."""
    return {
        **_measures(counts.total),
        "vocabulary": len(counts.vocabulary),
        "domains": sorted(counts.domains),
        "slots": len(counts.slots) or None,
        "values": len(counts.values) or None,
        "language": counts.language or None,
        "languages": {
            code or "unknown": number for code, number in sorted(counts.languages.items())
        },
        "segmentation": counts.segmentation or None,
        "by_type": {kind.value: _measures(counts.by_type[kind]) for kind in counts.types},
        "intents": {speaker.value: _intents(counts, speaker) for speaker in Speaker},
        "lengths": _lengths(counts),
    }


def _measures(counts: Counts) -> dict[str, Number]:
    return {measure.key: measure.of(counts) for measure in EVERY}


def _intents(counts: CorpusCounts, speaker: Speaker) -> dict[str, int]:
    own = {intent: number for (who, intent), number in counts.intents.items() if who is speaker}
    return dict(sorted(own.items(), key=lambda item: (-item[1], item[0])))


def _lengths(counts: CorpusCounts) -> dict[str, dict[str, int]]:
    """Goal type (`all` for the whole corpus) -> number of turns -> dialogues."""
    lengths: dict[str, dict[str, int]] = {"all": {}}
    for (kind, turns), number in sorted(counts.lengths.items(), key=lambda item: item[0][1]):
        for group in ("all", kind.value) if kind else ("all",):
            found = lengths.setdefault(group, {})
            found[str(turns)] = found.get(str(turns), 0) + number
    return lengths


def world_summary(places: Sequence[PlaceCounts]) -> dict[str, Json]:
    """Table 3."""
    return {
        place.domain: {
            "entities": place.entities,
            "slots": place.slots,
            "services": place.services,
            "nearby": {target: place.nearby(target) for target in place.links},
        }
        for place in places
    }
