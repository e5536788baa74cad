# ruff: noqa: E501  (what people say is longer than a line)
"""Understanding by rules, as examples: where the talk is, what somebody says, what it means.

The context is the domain of the place offered last, `list` after two hotels, `ride` after a taxi.
"""

from functools import cache

import pytest

from crosstalk.dialogue.acts import NOTHING, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.worlds.world import find_world, load_world


@cache
def rules(code: str) -> RulesNLU:
    return RulesNLU(load_world("harbour", language=code), find_world("harbour"))


def user(text: str, *acts: Act) -> Turn:
    return Turn(Speaker.USER, text, acts)


def system(text: str, *acts: Act) -> Turn:
    return Turn(Speaker.SYSTEM, text, acts)


@cache
def names(code: str) -> dict[str, list[str]]:
    """Domain -> two of its places."""
    tables = load_world("harbour", language=code).tables
    places = ("attraction", "restaurant", "hotel")
    return {key: [str(row["name"]) for row in tables[key]][3:5] for key in places}


def history(code: str, context: str) -> list[Turn]:
    """What was said before: one place was offered, or two hotels, or a taxi was called."""
    if not context:
        return []
    if context == "list":
        offers = [Act("Recommend", "hotel", "name", name) for name in names(code)["hotel"]]
        text = ", ".join(names(code)["hotel"])
        return [user("", Act("Request", "hotel", "name", "")), system(text, *offers)]
    if context == "ride":
        ends = zip(("departure", "destination"), names(code)["attraction"], strict=True)
        return [user("", *(Act("Inform", "taxi", slot, name) for slot, name in ends)), system("")]
    name = names(code)[context][0]
    offer = Act("Inform", context, "name", name)
    return [user("", Act("Request", context, "name", "")), system(name, offer)]


def written(act: Act) -> str:
    """`Inform hotel.price = 199 crowns or less`, `Another hotel`, `General bye`."""
    slot = "" if act.slot == NOTHING else f".{act.slot}"
    value = "" if act.value in (NOTHING, "") else f" = {act.value}"
    return f"{act.intent} {act.domain}{slot}{value}"


def read(code: str, context: str, text: str) -> list[str]:
    acts = rules(code).understand(user(text), history(code, context))
    return [written(act) for act in acts]


