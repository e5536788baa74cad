"""Make the pictures of the README: `make pictures` (needs Chromium and the development setup).

A website for collecting dialogues is started, two browsers hold the beginning of a dialogue there,
and the wizard's page is kept; a report of simulated conversations is opened and kept as well.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).parents[2] / "docs" / "images"
COLOURS = 96
"""Of the palette; few enough for pictures below 150 kB, enough for smooth letters."""
DESKTOP = (1280, 860)
HIDDEN = ".languages"
"""The switch to Chinese: machines without a Chinese font would show boxes."""
QUESTION = "Hello! Is there something to see for 1 to 2 hours?"


def crosstalk(*words: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "crosstalk", *words], cwd=folder, check=True)


@contextmanager
def website(folder: Path) -> Iterator[str]:
    """A site with goals about one place each; gives the administrator's link."""
    crosstalk("goals", "sample", "--only", "S", "-n", "5", "--out", "goals.jsonl", folder=folder)
    words = "collect --goals goals.jsonl --store talks.db --port 0 --no-training --no-machines"
    command = [sys.executable, "-m", "crosstalk", *words.split()]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        links = (re.search(r"http\S+/enter/\S+", line) for line in server.stdout)
        yield next(link[0] for link in links if link)
    finally:
        server.terminate()
        server.wait()


def open_page(browser: Browser, address: str, size: tuple[int, int] = DESKTOP) -> Page:
    """A page of somebody new: no cookies of others."""
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    page.goto(address)
    return page


def invitation(browser: Browser, link: str) -> str:
    """The administrator logs in and makes a link for two people."""
    page = open_page(browser, link)
    page.click("button[type=submit].primary")
    page.wait_for_url("**/admin**")
    page.goto(link.partition("/enter/")[0] + "/admin/invitations")
    page.click("#invite button[type=submit]")
    page.wait_for_selector("#new-link:not([hidden])")
    return page.input_value("#link")


def join(browser: Browser, address: str, name: str, role: str) -> Page:
    page = open_page(browser, address)
    page.fill("input:not([type=hidden]):not([type=password])", name)
    page.fill("input[type=password]", "a long password")
    page.keyboard.press("Enter")
    page.wait_for_url("**/consent")
    page.check("input[name=agreed]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/lobby")
    page.click(f'[data-wait="{role}"]')
    return page


def say(page: Page, text: str) -> None:
    """Write and send; confirm where the page asks whether the annotation is complete."""
    before = page.locator(".turn.mine").count()
    page.wait_for_selector("body.my-turn")
    page.keyboard.press("Alt+m")
    page.keyboard.insert_text(text)
    page.keyboard.press("Enter")
    page.locator("#hints:not([hidden]), .turn.mine").nth(before).wait_for(state="attached")
    if page.is_visible("#hints"):
        page.click("#hints-sure")
    page.locator(".turn.mine").nth(before).wait_for()


def wizard_page(browser: Browser, link: str) -> bytes:
    """What the wizard sees after a search, with an answer half written."""
    address = invitation(browser, link)
    user, wizard = (
        join(browser, address, name, role) for name, role in (("Ana", "user"), ("Ben", "wizard"))
    )
    for page in (user, wizard):
        page.wait_for_url("**/room/*")
    say(user, QUESTION)
    wizard.wait_for_selector("body.my-turn")
    wizard.keyboard.press("Alt+1")
    wizard.select_option('#fields label:has-text("visit length") select', label="1 to 2 hours")
    wizard.keyboard.press("Alt+s")
    wizard.keyboard.press("Enter")
    wizard.wait_for_selector("#results li")
    wizard.keyboard.press("Alt+r")
    for key in ("ArrowDown", "Space", "Enter"):
        wizard.keyboard.press(key)
    wizard.wait_for_selector("#results li.selected")
    name = wizard.locator("#results li.selected strong").inner_text()
    wizard.keyboard.press("Alt+m")
    wizard.keyboard.insert_text(f"How about {name}?")
    wizard.locator(HIDDEN).evaluate("element => element.remove()")
    wizard.wait_for_timeout(500)  # the hints follow the text
    return wizard.screenshot()


def report_page(browser: Browser, folder: Path) -> bytes:
    """The beginning of a report that compares two policies."""
    for policy in ("rule", "trees"):
        words = f"simulate --world harbour --policy {policy} --words -n 200 --seed 7 --out {policy}"
        crosstalk(*words.split(), folder=folder)
    crosstalk("report", "rule", "trees", "--html", "report.html", folder=folder)
    return open_page(browser, (folder / "report.html").as_uri(), (900, 760)).screenshot()


def keep(name: str, screenshot: bytes) -> None:
    IMAGES.mkdir(exist_ok=True)
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    file = IMAGES / f"{name}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")


def main() -> None:
    program = shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is not installed (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        with website(Path(scratch)) as link:
            keep("collecting", wizard_page(browser, link))
        keep("report", report_page(browser, Path(scratch)))
        browser.close()


if __name__ == "__main__":
    main()
