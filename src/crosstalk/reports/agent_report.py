"""What a run says about an agent: lines for the terminal, Markdown for CI, JUnit XML."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from crosstalk.evaluation.agent_scores import AgentScores, JudgedTrial, failures
from crosstalk.evaluation.outcomes import Outcome
from crosstalk.evaluation.run_comparison import RunComparison
from crosstalk.evaluation.user_fidelity import HOW, UserFidelity
from crosstalk.simulation.run_folders import Run

NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids."""
LONGEST = 8192
"""Characters of a detail; dashboards cut there."""
MOST_SUMMARY = 1_000_000
"""Bytes of a step summary; a larger one would be dropped whole."""

ENOUGH_GOALS = 6
"""So many goals must differ for an exact test to reach p < 0.05."""
MOST_GOALS = 10
"""Goals lost and won that are named."""


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"


def agent_lines(scores: AgentScores) -> Iterator[str]:
    """The run in a few lines, the most important first."""
    limits = scores.interval
    within = f" [{limits[0]:.1f}, {limits[1]:.1f}]" if limits else ""
    yield f"success    {percent(scores.success)}{within} of {len(scores.trials)} conversations"
    if scores.undecided:
        low, high = scores.success_range or (0.0, 0.0)
        yield (
            f"undecided  {scores.undecided}: between {low:.1f} and {high:.1f} % if all of them had "
            "failed or succeeded"
        )
    if scores.repeats > 1:
        rates = ", ".join(f"pass^{k} {100 * r.value:.1f} %" for k, r in scores.pass_rates().items())
        yield f"pass^k     {rates}"
    yield f"blame      {_blamed(scores.blame)}"
    for words, count in scores.reasons().most_common(3):
        yield f"           {count} x {words}"
    if flaws := scores.reply_flaws:
        yield f"replies    {', '.join(f'{count} x {kind}' for kind, count in flaws.items())}"
    if (done := scores.actions) is not None:
        yield (
            f"actions    {done.done} of {done.needed} done as wanted, {done.wrong} wrong, "
            f"{done.forbidden} against a rule"
        )
        yield from finding_lines(scores.findings)
    if again := scores.reruns:
        yield (
            f"reruns     {again['conversations']} conversations in which the user erred held again "
            f"({again['tries']} tries, {again['left']} are still the user's)"
        )
    users = scores.fidelity
    if users.dialogues:
        erred = f"erred in {scores.blame['user']} of {len(scores.judged)}"
        yield f"users      {erred}; {_users(users)}"
    latency = scores.costs.latency()
    if latency["count"]:
        yield f"latency    p50 {latency['p50']} s, p95 {latency['p95']} s"
    usage = scores.costs.usage
    if usage.prompt is not None:
        dollars = scores.costs.dollars
        price = "price unknown" if dollars is None else f"{dollars:.4f} dollars"
        yield f"tokens     {usage.prompt:,} in, {usage.completion or 0:,} out ({price})"


def finding_lines(findings: Mapping[str, Any]) -> Iterator[str]:
    """Rules broken, and false words about actions, each with how often; nothing where none."""
    for head, key in (("breaches ", "breaches"), ("untrue   ", "false_action_claims")):
        if counts := findings[key]:
            yield f"{head}  " + ", ".join(f"{rule} {count}" for rule, count in counts.items())


def _users(users: UserFidelity) -> str:
    """Whether the users said their goals, and how a language model phrased them."""
    faithful = f"{percent(users.percent)} of conversations faithful to the goal"
    slips = f"{users.omitted} parts omitted, {users.invented + users.contradicted} values wrong"
    how = [
        f"{100 * users.phrasing[each] / users.phrasing.total():.0f} % {each}"
        for each in HOW
        if users.phrasing[each]
    ]
    return "; ".join([f"{faithful} ({slips})", *([f"turns {', '.join(how)}"] if how else [])])


def markdown(scores: AgentScores, most: int = 20) -> str:
    """A page for a step summary; words of agents cannot break out of it."""
    rows = [line.partition("  ") for line in agent_lines(scores)]
    lines = ["## Crosstalk", "", "| figure | |", "| --- | --- |"]
    lines += [f"| {key.strip()} | {plain(value)} |" for key, _, value in rows]
    failed = [each for each in scores.judged if each.outcome.verdict is not True]
    if failed:
        lines += ["", "| conversation | result | blame | what went wrong |"]
        lines += ["| --- | --- | --- | --- |", *map(_row, failed[:most])]
    if len(failed) > most:
        lines += ["", f"{len(failed) - most} more are not shown."]
    return "\n".join(lines).encode()[:MOST_SUMMARY].decode(errors="ignore") + "\n"


def _row(each: JudgedTrial) -> str:
    outcome = each.outcome
    return (
        f"| {plain(each.trial.id)} | {result(outcome)} | {outcome.blame} | {plain(why(outcome))} |"
    )


def result(outcome: Outcome) -> str:
    if outcome.verdict is None:
        return "undecided"
    return "success" if outcome.verdict else "failed"


