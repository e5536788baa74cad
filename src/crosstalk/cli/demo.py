"""`crosstalk demo`: goals, conversations, judgement and a report, in a minute, from nothing."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli import options
from crosstalk.errors import OutputError

Out = Annotated[Path, typer.Option("--out", help="Folder for what the demo makes.")]
Language = Annotated[str, typer.Option("--language", help="zh, en, de, ar or ru.")]
Workers = Annotated[int, typer.Option("-j", "--workers", min=1, help="Processes.")]
PER_TYPE = 100


def demo(
    out: Out = Path("demo-output"),
    language: Language = "en",
    seed: options.Seed = 1,
    workers: Workers = 1,
) -> None:
    """Goals, simulated conversations, judgement and a report about an invented port city."""
    run, page = out / "run", out / "report.html"
    _make_room(out, run, page)
    print("1. Goals. Here is one that the users of Halmora, an invented port city, pursue:\n")
    _show_goal(language, seed)
    print(f"\n2. Conversations about {PER_TYPE} goals of each of the five types.")
    _simulate(run, language, seed, workers)
    print(f"   Every dialogue is in {run / 'dialogues'}, one a line. The one about that goal:\n")
    _show_dialogue(run)
    print("\n3. Judgement: whether the user got everything, and whether all of it is true.\n")
    _report(run, page)
    print(f"\n4. The report, with dialogues to browse: {page.resolve()}")
    print("   Open it in a browser; it needs no network.")


def _make_room(out: Path, run: Path, page: Path) -> None:
    """Remove what an earlier demo made, and nothing else."""
    if not out.exists():
        return
    if not out.is_dir() or (set(out.iterdir()) - {run, page}):
        raise OutputError(
            f"{out} holds things that no demo made", remedy="Name another folder with --out."
        )
    shutil.rmtree(out)


def _show_dialogue(run: Path) -> None:
    from crosstalk.evaluation.runs import open_run

    for turn in next(iter(open_run(run).dialogues())).turns:
        print(f"   {turn.speaker:>6}: {turn.text}")


def _show_goal(language: str, seed: int) -> None:
    from crosstalk.database.worlds import load_world
    from crosstalk.goals.sampler import goal_rng, goal_sampler

    sampler = goal_sampler(load_world("harbour", language=language))
    goal = sampler.sample(goal_rng(seed, 0))
    for number, paragraph in enumerate(goal.description, start=1):
        print(f"   {number}. {paragraph}")


def _simulate(run: Path, language: str, seed: int, workers: int) -> None:
    from crosstalk.cli.simulate import showing_progress
    from crosstalk.evaluation.sessions import Plan, Rules
    from crosstalk.evaluation.simulation import Engine, simulate
    from crosstalk.pipelines.build import Setup

    plan, setup = Plan(seed, per_type=PER_TYPE), Setup("harbour", language, words=True)
    with showing_progress() as progress:
        simulate(plan, setup, Rules(seed), run, engine=Engine(workers=workers), progress=progress)


def _report(run: Path, page: Path) -> None:
    from crosstalk.cli.report import print_report
    from crosstalk.files import writing
    from crosstalk.reports.page import page as written
    from crosstalk.reports.summary import summarise

    summaries = [summarise(run, examples=100)]
    with writing(page) as file:
        file.write(written(summaries))
    print_report(summaries)
