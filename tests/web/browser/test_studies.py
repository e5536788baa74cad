"""A participant's way through a study in a real browser: link, consent, questions, code."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.test_accessibility import in_both_themes
from tests.web.running import Running

from crosstalk.collection.study import Outcome, read_study
from crosstalk.collection.study_scaffold import new_study
from crosstalk.web.collect.site import Site
from crosstalk.web.collect.startup import remember_study

LINK = f"/study/pilot?PROLIFIC_PID={'5f' * 12}&STUDY_ID=x&SESSION_ID={'6a' * 12}"


def test_from_the_link_to_the_code(
    open_simple_site: Callable[..., Site], enter: Enter, tmp_path: Path
) -> None:
    """By keyboard where it counts; on a phone; every page without findings of axe."""
    new_study(tmp_path / "pilot", platform="prolific", world="harbour", language="en")
    file = tmp_path / "pilot" / "study.toml"
    asked = file.read_text("utf-8").replace("before = []", 'before = ["nasa_tlx"]')
    file.write_text(asked, "utf-8")
    site = open_simple_site()
    site.study = study = read_study(tmp_path / "pilot")
    site.submit(lambda work: remember_study(work, study)).result()
    with Running(site) as server:
        visitor = enter(server, "", viewport={"width": 390, "height": 800})
        page = visitor.page
        page.goto(f"{server.url}/study/pilot?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}")
        expect(visitor.find("main [role=alert]")).to_be_visible()
        in_both_themes(page)

        page.goto(server.url + LINK)
        in_both_themes(page)
        visitor.find("button.primary").click()
        page.wait_for_url("**/consent")
        in_both_themes(page)
        visitor.find("[name=agreed]").check()
        visitor.find("button.primary").click()

        page.wait_for_url("**/questionnaire")
        in_both_themes(page)
        assert visitor.state("document.documentElement.scrollWidth") <= 390
        visitor.find("button.primary").click()
        expect(visitor.find("[data-problem]")).to_be_visible()  # untouched sliders say nothing
        for slider in page.locator("input[type=range]").all():
            slider.focus()
            visitor.press("ArrowRight")
        visitor.find("button.primary").click()

        page.wait_for_url("**/lobby")
        visitor.find("form[data-post='/api/leave-study'] button").click()
        page.wait_for_url("**/done")
        expect(visitor.find("#code")).to_have_text(study.table.codes[Outcome.WITHDREW])
        in_both_themes(page)
        admin = enter(server, "").as_browser(server.admin(), "/admin/study").page
        in_both_themes(admin)
        admin.goto(f"{server.url}/study/pilot")
        in_both_themes(admin)
