"""`crosstalk demo`: goals, conversations in acts and in words, judgement, a report."""

import shutil
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, progress_bar
from crosstalk.cli.report import print_report
from crosstalk.errors import OutputError

if TYPE_CHECKING:
    from crosstalk.simulation.build import Setup

PER_TYPE = 100
PER_TYPE_IN_WORDS = 4


def demo(
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="Folder for what the demo makes.")
    ] = Path("demo-output"),
    language: Annotated[str, typer.Option("--language", help="zh, en, de, ar or ru.")] = "en",
    seed: options.Seed = 1,
    workers: options.Workers = 1,
    as_json: options.AsJson = False,
) -> None:
    """Run the whole path once: goals, simulated dialogues, evaluation, a report.

    The dialogues are about an invented port city. With --json, the explanations go to stderr.
    """
    run, words, page = out / "run", out / "words", out / "report.html"
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        _demonstrate(out, language, seed, workers)
    if as_json:
        print_json({"runs": [str(run), str(words)], "report": str(page)})


def _demonstrate(out: Path, language: str, seed: int, workers: int) -> None:
    from crosstalk.reports.run_summary import summarise
    from crosstalk.simulation.build import Setup
    from crosstalk.system.build import WORDS

    run, words, page = out / "run", out / "words", out / "report.html"
    _make_room(out, run, words, page)
    print("1. Goals. The first goal of a simulated user in Halmora, an invented port city:\n")
    _show_goal(language, seed)
    print(f"\n2. Conversations in acts, about {PER_TYPE} goals of each of the five types.")
    _simulate(run, Setup("harbour", language, words=True), PER_TYPE, seed, workers)
    print(f"   Every dialogue is in {run / 'dialogues'}, one per line. The one about that goal:\n")
    _show_dialogue(run)
    print("\n3. Evaluation: is the goal fulfilled, and is everything the system said true?\n")
    print_report([summarise(run)])
    print("\n4. Conversations in words: each side gets only the text of the other.\n")
    in_words = Setup("harbour", language, user="trees", level=WORDS)
    _simulate(words, in_words, PER_TYPE_IN_WORDS, seed, workers)
    _show_dialogue(words)
    _write_page([run, words], page)
    print(f"\n5. The report, with dialogues to browse: {page.resolve()}")
    print("   Open it in a browser; it needs no network.")
    print(f"\nNow talk to it yourself: crosstalk chat --world harbour --language {language}")


def _make_room(out: Path, *made: Path) -> None:
    """Remove the files of an earlier demo; refuse a folder that holds anything else."""
    if not out.exists():
        return
    if not out.is_dir() or (set(out.iterdir()) - set(made)):
        raise OutputError(
            f"{out} holds things that no demo made", remedy="Name another folder with --out."
        )
    shutil.rmtree(out)


def _show_dialogue(run: Path) -> None:
    from crosstalk.simulation.run_folders import open_run

    for turn in next(iter(open_run(run).dialogues())).turns:
        print(f"   {turn.speaker:>6}: {turn.text}")


def _show_goal(language: str, seed: int) -> None:
    from crosstalk.goals.sampler import goal_rng, goal_sampler
    from crosstalk.worlds.world import load_world

    sampler = goal_sampler(load_world("harbour", language=language))
    goal = sampler.sample(goal_rng(seed, 0))
    for number, paragraph in enumerate(goal.description, start=1):
        print(f"   {number}. {paragraph}")


def _simulate(run: Path, setup: "Setup", per_type: int, seed: int, workers: int) -> None:
    from crosstalk.simulation.runner import Engine, simulate
    from crosstalk.simulation.sessions import Plan, SessionRules

    plan, engine = Plan(seed, per_type=per_type), Engine(workers=workers)
    with progress_bar("Simulating") as progress:
        simulate(plan, setup, SessionRules(seed), run, engine=engine, progress=progress)


def _write_page(runs: list[Path], page: Path) -> None:
    from crosstalk.reports.html_page import write_page

    summaries = write_page(runs, page).summaries
    judged = summaries[-1].judgement.everything
    print(f"\n   {judged.success.right} of {judged.dialogues} such conversations succeed.")
