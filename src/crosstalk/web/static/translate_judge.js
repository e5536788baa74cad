// Quality control: two questions an utterance, kept as soon as both are answered.

import { $, el, fresh, say, show } from "./dom.js";
import { post } from "./requests.js";
import { Marks } from "./translate_marks.js";
import { secondsWorked } from "./translate_time.js";
import { given, problem, t } from "./words.js";

const { turns, dialogue } = given;
const list = $("turns");
const { source, target, sourceDir, targetDir } = list.dataset;

function drawProgress() {
  const done = turns.filter((turn) => turn.finished).length;
  say($("done"), t("translate.of", { n: done, all: turns.length }));
  $("done").classList.toggle("finished", done === turns.length);
  show($("finished"), done === turns.length);
}

function row(turn) {
  const told = el("span", { class: "note", role: "status" });
  const wrong = el("p", { class: "problem", role: "alert", hidden: true });
  const badge = el("span", { class: "badge" });
  const mark = () => {
    badge.textContent = t(turn.finished ? "translate.done" : "translate.todo");
    badge.classList.toggle("finished", turn.finished);
  };
  const keep = async () => {
    if (turn.acceptable === null || (turn.values.length && turn.values_match === null)) return;
    const body = { dialogue, turn: turn.turn, acceptable: turn.acceptable, values_match: turn.values_match, note: turn.note, marks: turn.marks, seconds: secondsWorked() };
    show(wrong, false);
    say(told, t("translate.saving"));
    try {
      turn.finished = (await post("/api/answer", body)).finished;
      say(told, t("translate.saved"));
    } catch (error) {
      say(told, "");
      say(wrong, problem(error));
      show(wrong, true);
    }
    mark();
    drawProgress();
  };
  mark();
  const text = el("div", { class: "source-text", lang: target, dir: targetDir }, turn.text);
  const marks = given.marks ? new Marks(turn, given.marks, text, keep).element : null;
  const values = turn.values.map((each) => el("li", {}, el("span", { class: "slot" }, `${each.slot}: `), el("bdi", { lang: source }, each.source), " → ", el("bdi", { lang: target }, each.form || "—")));
  return el(
    "li",
    { class: turn.speaker, id: `turn-${turn.turn}` },
    el(
      "div",
      { class: "editing" },
      el("span", { class: "pair-state" }, el("span", { class: "badge" }, t(`translate.${turn.speaker}`)), badge, told),
      el("div", { class: "pair" }, el("div", { class: "source-text", lang: source, dir: sourceDir }, turn.utterance), text),
      el("div", { class: "questions" }, question(turn, "acceptable", "question_text", keep), values.length ? question(turn, "values_match", "question_values", keep, el("ul", { class: "value-list" }, values)) : null, marks, note(turn, keep)),
      wrong,
    ),
  );
}

function question(turn, field, name, keep, details = null) {
  const choices = [true, false].map((value) => {
    const input = el("input", {
      type: "radio",
      name: `${field}-${turn.turn}`,
      onchange: () => {
        turn[field] = value;
        keep();
      },
    });
    input.checked = turn[field] === value;
    return el("label", {}, input, t(value ? "translate.yes" : "translate.no"));
  });
  return el("fieldset", { class: "question" }, el("legend", {}, t(`translate.${name}`)), el("small", {}, t(`translate.${name}_help`)), details, el("div", { class: "row" }, choices));
}

function note(turn, keep) {
  const field = el("textarea", {
    rows: 2,
    maxlength: 8000,
    dir: "auto",
    onchange: () => {
      turn.note = field.value;
      keep();
    },
  });
  field.value = turn.note;
  return el("label", {}, t("translate.note"), el("small", {}, t("translate.note_help")), field);
}

// Judging by keys: the utterance at hand is the one with the focus, else the first that is not done.
function items() {
  return [...list.children];
}

function atHand() {
  const held = document.activeElement?.closest("#turns > li");
  return held ?? items()[turns.findIndex((turn) => !turn.finished)] ?? items()[0];
}

function goTo(item) {
  item?.querySelector("input")?.focus();
  item?.scrollIntoView({ block: "center" });
}

function step(by) {
  const all = items();
  goTo(all[Math.max(0, Math.min(all.length - 1, all.indexOf(atHand()) + by))]);
}

function answer(yes) {
  const item = atHand();
  const questions = [...item.querySelectorAll(".question:has([type=radio])")];
  const question = questions.find((each) => !each.querySelector("input:checked")) ?? questions[0];
  question.querySelectorAll("input")[yes ? 0 : 1].click();
  if (questions.every((each) => each.querySelector("input:checked"))) goTo(item.nextElementSibling ?? item);
  else goTo(item);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.matches("textarea, select")) {
    if (event.key === "Escape") goTo(atHand());
    return;
  }
  const acts = { y: () => answer(true), n: () => answer(false), j: () => step(1), k: () => step(-1), o: () => atHand().querySelector("textarea").focus() };
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
});

fresh(list, turns.map(row));
drawProgress();
