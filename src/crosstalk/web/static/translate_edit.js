// Editing one dialogue: every turn side by side, one of them open, checked while somebody types.

import { $, button, el, fresh, say, show, uuid } from "./dom.js";
import { restored, stored } from "./drafts.js";
import { post } from "./requests.js";
import { difference } from "./translate_diff.js";
import { secondsWorked } from "./translate_time.js";
import { given, problem, t } from "./words.js";

const PAUSE = 300; // milliseconds without typing before a check
const { turns, dialogue } = given;
const list = $("turns");
const { source, target, sourceDir, targetDir } = list.dataset;
const rows = turns.map((turn) => ({ turn, draft: draftOf(turn), saving: null, checks: turn }));
let open = null;

function place(turn) {
  return `translate:${given.file}:${given.who}:${dialogue}:${turn.turn}`;
}

// What was typed and not saved survives, also what somebody else saved meanwhile: it shows as unsaved beside it.
function draftOf(turn) {
  const kept = restored(place(turn), null);
  if (kept && kept.values?.length === turn.values.length) return { ...kept, revision: turn.revision };
  return { text: turn.text, values: turn.values.map((each) => each.value), revision: turn.revision };
}

function isDirty(row) {
  const { turn, draft } = row;
  return draft.text !== turn.text || draft.values.some((value, number) => value !== turn.values[number].value);
}

function pairs(row) {
  return row.turn.values.map((each, number) => [each.slot, row.draft.values[number]]);
}

// Drawing

function draw() {
  fresh(list, rows.map((row) => (row === open ? openTurn(row) : closedTurn(row))));
  const done = rows.filter((row) => row.turn.finished).length;
  say($("done"), t("translate.of", { n: done, all: rows.length }));
  $("done").classList.toggle("finished", done === rows.length);
  show($("finished"), done === rows.length && open === null);
}

function item(row, ...children) {
  return el("li", { class: `${row.turn.speaker} ${row === open ? "open" : ""}`, id: `turn-${row.turn.turn}` }, children);
}

function closedTurn(row) {
  const { turn, draft } = row;
  const go = el(
    "button",
    { type: "button", class: "pair-open", onclick: () => choose(row) },
    el("span", { class: "pair-state" }, states(row)),
    el(
      "span",
      { class: "pair" },
      el("span", { class: "pair-text", lang: source, dir: sourceDir }, marked(turn)),
      el("span", { class: `pair-text ${turn.finished ? "" : "faint"}`, lang: target, dir: targetDir }, draft.text || "—"),
    ),
  );
  return item(row, go);
}

function states(row) {
  const problems = row.checks.findings.filter((each) => each.problem).length;
  return [
    el("span", { class: "badge" }, t(`translate.${row.turn.speaker}`)),
    el("span", { class: `badge ${row.turn.finished ? "finished" : ""}` }, t(row.turn.finished ? "translate.done" : "translate.todo")),
    isDirty(row) ? el("span", { class: "badge warning" }, t("translate.unsaved")) : null,
    problems ? el("span", { class: "badge problem-badge" }, `⚠ ${problems}`) : null,
  ];
}