def why(outcome: Outcome) -> str:
    """The first thing that a failure is booked for."""
    if not outcome.decisive:
        return ""
    cause = outcome.decisive[0]
    where = f"{cause.finding.domain}, {cause.finding.slot}: " if cause.finding else ""
    return where + cause.words


def plain(text: str) -> str:
    """Text of somebody's in Markdown: no table, no HTML, no workflow command."""
    flat = " ".join(text.split()).replace("|", "\\|").replace("::", ": :")
    return flat.replace("<", "&lt;").replace(">", "&gt;").replace("`", "'")


def junit(
    scores: AgentScores, seconds: float = 0.0, transcripts: Mapping[str, str] | None = None
) -> str:
    """JUnit XML: failures are the agent's, errors infrastructure's and the world's.

    `transcripts`: id of a conversation -> what was said, as `failed_transcripts` gives it.
    """
    counts = {"failure": 0, "error": 0, "skipped": 0}
    setup = scores.setup
    cases = []
    for each in scores.judged:
        kind = _kind(each.outcome)
        if kind:
            counts[kind] += 1
        said = (transcripts or {}).get(each.trial.id, "") if kind else ""
        cases.append(_case(each, kind, setup, said))
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(f"crosstalk {setup.get('agent', 'system')}"),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=f"{seconds:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in setup.items():
        ElementTree.SubElement(properties, "property", name=_xml(key), value=_xml(str(value)))
    suite.extend(cases)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _kind(outcome: Outcome) -> str:
    if outcome.verdict is True:
        return ""
    if outcome.blame in ("infrastructure", "world"):
        return "error"
    return "skipped" if outcome.verdict is None else "failure"


def failed_transcripts(run: Run, scores: AgentScores) -> dict[str, str]:
    """Id -> transcript of the conversations of a run without success."""
    wanted = {each.trial.id for each in failures(scores)}
    return {
        dialogue.id: "\n".join(f"{turn.speaker}: {turn.text}" for turn in dialogue.turns)
        for dialogue in run.dialogues()
        if dialogue.id in wanted
    }


def _case(each: JudgedTrial, kind: str, setup: dict[str, str], said: str) -> ElementTree.Element:
    groups = each.trial.groups or {}
    world = setup.get("world", "").rsplit("/", 1)[-1]
    place = f"{world}.{groups.get('language', '')}.{groups.get('type', '')}"
    name = f"{each.trial.goal}-{each.trial.trial + 1}"
    case = ElementTree.Element("testcase", classname=_xml(place), name=_xml(name), time="0")
    if kind:
        words = why(each.outcome)
        child = ElementTree.SubElement(case, kind, message=_xml(words[:1024]))
        if kind != "skipped":
            child.set("type", each.outcome.blame)
            child.text = _xml("\n".join(cause.words for cause in each.outcome.causes)[:LONGEST])
    if said:
        ElementTree.SubElement(case, "system-out").text = _xml(said[:LONGEST])
    return case


def _xml(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)


def comparison_lines(compared: RunComparison, first: str, second: str) -> Iterator[str]:
    """Two runs side by side, in a few lines."""
    whole = compared.whole
    limits = whole.interval or (0.0, 0.0)
    yield f"{first}: {100 * whole.rate_a:.1f} %    {second}: {100 * whole.rate_b:.1f} %"
    yield (
        f"difference {100 * whole.difference:+.1f} points "
        f"[{100 * limits[0]:+.1f}, {100 * limits[1]:+.1f}], p = {whole.p:.4f} ({whole.test})"
    )
    differing = len(whole.lost) + len(whole.won)
    if 0 < differing < ENOUGH_GOALS:
        yield f"{differing} goals differ; below {ENOUGH_GOALS}, no exact test reaches p < 0.05"
    yield f"{len(whole.a)} goals in both; lost {len(whole.lost)}, won {len(whole.won)}"
    for name, goals in (("lost", whole.lost), ("won", whole.won)):
        if goals:
            shown = ", ".join(map(compared.named, goals[:MOST_GOALS]))
            more = f" and {len(goals) - MOST_GOALS} more" if len(goals) > MOST_GOALS else ""
            yield f"{name:<11}{shown}{more}"
    if whole.unpaired:
        yield f"{whole.unpaired} goals stand in one run alone and are not compared"
    blames = [_blamed(each.blame) for each in (compared.first, compared.second)]
    yield f"blame      {blames[0]} | {blames[1]}"


def _blamed(blame: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in blame.items() if count) or "nobody"


def user_lines(compared: RunComparison) -> Iterator[str]:
    """How far the users of two runs are from each other."""
    if compared.users is None:
        return
    found = compared.users.record()
    for key, name in (("turns", "turns per dialogue"), ("words", "words per turn")):
        measure = f"{key}_per_{'dialogue' if key == 'turns' else 'turn'}"
        yield f"users      {name}: {found['a'][measure]} and {found['b'][measure]}"
    distances = [
        f"{name} {value:.2f}" for name, value in found["distances"].items() if value is not None
    ]
    yield f"users      distance (0 alike, 1 nothing in common): {', '.join(distances)}"
