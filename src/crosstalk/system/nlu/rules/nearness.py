"""Nearness that is asked about or goes without a word for *near*."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.segments import Near
from crosstalk.system.nlu.rules.utterance import CUE, DOMAIN, KIND, NAME, SLOT, Hit, Utterance


def asked_about(said: Utterance, references: References, cue: Hit, asks: bool) -> list[Place]:
    """`Is the tower near it`: the name says what is asked about, not what *it* is."""
    start, _ = said.sentence(cue.start)
    names = [hit for hit in said.of(NAME) if start <= hit.start and hit.end <= cue.start]
    searched = [
        hit for kind in (DOMAIN, KIND) for hit in said.of(kind) if not references.is_title(hit)
    ]
    if len(names) != 1 or searched or not (asks or said.is_asked(cue.start)):
        return []
    return [references.named(names[0])]


def bare_near(
    said: Utterance, references: References, places: Collection[str], nears: Sequence[Near]
) -> list[Near]:
    """`Hotel. Zoo. Max 300`: a name that is a clause by itself says where to look."""
    searched = [hit for hit in said.of(DOMAIN) if hit.key in places]
    names = said.of(NAME)
    if nears or len(searched) != 1 or len(names) != 1 or said.of(SLOT):
        return []
    name, anchor = names[0], searched[0]
    place = references.named(name)
    other = place[0] != anchor.key and not references.is_definite(anchor)
    if not other or not (_is_clause(said, name, anchor) or _goes_with(said, name, anchor)):
        return []
    return [Near(name, name, place)]


def _is_clause(said: Utterance, name: Hit, anchor: Hit) -> bool:
    """Whether a name is a clause by itself, and asks for nothing."""
    start, end = said.clause(name.start)
    alone = said.text[start:end].strip() == said.text[name.start : name.end]
    apart = not start <= anchor.start < end
    return alone and apart and not said.is_asked(name.start) and not said.has("too", "they")


def _goes_with(said: Utterance, name: Hit, anchor: Hit) -> bool:
    """Whether a name follows what is looked for in the same clause, whatever stands between."""
    start, end = said.clause(name.start)
    between = (anchor.end, name.start)
    joined = said.has_in(*between, "and", "or", "but", "than", "too", "negator", "from", "to")
    return start <= anchor.start < name.start < end and not joined


def there_near(
    said: Utterance, references: References, places: Collection[str], nears: Sequence[Near]
) -> list[Near]:
    """`三里屯有什么好吃的`: what there is at a place, of another kind than the place."""
    names = said.of(NAME)
    if nears or len(names) != 1 or said.of(SLOT):
        return []
    name, place = names[0], references.named(names[0])
    behind = [cue for cue in said.cues("there_is") if 0 <= cue.start - name.end <= 1]
    sought = {hit.key for hit in said.of(DOMAIN)} | {hit.domain for hit in said.of(KIND)}
    apart = bool(sought) and sought <= set(places) - {place[0]}
    return [Near(behind[0], name, place)] if behind and apart else []


def or_near(said: Utterance, references: References, near: Near) -> list[Near]:
    """`Nearer to the zoo or to the beach`: a place that the same word goes with."""
    source = near.source
    names = [hit for hit in said.of(NAME) if source and hit.start >= source.end]
    if source is None or not names or not said.has_in(source.end, names[0].start, "or"):
        return []
    between = [hit for hit in said.hits if source.end <= hit.start and hit.end <= names[0].start]
    if any(hit.kind != CUE or hit.key in ("near", "closer", "around") for hit in between):
        return []
    return [replace(near, source=names[0], place=references.named(names[0]))]
