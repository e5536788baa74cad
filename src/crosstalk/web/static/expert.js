// Annotating a dialogue again, blind: one turn after the other, what is said carries on.

import { makeControl } from "./controls.js";
import { $, button, el, fresh, say, show } from "./dom.js";
import { restored, stored } from "./drafts.js";
import { post } from "./requests.js";
import { given, list, problem, t } from "./words.js";

const { turns, cells, world, room } = given;
const place = `expert:${given.worker}:${room}`;
const opinion = restored(place, null) ?? structuredClone(given.opinion);
let current = Math.min(opinion.length, turns.length - 1);

function at(number) {
  opinion[number] ??= { ticks: [], values: {}, first: carriedForm(number), last: null, selected: {} };
  return opinion[number];
}

// The form as the wizard's turn before left it.
function carriedForm(number) {
  for (let before = number - 1; before >= 0; before -= 1)
    if (turns[before].by === "wizard" && opinion[before]) return structuredClone(opinion[before].last ?? opinion[before].first);
  return {};
}

// What a cell holds after the turns before this one.
function carriedValue(cell, number) {
  for (let before = number - 1; before >= 0; before -= 1)
    if (opinion[before] && String(cell.cell) in opinion[before].values) return opinion[before].values[cell.cell];
  return cell.value;
}

function open(number) {
  current = number;
  for (let before = 0; before <= number; before += 1) at(before);
  drawTurns();
  fresh($("form"), turns[number].by === "user" ? userForm(number) : wizardForm(number));
  $("back").disabled = number === 0;
  $("next").disabled = number === turns.length - 1;
  keep();
}

function drawTurns() {
  fresh(
    $("turns"),
    turns.map((turn, number) => {
      const go = button("", () => open(number), { class: `turn-button ${turn.by}`, "aria-current": number === current ? "step" : null });
      go.append(el("span", { class: "badge" }, t(`common.role_${turn.by}`)), el("span", { class: "words", dir: "auto" }, turn.text));
      return el("li", { class: opinion[number] ? "seen" : "" }, go);
    }),
  );
  $("turns").children[current].scrollIntoView({ block: "nearest" });
}

function keep() {
  stored(place, opinion);
}

function userForm(number) {
  const said = at(number);
  const rows = cells.map((cell) => cellRow(cell, number, said));
  return [el("h2", {}, t("experts.user_turn")), el("p", { class: "note" }, t("experts.user_text")), el("div", { class: "cells" }, rows)];
}

function cellRow(cell, number, said) {
  const tick = el("input", {
    type: "checkbox",
    onchange: () => {
      said.ticks = tick.checked ? [...said.ticks, cell.cell] : said.ticks.filter((each) => each !== cell.cell);
      keep();
    },
  });
  tick.checked = said.ticks.includes(cell.cell);
  const name = `${cell.subgoal} · ${cell.slot_name}`;
  const label = el("label", { class: "check" }, tick, el("span", {}, name), cell.constraint ? el("strong", {}, list([].concat(cell.wanted)) || "…") : null);
  return el("div", { class: "cell-row" }, label, valueInput(cell, number, said, name));
}

function valueInput(cell, number, said, name) {
  const now = said.values[cell.cell] ?? carriedValue(cell, number);
  const input = el("input", {
    type: "text",
    maxlength: 1000,
    dir: "auto",
    "aria-label": name,
    onchange: () => {
      const text = input.value.trim();
      said.values[cell.cell] = cell.several ? text.split(/[;；\n]/).map((each) => each.trim()).filter(Boolean) : text;
      keep();
    },
  });
  input.value = [].concat(now).join("; ");
  return input;
}

function wizardForm(number) {
  const said = at(number);
  const place = el("div", {});
  const draw = (which) => fresh(place, searches(said, which, draw), domains(said, which), selection(number, said));
  draw("first");
  return [el("h2", {}, t("experts.wizard_turn")), el("p", { class: "note" }, t("experts.wizard_text")), place];
}

function searches(said, which, draw) {
  const loosened = el("input", {
    type: "checkbox",
    onchange: () => {
      said.last = loosened.checked ? structuredClone(said.first) : null;
      keep();
      draw(loosened.checked ? "last" : "first");
    },
  });
  loosened.checked = said.last !== null;
  const tabs = ["first", "last"].map((each) =>
    button(t(`experts.${each}_search`), () => draw(each), { class: "chip", "aria-pressed": String(each === which), hidden: said.last === null }),
  );
  return el("div", { class: "row" }, el("label", { class: "check" }, loosened, t("experts.two_searches")), tabs);
}

function domains(said, which) {
  return world.domains.map((domain) => {
    const form = said[which] ?? said.first;
    const filled = Object.keys(form[domain.key] ?? {}).length > 0;
    const details = el("details", { class: "domain" }, el("summary", {}, domain.name, filled ? " •" : ""));
    details.open = filled;
    const build = () => details.children.length < 2 && details.append(fields(domain, form));
    details.addEventListener("toggle", build);
    if (filled) build();
    return details;
  });
}

function fields(domain, form) {
  const controls = new Map();
  const typed = () => {
    const values = [...controls].map(([slot, control]) => [slot, control.get()]);
    form[domain.key] = Object.fromEntries(values.filter(([, value]) => value && [].concat(value).length));
    keep();
  };
  for (const field of domain.fields) {
    const control = makeControl(field, typed);
    control.set(form[domain.key]?.[field.slot] ?? "", null);
    controls.set(field.slot, control);
  }
  return el("div", { class: "fields" }, [...controls.values()].map((control) => control.element));
}

function selection(number, said) {
  const names = turns[number].names;
  const chips = names.map(([domain, name]) => {
    const on = (said.selected[domain] ?? []).includes(name);
    const chip = button(name, () => {
      const now = new Set(said.selected[domain] ?? []);
      if (now.has(name)) now.delete(name);
      else now.add(name);
      said.selected[domain] = [...now];
      chip.setAttribute("aria-pressed", String(now.has(name)));
      keep();
    }, { class: "chip", "aria-pressed": String(on) });
    return chip;
  });
  if (!chips.length) return null;
  return el("div", { class: "selection" }, el("h3", {}, t("experts.selected")), el("div", { class: "row" }, chips));
}

async function send(done) {
  for (let number = 0; number < turns.length && done; number += 1) at(number);
  try {
    await post(`/api/expert/${room}`, { turns: opinion.map(forServer), done });
    say($("saved"), t("common.saved"));
    show($("problem"), false);
    if (done) {
      stored(place, null);
      location.assign("/expert");
    }
  } catch (error) {
    say($("problem"), problem(error));
    show($("problem"), true);
  }
}

function forServer(said, number) {
  const user = turns[number].by === "user";
  return user ? { ticks: said.ticks, values: said.values } : { first: said.first, last: said.last, selected: said.selected };
}

$("back").addEventListener("click", () => open(current - 1));
$("next").addEventListener("click", () => {
  send(false);
  open(current + 1);
});
$("finish").addEventListener("click", () => send(true));
open(current);
