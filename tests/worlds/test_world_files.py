"""Each file of a sound world is damaged in one place; the check of all files names it."""
# ruff: noqa: E501 -- one damage a line

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import crosstalk
from crosstalk.toml_files import Location, TomlFile, read_toml
from crosstalk.worlds.scaffold import new_world
from crosstalk.worlds.world import find_world


@pytest.fixture
def town(tmp_path: Path) -> Path:
    new_world(tmp_path / "town")
    return tmp_path / "town"


def damage(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), "utf-8")


def found(folder: Path) -> list[str]:
    return [str(problem) for problem in crosstalk.check_world(folder)]


FAULTS = [
    # assistant
    ("assistant/en.toml", "\n[domains]", "\n[domain]", "line 10: unknown field `domain` (domain). Did you mean `domains`?"),
    ("assistant/en.toml", "cafe = [", "caffe = [", "`caffe` under [domains] is no domain of this world. Did you mean `cafe`?"),
    ("assistant/en.toml", "phone = [", "fone = [", "`fone` under [slots] is no slot of this world. Did you mean `phone`?"),
    ("assistant/en.toml", '"cafe.price"', '"museum.price"', "`museum.price` under [slots] is no slot"),
    ("assistant/en.toml", "[values.services]", "[values.service]", "`service` under [values] is no slot of a table of this world. Did you mean `services`?"),
    ("assistant/en.toml", "takeaway = [", "Klingon = [", "`Klingon` under [values.services] is no value of this world. Correct or remove it."),
    ("assistant/en.toml", "Train = [", "Klingon = [", "`Klingon` under [kinds.museum] is no part of a name"),
    ("assistant/en.toml", '"meatless dishes" = ["pea', '"meatles dishes" = ["pea', "`meatles dishes` under [members] is no value of a list"),
    ("assistant/en.toml", 'dishes = ["sushi"]', 'dishes = ["soup", "sushi"]', "'soup' is named as absent, and the tables hold it"),
    ("assistant/en.toml", 'dishes = ["sushi"]', 'dishes = ["susi", "sushi"]', "'susi' has no words under [values.dishes]"),
    ("assistant/en.toml", 'dishes = ["sushi"]', 'dish = ["sushi"]', "`dish` has no words under [values] or [kinds]. Did you mean `dishes`?"),
    ("assistant/en.toml", "pets = [", "petts = [", "`petts` is no topic of the package. Did you mean `pets`?"),
    ("assistant/en.toml", 'visit = ["how long"]', 'visit = "how long"', "`visit` is 'how long' (slots.visit). Input should be a valid list"),
    ("assistant/en.toml", 'visit = ["how long"]', "visit = []", "the list slots.visit is empty"),
    ("assistant/en.toml", 'visit = ["how long"]', 'visit = [" "]', "a text of slots.visit is blank"),
    ("assistant/en.toml", '["how long"]', '["how long", "how long"]', "'how long' stands in slots.visit 2 times. Keep one."),
    ("assistant/en.toml", '["how long"]', '["how {long}"]', "'how {long}' has {long}. Its placeholders are none."),
    ("assistant/en.toml", "[unsupported]", "[cues]\ngret = ['hi']\n[unsupported]", "`gret` under [cues] is no cue of this world. Did you mean `greet`?"),
    ("assistant/en.toml", "[unsupported]", "[answers]\nDenny = ['No.']\n[unsupported]", "`Denny` under [answers] is no answer of this world. Did you mean `Deny`?"),
    ("assistant/en.toml", "[unsupported]", "[answers]\nDeny = ['No, {valu}.']\n[unsupported]", "{valu}, which nobody fills. Did you mean `value`?"),
    ("assistant/en.toml", "[unsupported]", "[sentences]\ncan_doo = ['Hi.']\n[unsupported]", "`can_doo` under [sentences] is no sentence"),
    ("assistant/en.toml", "[unsupported]", "[grammar]\nspaceed = true\n[unsupported]", "unknown field `spaceed` (grammar.spaceed). Did you mean `spaced`?"),
    ("assistant/en.toml", "[unsupported]", "[system]\n'Inform+cafe+name' = ['{name}']\n[unsupported]", "nothing reads [system] of this file. Move its sentences to templates/en.toml."),
    # phrases
    ("phrases/en.toml", "[near]", "[neer]", "unknown field `neer` (neer). Did you mean `near`?"),
    ("phrases/en.toml", "frames = [", "frame = [", "unknown field `frame` (ask.frame). Did you mean `frames`?"),
    ("phrases/en.toml", "[ask.slots.address]", "[ask.slots.adress]", "`adress` under [ask.slots] is no slot of this world. Did you mean `address`?"),
    ("phrases/en.toml", "[domains.cafe]", "[domains.caffe]", "`caffe` under [domains] is no domain"),
    ("phrases/en.toml", "the.cafe", "the.caffe", "`caffe` under [near.the] is no domain"),
    ("phrases/en.toml", "tram = [", "museum = [", "`museum` under [rides] is no domain of rides of this world"),
    ("phrases/en.toml", '"I want to eat at {name}"', '"I want to eat there"', "'I want to eat there' lacks {name}. Its placeholders are {name}."),
    ("phrases/en.toml", '"for {v}"', '"for {value}"', "'for {value}' has {value}, {v}. Its placeholders are {v}."),
    ("phrases/en.toml", "to {destination}", "to {goal}", "has {goal}. Its placeholders are {departure}, {destination}."),
    ("phrases/en.toml", '"{} to {}"', '"{}"', "'{}' lacks {}. Its placeholders are {}, {}."),
    ("phrases/en.toml", '"..10"', '"cheap"', "'cheap' is no range of `cafe.price`. Write \"10..20\""),
    ("phrases/en.toml", '"..10"', '"20..10"', "'20..10' is no range of `cafe.price`"),
    ("phrases/en.toml", '"cafe.services" = "terrace"', '"cafe.services" = "terace"', "no table has 'terace' in `cafe.services`. Did you mean `terrace`?"),
    ("phrases/en.toml", '"hi", "hello"', '"hi", "hi"', "'hi' stands in say.greet 2 times"),
    # keywords
    ("keywords/en.toml", "[system]", "[sytem]", "there is no table 'sytem'. Did you mean `system`?"),
    ("keywords/en.toml", "greet = [", "gret = [", "line 5: there is no cue 'gret'. Did you mean `greet`?"),
    ("keywords/en.toml", r"'\bthanks?\b'", "'(thanks'", "not a regular expression"),
    ("keywords/en.toml", r"['\bthanks?\b']", "[]", "expected a list of phrases"),
    ("keywords/en.toml", r"['\bthanks?\b']", "['a', 'a']", "'a' stands in user.thank 2 times"),
    ("keywords/en.toml", "[system]", "[habits]\nfre = true\n[system]", "cannot read 'fre'"),
    # templates
    ("templates/en.toml", "[user]", "[usr]", "'usr' is no side of a conversation. Did you mean `user`?"),
    ("templates/en.toml", "Inform+cafe+style", "Infrom+cafe+style", "line 13: 'Infrom' is no intent of the acts of the user. Did you mean `Inform`?"),
    ("templates/en.toml", "Inform+cafe+style", "Inform+caffe+style", "'Inform+caffe+style' is no act of this world. Did you mean `cafe`?"),
    ("templates/en.toml", "Inform+cafe+style", "Inform+cafe+stile", "'Inform+cafe+stile' is no act of this world. Did you mean `style`?"),
    ("templates/en.toml", "Inform+cafe+services+yes", "Inform+cafe+services+yess", "'Inform+cafe+services+yess' is no act of this world. No key ends in `+yess`. End it in `+yes`"),
    ("templates/en.toml", "General+greet+none", "General+greet", "'General+greet' is no act of this world. Write `General+greet+none`."),
    ("templates/en.toml", "General+greet+none", "General+gret+none", "'gret' is no General act of the acts of the user. Did you mean `greet`?"),
    ("templates/en.toml", "General+greet+none", "General+greet+non", "'non' is no end of the acts of the user. Did you mean `none`?"),
    ("templates/en.toml", "to the cafe {name}.", "to the cafe {name}, {addres}.", "has the placeholder {addres}, which nobody fills"),
    ("templates/en.toml", "to the cafe {name}.", "to the cafe.", "does not say each value once. It needs {name}"),
    ("templates/en.toml", '["Thank you!"]', '["Thank you!", "Thank you!"]', "'Thank you!' stands there 2 times"),
    ("templates/en.toml", '["Thank you!"]', "[]", "expected a list of sentences"),
    # world.toml, languages and tables
    ("world.toml", "\n[goals]", '\n[best]\nnlu = "rule"\n[goals]', "there is no NLU called 'rule'. Did you mean `rules`?"),
    ("world.toml", "\n[goals]", '\n[best]\nnlg2 = "template"\n[goals]', "`nlg2` is no kind of part. Did you mean `nlg`?"),
    ("world.toml", 'tags = ["local favourite"]', 'tags = ["local favorite"]', "no row has the term 'local favorite'"),
    ("languages/en.toml", 'cafe = "cafe"', 'caffe = "cafe"', "`caffe` under [domains] is nothing this world has. Did you mean `cafe`?"),
    ("tables/cafes.jsonl", '["Clock Museum"]', '["Clok Museum"]', "there is no museum called 'Clok Museum'. Did you mean 'Clock Museum'? Or remove the link."),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "words"), FAULTS)
