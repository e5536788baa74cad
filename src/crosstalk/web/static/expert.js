// Annotating a dialogue again, blind: one turn after the other, with the room's own table and form.

import { Cells } from "./cells.js";
import { $, button, el, fresh, say, show } from "./dom.js";
import { restored, stored } from "./drafts.js";
import { WizardTurn } from "./expert_wizard.js";
import { plainHint } from "./hints.js";
import { post } from "./requests.js";
import { count, given, problem, t } from "./words.js";

const { turns, room, goal } = given;
const place = `expert:${given.worker}:${room}`;
const LETTERS = "abcdefghilmnopqrstvwxyz"; // without those that go from turn to turn and undo
const LONGEST_TURN = 60;
const MOST_UNDONE = 100;
const opinion = restored(place, null) ?? structuredClone(given.opinion);
const undone = [];
let current = 0;
let side = null;
let since = Date.now();

function at(number) {
  const blank = { state: "unseen", ticks: [], values: {}, dropped: [], first: null, last: null, selected: null, seconds: 0 };
  opinion[number] = Object.assign(opinion[number] ?? {}, { ...blank, ...opinion[number] }); // the same object
  return opinion[number];
}

function keep() {
  stored(place, opinion);
}

// Something was annotated in the turn that is open.
function said() {
  at(current).state = "said";
  keep();
  drawTurns();
}

function remember() {
  undone.push(JSON.stringify({ current, opinion }));
  if (undone.length > MOST_UNDONE) undone.shift();
}

async function view(number = current) {
  return post(`/api/expert/${room}/turn/${number}`, { turns: opinion });
}


// The user's side of a turn: the room's table, whose changes are kept here instead of sent to a partner.

class UserTurn {
  constructor(number) {
    this.number = number;
    this.said = at(number);
    this.draft = { text: turns[number].text, ticks: [...this.said.ticks], cells: {} };
    this.cells = new Cells(this, () => this.ticked());
  }

  async draw() {
    fresh($("form"), el("h2", {}, t("experts.user_turn")), el("div", { id: "cells" }), el("ul", { class: "findings", id: "hints" }));
    await this.refresh();
    if (side !== this) return;
    this.cells.rows.forEach((row, number) => LETTERS[number] && row.element.querySelector(".cell-name").append(el("kbd", {}, LETTERS[number])));
  }

  async refresh() {
    const found = await view(this.number);
    if (side !== this) return; // another turn was opened meanwhile
    this.view = { ...found, goal: { description: goal }, status: "open", your_turn: true };
    this.cells.show(this.view);
    const hints = found.hints.map((hint) => el("li", {}, plainHint(hint, hint.cell === null ? "" : this.cells.label(hint.cell))));
    fresh($("hints"), hints);
  }

  keep() {}

  ticked() {
    remember();
    this.said.ticks = [...this.draft.ticks];
    said();
    this.refresh();
  }

  // What a cell asks for; answers as the room's server would.
  async ask({ cell, value, sure, dropped }) {
    const before = structuredClone(this.said);
    remember();
    this.said.dropped = this.said.dropped.filter((each) => each !== cell);
    if (dropped) this.said.dropped.push(cell);
    else this.said.values[cell] = value;
    try {
      await this.refresh();
      const hint = this.view?.doubts.find((each) => each.cell === cell);
      if (hint && !sure) throw { code: "hints", hints: [hint] };
    } catch (refusal) {
      Object.assign(this.said, before);
      await this.refresh();
      throw refusal;
    }
    said();
  }

  key(letter) {
    if (!this.view) return false;
    if (letter === "=") {
      this.cells.focus(this.view.missing[0] ?? this.said.ticks[0] ?? 0);
      return true;
    }
    const row = this.cells.rows[LETTERS.indexOf(letter)];
    if (!row || row.tick.disabled) return false;
    this.cells.tick(row.cell.cell, !row.tick.checked);
    return true;
  }
}

async function open(number) {
  spend();
  current = Math.max(0, Math.min(number, turns.length - 1));
  at(current);
  drawTurns();
  $("back").disabled = current === 0;
  $("next").disabled = current === turns.length - 1;
  show($("problem"), false);
  const change = () => {
    remember();
    queueMicrotask(said); // once it is changed
  };
  side = turns[current].by === "user" ? new UserTurn(current) : new WizardTurn(turns[current], at(current), { view, change, isOpen: () => side === shown });
  const shown = side;
  try {
    await side.draw();
  } catch (error) {
    tell(problem(error));
  }
}

