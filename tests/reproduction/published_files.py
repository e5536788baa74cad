"""Small made-up corpora in the formats in which the three papers published theirs."""

import csv
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

Acts = list[list[str]]


def _written(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, indent=4)
    if path.suffix != ".zip":
        path.write_text(text, encoding="utf-8")
        return
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(path.name.removesuffix(".zip"), text)


# CrossWOZ

AREAS = ("故宫", "北海公园", "天坛公园", "颐和园", "景山公园", "圆明园")
FORM = {
    "景点": ("名称", "门票", "游玩时间", "评分", "周边景点", "周边餐馆", "周边酒店"),
    "餐馆": ("名称", "推荐菜", "人均消费", "评分", "周边景点", "周边餐馆", "周边酒店"),
    "酒店": ("名称", "酒店类型", "酒店设施", "价格", "评分", "周边景点", "周边餐馆", "周边酒店"),
    "地铁": ("出发地", "目的地"),
    "出租": ("出发地", "目的地"),
}


def crosswoz(data: Path) -> Path:
    """Zips of the three splits, and the database, under `data/crosswoz`."""
    for split, first, count in (("train", 0, 24), ("val", 100, 8), ("test", 200, 8)):
        dialogues = {str(first + each): _tour(first + each) for each in range(count)}
        _written(data / "crosswoz" / f"{split}.json.zip", dialogues)
    for name, rows in _database().items():
        _written(data / "crosswoz" / "database" / f"{name}_db.json", rows)
    return data


def _tour(number: int) -> dict[str, Any]:
    """A user who wants a sight with a rating, asks for its name and its ticket."""
    rng = Random(number)
    place, rating = rng.choice(AREAS), rng.choice(("4分以上", "4.5分以上"))
    ticket = f"{10 * (1 + AREAS.index(place))}元"
    goal = [
        [1, "景点", "评分", rating, False],
        [1, "景点", "名称", "", False],
        [1, "景点", "门票", "", False],
    ]
    asked = [[*goal[0][:4], True], [*goal[1][:4], True], goal[2]]
    named = [asked[0], [1, "景点", "名称", place, True], [*goal[2][:4], True]]
    ended = [*named[:2], [1, "景点", "门票", ticket, True]]
    turns: list[tuple[str, Acts, Any]] = [
        (
            f"你好，我想找评分是{rating}的景点，有推荐吗？",
            [
                ["General", "greet", "none", "none"],
                ["Inform", "景点", "评分", rating],
                ["Request", "景点", "名称", ""],
            ],
            asked,
        ),
        (f"推荐你去{place}。", [["Inform", "景点", "名称", place]], (rating, place)),
        ("它的门票多少钱？", [["Request", "景点", "门票", ""]], named),
        (f"门票是{ticket}。", [["Inform", "景点", "门票", ticket]], (rating, place)),
        (
            "谢谢，再见！",
            [["General", "bye", "none", "none"], ["General", "thank", "none", "none"]],
            ended,
        ),
        ("不客气。", [["General", "welcome", "none", "none"]], (rating, place)),
    ]
    return {
        "sys-usr": [1, 2],
        "goal": goal,
        "messages": [_message(place, *turn) for place, turn in enumerate(turns)],
        "final_goal": ended,
        "task description": [f"你要去一个景点（id=1）游玩。你希望景点的评分是{rating}。"],
        "type": "单领域",
    }


def _message(place: int, text: str, acts: Acts, state: Any) -> dict[str, Any]:
    if place % 2 == 0:
        return {"content": text, "role": "usr", "dialog_act": acts, "user_state": state}
    rating, found = state
    form: dict[str, Any] = {
        domain: {**dict.fromkeys(slots, ""), "selectedResults": []}
        for domain, slots in FORM.items()
    }
    form["景点"]["评分"] = rating
    form["景点"]["selectedResults"] = [found]
    return {
        "content": text,
        "role": "sys",
        "dialog_act": acts,
        "sys_state": form,
        "sys_state_init": form,
    }