def test_each_kind_of_fault(town: Path, file: str, old: str, new: str, words: str) -> None:
    damage(town, file, old, new)
    problems = crosstalk.check_world(town)
    assert any(words in str(problem) for problem in problems), found(town)
    assert all(problem.remedy for problem in problems)


def test_the_line_of_a_text_in_a_long_list(town: Path) -> None:
    damage(
        town,
        "phrases/en.toml",
        '["near there", "around there"]',
        '[\n "near there",\n "near {x}",\n]',
    )
    (problem,) = crosstalk.check_world(town)
    lines = (town / "phrases/en.toml").read_text("utf-8").splitlines()
    assert problem.line is not None and "near {x}" in lines[problem.line - 1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("templates/fr.toml", "templates/fr.toml: there is no language file beside it: the world has no language 'fr'"),
        ("assistant/fr.toml", "Add languages/fr.toml, or remove the file."),
        ("templates/en.tml", "templates/en.tml: nothing reads this file. Did you mean `templates/en.toml`?"),
        ("keyword/en.toml", "keyword/en.toml: nothing reads this file. Did you mean `keywords/en.toml`?"),
        ("tables/cafe.jsonl", "tables/cafe.jsonl: nothing reads this file. Did you mean `tables/cafes.jsonl`?"),
        ("languages/en/pak.toml", "Did you mean `languages/en/pack.toml`?"),
        ("sayings/users.json", "Did you mean `sayings/user.json`?"),
    ],
)  # fmt: skip
def test_files_that_nothing_reads(town: Path, name: str, words: str) -> None:
    (town / name).parent.mkdir(parents=True, exist_ok=True)
    (town / name).write_text("{}" if name.endswith("json") else "", "utf-8")
    assert any(words in problem for problem in found(town)), found(town)


