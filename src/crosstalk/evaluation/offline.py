"""Offline judging: verdicts on finished transcripts, from their words and the tables alone.

    for verdict in judge_offline(Path("transcripts.jsonl")): print(verdict.success, verdict.blame)

Judging is pure: the same transcript gets the same verdict, each by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from crosstalk.agents.prompts import agent_prompt
from crosstalk.dialogue.goals import Reference
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, Slot, SlotKind
from crosstalk.errors import CrosstalkError
from crosstalk.evaluation.offline_verdicts import Blame, FlawFound, OfflineVerdict
from crosstalk.evaluation.reply_flaws import ReplyEvidence, replies_of, reply_flaws
from crosstalk.evaluation.spoken_goals import SpokenGoal
from crosstalk.evaluation.spoken_places import Evidence
from crosstalk.evaluation.spoken_readings import best_reading
from crosstalk.evaluation.success import Flaw, SuccessFinding, findings
from crosstalk.evaluation.told_answers import mentions
from crosstalk.evaluation.transcript_actions import TranscriptActions
from crosstalk.evaluation.transcripts import (
    BrokenTranscript,
    Defaults,
    Entry,
    Transcript,
    read_transcripts,
)
from crosstalk.goals.satisfiable import contradictions
from crosstalk.reading.claims import Verdict as Truthfulness
from crosstalk.reading.conversation import ConversationReader, Exchange, UserWords
from crosstalk.reading.items import Found
from crosstalk.worlds.tables import Row
from crosstalk.worlds.world import load_outline

NO_GOAL: Final = "it has no goal: its claims were checked, its success cannot be"


def judge_offline(
    path: Path, *, world: str = "", language: str = "", data: Path | None = None
) -> Iterator[OfflineVerdict]:
    """A verdict for every transcript of a file or folder.

    `world` and `language` are those of transcripts that name none; a folder is also where the
    world of its name is found.
    """
    name = load_outline(world).name if world else ""
    for entry in read_transcripts(path, Defaults(world, language)):
        if isinstance(entry, Transcript) and name and entry.world == name:
            entry = replace(entry, world=world)
        yield judge_transcript(entry, data=data)


def judge_transcript(entry: Entry, *, data: Path | None = None) -> OfflineVerdict:
    """A verdict, or the reason why there is none."""
    if isinstance(entry, BrokenTranscript):
        return OfflineVerdict(entry.id, None, error=entry.reason)
    if not entry.world or not entry.language:
        missing = "world" if not entry.world else "language"
        return OfflineVerdict(entry.id, None, error=f"it names no {missing}: give --{missing}")
    try:
        reader = ConversationReader.of(entry.world, entry.language, data)
        exchanges = reader.read(entry.said)
    except CrosstalkError as error:
        return OfflineVerdict(entry.id, None, error=str(error))
    return _Judgement(entry, exchanges, reader).verdict()


class _Judgement:
    """One transcript while it is judged."""

    def __init__(
        self, transcript: Transcript, exchanges: list[Exchange], reader: ConversationReader
    ) -> None:
        self._transcript = transcript
        self._exchanges = exchanges
        self._reader = reader.reader
        self._truth = reader.reader.check.truth
        self._actions = TranscriptActions.of(transcript, exchanges, reader)
        if self._actions:
            self._exchanges = self._actions.exchanges
        self._final = transcript.goal.tuples if transcript.goal else ()

    def verdict(self) -> OfflineVerdict:
        made = self._verdict()
        if self._actions is None:
            return made
        return self._actions.added_to(made, self._transcript.goal, self._final)

    def _verdict(self) -> OfflineVerdict:
        goal = self._transcript.goal
        unread = sum(len(each.reading.unread) for each in self._exchanges)
        base = OfflineVerdict(
            self._transcript.id,
            None,
            unread=unread,
            false_claims=tuple(self._false_claims()),
            reply_flaws=tuple(reply_flaws(self._replies(), self._truth, self._prompt())),
        )
        if self._transcript.is_broken_off:
            return replace(base, blame=Blame.INFRASTRUCTURE)
        if goal is None:
            blame = Blame.AGENT if base.false_claims else None
            wanted = self._transcript.needs_goal
            return replace(base, blame=blame, error=NO_GOAL if wanted else "")
        if any(self._is_vanished(each) for each in goal.tuples) or contradictions(
            goal.tuples, self._truth.all_fields
        ):
            return replace(base, success=False, blame=Blame.WORLD)
        first = SpokenGoal(goal, self._exchanges, self._reader)
        story, flaws = best_reading(first, lambda each: tuple(self._flaws(each)))
        flaws = tuple(_without_other_rides(flaws))
        if self._actions:
            flaws += tuple(self._actions.flaws(goal, story.final))
        self._final = story.final
        blame = next((each for each in Blame if any(f.blame is each for f in flaws)), None)
        success = None if blame is Blame.READER else not flaws
        return replace(base, success=success, blame=blame, flaws=flaws)

    def _replies(self) -> list[ReplyEvidence]:
        held = self._transcript
        if held.dialogue is not None:
            return replies_of(held.dialogue, self._exchanges)
        results = [
            tuple(each.content for each in held.tools if each.exchange == number)
            for number in range(len(self._exchanges))
        ]
        last = len(held.said) - 1  # nobody has to answer a goodbye
        return [
            ReplyEvidence(each.reply, each.reading, shown, said.is_cut, each.user.text)
            for at, (each, said, shown) in enumerate(
                zip(self._exchanges, held.said, results, strict=True)
            )
            if at < last or each.reply
        ]

    def _prompt(self) -> str:
        """What we told the agent of a run; nobody knows what others were told to keep."""
        if self._transcript.dialogue is None:
            return ""
        return agent_prompt(self._reader.world, actions=self._actions is not None)

    def _false_claims(self) -> Iterator[dict[str, Any]]:
        for number, exchange in enumerate(self._exchanges):
            for claim in (*exchange.reading.claims, *exchange.reading.remarks):
                if claim.verdict is Truthfulness.FALSE and claim.is_firm:
                    yield {
                        "turn": number,
                        "domain": claim.domain,
                        "entity": claim.entity,
                        "slot": claim.slot,
                        "quote": claim.quote,
                        "start": claim.start,
                        "end": claim.end,
                    }

    def _is_vanished(self, each: Any) -> bool:
        domain = self._truth.domain(each.domain)
        is_name = domain.kind is DomainKind.PLACE and domain.name_slot
        named = bool(is_name) and each.slot == domain.name_slot.key  # type: ignore[union-attr]
        given = isinstance(each.value, str) and bool(each.value)
        return named and given and self._truth.entity(domain.key, each.value) is None

    def _flaws(self, story: SpokenGoal) -> Iterator[FlawFound]:
        seen: set[tuple[int, str]] = set()
        for position, flaw in sorted(story.notes.needless.items()):
            each = story.goal.tuples[position]
            blame = Blame.USER if flaw is Flaw.GIVEN_UP else Blame.AGENT
            evidence = story.notes.evidence.get(position)
            seen.add((each.subgoal, each.slot))
            yield _found(each.subgoal, each.domain, each.slot, flaw, blame, evidence, str(flaw))
        gone = story.notes.given_up | set(story.notes.needless)
        for finding in findings(story.goal.tuples, story.final, gone, self._truth):
            blame, rule = self._whose(finding, story)
            evidence = story.notes.evidence.get(finding.position)
            if (finding.subgoal, finding.slot) in seen:
                continue
            if self._follows_from_name(finding, story):
                continue
            seen.add((finding.subgoal, finding.slot))
            yield _found(
                finding.subgoal, finding.domain, finding.slot, finding.flaw, blame, evidence, rule
            )

    def _follows_from_name(self, finding: SuccessFinding, story: SpokenGoal) -> bool:
        """Whether a flaw is only that of an entity that is unknown or missing."""
        chosen = story.chosen.get(finding.subgoal)
        domain = self._truth.domain(finding.domain)
        if chosen is None:
            return self._depends_on_missing(finding, story)
        name = domain.name_slot.key if domain.name_slot else ""
        return not chosen.is_known and finding.slot != name

    def _depends_on_missing(self, finding: SuccessFinding, story: SpokenGoal) -> bool:
        """Whether a ride cannot be right because one of its places was never found."""
        for each in story.goal.tuples:
            if each.subgoal == finding.subgoal and isinstance(each.value, Reference):
                chosen = story.chosen.get(each.value.subgoal)
                if chosen is not None and (not chosen.name or not chosen.is_known):
                    return True
        return False

    # Whose fault

    def _whose(self, finding: SuccessFinding, story: SpokenGoal) -> tuple[Blame, str]:
        match finding.flaw:
            case Flaw.UNSETTLED:
                return self._unsettled(finding, story)
            case Flaw.UNMET:
                return self._unmet(finding, story)
            case Flaw.WRONG_END:
                return self._wrong_end(finding, story)
            case Flaw.NOT_NEAR:
                return Blame.AGENT, "the agent offered a place that is not near the one chosen"
            case Flaw.NO_ENTITY:
                return Blame.AGENT, "no table has the place the agent offered"
            case _:
                return Blame.AGENT, "the tables say otherwise"

    def _unsettled(self, finding: SuccessFinding, story: SpokenGoal) -> tuple[Blame, str]:
        start = story.starts.get(finding.subgoal, 0)
        if not self._was_asked(finding, story):
            return Blame.USER, "the user never asked for it"
        if self._is_unread(start, finding):
            return Blame.READER, "a reply holds text that nobody could read, and no such claim"
        return Blame.AGENT, "the question was never answered, and all text was read"

    def _is_unread(self, start: int, finding: SuccessFinding) -> bool:
        for exchange in self._exchanges[start:]:
            for each in exchange.reading.unread:
                if each.why == "language" or self._may_tell(finding, each.why):
                    return True
        return False

    def _may_tell(self, finding: SuccessFinding, why: str) -> bool:
        """Whether a stretch of that sort could hold the answer: a number, no category."""
        domain = self._truth.domain(finding.domain)
        slot = domain.slot(finding.slot)
        kind = slot.kind if slot else None
        if why == "number":
            return kind in (SlotKind.NUMBER, SlotKind.RATING, SlotKind.DURATION, SlotKind.TEXT)
        return kind in (SlotKind.NAME, SlotKind.NEARBY, SlotKind.STATION)

    def _was_asked(self, finding: SuccessFinding, story: SpokenGoal) -> bool:
        """Whether the user asked for it since the sub-goal began."""
        domain = self._truth.domain(finding.domain)
        slot = domain.slot(finding.slot)
        begin = story.starts.get(finding.subgoal, 0)
        for at, user in enumerate((each.user for each in self._exchanges[begin:]), begin):
            if (finding.domain, finding.slot) in user.questions or ("", finding.slot) in (
                user.questions
            ):
                return True
            if domain.kind is not DomainKind.PLACE and user.ride == domain.key:
                return True
            if slot and slot.kind is SlotKind.NAME and user.mentions(domain.key):
                return True
            if self._is_of_new_search(finding, user, at, story):
                continue
            if slot and self._names_what_is_asked(finding.slot, slot, user):
                return True
        return False

    def _is_of_new_search(
        self, finding: SuccessFinding, user: UserWords, at: int, story: SpokenGoal
    ) -> bool:
        """Whether a turn that begins to look for another kind of place asks this of that one."""
        asked = {domain for domain, key in user.questions if key == finding.slot}
        begun = {each.domain for number, each in story.chosen.items() if story.starts[number] == at}
        return bool(asked & begun) and finding.domain not in asked | begun

    def _names_what_is_asked(self, key: str, slot: Slot, user: UserWords) -> bool:
        """Whether a turn has the words for a slot: its name, a service, places nearby."""
        items = user.scanned.items
        if slot.kind is SlotKind.NEARBY:
            near = self._reader.words.has("near", user.scanned.plain)
            return near and any(i.found is Found.DOMAIN and i.key == slot.target for i in items)
        if slot.kind is SlotKind.SERVICES and slot.key != key:
            service = key.partition(SERVICE_MARK)[2]
            named = any(i.found is Found.VALUE and i.value == service for i in items)
            return named or mentions(user.text, service)
        return any(item.key.rpartition(".")[2] == key for item in items)

    def _unmet(self, finding: SuccessFinding, story: SpokenGoal) -> tuple[Blame, str]:
        """The user's doing where it asked for something else, or never said the wish."""
        domain = self._truth.domain(finding.domain)
        each = story.goal.tuples[finding.position]
        begin = story.starts.get(finding.subgoal, 0)
        end = story._end(finding.subgoal)
        row = self._truth.entity(domain.key, story.chosen[finding.subgoal].name)
        others = []
        for exchange in self._exchanges[begin : max(end, begin + 1)]:
            for act in exchange.user.acts:
                if act.domain in (domain.key, "") and act.slot == finding.slot and act.value:
                    if story._same_wish(domain, each, act.value):
                        return Blame.AGENT, "the agent offered what does not meet a stated wish"
                    others.append(act.value)
        for value in others:
            if row is not None and self._is_met(domain, row, finding.slot, value):
                return Blame.USER, "the user asked for something else than the goal says"
        if not others and not story.is_wish_said(each):
            return Blame.USER, "the user never said the wish"
        return Blame.AGENT, "the agent offered what does not meet a stated wish"

    def _is_met(self, domain: Domain, row: Row, slot: str, value: str) -> bool:
        """Whether a row meets what the user said; spans of time by their hours."""
        hours = self._reader.scanner.quantities.read_hours
        cell = str(row.get(slot) or "")
        if hours(value) is not None and hours(value) == hours(cell):
            return True
        return self._truth.meets(domain.key, row, slot, value)

    def _wrong_end(self, finding: SuccessFinding, story: SpokenGoal) -> tuple[Blame, str]:
        for exchange in self._exchanges:
            if exchange.user.ride and any(name == finding.value for _, name in exchange.user.names):
                return Blame.USER, "the user named another place than the one chosen"
        return Blame.AGENT, "the ride the agent told of does not join the places chosen"


def _without_other_rides(flaws: Sequence[FlawFound]) -> Iterator[FlawFound]:
    """Flaws without the answers of a ride whose end is wrong: they are those of another ride."""
    wrong = {each.subgoal for each in flaws if each.kind == Flaw.WRONG_END}
    for each in flaws:
        if each.subgoal not in wrong or each.kind != Flaw.WRONG_ANSWER:
            yield each


def _found(
    subgoal: int,
    domain: str,
    slot: str,
    flaw: Flaw,
    blame: Blame,
    evidence: Evidence | None,
    rule: str,
) -> FlawFound:
    turn = evidence.exchange if evidence else None
    quote = evidence.quote if evidence else ""
    return FlawFound(subgoal, domain, slot, str(flaw), blame, turn, quote, rule)