def _database() -> dict[str, list[Any]]:
    sights = [
        [
            name,
            {
                "领域": "景点",
                "名称": name,
                "地址": f"北京市{at}号",
                "地铁": "某站A口",
                "电话": "010-1",
                "门票": 10 * (1 + at),
                "游玩时间": "1小时 - 2小时",
                "评分": 4.6,
                "周边景点": [AREAS[at - 1]],
                "周边餐馆": ["饺子馆"],
                "周边酒店": ["如家酒店"],
            },
        ]
        for at, name in enumerate(AREAS)
    ]
    near = {"周边景点": list(AREAS), "周边餐馆": [], "周边酒店": []}
    shop = {
        "领域": "餐馆",
        "名称": "饺子馆",
        "地址": "北京市7号",
        "地铁": "某站A口",
        "电话": "010-2",
        "营业时间": "周一至周日",
        "推荐菜": ["饺子"],
        "人均消费": 50,
        "评分": 4.5,
        **near,
    }
    inn = {
        "领域": "酒店",
        "名称": "如家酒店",
        "酒店类型": "经济型",
        "地址": "北京市8号",
        "地铁": "某站B口",
        "电话": "010-3",
        "酒店设施": ["早餐服务"],
        "价格": 300,
        "评分": 4.4,
        **near,
    }
    names = [*AREAS, "饺子馆", "如家酒店"]
    stops = [[name, {"领域": "地铁", "名称": name, "地铁": "某站A口"}] for name in names]
    ride = {"领域": "出租", "名称": "出租 ($出发地 - $目的地)", "车型": "#CX", "车牌": "#CP"}
    return {
        "attraction": sights,
        "restaurant": [["饺子馆", shop]],
        "hotel": [["如家酒店", inn]],
        "metro": stops,
        "taxi": [["出租 ($出发地 - $目的地)", ride]],
    }


# The Ubuntu Dialogue Corpus

THINGS = ("disk", "sound", "screen", "printer", "kernel", "network", "mouse", "fan", "boot", "usb")
WORDS = ("is", "slow", "today", "again", "try", "the", "other", "one", "please", "now")


def ubuntu(data: Path) -> Path:
    """The three CSV files of the second release and a day of raw logs, under `data/ubuntu`."""
    folder = data / "ubuntu"
    folder.mkdir(parents=True)
    with (folder / "train.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Context", "Utterance", "Label"])
        rows.writerows(_pairs(60))
    for seed, name in enumerate(("valid", "test"), 7):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(
                ["Context", "Ground Truth Utterance", *(f"Distractor_{n}" for n in range(9))]
            )
            rows.writerows(_groups(20, seed))
    (folder / "logs").mkdir()
    (folder / "logs" / "2012-01-01.txt").write_text("\n".join(_log()) + "\n", encoding="utf-8")
    return data


def _line(thing: str, rng: Random) -> str:
    return f"{thing} {' '.join(rng.choices(WORDS, k=4))} __eou__"


def _context(thing: str, rng: Random) -> str:
    return "".join(f"{_line(thing, rng)} __eot__ " for _ in range(rng.randint(2, 4)))


def _pairs(count: int) -> Iterator[Sequence[str | int]]:
    rng = Random(1)
    for _ in range(count):
        thing, other = rng.sample(THINGS, 2)
        yield _context(thing, rng), _line(thing, rng), 1
        yield _context(thing, rng), _line(other, rng), 0


def _groups(count: int, seed: int) -> Iterator[Sequence[str]]:
    rng = Random(seed)
    for at in range(count):
        thing = THINGS[at % 10]
        others = [each for each in THINGS if each != thing]
        yield [_context(thing, rng), _line(thing, rng), *(_line(each, rng) for each in others)]


def _log() -> Iterator[str]:
    rng = Random(3)
    for talk in range(30):
        for turn in range(4):
            me, you = (f"ann{talk}", f"bob{talk}") if turn % 2 else (f"bob{talk}", f"ann{talk}")
            line = _line(THINGS[talk % 10], rng).removesuffix(" __eou__")
            yield f"[{talk // 6:02}:{talk % 6 * 10 + turn:02}] <{me}> {you}: {line}"


# Multi2WOZ

SAID: dict[str, tuple[str, ...]] = {
    "en": (
        "I am looking for a {price} restaurant in the {area} .",
        "What food would you like ?",
        "I would like {food} food , please .",
        "Shall I book a table ?",
        "Yes , please book it .",
        "It is booked . Anything else ?",
        "No , thank you . Goodbye .",
    ),
    "de": (
        "Ich suche ein {price} Restaurant im {area} .",
        "Welches Essen möchten Sie ?",
        "Ich möchte gerne {food} Essen , bitte .",
        "Soll ich einen Tisch reservieren ?",
        "Ja , bitte reservieren Sie ihn .",
        "Er ist reserviert . Noch etwas ?",
        "Nein , danke . Auf Wiedersehen .",
    ),
    "zh": (
        "我想在{area}找一家{price}餐厅。",
        "您想吃什么？",
        "请找{food}菜。",
        "要订位吗？",
        "好的，请预订。",
        "已经订好了。还有别的吗？",
        "没有了，谢谢，再见。",
    ),
    "ru": (
        "Я ищу {price} ресторан в районе {area} .",
        "Какую кухню вы хотите ?",
        "Я бы хотел {food} кухню , пожалуйста .",
        "Забронировать столик ?",
        "Да , пожалуйста .",
        "Готово . Что-нибудь ещё ?",
        "Нет , спасибо . До свидания .",
    ),
    "ar": (
        "أبحث عن مطعم {price} في {area} .",
        "أي طعام تريد ؟",
        "أريد طعاما {food} من فضلك .",
        "هل أحجز طاولة ؟",
        "نعم من فضلك .",
        "تم الحجز . هل تريد شيئا آخر ؟",
        "لا شكرا . مع السلامة .",
    ),
}
VALUES: dict[str, dict[str, str]] = {
    "en": {},
    "de": {
        "cheap": "billiges",
        "expensive": "teures",
        "north": "Norden",
        "centre": "Zentrum",
        "indian": "indisches",
        "italian": "italienisches",
    },
    "zh": {
        "cheap": "便宜的",
        "expensive": "昂贵的",
        "north": "北方",
        "centre": "中心",
        "indian": "印度",
        "italian": "意大利",
    },
    "ru": {
        "cheap": "дешёвый",
        "expensive": "дорогой",
        "north": "север",
        "centre": "центр",
        "indian": "индийскую",
        "italian": "итальянскую",
    },
    "ar": {
        "cheap": "رخيص",
        "expensive": "غالي",
        "north": "الشمال",
        "centre": "الوسط",
        "indian": "هنديا",
        "italian": "إيطاليا",
    },
}
CODES = {"de": "de", "zh": "cn", "ru": "ru", "ar": "ar"}


