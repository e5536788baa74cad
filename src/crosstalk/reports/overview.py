"""The first screen of the viewer: success, what keeps it down, whose fault, and what it took."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.success_rates import Mix
from crosstalk.reports.comparison_card import bar_row, comparison_card, filter_button, letter
from crosstalk.reports.page_elements import (
    Markup,
    element,
    isolated,
    join,
    rate_bar,
    share_bar,
    stacked_bar,
)
from crosstalk.reports.run_summary import OVERALL
from crosstalk.reports.run_summary import SUCCESS as SUCCESS_RATE
from crosstalk.reports.run_tables import overall_note
from crosstalk.reports.run_views import (
    FAILURE,
    INFRASTRUCTURE,
    SUCCESS,
    UNDECIDED,
    RunView,
)

TYPES: Final[Mapping[str, str]] = {
    GoalType.S: "one place",
    GoalType.M: "several places",
    GoalType.M_T: "several places and a ride",
    GoalType.CM: "places near each other",
    GoalType.CM_T: "places near each other and a ride",
}
"""The goal types in words."""
RESULTS: Final[Mapping[str, str]] = {
    SUCCESS: "succeeded",
    FAILURE: "failed",
    UNDECIDED: "undecided",
    INFRASTRUCTURE: "infrastructure",
}
MEANINGS: Final[Mapping[str, str]] = {
    SUCCESS: "everything the user wanted was settled, and the tables bear it out",
    FAILURE: "something was left open, is false, or was given up without need",
    UNDECIDED: "nobody could read all of the replies; counted as no success",
    INFRASTRUCTURE: "a service did not answer; nobody's fault, to be held again",
}
BLAMES: Final[Mapping[str, str]] = {
    "agent": "the agent",
    "user": "the simulated user",
    "world": "the goal cannot be met",
    "reader": "text that nobody could read",
    "infrastructure": "a service did not answer",
}
CLAIM_KINDS: Final[Mapping[str, str]] = {
    "true": SUCCESS,
    "false": FAILURE,
    "undecidable": INFRASTRUCTURE,
    "unread": UNDECIDED,
}
"""Verdict on a claim -> the result whose colour it has."""
REASONS: Final = 5
"""Reasons that the first screen names."""


def overview(views: Sequence[RunView]) -> Markup:
    """A card per run; of several runs a comparison first."""
    several = len(views) > 1
    parts = [comparison_card(views)] if several else []
    parts += [_run(number, view, several) for number, view in enumerate(views)]
    parts.append(_glossary(views))
    return element(
        "section",
        {"id": "overview", "class": "overview", "aria-label": "Summary"},
        *parts,
    )


# A run


def _run(number: int, view: RunView, several: bool) -> Markup:
    return element(
        "article",
        {"class": "run card", "data-run": str(number)},
        _title(number, view, several),
        element("div", {"class": "columns"}, _hero(view), _by_type(view), _faults(view)),
        _figures(view),
        element("p", {"class": "note"}, overall_note(view.summary)),
    )


def _title(number: int, view: RunView, several: bool) -> Markup:
    card = view.summary.run.card
    trials = f" in {view.repeats} trials each" if view.repeats > 1 else ""
    facts = [
        f"world {view.summary.world.name}",
        view.summary.world.language.name,
        f"{view.summary.held:,} dialogues" + trials,
        f"perturbed by {card.setup['perturbation']}" if card.setup.get("perturbation") else "",
        f"seed {card.plan['seed']}",
        "judged by the words of the replies" if view.is_read else "",
    ]
    badge = element("span", {"class": "letter"}, letter(number)) if several else join()
    # a language may be named from right to left, which must not turn its neighbours round
    known = [isolated(fact) for fact in facts if fact]
    told = known[:1] + [join(" \N{MIDDLE DOT} ", each) for each in known[1:]]
    name = _short_agent(view.summary.run.card.setup.get("agent", "")) or view.summary.title
    return element(
        "header",
        None,
        element("h2", None, badge, isolated(view.name), " ", element("small", None, name)),
        element("p", {"class": "note"}, *told),
    )


def _short_agent(name: str) -> str:
    """The name of an agent without the folder of its file."""
    kind, colon, rest = name.partition(":")
    return f"{kind}:{rest.rpartition('/')[2]}" if colon and kind == "python" else name


def _hero(view: RunView) -> Markup:
    found = view.summary.rate(OVERALL, SUCCESS_RATE)
    results = view.results
    percent = f"{found.percent:.0f}" if found else "-"
    undecided = results[UNDECIDED] + results[INFRASTRUCTURE]
    told = f"{results[SUCCESS]:,} of {view.summary.held:,} dialogues"
    if view.summary.judgement.mix is Mix.PUBLISHED:
        told += ", weighted by the published mix of goals"
    if found:
        told += f"; 95 % interval {found.low:.0f} to {found.high:.0f} %"
    notes = []
    if undecided and view.summary.held:
        most = 100 * (results[SUCCESS] + undecided) / view.summary.held
        notes.append(f"At most {most:.0f} % if all undecided ones were successes.")
    counted, success = len(view.scores.trials), view.scores.success
    if success is not None and counted < view.summary.held:
        notes.append(
            f"{success:.0f} % of the {counted:,} that count for an agent: without goals that the "
            "world cannot meet and conversations that a service cut off."
        )
    return element(
        "div",
        {"class": "hero"},
        element("h3", None, "Verified success"),
        element("p", {"class": "big"}, percent, element("span", None, " %")),
        rate_bar(found, "gauge"),
        element("p", {"class": "note"}, told),
        _strip(results),
        *(element("p", {"class": "note"}, note) for note in notes),
        *_claims(view),
        *_actions(view),
    )


def _actions(view: RunView) -> Iterator[Markup]:
    """What was done of what was wanted, and which rules were broken how often."""
    done = view.scores.actions
    if done is None:
        return
    yield element("h3", None, "Actions")
    told = f"{done.done:,} of {done.needed:,} done as wanted, {done.wrong:,} wrong"
    yield element("p", {"class": "note"}, told)
    for words, key in (("Rules broken", "breaches"), ("Untrue words", "false_action_claims")):
        if counts := view.scores.findings[key]:
            listed = ", ".join(f"{rule} {count:,}" for rule, count in counts.items())
            yield element("p", {"class": "note"}, f"{words}: {listed}")


def _claims(view: RunView) -> Iterator[Markup]:
    """How many of the claims in the words are true."""
    total = sum(view.claims.values())
    if not total:
        return
    told = ", ".join(f"{view.claims[key]:,} {key}" for key in CLAIM_KINDS if view.claims[key])
    yield element("h3", None, "Claims in the replies")
    yield stacked_bar({kind: view.claims[key] for key, kind in CLAIM_KINDS.items()})
    yield element("p", {"class": "note"}, told)


def _strip(results: Counter[str]) -> Markup:
    """All results as one bar, and a button each that filters the list."""
    legend = [
        element("li", None, filter_button("result", key, f"{results[key]:,} ", words))
        for key, words in RESULTS.items()
        if results[key] or key in (SUCCESS, FAILURE, UNDECIDED)
    ]
    bar = stacked_bar({key: results[key] for key in RESULTS})
    return join(bar, element("ul", {"class": "legend"}, *legend))


def _by_type(view: RunView) -> Markup:
    rates = {key: view.summary.rate(key, SUCCESS_RATE) for key in view.summary.tallies}
    known = [each.percent for each in rates.values() if each]
    worst = min(known, default=0)
    rows = []
    for key, found in rates.items():
        count = view.summary.tallies[key].success
        weak = " weakest" if found and found.percent == worst < max(known) else ""
        rows.append(
            bar_row(
                "type",
                key,
                join(element("b", None, key), " ", TYPES[GoalType(key)], _weakest(weak)),
                rate_bar(found, "rate" + weak),
                f"{found.percent:.0f} %" if found else "-",
                f"{count.right} of {count.total}",
            )
        )
    return element(
        "div", {"class": "by-type"}, element("h3", None, "Success by kind of goal"), *rows
    )


def _weakest(weak: str) -> Markup:
    return element("span", {"class": "flag"}, "weakest") if weak else join()


def _faults(view: RunView) -> Markup:
    blame = Counter(row.blame for row in view.rows if row.blame)
    causes = Counter(row.cause or row.reason for row in view.rows if row.reason)
    total = sum(blame.values())
    if not total:
        return element(
            "div",
            {"class": "faults"},
            element("h3", None, "What went wrong"),
            element("p", {"class": "empty"}, "Nothing: every dialogue succeeded."),
            *_reply_flaws(view),
        )
    rows = [_share_row("blame", BLAMES.get(k, k), k, n, total) for k, n in blame.most_common()]
    told = [
        element("li", None, filter_button("cause", cause, f"{count:,} ", cause))
        for cause, count in causes.most_common(REASONS)
    ]
    return element(
        "div",
        {"class": "faults"},
        element("h3", None, f"Whose fault ({total:,} without success)"),
        *rows,
        element("h3", None, "Most frequent reasons"),
        element("ul", {"class": "plain"}, *told),
        *_reply_flaws(view),
        *_broken(view),
    )


def _reply_flaws(view: RunView) -> Iterator[Markup]:
    """What is wrong with replies although no verdict rests on it."""
    counts = Counter(flaw for row in view.rows for flaw in row.flaws)
    if not counts:
        return
    told = [
        element("li", None, filter_button("flaws", flaw, f"{count:,} ", flaw))
        for flaw, count in counts.most_common(REASONS)
    ]
    yield element("h3", None, "Flaws in replies (dialogues)")
    yield element("ul", {"class": "plain"}, *told)


def _share_row(name: str, words: str, value: str, count: int, total: int) -> Markup:
    chart = share_bar(count / total)
    return bar_row(name, value, words, chart, f"{count:,}", f"{100 * count / total:.0f} %")


def _broken(view: RunView) -> Iterator[Markup]:
    """The modules of our own system that failed first."""
    counts = view.summary.broken.get("all", Counter())
    found = [f"{part} ({count:,})" for part, count in counts.most_common(3) if count]
    if found:
        yield element("p", {"class": "note"}, f"Broke first: {', '.join(found)}.")


def _figures(view: RunView) -> Markup:
    """Task finish, pass^k, length, tokens, price and seconds, as far as they are known."""
    return element(
        "dl",
        {"class": "facts"},
        *(
            element(
                "div",
                None,
                element("dt", None, name),
                element("dd", None, value, element("small", None, note)),
            )
            for name, value, note in _facts(view)
        ),
    )


def _facts(view: RunView) -> Iterator[tuple[str, str, str]]:
    summary = view.summary
    for k, found in view.pass_rates().items():
        low, high = found.interval
        left = f", {found.left_out} left out" if found.left_out else ""
        note = f"{100 * low:.0f} to {100 * high:.0f} %; {found.goals} goals{left}"
        yield f"pass^{k}", f"{100 * found.value:.0f} %", note
    finish = summary.rate(OVERALL, "finish")
    if finish:
        yield "task finish", f"{finish.percent:.0f} %", "all answered, true or not"
    turns = summary.figure(OVERALL, lambda tally: tally.mean_turns)
    if turns is not None:
        yield "turns", f"{turns:.1f}", "both sides, mean"
    results = view.results
    unread = f"{view.unread:,} stretches unread"
    yield "undecided", f"{results[UNDECIDED]:,}", unread if view.is_read else "judged by acts"
    yield "infrastructure", f"{results[INFRASTRUCTURE]:,}", "a service did not answer"
    faithful = summary.fidelity.percent
    if summary.in_words and faithful is not None:
        said = f"{faithful:.0f} % said their goals"
        yield "user errors", f"{view.scores.blame['user']:,}", said
    yield from _costs(view)


def _costs(view: RunView) -> Iterator[tuple[str, str, str]]:
    costs = view.scores.costs
    prompt, completion = costs.usage.prompt, costs.usage.completion
    if prompt is not None or completion is not None:
        note = f"{prompt or 0:,} in, {completion or 0:,} out"
        yield "tokens", _short((prompt or 0) + (completion or 0)), note
    if costs.dollars is not None:
        each = costs.dollars / max(view.summary.held, 1)
        yield "cost", f"${costs.dollars:.2f}", f"${each:.4f} a dialogue"
    if costs.seconds:
        told = costs.latency()
        note = f"p50; p95 {_seconds(told['p95'])}"
        if costs.cached:
            note += f"; {costs.cached:,} replies from an earlier run"
        yield "latency", _seconds(told["p50"]), note
    if view.calls:
        yield "tool calls", f"{view.calls:,}", f"{view.calls / max(view.summary.held, 1):.1f} each"


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def _short(number: int) -> str:
    for size, mark in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f} {mark}"
    return str(number)


def _glossary(views: Sequence[RunView]) -> Markup:
    """What the words on the page mean."""
    terms = [(f"{kind}", f"{words} (kind of goal)") for kind, words in TYPES.items()]
    terms += [(RESULTS[key], words) for key, words in MEANINGS.items()]
    if any(view.repeats > 1 for view in views):
        terms.append(
            (
                "pass^k",
                "chance that k trials of a goal all succeed; undecided ones count as failed",
            )
        )
    pairs = [join(element("dt", None, term), element("dd", None, words)) for term, words in terms]
    return element(
        "details",
        {"class": "glossary"},
        element("summary", None, "What the words mean"),
        element("dl", None, *pairs),
    )