def test_notes_and_hidden_files_do_no_harm(town: Path) -> None:
    (town / "README.md").write_text("Our town.")
    (town / ".git").mkdir()
    (town / ".git/config.toml").write_text("x = 1")
    assert found(town) == []


SAYING_FAULTS = [
    ({"Infrom+cafe+name": ["[Infrom+cafe+name]"]}, "'Infrom' is no intent of the user. Did you mean `Inform`?"),
    ({"Inform+caffe+name": ["x"]}, "'caffe' is no domain of this world. Did you mean `cafe`?"),
    ({"Inform+cafe+nam": ["x"]}, "'nam' is no slot of cafe. Did you mean `name`?"),
    ({"General+gret+none": ["x"]}, "there is no General act 'gret'"),
    ({"Inform+cafe+name": ["To [Inform+cafe+nam]."]}, "does not say each value once. It needs [Inform+cafe+name]"),
    ({"Request+cafe+name": ["Which?", "Which?"]}, "'Which?' stands there 2 times"),
    ({"Request+cafe+name": []}, "the list is empty"),
    ({"Request+cafe+name": "Which?"}, "expected act keys, each with a list of templates"),
]  # fmt: skip


@pytest.mark.parametrize(("groups", "words"), SAYING_FAULTS)
def test_sayings(town: Path, groups: dict[str, Any], words: str) -> None:
    (town / "sayings").mkdir()
    (town / "sayings/user.json").write_text(json.dumps(groups), "utf-8")
    (problem,) = found(town)
    assert problem.startswith("sayings/user.json") and words in problem


