// Two annotations side by side: decide each cause, by mouse or by keys, then settle.

import { $, say, show } from "./dom.js";
import { post } from "./requests.js";
import { count, given, problem, t } from "./words.js";

const form = $("settle");
const cards = [...(form?.querySelectorAll(".difference") ?? [])];

function chosen(card) {
  return card.querySelector("input[type=radio]:checked")?.value ?? "";
}

function choose(card, value) {
  const radio = card.querySelector(`input[value="${value}"]`);
  if (!radio) return;
  radio.checked = true;
  tellOpen();
}

function verdict(card) {
  const text = (name) => card.querySelector(`.${name}`)?.value.trim() ?? "";
  const own = chosen(card) === "own" ? { value: text("own") } : {};
  return { ...JSON.parse(card.dataset.place), choice: chosen(card), ...own, cause: text("cause"), sure: text("sure"), mend: text("mend") };
}

function tellOpen() {
  const open = cards.filter((card) => !chosen(card)).length;
  for (const card of cards) card.classList.toggle("decided", Boolean(chosen(card)));
  say($("undecided"), open ? count("experts.open", open) : t("experts.all_decided"));
}

function tell(text, good) {
  const place = $("problem");
  say(place, text);
  place.classList.toggle("good", good);
  show(place, true);
}

async function send(finished) {
  const { room, left, right } = given;
  const open = cards.find((card) => !chosen(card));
  if (finished && open) {
    tell(t("experts.decide_all"), false);
    return focus(open);
  }
  const verdicts = cards.filter(chosen).map(verdict);
  try {
    await post(`/api/admin/experts/${room}/settle`, { left, right, verdicts, finished });
    tell(t(finished ? "experts.settled_now" : "experts.kept_now"), true);
  } catch (error) {
    tell(problem(error), false);
  }
  return undefined;
}

function focus(card) {
  card?.focus();
  card?.scrollIntoView({ block: "center" });
}

function step(card, by) {
  const number = cards.indexOf(card) + by;
  if (number < cards.length) focus(cards[Math.max(0, number)]);
  else form.querySelector("button[type=submit]").focus();
}

// The keys of a card; in a text field letters are letters.
function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const card = event.target.closest(".difference");
  const typing = event.target.matches("input[type=text], select");
  if (!card && !["j", "k"].includes(event.key)) return;
  const acts = {
    a: () => choose(card, "a"),
    b: () => choose(card, "b"),
    e: () => own(card),
    j: () => step(card, 1),
    k: () => step(card, -1),
  };
  if (/^[1-6]$/.test(event.key)) acts[event.key] = () => (card.querySelector(".cause").selectedIndex = Number(event.key));
  const act = event.key === "Enter" && card ? () => step(card, 1) : typing ? null : acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function own(card) {
  choose(card, "own");
  card.querySelector(".own")?.focus();
}

function restore() {
  for (const made of given.made ?? []) {
    const same = (place) => place.turn === made.turn && place.operation === made.operation && place.search === made.search && place.cell.join() === made.cell.join();
    const card = cards.find((each) => same(JSON.parse(each.dataset.place)));
    if (!card) continue;
    choose(card, made.choice);
    for (const name of ["cause", "sure", "mend"]) card.querySelector(`.${name}`).value = made[name];
    if (made.choice === "own" && card.querySelector(".own")) card.querySelector(".own").value = made.value;
  }
}

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(true);
  });
  form.addEventListener("change", tellOpen);
  for (const card of cards) card.querySelector(".own")?.addEventListener("input", () => choose(card, "own"));
  $("later").addEventListener("click", () => send(false));
  $("all-left").addEventListener("click", () => cards.forEach((card) => choose(card, "a")));
  $("all-right").addEventListener("click", () => cards.forEach((card) => choose(card, "b")));
  document.addEventListener("keydown", key);
  restore();
  tellOpen();
  focus(cards.find((card) => !chosen(card)));
}
