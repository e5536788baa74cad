"""Reports tell people with people from people with machines and machines with machines."""

from dataclasses import replace
from pathlib import Path

from tests.web.conftest import OpenSite
from tests.web.playing import played

from crosstalk.collection.export import MACHINE
from crosstalk.evaluation.success_rates import Pairing, pairing_of
from crosstalk.reports.run_summary import summarise
from crosstalk.reports.run_tables import tables
from crosstalk.simulation.corpus_runs import corpus_run
from crosstalk.web.collect.corpus_export import annotation, collected
from crosstalk.worlds.world import load_world


def test_a_report_has_a_row_for_each_pairing(open_site: OpenSite, tmp_path: Path) -> None:
    site = open_site(str(tmp_path / "site.db"))
    for _ in range(2):
        played(site)
    people = list(collected(site.store, annotation("harbour", "en", None)))
    wizard, user = people[1].workers
    held = [
        people[0],
        replace(people[1], workers=(MACHINE, user)),
        replace(people[1], id="3", workers=(wizard, MACHINE)),
        replace(people[1], id="4", workers=()),
    ]
    assert [pairing_of(each) for each in held] == list(Pairing)
    run = tmp_path / "run"
    corpus_run(held, "harbour", load_world("harbour"), run)
    table = next(each for each in tables([summarise(run)]) if "People and machines" in each.title)
    assert [row[0] for row in table.rows] == [str(each) for each in Pairing]
    assert [row[1] for row in table.rows] == ["1"] * 4


def test_simulated_runs_have_no_such_table(open_site: OpenSite, tmp_path: Path) -> None:
    site = open_site(str(tmp_path / "site.db"))
    played(site)
    (dialogue,) = collected(site.store, annotation("harbour", "en", None))
    corpus_run([replace(dialogue, workers=())], "harbour", load_world("harbour"), tmp_path / "run")
    found = tables([summarise(tmp_path / "run")])
    assert not any("People and machines" in each.title for each in found)
