// The training stage: one exercise after the other, each with feedback.

import { makeControl } from "./controls.js";
import { $, button, el, fresh, say, show } from "./dom.js";
import { get, post } from "./requests.js";
import { given, list, problem, t } from "./words.js";

const WIZARD = new Set(["query", "first_query", "select"]);
let items = [];
let current = 0;

async function start() {
  const training = await get("/api/training");
  items = training.items;
  const next = items.findIndex((item) => !item.done);
  if (training.passed && next < 0) return finish();
  return open(Math.max(0, next));
}

function open(number) {
  current = number;
  drawProgress();
  const item = items[number];
  const exercise = { ticks, fill, query, choice }[item.kind](item);
  const feedback = el("div", { class: "feedback", role: "status" });
  const check = el("button", { type: "submit", class: "primary" }, t("training.check"));
  const form = el("form", { class: "stack", onsubmit: (event) => answer(event, item, exercise, feedback, check) });
  form.append(...exercise.elements, feedback, el("div", { class: "row" }, check));
  fresh($("exercise"), ...heading(item, number), form);
  form.querySelector("input, select")?.focus({ preventScroll: true });
}

function drawProgress() {
  fresh(
    $("progress"),
    items.map((item, number) => {
      const state = number === current ? "now" : item.done ? "done" : "";
      return el("li", { class: state, "aria-current": number === current ? "step" : null }, String(number + 1));
    }),
  );
}

function heading(item, number) {
  const side = WIZARD.has(item.item) ? "training.for_wizard" : "training.for_user";
  const step = t("training.step", { n: number + 1, all: items.length });
  return [
    el("p", { class: "eyebrow" }, `${step} · ${t(side)}`),
    el("h2", {}, t(`training.${item.item}`)),
    item.kind === "choice" ? null : el("p", {}, t(`training.${item.item}_text`, { value: item.text })),
  ].filter(Boolean);
}

function quote(item) {
  return el("blockquote", { lang: given.world.language, dir: "auto" }, item.text);
}

function table(rows) {
  return el("div", { class: "example", lang: given.world.language, dir: given.world.direction }, rows);
}

function words(cell) {
  return list([].concat(cell.value)) || "?";
}

function ticks(item) {
  const boxes = item.cells.map((cell) => el("input", { type: "checkbox", value: cell.cell }));
  const rows = item.cells.map((cell, number) =>
    el("label", { class: "check example-row" }, boxes[number], el("span", {}, cell.slot_name), el("strong", {}, words(cell))),
  );
  return {
    elements: [quote(item), table(rows)],
    read: () => boxes.filter((box) => box.checked).map((box) => Number(box.value)),
    reveal: (expected) => list(expected.map((number) => item.cells[number].slot_name)),
  };
}

function fill(item) {
  const inputs = new Map();
  const rows = item.cells.map((cell) => {
    const empty = words(cell) === "?";
    const input = el("input", { type: "text", dir: "auto", autocomplete: "off" });
    if (empty) inputs.set(cell.cell, input);
    return el("label", { class: "example-row" }, el("span", {}, cell.slot_name), empty ? input : el("strong", {}, words(cell)));
  });
  const misplaced = () => [...inputs].some(([number, input]) => number !== item.cell && input.value.trim());
  const slot = item.cells.find((cell) => cell.cell === item.cell).slot_name;
  return {
    elements: [table(rows)],
    read: () => (misplaced() ? "" : inputs.get(item.cell).value.trim()),
    reveal: (expected) => `${slot}: ${expected}`,
  };
}

function query(item) {
  const domain = given.world.domains.find((each) => each.key === item.domain);
  const controls = new Map(domain.fields.map((field) => [field.slot, makeControl(field, () => {})]));
  const elements = [...controls.values()].map((control) => control.element);
  const name = (slot) => domain.fields.find((field) => field.slot === slot).name;
  return {
    elements: [quote(item), el("div", { class: "fields", lang: given.world.language, dir: given.world.direction }, elements)],
    read: () => {
      for (const control of controls.values()) control.settle?.();
      const found = [...controls].map(([slot, control]) => [slot, control.get()]);
      return Object.fromEntries(found.filter(([, value]) => value && [].concat(value).length));
    },
    reveal: (expected) => Object.entries(expected).map(([slot, value]) => `${name(slot)}: ${list([].concat(value))}`).join("; "),
  };
}

function choice(item) {
  const radios = item.options.map((option) => el("input", { type: "radio", name: "option", value: option, required: true }));
  const rows = item.options.map((option, number) =>
    el("label", { class: "check example-row" }, radios[number], el("span", {}, t(`training.${item.item}_${option}`))),
  );
  return {
    elements: [el("div", { class: "example", role: "radiogroup", "aria-label": t("training.your_answer") }, rows)],
    read: () => radios.find((radio) => radio.checked)?.value ?? "",
    reveal: (expected) => t(`training.${item.item}_${expected}`),
  };
}

async function answer(event, item, exercise, feedback, check) {
  event.preventDefault();
  check.disabled = true;
  try {
    const told = await post(`/api/training/${item.item}`, { answer: exercise.read() });
    if (told.ended) return location.assign("/done");
    item.done = item.done || told.right;
    drawProgress();
    showFeedback(item, exercise, feedback, told);
    show(check, !told.right);
    say(check, t("training.again"));
  } catch (error) {
    say($("problem"), problem(error));
    show($("problem"), true);
  } finally {
    check.disabled = false;
  }
}

function showFeedback(item, exercise, feedback, told) {
  feedback.className = `feedback ${told.right ? "right" : "wrong"}`;
  const more = told.right ? button(t("training.next"), next, { class: "primary" }) : null;
  fresh(
    feedback,
    el("strong", {}, t(told.right ? "training.right" : "training.wrong")),
    told.right ? null : el("p", { class: "expected" }, exercise.reveal(told.expected)),
    el("p", {}, t(`training.why_${item.item}`)),
    more,
  );
  more?.focus();
}

function next() {
  const after = items.findIndex((item, number) => number > current && !item.done);
  const missing = after < 0 ? items.findIndex((item) => !item.done) : after;
  if (missing < 0) finish();
  else open(missing);
}

function finish() {
  current = -1;
  drawProgress();
  const go = el("a", { class: "button primary", href: "/lobby" }, t("training.to_lobby"));
  fresh($("exercise"), el("h2", {}, t("training.passed")), el("p", {}, t("training.passed_text")), el("div", { class: "row" }, go));
  go.focus();
}

start().catch((error) => {
  say($("problem"), problem(error));
  show($("problem"), true);
});