ENGLISH = [
    ("hotel", "no parking needed", ["Drop hotel.services = paid parking"]),
    ("hotel", "without a pool is fine too", ["Drop hotel.services = swimming"]),
    ("restaurant", "no lamb either", ["Exclude restaurant.dishes = lamb", "Refine restaurant"]),
    (
        "restaurant",
        "do they have anything vegetarian?",
        ["Confirm restaurant.dishes = vegetarian dishes"],
    ),
    ("attraction", "is it expensive?", ["Request attraction.fee"]),
    ("attraction", "opening times?", ["Request attraction.hours"]),
    (
        "attraction",
        "something else than a museum",
        ["Exclude attraction.name = museum", "Refine attraction"],
    ),
    (
        "",
        "a hotel cheaper then 150",
        ["Inform hotel.price = 149 crowns or less", "Request hotel.name"],
    ),
    (
        "",
        "a hotel not more expensive that 180",
        ["Inform hotel.price = 180 crowns or less", "Request hotel.name"],
    ),
    (
        "",
        "the most highly rated restaurant",
        ["Request restaurant.name", "Sort restaurant.rating = max"],
    ),
    (
        "hotel",
        "I'd rather have a sauna instead of a spa",
        [
            "Drop hotel.services = spa treatments",
            "Inform hotel.services-sauna facilities = yes",
            "Refine hotel",
        ],
    ),
    ("", "give me 3 luxury hotels", ["Inform hotel.type = luxury", "List hotel = 3"]),
    (
        "",
        "a hotel near the zoo. actually no, a restaurant",
        ["Inform restaurant.nearby_attractions = City Zoo", "Request restaurant.name"],
    ),
    (
        "",
        "a hotel that won't cost more than 100",
        ["Inform hotel.price = 100 crowns or less", "Request hotel.name"],
    ),
    (
        "",
        "nothing over 200 crowns, a hotel please",
        ["Inform hotel.price = 200 crowns or less", "Request hotel.name"],
    ),
    (
        "",
        "a hotel under 200, sorry, 300",
        ["Inform hotel.price = 299 crowns or less", "Request hotel.name"],
    ),
    (
        "",
        "a restaurant between 50 and 100 crowns near the zoo",
        [
            "Inform restaurant.cost = 50-100 crowns",
            "Inform restaurant.nearby_attractions = City Zoo",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "I'd like to see something, but no museums or churches",
        [
            "Exclude attraction.name = cathedral",
            "Exclude attraction.name = chapel",
            "Exclude attraction.name = museum",
            "Request attraction.name",
        ],
    ),
    (
        "",
        "dinner, anything but fish",
        ["Exclude restaurant.dishes = fish", "Request restaurant.name"],
    ),
    (
        "",
        "a hotel with a pool but no sauna",
        [
            "Exclude hotel.services = sauna facilities",
            "Inform hotel.services-swimming = yes",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "a hotel near the zoo, no, near the aquarium",
        ["Inform hotel.nearby_attractions = Ocean Aquarium", "Request hotel.name"],
    ),
    (
        "",
        "I need somewhere to sleep close to the Ocean Aquarium and a place for dinner near there that won't cost more than 100 a head",
        [
            "Inform hotel.nearby_attractions = Ocean Aquarium",
            "Inform restaurant.cost = 100 crowns or less",
            "Inform restaurant.nearby_attractions = Ocean Aquarium",
            "Request hotel.name",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "a hotel with a pool under 500, and then a restaurant near it with seafood",
        [
            "Inform hotel.price = 499 crowns or less",
            "Inform hotel.services-swimming = yes",
            "Inform restaurant.dishes = seafood",
            "Request hotel.name",
            "Request restaurant.name",
            "Select restaurant.source = hotel",
        ],
    ),
    (
        "",
        "lookin for a hotell wiht a swiming pool n a gym, cheap as poss",
        [
            "Inform hotel.services-fitness equipment = yes",
            "Inform hotel.services-swimming = yes",
            "Request hotel.name",
            "Sort hotel.price = min",
        ],
    ),
    (
        "",
        "something to do for max 2 hours",
        ["Inform attraction.duration = max 2 hours", "Request attraction.name"],
    ),
    ("", "how many hotels have a pool?", ["Count hotel", "Inform hotel.services-swimming = yes"]),
    (
        "",
        "show me three hotels near the zoo",
        ["Inform hotel.nearby_attractions = City Zoo", "List hotel = 3"],
    ),
    (
        "",
        "taxi from the lighthouse, no wait, from the City Zoo to the Ocean Aquarium",
        [
            "Inform taxi.departure = City Zoo",
            "Inform taxi.destination = Ocean Aquarium",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("", "good night", ["General bye"]),
    ("", "hi, what can you do?", ["General help"]),
    ("hotel", "does it have a pool?", ["Request hotel.services-swimming"]),
    ("hotel", "is it near the zoo?", ["Confirm hotel.nearby_attractions = City Zoo"]),
    ("hotel", "is it cheaper than 200?", ["Confirm hotel.price = 199 crowns or less"]),
    ("hotel", "is it a luxury hotel?", ["Confirm hotel.type = luxury"]),
    (
        "hotel",
        "any with a sauna?",
        ["Inform hotel.services-sauna facilities = yes", "Refine hotel"],
    ),
    ("hotel", "something cheaper", ["Refine hotel", "Step hotel.price = less"]),
    (
        "hotel",
        "how much is it for three nights?",
        ["Multiply hotel.price = 3", "Request hotel.price"],
    ),
    (
        "hotel",
        "fine, forget about breakfast then, what else is there?",
        ["Another hotel", "Drop hotel.services = breakfast"],
    ),
    ("hotel", "price doesn't matter", ["Drop hotel.price"]),
    ("hotel", "would they let me bring my cat?", ["Unsupported hotel.pets = let me bring my cat"]),
    ("hotel", "how far is it from the zoo?", ["Unsupported hotel.distance = how far"]),
    (
        "hotel",
        "is it better rated than the Orsena Tower Hotel?",
        [
            "Compare hotel.rating = Seven Seas Grand Hotel|Orsena Tower Hotel",
            "Sort hotel.rating = max",
        ],
    ),
    (
        "hotel",
        "how do I get there from the zoo by metro?",
        [
            "Inform metro.departure = City Zoo",
            "Inform metro.destination = Seven Seas Grand Hotel",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    (
        "hotel",
        "any restaurants around there?",
        ["Inform restaurant.nearby_hotels = Seven Seas Grand Hotel", "List restaurant"],
    ),
    (
        "hotel",
        "not the Grand Hotel Halmora",
        ["Exclude hotel.name = Grand Hotel Halmora", "Refine hotel"],
    ),
    ("restaurant", "is it open on Mondays?", ["Confirm restaurant.hours = mon"]),
    ("restaurant", "can you get noodles there", ["Confirm restaurant.dishes = noodle"]),
    ("restaurant", "when does it shut?", ["Request restaurant.hours"]),
    ("attraction", "is it free?", ["Confirm attraction.fee = free"]),
    ("list", "the second one, what does it cost?", ["Pick hotel = 2", "Request hotel.price"]),
    (
        "list",
        "which of the two is cheaper?",
        [
            "Compare hotel.price = Seven Seas Grand Hotel|Belvedere Palace Hotel",
            "Sort hotel.price = min",
        ],
    ),
    (
        "ride",
        "and back again",
        [
            "Inform taxi.departure = Great Market Hall",
            "Inform taxi.destination = Cathedral of the Sea Star",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    (
        "ride",
        "by metro instead?",
        [
            "Inform metro.departure = Cathedral of the Sea Star",
            "Inform metro.destination = Great Market Hall",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    ("hotel", "sounds good, thanks", ["General thank"]),
    (
        "list",
        "which of them is near the zoo?",
        ["Inform hotel.nearby_attractions = City Zoo", "Refine hotel", "Which hotel"],
    ),
    (
        "list",
        "what do they cost?",
        [
            "Inform hotel.name = Belvedere Palace Hotel",
            "Inform hotel.name = Seven Seas Grand Hotel",
            "Request hotel.price",
        ],
    ),
    (
        "list",
        "how are both of them rated?",
        [
            "Inform hotel.name = Belvedere Palace Hotel",
            "Inform hotel.name = Seven Seas Grand Hotel",
            "Request hotel.rating",
        ],
    ),
    (
        "hotel",
        "something like that for half the price",
        ["Refine hotel", "Step hotel.price = half"],
    ),
    ("", "something cheap please", ["Inform .number = something cheap please"]),
    (
        "hotel",
        "is the City Zoo near it?",
        [
            "Confirm attraction.nearby_hotels = Seven Seas Grand Hotel",
            "Inform attraction.name = City Zoo",
        ],
    ),
    (
        "attraction",
        "what would five nights there cost?",
        ["Multiply hotel.price = 5", "Request hotel.price"],
    ),
    (
        "",
        "Hotel. City Zoo. Max 300.",
        [
            "Inform hotel.nearby_attractions = City Zoo",
            "Inform hotel.price = 300 crowns or less",
            "Request hotel.name",
        ],
    ),
    (
        "list",
        "which one is closer to the City Zoo?",
        [
            "Compare hotel.nearby_attractions = Seven Seas Grand Hotel|Belvedere Palace Hotel",
            "Inform hotel.nearby_attractions = City Zoo",
        ],
    ),
    (
        "",
        "a hotel with a pool that costs less than Opera Quay Hotel",
        [
            "Inform hotel.services-swimming = yes",
            "Request hotel.name",
            "Step hotel.price = less|Opera Quay Hotel",
        ],
    ),
    ("", "top 3 hotels by rating", ["List hotel = 3", "Sort hotel.rating = max"]),
    (
        "",
        "is the City Zoo open on mondays",
        ["Confirm attraction.hours = mon", "Inform attraction.name = City Zoo"],
    ),
    (
        "",
        "restaurants rated 4.5+ under 100",
        [
            "Inform restaurant.cost = 99 crowns or less",
            "Inform restaurant.rating = 4.5 points or more",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "a hotel and a restaurant, both near the City Zoo",
        [
            "Inform hotel.nearby_attractions = City Zoo",
            "Inform restaurant.nearby_attractions = City Zoo",
            "Request hotel.name",
            "Request restaurant.name",
        ],
    ),
    ("attraction", "is there parking there?", ["Unsupported attraction = parking"]),
    ("restaurant", "any oysters there?", ["Confirm restaurant.dishes = oyster"]),
    (
        "list",
        "the other one, what does it cost?",
        ["Inform hotel.name = Belvedere Palace Hotel", "Request hotel.price"],
    ),
    (
        "hotel",
        "near the zoo, not more than 500 a night",
        [
            "Inform hotel.nearby_attractions = City Zoo",
            "Inform hotel.price = 500 crowns or less",
            "Refine hotel",
        ],
    ),
    (
        "",
        "we'd like lunch for less than 80 a head",
        ["Inform restaurant.cost = 79 crowns or less", "Request restaurant.name"],
    ),
    (
        "hotel",
        "What's the address, and are there any restaurants nearby?",
        [
            "Inform restaurant.nearby_hotels = Seven Seas Grand Hotel",
            "List restaurant",
            "Request hotel.address",
        ],
    ),
    ("hotel", "The price is fine, what's the phone number?", ["Request hotel.phone"]),
    ("hotel", "Thanks for the information!", ["General thank"]),
    (
        "list",
        "Which one would you recommend?",
        [
            "Compare hotel.rating = Seven Seas Grand Hotel|Belvedere Palace Hotel",
            "Sort hotel.rating = max",
        ],
    ),
    (
        "",
        "It doesn't matter as long as it has free parking",
        ["Inform hotel.services-paid parking = yes"],
    ),
    ("hotel", "Can you find out if they have a pool", ["Request hotel.services-swimming"]),
    (
        "hotel",
        "I would like it to have free parking.",
        ["Inform hotel.services-paid parking = yes", "Refine hotel"],
    ),
    (
        "",
        "After dinner we want to see a museum",
        ["Inform attraction.name = museum", "Request attraction.name"],
    ),
]

GERMAN = [
    (
        "",
        "Ein Hotel, das nicht mehr als 200 Kronen kostet",
        ["Inform hotel.price = höchstens 200 Kronen", "Request hotel.name"],
    ),
    (
        "",
        "Ein Restaurant, nicht über 80 Kronen",
        ["Inform restaurant.cost = höchstens 80 Kronen", "Request restaurant.name"],
    ),
    (
        "",
        "Hotel ohne Sauna, aber mit Parkplatz",
        [
            "Exclude hotel.services = Saunabetrieb",
            "Inform hotel.services-Parkplätze = ja",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "Was kann man besichtigen? Aber kein Museum",
        ["Exclude attraction.name = Museum", "Request attraction.name"],
    ),
    (
        "",
        "Ich möchte essen gehen, aber bloß keinen Fisch und keine Meeresfrüchte",
        [
            "Exclude restaurant.dishes = Fisch",
            "Exclude restaurant.dishes = Meeresfrüchte",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "Zwei Sachen: ein Hotel am Schifffahrtsmuseum mit Parkplatz und ein Restaurant in der Gegend für höchstens 60 Kronen",
        [
            "Inform hotel.nearby_attractions = Schifffahrtsmuseum",
            "Inform hotel.services-Parkplätze = ja",
            "Inform restaurant.cost = höchstens 60 Kronen",
            "Inform restaurant.nearby_attractions = Schifffahrtsmuseum",
            "Request hotel.name",
            "Request restaurant.name",
        ],
    ),
    ("", "Das bestbewertete Hotel", ["Request hotel.name", "Sort hotel.rating = max"]),
    (
        "",
        "Wie viele Hotels haben ein Schwimmbad?",
        ["Count hotel", "Inform hotel.services-Schwimmbecken = ja"],
    ),
    (
        "",
        "Zeig mir drei Hotels mit Sauna",
        ["Inform hotel.services-Saunabetrieb = ja", "List hotel = 3"],
    ),
    (
        "",
        "Ein Taxi vom Stadtzoo zum Meeresaquarium, bitte",
        [
            "Inform taxi.departure = Stadtzoo",
            "Inform taxi.destination = Meeresaquarium",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("", "Guten Abend", ["General greet"]),
    ("hotel", "Hat es einen Pool?", ["Request hotel.services-Schwimmbecken"]),
    ("hotel", "Ist es in der Nähe vom Zoo?", ["Confirm hotel.nearby_attractions = Stadtzoo"]),
    ("hotel", "Ist das billiger als 300 Kronen?", ["Confirm hotel.price = höchstens 299 Kronen"]),
    (
        "hotel",
        "Was kostet es für drei Nächte?",
        ["Multiply hotel.price = 3", "Request hotel.price"],
    ),
    ("hotel", "Gibt es was Günstigeres?", ["Refine hotel", "Step hotel.price = less"]),
    ("hotel", "Den Parkplatz brauche ich nicht mehr", ["Drop hotel.services = Parkplätze"]),
    ("hotel", "Der Preis ist egal", ["Drop hotel.price"]),
    ("hotel", "Darf ich meinen Hund mitbringen?", ["Unsupported hotel.pets = meinen hund"]),
    ("hotel", "Wie weit ist es zum Zoo?", ["Unsupported hotel.distance = wie weit"]),
    (
        "hotel",
        "Wie komme ich vom Zoo dorthin?",
        [
            "Inform metro.departure = Stadtzoo",
            "Inform metro.destination = Grandhotel Sieben Meere",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    ("hotel", "Wie heißt die nächste U-Bahn-Haltestelle dort?", ["Request hotel.station"]),
    (
        "hotel",
        "Gibt's in der Nähe vom Hotel ein Lokal, das auch sonntags geöffnet ist?",
        [
            "Inform restaurant.hours = sun",
            "Inform restaurant.nearby_hotels = Grandhotel Sieben Meere",
            "Request restaurant.name",
        ],
    ),
    ("restaurant", "Haben die am Samstag auf?", ["Confirm restaurant.hours = sat"]),
    (
        "restaurant",
        "Ist das günstiger als bei den Drei Laternen?",
        [
            "Compare restaurant.cost = Pavillon zum Abendrot|Drei Laternen",
            "Sort restaurant.cost = min",
        ],
    ),
    ("restaurant", "Was steht auf der Karte?", ["Request restaurant.dishes"]),
    ("list", "Das zweite bitte", ["Pick hotel = 2"]),
    (
        "list",
        "Welches von beiden ist besser bewertet?",
        [
            "Compare hotel.rating = Grandhotel Sieben Meere|Palasthotel Belvedere",
            "Sort hotel.rating = max",
        ],
    ),
    (
        "ride",
        "Umgekehrt bitte",
        [
            "Inform taxi.departure = Große Markthalle",
            "Inform taxi.destination = Meerstern-Dom",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("hotel", "Alles klar, besten Dank!", ["General thank"]),
    ("hotel", "Noch ein anderes bitte", ["Another hotel"]),
    (
        "",
        "Museen bitte, aber keine, die mehr als 60 Kronen Eintritt kosten",
        [
            "Inform attraction.fee = höchstens 60 Kronen",
            "Inform attraction.name = Museum",
            "Request attraction.name",
        ],
    ),
    (
        "",
        "ein Hotel ohne Sauna unter 300 Kronen",
        [
            "Exclude hotel.services = Saunabetrieb",
            "Inform hotel.price = höchstens 299 Kronen",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "Ich will kein Hotel, das mehr als 400 kostet",
        ["Inform hotel.price = höchstens 400 Kronen", "Request hotel.name"],
    ),
    (
        "",
        "ein Restaurant, das die 70 Kronen nicht übersteigt",
        ["Inform restaurant.cost = höchstens 70 Kronen", "Request restaurant.name"],
    ),
    (
        "",
        "Ich will keine 200 Kronen fürs Hotel ausgeben",
        ["Inform hotel.price = höchstens 199 Kronen", "Request hotel.name"],
    ),
    (
        "",
        "Hotel für 300 bis höchstens 500",
        ["Inform hotel.price = 300 bis 500 Kronen", "Request hotel.name"],
    ),
    (
        "",
        "Hotel mit Pool, Sauna muss nicht sein",
        [
            "Drop hotel.services = Saunabetrieb",
            "Inform hotel.services-Schwimmbecken = ja",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "weder Fisch noch Fleisch, ein Restaurant bitte",
        [
            "Exclude restaurant.dishes = Fisch",
            "Exclude restaurant.dishes = Fleisch",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "Hotel. Preislimit: 280.",
        ["Inform hotel.price = höchstens 280 Kronen", "Request hotel.name"],
    ),
    (
        "",
        "wo gibts beim Aquarium Nudeln für weniger als 100 Kronen",
        [
            "Inform restaurant.cost = höchstens 99 Kronen",
            "Inform restaurant.dishes = Nudeln",
            "Inform restaurant.nearby_attractions = Meeresaquarium",
        ],
    ),
    (
        "restaurant",
        "Fisch hätte ich lieber nicht",
        ["Exclude restaurant.dishes = Fisch", "Refine restaurant"],
    ),
    ("restaurant", "ham die abends um elf noch auf?", ["Confirm restaurant.hours = 23"]),
    ("hotel", "am Zoo bitte", ["Inform hotel.nearby_attractions = Stadtzoo", "Refine hotel"]),
    ("hotel", "und wie siehts mit Parken aus", ["Request hotel.services-Parkplätze"]),
    (
        "list",
        "welches davon hat WLAN?",
        ["Compare hotel.services-WLAN = Grandhotel Sieben Meere|Palasthotel Belvedere"],
    ),
    (
        "list",
        "was kosten die?",
        [
            "Inform hotel.name = Grandhotel Sieben Meere",
            "Inform hotel.name = Palasthotel Belvedere",
            "Request hotel.price",
        ],
    ),
    ("hotel", "was ähnliches zum halben Preis", ["Refine hotel", "Step hotel.price = half"]),
    ("", "was Günstiges bitte", ["Inform .number = was gunstiges bitte"]),
    (
        "hotel",
        "Liegt der Stadtzoo in der Nähe?",
        [
            "Confirm attraction.nearby_hotels = Grandhotel Sieben Meere",
            "Inform attraction.name = Stadtzoo",
        ],
    ),
    (
        "restaurant",
        "welche mit 5 Punkten, die über 100 kosten?",
        [
            "Inform restaurant.cost = mindestens 101 Kronen",
            "Inform restaurant.rating = 5 Punkte",
            "List restaurant",
            "Refine restaurant",
        ],
    ),
    (
        "restaurant",
        "nicht schlechter als 4,5 und nicht über 130 Kronen",
        [
            "Inform restaurant.cost = höchstens 130 Kronen",
            "Inform restaurant.rating = mindestens 4,5 Punkte",
            "Refine restaurant",
        ],
    ),
    (
        "",
        "Hotel. Stadtzoo. Max 300.",
        [
            "Inform hotel.nearby_attractions = Stadtzoo",
            "Inform hotel.price = höchstens 300 Kronen",
            "Request hotel.name",
        ],
    ),
    ("", "das zweitbilligste Hotel", ["Pick hotel = 2", "Sort hotel.price = min"]),
    (
        "",
        "hat der Stadtzoo montags offen",
        ["Confirm attraction.hours = mon", "Inform attraction.name = Stadtzoo"],
    ),
    (
        "hotel",
        "sollte über 4,5 Sterne haben",
        ["Inform hotel.rating = mindestens 4,6 Punkte", "Refine hotel"],
    ),
    (
        "attraction",
        "Im Aquarium waren wir schon",
        ["Exclude attraction.name = Aquarium", "Refine attraction"],
    ),
    (
        "",
        "Hotel am Stadtzoo, aber nicht das Grand Hotel Halmora",
        [
            "Exclude hotel.name = Grand Hotel Halmora",
            "Inform hotel.nearby_attractions = Stadtzoo",
            "Request hotel.name",
        ],
    ),
    ("restaurant", "was Süßes", ["Inform restaurant.dishes = Süßes", "Refine restaurant"]),
    (
        "",
        "die drei günstigsten Hotels am Dom",
        [
            "Inform hotel.nearby_attractions = Meerstern-Dom",
            "List hotel = 3",
            "Sort hotel.price = min",
        ],
    ),
    ("hotel", "Der Preis passt, wie ist die Adresse?", ["Request hotel.address"]),
    (
        "",
        "Ein Restaurant mit moderaten Preisen, das Fisch serviert",
        [
            "Inform restaurant.cost = 65 bis 120 Kronen",
            "Inform restaurant.dishes = Fisch",
            "Request restaurant.name",
        ],
    ),
    (
        "list",
        "Was würden Sie empfehlen?",
        [
            "Compare hotel.rating = Grandhotel Sieben Meere|Palasthotel Belvedere",
            "Sort hotel.rating = max",
        ],
    ),
    (
        "",
        "Nach dem Essen wollen wir in ein Museum",
        ["Inform attraction.name = Museum", "Request attraction.name"],
    ),
]

RUSSIAN = [
    (
        "",
        "музей или театр, бесплатно",
        [
            "Inform attraction.fee = бесплатно",
            "Inform attraction.name = музей|театр",
            "Request attraction.name",
        ],
    ),
    (
        "",
        "У меня аллергия на рыбу, где поесть, чтобы рыбы в меню не было?",
        ["Exclude restaurant.dishes = рыба", "Request restaurant.name"],
    ),
    ("hotel", "метро?", ["Request hotel.station"]),
    (
        "list",
        "беру первый, как туда доехать от океанариума",
        [
            "Inform metro.departure = Океанариум",
            "Inform metro.destination = Гранд-отель «Семь морей»",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    ("hotel", "вдвое дешевле есть?", ["Refine hotel", "Step hotel.price = half"]),
    (
        "restaurant",
        "поищите лучше с оценкой не ниже 4,2",
        ["Inform restaurant.rating = 4,2 из 5 и выше", "Refine restaurant"],
    ),
    (
        "",
        "отель рядом с Губернаторским дворцом",
        ["Inform hotel.nearby_attractions = Губернаторский дворец", "Request hotel.name"],
    ),
    ("", "спасибо за помощь", ["General thank"]),
    ("hotel", "нет до 400", ["Inform hotel.price = не больше 400 крон", "Refine hotel"]),
    (
        "",
        "отель со спа или сауной",
        ["Inform hotel.services-спа-процедуры|сауна = да", "Request hotel.name"],
    ),
    (
        "attraction",
        "второй по цене?",
        ["Pick attraction = 2", "Refine attraction", "Sort attraction.fee = min"],
    ),
    (
        "",
        "отель не дороже 300 крон",
        ["Inform hotel.price = не больше 300 крон", "Request hotel.name"],
    ),
    (
        "",
        "не хочу тратить больше 80 крон, ресторан",
        ["Inform restaurant.cost = не больше 80 крон", "Request restaurant.name"],
    ),
    ("", "отель без сауны", ["Exclude hotel.services = сауна", "Request hotel.name"]),
    (
        "",
        "Куда сходить с ребёнком недалеко от Океанариума? Только не в музей и не дороже 100 крон",
        [
            "Exclude attraction.name = музей",
            "Inform attraction.fee = не больше 100 крон",
            "Inform attraction.nearby_attractions = Океанариум",
            "Request attraction.name",
        ],
    ),
    (
        "",
        "не хочу рыбу, хочу пельмени",
        ["Exclude restaurant.dishes = рыба", "Inform restaurant.dishes = пельмени"],
    ),
    (
        "",
        "что-нибудь кроме рыбы на ужин",
        ["Exclude restaurant.dishes = рыба", "Request restaurant.name"],
    ),
    (
        "",
        "Нужен отель с сауной возле Музея естественной истории и место неподалёку, где можно поесть до 50 крон",
        [
            "Inform hotel.nearby_attractions = Музей естественной истории",
            "Inform hotel.services-сауна = да",
            "Inform restaurant.cost = не больше 50 крон",
            "Inform restaurant.nearby_attractions = Музей естественной истории",
            "Request hotel.name",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "превет нужна гостинница подешевле у золотого песка",
        [
            "General greet",
            "Inform hotel.nearby_attractions = Пляж «Золотой песок»",
            "Inform hotel.price = не больше 215 крон",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "самый дешёвый ресторан рядом с Оперой",
        [
            "Inform restaurant.nearby_attractions = Опера на воде",
            "Request restaurant.name",
            "Sort restaurant.cost = min",
        ],
    ),
    ("", "сколько отелей с бассейном?", ["Count hotel", "Inform hotel.services-бассейн = да"]),
    ("", "покажи три отеля с сауной", ["Inform hotel.services-сауна = да", "List hotel = 3"]),
    (
        "",
        "такси от Городского зоопарка до Океанариума",
        [
            "Inform taxi.departure = Городской зоопарк",
            "Inform taxi.destination = Океанариум",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("hotel", "там есть бассейн?", ["Request hotel.services-бассейн"]),
    (
        "hotel",
        "Отель рядом с Хальморским планетарием?",
        ["Confirm hotel.nearby_attractions = Хальморский планетарий"],
    ),
    ("hotel", "это дешевле 300?", ["Confirm hotel.price = не больше 299 крон"]),
    ("hotel", "сколько стоит за три ночи?", ["Multiply hotel.price = 3", "Request hotel.price"]),
    ("hotel", "что-нибудь подешевле", ["Refine hotel", "Step hotel.price = less"]),
    ("hotel", "парковка больше не нужна", ["Drop hotel.services = парковка"]),
    ("hotel", "цена не важна", ["Drop hotel.price"]),
    ("hotel", "можно с собакой?", ["Unsupported hotel.pets = с собакой"]),
    ("hotel", "далеко ли до зоопарка?", ["Unsupported hotel.distance = далеко ли"]),
    ("hotel", "забронируйте номер", ["Unsupported hotel.booking = забронируйте"]),
    (
        "hotel",
        "как туда добраться от зоопарка?",
        [
            "Inform metro.departure = Городской зоопарк",
            "Inform metro.destination = Гранд-отель «Семь морей»",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    (
        "hotel",
        "где рядом поесть крабов",
        [
            "Inform restaurant.dishes = краб",
            "Inform restaurant.nearby_hotels = Гранд-отель «Семь морей»",
            "Request restaurant.name",
        ],
    ),
    (
        "attraction",
        "Сколько стоит вход на четверых?",
        ["Multiply attraction.fee = 4", "Request attraction.fee"],
    ),
    (
        "attraction",
        "И чтобы не дольше двух часов",
        ["Inform attraction.duration = не дольше 2 часов", "Refine attraction"],
    ),
    (
        "attraction",
        "Колесо обозрения не предлагать",
        ["Exclude attraction.name = колесо обозрения", "Refine attraction"],
    ),
    ("restaurant", "они работают в понедельник?", ["Confirm restaurant.hours = mon"]),
    ("list", "Второй сколько стоит?", ["Pick hotel = 2", "Request hotel.price"]),
    (
        "ride",
        "Ой, наоборот",
        [
            "Inform taxi.departure = Большой крытый рынок",
            "Inform taxi.destination = Собор Морской Звезды",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    (
        "ride",
        "А на метро?",
        [
            "Inform metro.departure = Собор Морской Звезды",
            "Inform metro.destination = Большой крытый рынок",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    ("hotel", "Понял, спасибо", ["General thank"]),
    (
        "",
        "отель от 4.5 баллов до 700 крон у Морского музея",
        [
            "Inform hotel.nearby_attractions = Морской музей",
            "Inform hotel.price = не больше 700 крон",
            "Inform hotel.rating = 4,5 из 5 и выше",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "гостиница не дороже полутора тысяч",
        ["Inform hotel.price = не больше 1500 крон", "Request hotel.name"],
    ),
    (
        "",
        "недарогой отель с басейном",
        [
            "Inform hotel.price = не больше 215 крон",
            "Inform hotel.services-бассейн = да",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "ресторан без рыбы и морепродуктов",
        [
            "Exclude restaurant.dishes = морепродукты",
            "Exclude restaurant.dishes = рыба",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "музей, который можно осмотреть за час",
        [
            "Inform attraction.duration = до 1 часа",
            "Inform attraction.name = музей",
            "Request attraction.name",
        ],
    ),
    (
        "",
        "такси от Большого крытого рынка до Старого маяка",
        [
            "Inform taxi.departure = Большой крытый рынок",
            "Inform taxi.destination = Старый маяк Хальморы",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    (
        "",
        "не предлагайте хостелы, нужен отель до 200",
        [
            "Exclude hotel.name = хостел",
            "Inform hotel.price = не больше 200 крон",
            "Request hotel.name",
        ],
    ),
    ("hotel", "парковка не обязательно", ["Drop hotel.services = парковка"]),
    ("hotel", "600 много, до 400", ["Inform hotel.price = не больше 400 крон", "Refine hotel"]),
    ("hotel", "а за три ночи на двоих?", ["Multiply hotel.price = 3", "Request hotel.price"]),
    ("hotel", "скок стоит", ["Request hotel.price"]),
    ("restaurant", "закрыто в понедельник?", ["Request restaurant.hours"]),
    ("restaurant", "открыт в 19:00?", ["Confirm restaurant.hours = 19"]),
    (
        "restaurant",
        "в субботу в десять вечера он ещё открыт?",
        ["Confirm restaurant.hours = sat 22"],
    ),
    (
        "hotel",
        "у зоопарка, до 350",
        [
            "Inform hotel.nearby_attractions = Городской зоопарк",
            "Inform hotel.price = не больше 350 крон",
            "Refine hotel",
        ],
    ),
    ("hotel", "в отеле спа есть?", ["Request hotel.services-спа-процедуры"]),
    (
        "",
        "Ресторан в умеренном ценовом диапазоне",
        ["Inform restaurant.cost = от 65 до 120 крон", "Request restaurant.name"],
    ),
    (
        "list",
        "Какой вы порекомендуете?",
        [
            "Compare hotel.rating = Гранд-отель «Семь морей»|Отель «Бельведер»",
            "Sort hotel.rating = max",
        ],
    ),
    (
        "",
        "После ужина хотим сходить в музей",
        ["Inform attraction.name = музей", "Request attraction.name"],
    ),
]

CHINESE = [
    ("list", "第三个评分多少", ["Pick hotel = 3", "Request hotel.rating"]),
    (
        "",
        "评分最高的免费景点",
        ["Inform attraction.fee = 免费", "Request attraction.name", "Sort attraction.rating = max"],
    ),
    (
        "",
        "千元以内的五星酒店",
        ["Inform hotel.price = 1000克朗以下", "Inform hotel.type = 豪华", "Request hotel.name"],
    ),
    ("", "预算最多三百一晚，找个酒店", ["Inform hotel.price = 300克朗以下", "Request hotel.name"]),
    ("", "300一晚的酒店", ["Inform hotel.price = 240-360克朗", "Request hotel.name"]),
    ("", "人均两三百的餐厅", ["Inform restaurant.cost = 200-300克朗", "Request restaurant.name"]),
    (
        "",
        "门票五十克朗打住的景点",
        ["Inform attraction.fee = 50克朗以下", "Request attraction.name"],
    ),
    (
        "",
        "评分四分半以上的餐厅",
        ["Inform restaurant.rating = 4.5分以上", "Request restaurant.name"],
    ),
    (
        "",
        "海鲜就算了，想吃点牛肉",
        [
            "Exclude restaurant.dishes = 海鲜",
            "Inform restaurant.dishes = 牛肉",
            "Request restaurant.name",
        ],
    ),
    ("", "想喝咖啡", ["Inform restaurant.dishes = 咖啡", "Request restaurant.name"]),
    ("", "酒殿要有游泳池", ["Inform hotel.services-泳池 = 是", "Request hotel.name"]),
    ("hotel", "住两晚的话多少", ["Multiply hotel.price = 2", "Request hotel.price"]),
    ("hotel", "有停车的地方没", ["Request hotel.services-收费停车位"]),
    ("hotel", "早餐无所谓", ["Drop hotel.services = 早餐"]),
    ("hotel", "必须能接机", ["Inform hotel.services-接机服务 = 是", "Refine hotel"]),
    ("attraction", "几点关门", ["Request attraction.hours"]),
    ("", "找一家不超过300克朗的酒店", ["Inform hotel.price = 300克朗以下", "Request hotel.name"]),
    ("", "酒店不要超过两百", ["Inform hotel.price = 200克朗以下", "Request hotel.name"]),
    ("", "不要带桑拿的酒店", ["Exclude hotel.services = 桑拿房", "Request hotel.name"]),
    (
        "",
        "下午想出去逛逛，别给我推荐博物馆，门票五十以内",
        [
            "Exclude attraction.name = 博物馆",
            "Inform attraction.fee = 50克朗以下",
            "Request attraction.name",
        ],
    ),
    ("", "除了鱼什么都行，想吃晚饭", ["Exclude restaurant.dishes = 鱼", "Request restaurant.name"]),
    ("", "评分最高的酒店是哪家", ["Request hotel.name", "Sort hotel.rating = max"]),
    (
        "",
        "我想吃面，人均60以下，在动物园附近",
        [
            "Inform restaurant.cost = 60克朗以下",
            "Inform restaurant.dishes = 面",
            "Inform restaurant.nearby_attractions = 市立动物园",
            "Request restaurant.name",
        ],
    ),
    ("", "一共有多少家酒店带桑拿？", ["Count hotel", "Inform hotel.services-桑拿房 = 是"]),
    ("", "推荐三家带早餐的酒店", ["Inform hotel.services-早餐 = 是", "List hotel = 3"]),
    (
        "",
        "从动物园打车到水族馆",
        [
            "Inform taxi.departure = 市立动物园",
            "Inform taxi.destination = 海洋水族馆",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("", "你好", ["General greet"]),
    ("hotel", "有泳池吗", ["Request hotel.services-泳池"]),
    ("hotel", "离动物园近吗", ["Confirm hotel.nearby_attractions = 市立动物园"]),
    ("hotel", "比300便宜吗", ["Confirm hotel.price = 300克朗以下"]),
    ("hotel", "住三晚多少钱", ["Multiply hotel.price = 3", "Request hotel.price"]),
    ("hotel", "有没有便宜一点的", ["Refine hotel", "Step hotel.price = less"]),
    ("hotel", "换一家", ["Another hotel"]),
    ("hotel", "停车位不需要了", ["Drop hotel.services = 收费停车位"]),
    ("hotel", "价格无所谓", ["Drop hotel.price"]),
    ("hotel", "可以带狗吗", ["Unsupported hotel.pets = 带狗"]),
    ("hotel", "离动物园多远", ["Unsupported hotel.distance = 多远"]),
    (
        "hotel",
        "怎么坐地铁去？我现在在总督府",
        [
            "Inform metro.departure = 总督府",
            "Inform metro.destination = 七海大酒店",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    (
        "hotel",
        "说错了，是水族馆旁边",
        ["Inform hotel.nearby_attractions = 海洋水族馆", "Refine hotel"],
    ),
    ("hotel", "一晚七百块封顶", ["Inform hotel.price = 700克朗以下", "Refine hotel"]),
    (
        "hotel",
        "它比欧瑟娜塔楼酒店贵吗",
        ["Compare hotel.price = 七海大酒店|欧瑟娜塔楼酒店", "Sort hotel.price = max"],
    ),
    (
        "hotel",
        "有泳池没有？健身房呢？",
        ["Request hotel.services-健身房", "Request hotel.services-泳池"],
    ),
    ("restaurant", "周一开门吗", ["Confirm restaurant.hours = mon"]),
    ("restaurant", "帮忙订个位，今晚七点", ["Unsupported restaurant.booking = 帮忙订"]),
    (
        "attraction",
        "教堂寺庙之类的也不要",
        [
            "Exclude attraction.name = 修道院",
            "Exclude attraction.name = 教堂",
            "Exclude attraction.name = 清真寺",
            "Exclude attraction.name = 礼拜堂",
            "Refine attraction",
        ],
    ),
    ("attraction", "要买票吗？", ["Request attraction.fee"]),
    ("attraction", "逛一圈大概要多长时间", ["Request attraction.duration"]),
    ("list", "第二家多少钱", ["Pick hotel = 2", "Request hotel.price"]),
    (
        "ride",
        "反过来",
        [
            "Inform taxi.departure = 中央市场大厅",
            "Inform taxi.destination = 海星圣母大教堂",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("hotel", "好嘞，走了", ["General bye", "General yes"]),
    (
        "",
        "金沙滩附近最便宜的三家酒店",
        ["Inform hotel.nearby_attractions = 金沙滩", "List hotel = 3", "Sort hotel.price = min"],
    ),
    ("hotel", "第二便宜的是哪个", ["Pick hotel = 2", "Refine hotel", "Sort hotel.price = min"]),
    ("hotel", "4.5分以下的别给我看", ["Inform hotel.rating = 4.5分以上", "Refine hotel"]),
    ("hotel", "贵了，船坞那个呢", ["Inform hotel.name = 船坞酒店"]),
    (
        "",
        "蓝锚客栈车站店一晚多少钱",
        ["Inform hotel.name = 蓝锚客栈（车站店）", "Request hotel.price"],
    ),
    ("restaurant", "它家有咖啡喝吗", ["Confirm restaurant.dishes = 咖啡"]),
    ("restaurant", "有螃蟹吃吗", ["Confirm restaurant.dishes = 蟹"]),
    ("hotel", "4.5分及以上的有吗", ["Inform hotel.rating = 4.5分以上", "Refine hotel"]),
    (
        "list",
        "便宜的那家有接机吗",
        [
            "Compare hotel.price = 七海大酒店|丽景宫酒店",
            "Request hotel.services-接机服务",
            "Sort hotel.price = min",
        ],
    ),
    (
        "list",
        "坐地铁怎么去第一家，我在市立动物园",
        [
            "Inform metro.departure = 市立动物园",
            "Inform metro.destination = 七海大酒店",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    (
        "attraction",
        "教堂附近有没有两百块以内的酒店",
        [
            "Inform hotel.nearby_attractions = 海星圣母大教堂",
            "Inform hotel.price = 200克朗以下",
            "Request hotel.name",
        ],
    ),
    ("hotel", "就天鹅客栈了，拜拜", ["General bye", "Inform hotel.name = 天鹅客栈"]),
    ("hotel", "没停车位也行", ["Drop hotel.services = 收费停车位"]),
    ("restaurant", "没有的话面也行", ["Inform restaurant.dishes = 面", "Refine restaurant"]),
    (
        "restaurant",
        "周六晚上九点还开着吗",
        ["Confirm restaurant.hours = sat 21"],
    ),
    ("restaurant", "有停车场吗", ["Unsupported restaurant = 停车场"]),
    (
        "attraction",
        "那边有住的地方吗",
        ["Inform hotel.nearby_attractions = 海星圣母大教堂", "List hotel"],
    ),
    ("hotel", "三个人住三晚呢", ["Multiply hotel.price = 3", "Request hotel.price"]),
    (
        "",
        "酒店 靠近中央市场大厅的 预算400",
        [
            "Inform hotel.nearby_attractions = 中央市场大厅",
            "Inform hotel.price = 400克朗以下",
            "Request hotel.name",
        ],
    ),
    (
        "",
        "帮我找自然历史博物馆旁边的酒店，再来一家博物馆附近人均六十以内的面馆",
        [
            "Inform hotel.nearby_attractions = 自然历史博物馆",
            "Inform restaurant.cost = 60克朗以下",
            "Inform restaurant.dishes = 面",
            "Inform restaurant.nearby_attractions = 自然历史博物馆",
            "Request hotel.name",
            "Request restaurant.name",
        ],
    ),
    ("hotel", "预算改成八十吧", ["Inform hotel.price = 80克朗以下", "Refine hotel"]),
    ("attraction", "最好别收门票", ["Inform attraction.fee = 免费", "Refine attraction"]),
    ("hotel", "那算了 给我电话我自己打", ["Request hotel.phone"]),
    ("hotel", "便宜一半的有没有", ["Refine hotel", "Step hotel.price = half"]),
    (
        "hotel",
        "电话是多少，周边有什么餐馆和景点？",
        [
            "Inform attraction.nearby_hotels = 七海大酒店",
            "Inform restaurant.nearby_hotels = 七海大酒店",
            "List attraction",
            "List restaurant",
            "Request hotel.phone",
        ],
    ),
    (
        "",
        "玩完之后我想找一家便宜的餐馆",
        ["Inform restaurant.cost = 65克朗以下", "Request restaurant.name"],
    ),
    ("hotel", "价格还可以，地址在哪？", ["Request hotel.address"]),
    (
        "",
        "我想找一个玩2小时 - 3小时的景点",
        ["Inform attraction.duration = 2到3小时", "Request attraction.name"],
    ),
    ("hotel", "十分感谢", ["General thank"]),
]

ARABIC = [
    ("hotel", "لا قصدي تحت 300", ["Inform hotel.price = 299 كرونة فأقل", "Refine hotel"]),
    (
        "",
        "مطعم تحت ال 50 وتقييمه فوق 4",
        [
            "Inform restaurant.cost = 49 كرونة فأقل",
            "Inform restaurant.rating = 4.1 من 5 فأكثر",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "فندق بالقرب من دار الأوبرا على الماء ومطعم فيه موسيقى حية",
        [
            "Inform hotel.nearby_attractions = دار الأوبرا على الماء",
            "Inform restaurant.dishes = موسيقى حيّة",
            "Request hotel.name",
            "Request restaurant.name",
        ],
    ),
    (
        "hotel",
        "لا خلاص أبي اللي فيه مواقف",
        ["Inform hotel.services-مواقف سيارات = نعم", "Refine hotel"],
    ),
    (
        "",
        "متحف أو حديقة ببلاش",
        [
            "Inform attraction.fee = مجاني",
            "Inform attraction.name = متحف|حديقة",
            "Request attraction.name",
        ],
    ),
    ("hotel", "مو بيت شباب", ["Exclude hotel.name = بيت شباب", "Refine hotel"]),
    ("hotel", "غالي؟", ["Request hotel.price"]),
    ("hotel", "أبي نص السعر", ["Refine hotel", "Step hotel.price = half"]),
    ("", "ما أرخص ثلاثة فنادق", ["List hotel = 3", "Sort hotel.price = min"]),
    ("hotel", "هل هناك محطة مترو بقربه؟", ["Request hotel.station"]),
    ("hotel", "عادي بدون مسبح", ["Drop hotel.services = مسبح"]),
    (
        "",
        "أريد فندقا لا يزيد سعره عن 300 كرونة",
        ["Inform hotel.price = 300 كرونة فأقل", "Request hotel.name"],
    ),
    (
        "",
        "مطعم لا يتجاوز 80 كرونة",
        ["Inform restaurant.cost = 80 كرونة فأقل", "Request restaurant.name"],
    ),
    ("", "فندق بدون ساونا", ["Exclude hotel.services = ساونا", "Request hotel.name"]),
    (
        "",
        "أريد زيارة مكان لكن ليس متحفا",
        ["Exclude attraction.name = متحف", "Request attraction.name"],
    ),
    (
        "",
        "أريد العشاء، أي شيء إلا السمك",
        ["Exclude restaurant.dishes = سمك", "Request restaurant.name"],
    ),
    (
        "",
        "ما أرخص فندق فيه مسبح في المدينة كلها؟",
        ["Inform hotel.services-مسبح = نعم", "Request hotel.name", "Sort hotel.price = min"],
    ),
    ("", "كم فندقا فيه مسبح؟", ["Count hotel", "Inform hotel.services-مسبح = نعم"]),
    (
        "",
        "اعرض لي الفنادق القريبة من حديقة حيوان المدينة",
        ["Inform hotel.nearby_attractions = حديقة حيوان المدينة", "List hotel"],
    ),
    (
        "",
        "أيهما أرخص: منتجع رأس المنارة أم منتجع اللازورد الصحي؟",
        ["Compare hotel.price = منتجع رأس المنارة|منتجع اللازورد الصحي", "Sort hotel.price = min"],
    ),
    (
        "",
        "سيارة أجرة من حديقة حيوان المدينة إلى أكواريوم المحيط",
        [
            "Inform taxi.departure = حديقة حيوان المدينة",
            "Inform taxi.destination = أكواريوم المحيط",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    ("", "مرحبا", ["General greet"]),
    ("hotel", "هل فيه مسبح؟", ["Request hotel.services-مسبح"]),
    (
        "hotel",
        "هل هو قريب من حديقة الحيوان؟",
        ["Confirm hotel.nearby_attractions = حديقة حيوان المدينة"],
    ),
    ("hotel", "هل هو أرخص من 300؟", ["Confirm hotel.price = 299 كرونة فأقل"]),
    ("hotel", "كم سعره لثلاث ليال؟", ["Multiply hotel.price = 3", "Request hotel.price"]),
    ("hotel", "أريد شيئا أرخص", ["Refine hotel", "Step hotel.price = less"]),
    ("hotel", "غيره من فضلك", ["Another hotel"]),
    ("hotel", "لم أعد أحتاج موقف سيارات", ["Drop hotel.services = مواقف سيارات"]),
    ("hotel", "السعر لا يهم", ["Drop hotel.price"]),
    ("hotel", "هل يمكنني إحضار كلبي؟", ["Unsupported hotel.pets = كلبي"]),
    ("hotel", "كم يبعد عن حديقة الحيوان؟", ["Unsupported hotel.distance = كم يبعد"]),
    ("hotel", "احجز لي غرفة", ["Unsupported hotel.booking = احجز"]),
    (
        "hotel",
        "كيف أصل إليه من حديقة الحيوان؟",
        [
            "Inform metro.departure = حديقة حيوان المدينة",
            "Inform metro.destination = فندق البحار السبعة الكبير",
            "Request metro.departure_station",
            "Request metro.destination_station",
        ],
    ),
    ("hotel", "أريد شيئًا غير فاخر هناك", ["Exclude hotel.type = فاخر", "Refine hotel"]),
    ("hotel", "ولا بد أن يكون فيه إفطار", ["Inform hotel.services-إفطار = نعم", "Refine hotel"]),
    ("hotel", "أعطني عنوانه لو سمحت", ["Request hotel.address"]),
    ("restaurant", "ما أبغى شي فيه سمك", ["Exclude restaurant.dishes = سمك", "Refine restaurant"]),
    ("restaurant", "متى يسكرون؟", ["Request restaurant.hours"]),
    (
        "restaurant",
        "فيه فندق قريب من المطعم ما يتعدى 400؟",
        [
            "Inform hotel.nearby_restaurants = جناح الغروب",
            "Inform hotel.price = 400 كرونة فأقل",
            "Request hotel.name",
        ],
    ),
    ("restaurant", "هل يفتح يوم الاثنين؟", ["Confirm restaurant.hours = mon"]),
    ("list", "الثاني كم سعره؟", ["Pick hotel = 2", "Request hotel.price"]),
    (
        "ride",
        "بالعكس",
        [
            "Inform taxi.departure = سوق هالمورا الكبير",
            "Inform taxi.destination = كاتدرائية نجمة البحر",
            "Request taxi.car",
            "Request taxi.plate",
        ],
    ),
    (
        "",
        "عايز مطعم فيه بط ومايزيدش عن ١٢٠ للفرد",
        [
            "Inform restaurant.cost = 120 كرونة فأقل",
            "Inform restaurant.dishes = بط",
            "Request restaurant.name",
        ],
    ),
    (
        "",
        "بدي أوتيل فوق 300 وتحت 500",
        ["Inform hotel.price = من 300 إلى 500 كرونة", "Request hotel.name"],
    ),
    (
        "",
        "فندق تقييمه ما يقل عن أربعة ونص",
        ["Inform hotel.rating = 4.5 من 5 فأكثر", "Request hotel.name"],
    ),
    (
        "",
        "مطعم بين الخمسين والمية للشخص",
        ["Inform restaurant.cost = من 50 إلى 100 كرونة", "Request restaurant.name"],
    ),
    (
        "",
        "مكان سياحي ما ياخذ أكثر من ساعة",
        ["Inform attraction.duration = ما ياخذ اكثر من 1 ساعه", "Request attraction.name"],
    ),
    (
        "",
        "مطعم بدون مأكولات بحرية",
        ["Exclude restaurant.dishes = مأكولات بحرية", "Request restaurant.name"],
    ),
    ("", "مطعم رخيص مره", ["Inform restaurant.cost = 65 كرونة فأقل", "Request restaurant.name"]),
    ("restaurant", "بيقفل الساعة كام؟", ["Request restaurant.hours"]),
    ("restaurant", "بيفتح الأحد؟", ["Confirm restaurant.hours = sun"]),
    (
        "restaurant",
        "شكد يطلع الحساب إذا احنا ستة؟",
        ["Multiply restaurant.cost = 6", "Request restaurant.cost"],
    ),
    ("restaurant", "بلاش سمك", ["Exclude restaurant.dishes = سمك", "Refine restaurant"]),
    ("hotel", "لا مو فندق، قصدي مطعم", ["Request restaurant.name"]),
    ("hotel", "بكام الليلة؟", ["Request hotel.price"]),
    ("hotel", "ما الأرخص؟", ["Refine hotel", "Sort hotel.price = min"]),
    (
        "hotel",
        "غالي، أقصد 400 مش 300",
        ["Inform hotel.price = من 320 إلى 480 كرونة", "Refine hotel"],
    ),
    (
        "list",
        "مين أغلى، الأول ولا الثاني؟",
        [
            "Compare hotel.price = فندق البحار السبعة الكبير|فندق قصر بلفيدير",
            "Sort hotel.price = max",
        ],
    ),
    ("hotel", "يعطيك الف عافيه", ["General thank"]),
    ("hotel", "نبدأ من الأول خالص", ["General restart"]),
    ("hotel", "ممتاز، مع السلامة", ["General bye", "General yes"]),
    (
        "list",
        "أيهما تنصح؟",
        [
            "Compare hotel.rating = فندق البحار السبعة الكبير|فندق قصر بلفيدير",
            "Sort hotel.rating = max",
        ],
    ),
    (
        "",
        "بعد العشاء نريد زيارة متحف",
        ["Inform attraction.name = متحف", "Request attraction.name"],
    ),
]


@pytest.mark.parametrize(("context", "text", "acts"), ENGLISH)
def test_english(context: str, text: str, acts: list[str]) -> None:
    assert read("en", context, text) == acts


@pytest.mark.parametrize(("context", "text", "acts"), GERMAN)
def test_german(context: str, text: str, acts: list[str]) -> None:
    assert read("de", context, text) == acts


@pytest.mark.parametrize(("context", "text", "acts"), RUSSIAN)
def test_russian(context: str, text: str, acts: list[str]) -> None:
    assert read("ru", context, text) == acts


@pytest.mark.parametrize(("context", "text", "acts"), CHINESE)
def test_chinese(context: str, text: str, acts: list[str]) -> None:
    assert read("zh", context, text) == acts


@pytest.mark.parametrize(("context", "text", "acts"), ARABIC)
def test_arabic(context: str, text: str, acts: list[str]) -> None:
    assert read("ar", context, text) == acts


def test_an_answer_is_joined_to_what_was_asked_before() -> None:
    """`A taxi to the zoo` - where from? - `the Ocean Aquarium`."""
    first = user("a taxi to the zoo", *rules("en").understand(user("a taxi to the zoo"), []))
    asked = system("Where do you start?", Act("Ask", "taxi", "departure", ""))
    acts = rules("en").understand(user("the Ocean Aquarium"), [first, asked])
    assert Act("Inform", "taxi", "departure", "Ocean Aquarium") in acts
    assert Act("Inform", "taxi", "destination", "City Zoo") in acts


def test_a_domain_that_was_asked_for_gives_the_wishes_before_their_meaning() -> None:
    """`Under 200 crowns` - what is it about? - `a hotel`."""
    first = user("under 200 crowns", *rules("en").understand(user("under 200 crowns"), []))
    asked = system("What is it about?", Act("Ask", "", "domain", ""))
    acts = rules("en").understand(user("a hotel"), [first, asked])
    assert Act("Inform", "hotel", "price", "199 crowns or less") in acts


def test_the_same_question_about_another_place() -> None:
    """`What is the phone number?` and then only `and the hotel's?`"""
    hotel, restaurant = history("en", "hotel"), history("en", "restaurant")
    asked = [user("the phone number?", Act("Request", "restaurant", "phone", "")), system("0482")]
    acts = rules("en").understand(user("and the hotel too?"), [*hotel, *restaurant, *asked])
    assert Act("Request", "hotel", "phone", "") in acts