// Time spent on the turn that is open; what is longer was a pause.
function spend() {
  const seconds = Math.min(LONGEST_TURN, (Date.now() - since) / 1000);
  since = Date.now();
  if (side) at(current).seconds += Math.round(10 * seconds) / 10;
}

function drawTurns() {
  const list = turns.map((turn, number) => {
    const state = opinion[number]?.state ?? "unseen";
    const go = button("", () => open(number), { class: `turn-button ${turn.by}`, "aria-current": number === current ? "step" : null });
    const head = el("span", { class: "row" }, el("span", { class: "badge" }, t(`common.role_${turn.by}`)), el("span", { class: `badge state-${state}` }, t(`experts.turn_${state}`)));
    go.append(head, el("span", { class: "words", dir: "auto", lang: $("turns").lang }, turn.text));
    return el("li", { class: state }, go);
  });
  fresh($("turns"), list);
  $("turns").children[current].scrollIntoView({ block: "nearest" });
  const unseen = turns.filter((_, number) => (opinion[number]?.state ?? "unseen") === "unseen").length;
  say($("unseen"), unseen ? count("experts.unseen", unseen) : t("experts.all_seen"));
}

function next() {
  if (at(current).state === "unseen") at(current).state = "said"; // looked at, and agreed with as it is
  keep();
  send(false);
  open(current + 1);
}

function nothingHere() {
  remember();
  Object.assign(at(current), { state: "nothing", ticks: [], values: {}, dropped: [], first: null, last: null, selected: null });
  keep();
  send(false);
  open(current + 1);
}

function undo() {
  const before = undone.pop();
  if (!before) return;
  const found = JSON.parse(before);
  opinion.splice(0, opinion.length, ...found.opinion);
  keep();
  side = null;
  open(found.current);
}

function tell(text) {
  say($("problem"), text);
  show($("problem"), true);
}

let sure = false;

async function send(done) {
  for (let number = 0; number < turns.length; number += 1) at(number);
  try {
    const answer = await post(`/api/expert/${room}`, { turns: opinion, done: false });
    say($("saved"), t("common.saved"));
    if (done) await finish(answer.doubts);
  } catch (error) {
    tell(problem(error));
  }
}

// What is unusual is told once; whoever finishes again means it.
async function finish(doubts) {
  const unseen = opinion.findIndex((each) => each.state === "unseen");
  if (unseen >= 0) {
    await open(unseen);
    return tell(t("experts.look_at_all"));
  }
  if (doubts.length && !sure) {
    sure = true;
    say($("finish"), t("experts.finish_anyway"));
    return tell(doubts.map((code) => t(`experts.${code}`)).join(" "));
  }
  await post(`/api/expert/${room}`, { turns: opinion, done: true });
  stored(place, null);
  location.assign("/expert");
  return undefined;
}

function finishNow() {
  spend();
  if (at(current).state === "unseen" && turns.every((_, number) => number === current || (opinion[number]?.state ?? "unseen") !== "unseen")) at(current).state = "said";
  send(true);
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || event.metaKey) return;
  if (event.key === "Enter" && event.ctrlKey) {
    event.preventDefault();
    finishNow();
    return;
  }
  if (event.ctrlKey || event.target.matches("input:not([type=checkbox]), select, textarea")) {
    if (event.key === "Escape") document.activeElement.blur();
    return;
  }
  const onControl = event.target.matches("button, summary, a");
  const acts = { j: () => open(current + 1), k: () => open(current - 1), 0: nothingHere, u: undo };
  if (!onControl) acts.Enter = next;
  const act = acts[event.key] ?? (() => false);
  if (act() !== false || side?.key(event.key)) event.preventDefault();
});

$("back").addEventListener("click", () => open(current - 1));
$("next").addEventListener("click", next);
$("nothing").addEventListener("click", nothingHere);
$("undo").addEventListener("click", undo);
$("finish").addEventListener("click", finishNow);
const unseen = turns.findIndex((_, number) => (opinion[number]?.state ?? "unseen") === "unseen");
open(Math.max(0, unseen));