# Any key of any file


def keys(data: Any, at: Location = ()) -> Iterator[Location]:
    if isinstance(data, dict):
        for key, inner in data.items():
            yield from ([(*at, key)] if key else [])
            yield from keys(inner, (*at, key))
    elif isinstance(data, list):
        for number, inner in enumerate(data):
            yield from keys(inner, (*at, number))


def misspelt(word: str, rng: Random) -> str:
    at = rng.choice([number for number, letter in enumerate(word) if letter.isalpha()])
    return word[:at] + word[at] + word[at:]


def changed_part(before: str, after: str) -> str:
    """Of an act key, the part that was changed: problems name that."""
    pairs = zip(
        before.replace("*", "+").split("+"), after.replace("*", "+").split("+"), strict=True
    )
    return next(new for old, new in pairs if new != old)


def misspell(folder: Path, file: TomlFile, at: Location, rng: Random) -> str:
    """Misspell the key at a location; what a problem should name."""
    key, line = str(at[-1]), file.line(at)
    assert line is not None
    lines = (folder / file.name).read_text("utf-8").split("\n")
    wrong = misspelt(key, rng)
    lines[line - 1] = lines[line - 1].replace(key, wrong, 1)
    (folder / file.name).write_text("\n".join(lines), "utf-8")
    return changed_part(key, wrong)


FILES = [
    "world.toml",
    *(f"{kind}/en.toml" for kind in ("languages", "assistant", "phrases", "keywords", "templates")),
]
FREE = {("numbers", "words")}
"""Tables whose keys are any words."""


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", range(3))
def test_a_misspelt_key_is_named_in_every_file(town: Path, name: str, seed: int) -> None:
    rng = Random(f"{name} {seed}")
    file = read_toml(town, name)
    assert isinstance(file, TomlFile)
    text = (town / name).read_text("utf-8")
    there = [at for at in keys(file.data) if at[:-1] not in FREE and at != ("domains",)]
    for at in rng.sample(there, min(12, len(there))):
        wrong = misspell(town, file, at, rng)
        assert any(wrong in problem for problem in found(town)), (at, wrong, found(town))
        (town / name).write_text(text, "utf-8")


@pytest.mark.parametrize("seed", range(10))
def test_a_misspelt_slot_or_name_is_named_in_every_table(town: Path, seed: int) -> None:
    rng = Random(seed)
    table = town / "tables" / rng.choice(["cafes.jsonl", "museums.jsonl"])
    lines = table.read_text("utf-8").splitlines()
    number = rng.choice([place for place, line in enumerate(lines) if line.startswith("{")])
    row = json.loads(lines[number])
    near = [name for key, cell in row.items() if key.startswith("nearby") for name in cell]
    word = rng.choice([*row, *near])
    lines[number] = lines[number].replace(f'"{word}"', f'"{(wrong := misspelt(word, rng))}"', 1)
    table.write_text("\n".join(lines), "utf-8")
    assert any(wrong in problem for problem in found(town)), (wrong, found(town))


# Worlds that ship, and those of the recipes


def test_worlds_that_ship_and_those_of_the_recipes(tmp_path: Path) -> None:
    recipes = Path(__file__).parents[2] / "recipes"
    french = shutil.copytree(recipes / "lakeside", tmp_path / "french")
    shutil.copytree(recipes / "french", french, dirs_exist_ok=True)
    worlds: list[str | Path] = [
        "harbour",
        Path(__file__).parent / "riverside",
        recipes / "lakeside",
        french,
    ]
    assert [str(problem) for world in worlds for problem in crosstalk.check_world(world)] == []


def test_the_words_of_crosswoz(data_folder: Path) -> None:
    folder = find_world("crosswoz")
    own = [
        each
        for each in crosstalk.check_world(folder, data=data_folder)
        if (folder / each.file).exists()
    ]
    assert own == []


def test_harbour_in_another_language(tmp_path: Path) -> None:
    harbour = shutil.copytree(find_world("harbour"), tmp_path / "harbour")
    damage(
        harbour,
        "assistant/de.toml",
        "\n[values.type]\n",
        '\n[values.type]\n"klingonisch" = ["klingonisch"]\n',
    )
    (problem,) = found(harbour)
    assert "`klingonisch` under [values.type] is no value of this world" in problem