def multi2woz(data: Path) -> Path:
    """Dev and test in four languages, English MultiWOZ, and subtitles in English and Chinese."""
    for split, count, first in (("dev", 12, 0), ("test", 40, 100)):
        for language, code in CODES.items():
            listed = [_dials(first + each, language) for each in range(count)]
            _written(data / "multi2woz" / f"{split}_dials-{code}.json", listed)
    for name, count, first in (("train", 24, 300), ("val", 12, 0)):
        found = {f"MUL{first + each:04}.json": _log_of(first + each) for each in range(count)}
        _written(data / "multiwoz" / f"{name}.json.zip", found)
    _subtitles(data / "opensubtitles")
    return data


def _wish(number: int, language: str) -> dict[str, str]:
    rng = Random(number)
    wish = {
        "price": rng.choice(("cheap", "expensive")),
        "area": rng.choice(("north", "centre")),
        "food": rng.choice(("indian", "italian")),
    }
    return {name: VALUES[language].get(value, value) for name, value in wish.items()}


def _states(wish: dict[str, str]) -> list[dict[str, str]]:
    first = {"pricerange": wish["price"], "area": wish["area"]}
    return [first, *[{**first, "food": wish["food"]}] * 3]


def _dials(number: int, language: str) -> dict[str, Any]:
    """A dialogue of the processed files that the published code reads."""
    wish = _wish(number, language)
    said = [text.format(**wish) for text in SAID[language]]
    turns = []
    for at, state in enumerate(_states(wish)):
        slots = [[f"restaurant-{slot}", value] for slot, value in state.items()]
        turns.append(
            {
                "turn_idx": at,
                "domain": "restaurant",
                "transcript": said[2 * at],
                "system_transcript": said[2 * at - 1] if at else "",
                "belief_state": [{"slots": [each], "act": "inform"} for each in slots],
                "turn_label": slots if at < 2 else [],
                "transcript_delex": "",
                "system_transcript_delex": "",
                "belief_state_vec": "[]",
                "db_pointer": "[]",
            }
        )
    return {"dialogue_idx": f"MUL{number:04}.json", "domains": ["restaurant"], "dialogue": turns}


def _log_of(number: int) -> dict[str, Any]:
    """A dialogue of MultiWOZ 2.1, as ConvLab-2 ships it."""
    wish = _wish(number, "en")
    states, log = _states(wish), []
    for at, text in enumerate((*SAID["en"], "You are welcome .")):
        semi = {"food": "", "pricerange": "", "area": "", "name": ""}
        metadata = {
            "restaurant": {
                "book": {"booked": [], "people": "", "day": "", "time": ""},
                "semi": {**semi, **states[at // 2]},
            }
        }
        log.append(
            {"text": text.format(**wish), "metadata": metadata if at % 2 else {}, "dialog_act": {}}
        )
    return {"goal": {}, "log": log}


def _subtitles(folder: Path) -> None:
    """As OPUS packs OpenSubtitles: three aligned files in a zip."""
    rng, english, chinese, ids = Random(5), [], [], []
    words = ("I", "never", "thought", "that", "we", "would", "see", "the", "sea", "again", "today")
    signs = "我从来没有想过今天还能再次看见大海和你们"
    for film in range(6):
        for line in range(60):
            english.append(" ".join(rng.choices(words, k=12)) + " .")
            chinese.append("".join(rng.choices(signs, k=14)) + "。")
            where = [f"{code}/1999/{film}/{film}.xml.gz" for code in ("en", "zh_cn")]
            ids.append("\t".join([*where, str(line), str(line)]))
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "en-zh_cn.txt.zip", "w") as archive:
        for ending, lines in (("en", english), ("zh_cn", chinese), ("ids", ids)):
            archive.writestr(f"OpenSubtitles.en-zh_cn.{ending}", "\n".join(lines) + "\n")