// The source with its values marked.
function marked(turn) {
  const wanted = turn.values.filter((each) => !each.label && each.source).map((each) => each.source.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return [turn.utterance];
  const split = turn.utterance.split(new RegExp(`(${wanted.sort((a, b) => b.length - a.length).join("|")})`, "i"));
  return split.map((part, number) => (number % 2 ? el("mark", {}, part) : part));
}

function openTurn(row) {
  const { turn, draft } = row;
  const field = el("textarea", {
    lang: target,
    dir: targetDir,
    rows: 3,
    maxlength: 8000,
    spellcheck: "true",
    "aria-label": t("translate.translation"),
    oninput: () => {
      draft.text = field.value;
      typed(row);
    },
  });
  field.value = draft.text;
  row.field = field;
  row.machine = el("div", { class: "machine", lang: target, dir: targetDir });
  row.states = el("span", { class: "pair-state" }, states(row));
  row.findings = el("div", { "aria-live": "polite" });
  row.told = el("span", { class: "note", role: "status" });
  row.problem = el("p", { class: "problem", role: "alert", hidden: true });
  row.valueStates = [];
  const left = turn.untranslated.length ? el("p", { class: "note", dir: "auto" }, t("translate.untranslated", { words: turn.untranslated.join(", ") })) : null;
  const editing = el(
    "div",
    { class: "editing" },
    row.states,
    el("div", { class: "pair" }, el("div", { class: "source-text", lang: source, dir: sourceDir }, marked(turn)), field),
    el("div", {}, el("h2", {}, t("translate.machine")), row.machine, left),
    el("div", {}, el("h2", {}, t("translate.values")), values(row)),
    el("div", {}, el("h2", {}, t("translate.checks")), row.findings),
    row.problem,
    el(
      "div",
      { class: "row" },
      button(t("translate.save_next"), () => save(row, true), { class: "primary" }),
      button(t("translate.save"), () => save(row, false)),
      button(t("translate.undo"), () => undo(row), { class: "quiet" }),
      row.told,
    ),
  );
  drawMachine(row);
  drawChecks(row);
  return item(row, editing);
}

function values(row) {
  if (!row.turn.values.length) return el("p", { class: "note" }, t("translate.no_values"));
  return el("div", { class: "value-rows" }, row.turn.values.map((each, number) => valueRow(row, each, number)));
}

function valueRow(row, each, number) {
  const input = el("input", {
    type: "text",
    lang: target,
    dir: "auto",
    maxlength: 8000,
    "aria-label": `${each.slot}: ${each.source}`,
    oninput: () => {
      row.draft.values[number] = input.value;
      typed(row);
    },
  });
  input.value = row.draft.values[number];
  const state = el("div", { class: "state" });
  row.valueStates[number] = { state, input, each };
  return el("div", { class: "value-row" }, el("div", { class: "source-value" }, el("span", { class: "slot" }, each.slot), " ", el("bdi", { lang: source }, each.source)), input, state);
}

function drawValue(row, number) {
  const { state, input, each } = row.valueStates[number];
  const aligned = row.checks.alignments.find((value, place) => value.slot === each.slot && sameTurnOf(row, number, place));
  const found = aligned?.found ?? "ignored";
  const useForm = each.form && each.form !== input.value && !each.label;
  fresh(
    state,
    el("span", { class: `badge ${found}` }, t(`translate.${found}`, { words: aligned?.words ?? "" })),
    useForm ? button(t("translate.use_form", { form: each.form }), () => setValue(row, number, each.form), { class: "link" }) : null,
    !each.label && input.value && input.value !== each.form ? button(t("translate.keep_form"), () => keepForm(row, number), { class: "link" }) : null,
  );
}

// Which of several values of one slot: the first with the first.
function sameTurnOf(row, number, place) {
  const slot = row.turn.values[number].slot;
  const before = row.turn.values.slice(0, number).filter((each) => each.slot === slot).length;
  return row.checks.alignments.slice(0, place).filter((value) => value.slot === slot).length === before;
}

function setValue(row, number, value) {
  row.draft.values[number] = value;
  row.valueStates[number].input.value = value;
  typed(row);
}

async function keepForm(row, number) {
  const { each, input } = row.valueStates[number];
  await attempt(row, async () => {
    const answer = await post("/api/term", { slot: each.slot, source: each.source, form: input.value });
    for (const other of rows) for (const value of other.turn.values) if (value.slot === each.slot && value.source === each.source) value.form = answer.form;
    say(row.told, t("translate.form_kept"));
    drawValue(row, number);
    check(row);
  });
}

function drawMachine(row) {
  const { turn, draft } = row;
  if (!turn.machine) return fresh(row.machine, el("span", { class: "note" }, t("translate.machine_none")));
  const tags = { same: "span", gone: "del", new: "ins" };
  const parts = difference(turn.machine, draft.text).map(([kind, text]) => el(tags[kind], {}, text));
  const same = turn.machine === draft.text ? el("span", { class: "note" }, ` · ${t("translate.machine_same")}`) : null;
  fresh(row.machine, parts, same);
}

function drawChecks(row) {
  fresh(row.states, states(row));
  for (let number = 0; number < row.turn.values.length; number += 1) drawValue(row, number);
  const found = row.checks.findings;
  const lines = found.map((each) => el("li", { class: each.problem ? "is-problem" : "" }, each.slot ? el("span", { class: "slot" }, `${each.slot}: `) : null, t(`translate.finding_${each.code}`, { what: each.what })));
  fresh(row.findings, lines.length ? el("ul", { class: "findings" }, lines) : el("p", { class: "note" }, t("translate.no_findings")));
}

// Doing

function typed(row) {
  stored(place(row.turn), isDirty(row) ? { ...row.draft, revision: row.turn.revision } : null);
  say(row.told, "");
  row.sure = false;
  show(row.problem, false);
  drawMachine(row);
  fresh(row.states, states(row));
  clearTimeout(row.timer);
  row.timer = setTimeout(() => check(row), PAUSE);
}

async function check(row) {
  const asked = (row.asked = (row.asked ?? 0) + 1);
  try {
    const answer = await post("/api/check", { dialogue, turn: row.turn.turn, text: row.draft.text, values: pairs(row) });
    if (asked !== row.asked) return; // somebody typed on
    row.checks = answer;
    if (row === open) drawChecks(row);
  } catch {
    // the next key asks again; saving tells what is wrong
  }
}

async function attempt(row, act) {
  show(row.problem, false);
  try {
    await act();
    return true;
  } catch (error) {
    if (error?.code === "doubtful") ask(row, error.message);
    else say(row.problem, problem(error));
    show(row.problem, true);
    say(row.told, "");
    return false;
  }
}

// Something seems to be missing: saving again, by button or keys, means it.
function ask(row, what) {
  row.sure = true;
  fresh(row.problem, t("translate.doubtful", { what: `${what}.` }), " ", button(t("translate.save_anyway"), () => save(row, true)));
}

async function save(row, goOn) {
  if (row.saving) return;
  row.saving = true;
  row.client ??= uuid(); // the same save is sent again under the same name until it is answered
  const sent = { text: row.draft.text, values: [...row.draft.values] };
  const body = { dialogue, turn: row.turn.turn, text: sent.text, values: pairs(row), revision: row.turn.revision, seconds: secondsWorked() + (row.unsent ?? 0), id: row.client, sure: Boolean(row.sure) };
  say(row.told, t("translate.saving"));
  const kept = await attempt(row, async () => {
    const answer = await post("/api/save", body);
    Object.assign(row.turn, { text: sent.text, finished: true, revision: answer.revision });
    row.turn.values.forEach((each, number) => (each.value = sent.values[number]));
    row.draft.revision = answer.revision;
    row.checks = answer;
    stored(place(row.turn), isDirty(row) ? row.draft : null);
  });
  row.saving = false;
  row.unsent = kept ? 0 : body.seconds;
  if (!kept) return;
  row.client = null;
  row.sure = false;
  if (goOn) next(row);
  else draw();
  say((open ?? row).told ?? $("done"), t("translate.saved"));
  open?.field?.focus();
}

function undo(row) {
  row.draft.text = row.turn.machine;
  row.draft.values = row.turn.values.map((each) => each.machine);
  row.field.value = row.draft.text;
  row.valueStates.forEach(({ input }, number) => (input.value = row.draft.values[number]));
  typed(row);
}

function choose(row) {
  open = row;
  draw();
  if (!row) return;
  const element = $(`turn-${row.turn.turn}`);
  element.scrollIntoView({ block: "center" });
  row.field.focus({ preventScroll: true });
}

// The next turn that is not done, after this one or from the beginning.
function next(row) {
  const number = rows.indexOf(row);
  const order = [...rows.slice(number + 1), ...rows.slice(0, number)];
  choose(order.find((each) => !each.turn.finished) ?? null);
  if (!open) $("finished").scrollIntoView({ block: "center" });
}

function move(step) {
  const number = open ? rows.indexOf(open) + step : 0;
  if (rows[number]) choose(rows[number]);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && open) {
    event.preventDefault();
    save(open, true);
  } else if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  }
});

addEventListener("beforeunload", (event) => {
  if (rows.some((row) => row.saving)) event.preventDefault();
});

const named = rows.find((row) => location.hash === `#turn-${row.turn.turn}`);
choose(named ?? rows.find((row) => !row.turn.finished) ?? null);
