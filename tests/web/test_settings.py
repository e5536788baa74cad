"""Settings: one order of precedence, every value validated, what holds is shown."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.running import Running

from crosstalk.cli.main import run
from crosstalk.errors import InputError
from crosstalk.web.collect.settings import (
    BY_NAME,
    Settings,
    read_flags,
    read_settings,
    store_setting,
)
from crosstalk.web.collect.site import SiteRules
from crosstalk.web.store.store import Store, store_url


def test_the_order_of_sources() -> None:
    sources = {
        "flags": {"grace": "1"},
        "environment": {"CROSSTALK_GRACE": "2", "CROSSTALK_STAY": "2", "HOME": "/"},
        "file": {"grace": 4, "stay": 4, "patience": 4, "pause": 4},
    }
    found = Settings(**sources).chosen({"grace": "3", "stay": "3", "patience": "3"})  # type: ignore[arg-type]
    assert {name: (each.value, each.source) for name, each in found.items()} == {
        "grace": (1, "flag"),
        "stay": (2, "environment"),
        "patience": (3, "settings page"),
        "pause": (4, "study file"),
        "exchanges": (50, "default"),
        "silence": (15, "default"),
        "training": (True, "default"),
        "tries": (0, "default"),
        "absence": (3600, "default"),
        "newcomers": (20, "default"),
        "guesses": (10, "default"),
        "client_guesses": (30, "default"),
        "account_guesses": (100, "default"),
        "guess_seconds": (300, "default"),
        "messages": (20, "default"),
        "burst": (100, "default"),
        "upload": (4096, "default"),
        "offers": (True, "default"),
        "drafts": (True, "default"),
    }


def test_defaults_are_the_rules() -> None:
    assert Settings().rules({}) == SiteRules()
    assert set(BY_NAME) == set(SiteRules.__dataclass_fields__)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("grace", "soon"),
        ("grace", "-1"),
        ("grace", "nan"),
        ("grace", "inf"),
        ("grace", ""),
        ("grace", True),
        ("exchanges", "2.5"),
        ("exchanges", "0"),
        ("training", "maybe"),
        ("training", "1"),
        ("guesses", "0"),
        ("burst", "2.5"),
        ("upload", "1"),
        ("gracee", "1"),
    ],
)
def test_every_value_is_validated_wherever_it_comes_from(name: str, value: object) -> None:
    with pytest.raises(InputError, match=r"flag.*" + name):
        Settings(flags={name: value})
    with pytest.raises(InputError, match=r"study file.*" + name):
        Settings(flags={"grace": "5"}, file={name: value})
    if name in BY_NAME:
        with pytest.raises(InputError, match=r"environment.*" + name):
            Settings(environment={f"CROSSTALK_{name.upper()}": str(value).replace("True", "x")})


def test_what_holds_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, study = tmp_path / "site.db", tmp_path / "study.toml"
    opened = Store(store_url(str(store)))
    opened.write(lambda connection: store_setting(connection, "patience", "33")).result()
    opened.close()
    study.write_text("[settings]\npause = 0.5\npatience = 44\n")
    monkeypatch.setenv("CROSSTALK_STAY", "22")
    words = ["--store", str(store), "--study", str(study), "--set", "grace=11", "--no-training"]
    monkeypatch.setattr("sys.argv", ["crosstalk", "collect", "settings", *words, "--json"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert not ended.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["grace"] == {"value": 11, "source": "flag"}
    assert found["training"] == {"value": False, "source": "flag"}
    assert found["stay"] == {"value": 22, "source": "environment"}
    assert found["patience"] == {"value": 33, "source": "settings page"}
    assert found["pause"] == {"value": 0.5, "source": "study file"}
    for wrong in (["--set", "grace=x"], ["--set", "grace"], ["--study", str(tmp_path / "missing")]):
        monkeypatch.setattr("sys.argv", ["crosstalk", "collect", "settings", *words, *wrong])
        with pytest.raises(SystemExit) as ended:
            run()
        assert ended.value.code == 2 and "Traceback" not in capsys.readouterr().err


def test_files_and_flags(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text("[settings\n")
    with pytest.raises(InputError, match="no TOML"):
        read_settings(study)
    study.write_text("settings = 1\n")
    with pytest.raises(InputError, match="no table"):
        read_settings(study)
    assert read_flags(["grace = 3"]) == {"grace": " 3"}


@pytest.fixture
def ruled(server: Running) -> Iterator[Running]:
    before = server.site.rules
    yield server
    server.site.rules = before


def test_the_page_changes_what_holds(ruled: Running) -> None:
    admin = ruled.admin()
    answer = admin.post("/api/admin/settings", {"name": "patience", "value": "7"})
    assert answer.json() == {"name": "patience", "value": "7", "source": "settings page"}
    assert admin.get("/api/me").json()["site"]["patience"] == 7
    for name, value in (("patience", "soon"), ("secret", "x"), ("world", "")):
        refused = admin.post("/api/admin/settings", {"name": name, "value": value})
        assert refused.status_code == 422
    assert "patience" in admin.get("/admin/settings").text
    gone = admin.post("/api/admin/settings", {"name": "patience", "value": ""}).json()
    assert gone["source"] == "default"


def test_wrong_passwords_on_a_running_site_are_limited_by_the_page(ruled: Running) -> None:
    known = ruled.worker("Ursula").worker
    assert known
    changed = ruled.admin().post("/api/admin/settings", {"name": "guesses", "value": "2"})
    assert changed.json()["value"] == "2"
    body = {"name": known["name"], "password": "a guess"}
    codes = [ruled.browser().post("/api/login", body).status_code for _ in range(4)]
    assert codes == [403, 403, 429, 429]


def test_goals_brought_at_once_are_limited_by_the_page(ruled: Running) -> None:
    admin, large = ruled.admin(), {"lines": "x" * 65 * 1024}
    assert admin.post("/api/admin/goals", large).json()["code"] != "too_large"
    admin.post("/api/admin/settings", {"name": "upload", "value": "64"})
    refused = admin.post("/api/admin/goals", large)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert "64 KiB" in refused.json()["message"]
    assert "at most 64 KiB" in admin.get("/admin/goals").text
