"use strict";
// The viewer. Text of runs enters the page as text nodes only, never as HTML.

const view = JSON.parse(document.getElementById("view").textContent);
const $ = (id) => document.getElementById(id);
const ORDER = ["failure", "undecided", "infrastructure", "success"];
const SIGN = { success: "✓", failure: "✗", undecided: "?", infrastructure: "!" };
const STEP = 150; // rows that are drawn at once

// Elements

function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== "" && child != null));
  return made;
}

// Control and direction characters are shown, so that a text cannot disguise itself.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function hits(text, terms) {
  const parts = [];
  const lower = text.toLowerCase();
  let at = 0;
  while (terms.length && at < text.length && lower.length === text.length) {
    const found = terms.map((term) => [lower.indexOf(term, at), term.length]).filter(([start]) => start >= 0);
    if (!found.length) break;
    const [start, length] = found.reduce((one, other) => (other[0] < one[0] ? other : one));
    parts.push(text.slice(at, start), el("mark", { class: "hit" }, text.slice(start, start + length)));
    at = start + length;
  }
  return [...parts, text.slice(at)];
}

// A pair of marks around what is read from left to right anyway, such as a telephone number in an
// Arabic sentence, disguises nothing: where these marks stand in a text.
const HARMLESS = /\u2066[^\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{C}\n]*\u2069/gu;
const harmless = (text) => new Set([...text.matchAll(HARMLESS)].flatMap(({ 0: pair, index }) => [index, index + pair.length - 1]));

function shown(text, terms = [], kept = harmless(String(text)), from = 0) {
  const nodes = [];
  let at = 0;
  for (const match of String(text).matchAll(HIDDEN)) {
    if (kept.has(from + match.index)) continue;
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(...hits(text.slice(at, match.index), terms), el("span", { class: "control" }, `U+${code}`));
    at = match.index + match[0].length;
  }
  return [...nodes, ...hits(String(text).slice(at), terms)];
}

// A line: every second text is a name or a value of any direction.
const line = (texts) => texts.map((text, at) => (at % 2 ? el("bdi", {}, shown(text)) : shown(text)));

// Blocks: compressed transcripts, in the page or in files beside it

const waiting = new Map();
const loaded = new Map();
window.crosstalkBlock = (name, packed) => waiting.get(name)?.(packed);

function packed(name) {
  if (!view.folder || name === "rows") return Promise.resolve($(`data-${name}`).textContent);
  return new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    const script = el("script", { src: `${view.folder}${name}.js` });
    script.onerror = () => reject(new Error(`${view.folder}${name}.js is not beside this page`));
    script.onload = () => script.remove();
    document.head.append(script);
  }).finally(() => waiting.delete(name));
}

async function unpacked(name) {
  const bytes = Uint8Array.from(atob(await packed(name)), (letter) => letter.charCodeAt(0));
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  writer.write(bytes);
  writer.close();
  const decoder = new TextDecoder();
  const reader = stream.readable.getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value, { stream: true });
  return JSON.parse(text + decoder.decode());
}

// The latest blocks are kept.
function block(kind, number) {
  const name = `${kind}-${number}`;
  if (!loaded.has(name)) {
    loaded.set(name, unpacked(name));
    if (loaded.size > 24) loaded.delete(loaded.keys().next().value);
  }
  return loaded.get(name);
}

const record = async (kind, row) => (await block(kind, Math.floor(row.at / view.block)))[row.at % view.block];

// Rows

let rows = [];
let found = []; // rows that the filters let through, in order
let drawn = 0;
let opened = null;
let beside = true;
let focusing = false; // whether the row that opens next gets the focus
const byHash = new Map();
const byGoal = new Map();

const several = view.runs.length > 1;
const hashOf = (row) => (several ? `${view.runs[row.run].letter}/${row.id}` : row.id);
const runOf = (row) => view.runs[row.run];

function takeRows(records) {
  rows = records.map((values, at) => {
    const row = { at };
    view.columns.forEach((column, place) => (row[column] = values[place]));
    row.language = view.runs[row.run].language;
    return row;
  });
  for (const row of rows) {
    byHash.set(hashOf(row), row);
    if (!byGoal.has(row.goal)) byGoal.set(row.goal, []);
    byGoal.get(row.goal).push(row);
  }
  for (const same of byGoal.values()) {
    const share = (run) => {
      const decided = same.filter((row) => row.run === run && ["success", "failure"].includes(row.result));
      return decided.length ? decided.filter((row) => row.result === "success").length / decided.length : null;
    };
    const [a, b] = [share(0), share(1)];
    const change = a === null || b === null ? "only one" : b > a ? "won" : b < a ? "lost" : "same";
    for (const row of same) row.change = change;
  }
}

// Filters

const FILTERS = [
  ["result", "Result", (value) => view.results[value] ?? value],
  ["blame", "Blame", (value) => view.blames[value] ?? value],
  ["cause", "Reason", (value) => value],
  ["flaws", "Flaw of a reply", (value) => value],
  ["type", "Kind of goal", (value) => (view.types[value] ? `${value}: ${view.types[value]}` : value)],
  ["language", "Language", (value) => value],
  ["run", "Run", (value) => `${view.runs[value].letter}: ${view.runs[value].name}`],
  ["change", "From A to B", (value) => ({ won: "better in B", lost: "better in A", same: "equal", "only one": "in one run only" })[value]],
];
const wanted = {};

function drawFilters() {
  for (const [name, label, words] of FILTERS) {
    const counts = new Map();
    for (const value of rows.flatMap((row) => row[name])) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
    if (name === "change" && view.runs.length !== 2) continue;
    if (counts.size < 2 && !(name === "result" && counts.size) && !(["blame", "flaws"].includes(name) && counts.size)) continue;
    const values = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
    const options = values.map((value) => el("option", { value }, shown(`${words(value)} (${counts.get(value)})`)));
    const select = el("select", { name, id: `filter-${name}` }, el("option", { value: "" }, "all"), options);
    select.addEventListener("change", () => choose(name, select.value));
    $("selects").append(el("label", {}, label, select));
  }
}

function choose(name, value) {
  if (value) wanted[name] = value;
  else delete wanted[name];
  const select = $(`filter-${name}`);
  if (select) select.value = value;
  show();
}

function clear() {
  for (const name of Object.keys(wanted)) choose(name, "");
  $("search").value = "";
  search("");
}

// Search: the words of all dialogues are unpacked with the first search

let terms = [];
let words = null; // lower case, per row
let searching = 0;

async function search(text) {
  const mine = ++searching;
  terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (terms.length && !words) {
    const all = [];
    for (let number = 0; number * view.words < rows.length; number++) {
      const some = await unpacked(`words-${number}`);
      all.push(...some.map((each) => each.toLowerCase()));
      if (mine !== searching) return;
      $("count").textContent = `reading ${Math.round((100 * all.length) / rows.length)} %`;
    }
    words = all;
  }
  if (mine !== searching) return;
  show();
  if (opened) open(opened);
}

function passes(row) {
  for (const [name, value] of Object.entries(wanted)) if (![row[name]].flat().map(String).includes(value)) return false;
  if (!terms.length || !words) return true;
  const said = `${words[row.at]} ${row.id.toLowerCase()} ${row.reason} ${row.cause.toLowerCase()}`;
  return terms.every((term) => said.includes(term));
}

// The list

function show() {
  found = rows.filter(passes).sort((one, other) => ORDER.indexOf(one.result) - ORDER.indexOf(other.result) || one.at - other.at);
  $("rows").replaceChildren();
  drawn = 0;
  draw();
  const all = found.length === rows.length;
  $("count").textContent = all ? `${rows.length.toLocaleString("en")} dialogues` : `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} dialogues`;
  $("clear").hidden = !Object.keys(wanted).length && !terms.length;
  $("list").scrollTop = 0;
}

function draw(until = drawn + STEP) {
  const end = Math.min(until, found.length);
  $("rows").append(...found.slice(drawn, end).map(drawRow));
  drawn = Math.max(drawn, end);
  if (!found.length) $("rows").append(el("li", { class: "empty" }, "No dialogue is like that."));
}

function drawRow(row) {
  const run = runOf(row);
  const trial = run.repeats > 1 ? `trial ${row.trial + 1}` : "";
  const notes = [row.type, `${row.turns} turns`, trial, row.cause || row.reason];
  const link = el(
    "a",
    { href: `#${encodeURI(hashOf(row))}`, class: `row ${row.result}`, "data-at": row.at, "aria-current": row === opened ? "true" : false },
    el("span", { class: "sign", role: "img", "aria-label": view.results[row.result] }, SIGN[row.result]),
    el("span", { class: "said", dir: "auto", lang: run.lang }, shown(row.headline) ),
    el("span", { class: "notes" }, several ? el("b", { class: "letter" }, run.letter) : "", el("span", {}, shown(row.id)), notes.filter(Boolean).map((note) => el("span", {}, note))),
  );
  return el("li", {}, link);
}

function markOpened() {
  for (const each of $("rows").querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
  if (!opened) return;
  const at = found.indexOf(opened);
  if (at >= drawn) draw(at + STEP);
  const link = $("rows").querySelector(`[data-at="${opened.at}"]`);
  link?.setAttribute("aria-current", "true");
  link?.scrollIntoView({ block: "nearest" });
  if (focusing) link?.focus({ preventScroll: true });
  focusing = false;
}

function move(step) {
  const at = opened ? found.indexOf(opened) : -1;
  const next = found[Math.min(Math.max(at + step, 0), found.length - 1)];
  if (next) location.hash = encodeURI(hashOf(next));
}

// One dialogue

async function open(row) {
  opened = row;
  showTip(null);
  $("dialogues").classList.toggle("reading", Boolean(row));
  markOpened();
  if (!row) {
    $("opened").replaceChildren(el("p", { class: "empty" }, "Choose a dialogue."));
    return;
  }
  const pair = beside ? [row, otherOf(row)].filter(Boolean) : [row];
  pair.sort((one, other) => one.run - other.run);
  const told = await Promise.all(pair.map((each) => record("block", each))).catch((error) => error);
  if (opened !== row) return;
  $("opened").classList.toggle("pair", pair.length > 1);
  if (told instanceof Error) $("opened").replaceChildren(el("p", { class: "problem" }, `This dialogue cannot be shown: ${told.message}`));
  else $("opened").replaceChildren(bar(row, pair), ...pair.map((each, at) => drawDialogue(each, told[at], pair.length === 1)));
  $("opened").scrollTop = 0;
  const top = $("opened").getBoundingClientRect().top;
  if (top < 0 || top > innerHeight / 2 || matchMedia("(max-width: 56rem)").matches) $("dialogues").scrollIntoView();
  $("opened").querySelector(".hit")?.scrollIntoView({ block: "nearest" });
}

// The same goal in another run, in the same trial if it has one
function otherOf(row) {
  const others = (byGoal.get(row.goal) ?? []).filter((each) => each.run !== row.run);
  return others.find((each) => each.trial === row.trial) ?? others[0];
}

function bar(row, pair) {
  const back = el("button", { type: "button", class: "quiet back" }, "← All dialogues");
  back.addEventListener("click", () => (location.hash = ""));
  const tools = [back];
  for (const [words, step] of [["Previous", -1], ["Next", 1]]) {
    const button = el("button", { type: "button", class: "quiet" }, words);
    button.addEventListener("click", () => move(step));
    tools.push(button);
  }
  if (otherOf(row)) {
    const toggle = el("button", { type: "button", class: "quiet", "aria-pressed": String(pair.length > 1) }, "Side by side");
    toggle.addEventListener("click", turnBeside);
    tools.push(toggle);
  }
  return el("div", { class: "bar-tools" }, tools);
}

function turnBeside() {
  beside = !beside;
  if (opened) open(opened);
}

function drawDialogue(row, told, alone) {
  const run = runOf(row);
  const trials = (byGoal.get(row.goal) ?? []).filter((each) => each.run === row.run).slice(0, 24);
  const direction = { dir: run.dir, lang: run.lang };
  return el(
    "article",
    { class: `dialogue ${row.result}`, "aria-label": `Dialogue ${row.id}` },
    el(
      "header",
      {},
      el("h2", {}, several ? el("b", { class: "letter" }, run.letter) : "", el("span", {}, shown(row.id)), " ", el("a", { class: "permalink", href: `#${encodeURI(hashOf(row))}`, title: "Link to this dialogue", "aria-label": "Link to this dialogue" }, "#")),
      el("p", { class: "note" }, el("span", { class: `badge ${row.result}` }, `${SIGN[row.result]} ${view.results[row.result]}`), row.blame ? ` blame: ${view.blames[row.blame] ?? row.blame} · ` : " ", `${row.type}: ${view.types[row.type] ?? ""} · ${row.turns} turns`, told.ending && told.ending !== "finished" ? ` · ended by ${told.ending}` : ""),
      trials.length > 1 ? el("p", { class: "trials note" }, "Trials of this goal: ", trials.map((each) => el("a", { href: `#${encodeURI(hashOf(each))}`, class: each.result, "aria-current": each === row ? "true" : false }, `${each.trial + 1} ${SIGN[each.result]}`))) : "",
    ),
    told.why.length ? el("ul", { class: "why" }, told.why.map((each) => el("li", {}, line(each))), told.others ? el("li", {}, `and ${told.others} more left unsettled, or wrong`) : "", goToFault(told.turns)) : "",
    drawGoal(told, direction, alone),
    el("ol", { class: "turns", ...direction }, told.turns.map((turn, at) => drawTurn(turn, at))),
    drawRaw(row),
  );
}

function goToFault(turns) {
  const at = turns.findIndex((turn) => turn.faults);
  if (at < 0) return "";
  const button = el("button", { type: "button", class: "link" }, `Go to turn ${at + 1}`);
  button.addEventListener("click", () => button.closest(".dialogue").querySelector(".turn.faulty").scrollIntoView({ block: "nearest", behavior: "smooth" }));
  return el("li", {}, button);
}

const FATE = { met: "✓", false: "✗", open: "○", "given up": "↷" };

function drawGoal(told, direction, open) {
  const subgoals = [...new Set(told.parts.map(([subgoal]) => subgoal))];
  const counts = {};
  for (const [, fate] of told.parts) counts[fate] = (counts[fate] ?? 0) + 1;
  const summary = Object.entries(counts).map(([fate, count]) => el("span", { class: `fate ${fate.replace(" ", "-")}` }, `${FATE[fate]} ${count} ${fate}`));
  const group = (subgoal, at) =>
    el(
      "li",
      { value: subgoal },
      told.goal[at] ? el("p", {}, shown(told.goal[at])) : "",
      el("ul", { class: "parts" }, told.parts.filter(([number]) => number === subgoal).map(([, fate, words, note]) =>
        el("li", { class: `part ${fate.replace(" ", "-")}` }, el("span", { class: "sign", role: "img", "aria-label": fate }, FATE[fate]), el("span", {}, line(words)), note.length ? el("small", {}, el("span", { dir: "ltr", lang: "en" }, line(note))) : ""))),
    );
  return el("details", { class: "goal", open }, el("summary", {}, el("h3", {}, "Goal"), summary), el("ol", direction, subgoals.map(group)));
}

const VERDICT = { true: "True", false: "False", undecidable: "No table can tell", unread: "Unread" };

function marked(turn) {
  const nodes = [];
  const kept = harmless(turn.text);
  let at = 0;
  for (const [start, end, verdict, claim, cell] of turn.marks ?? []) {
    nodes.push(...shown(turn.text.slice(at, start), terms, kept, at));
    const mark = el("span", { class: `claim ${verdict}`, role: "button", tabindex: "0", "aria-describedby": "tip" }, shown(turn.text.slice(start, end), terms, kept, start));
    mark.told = [el("b", { class: verdict }, VERDICT[verdict]), " ", line(claim), cell ? [el("br"), "The table says: ", el("bdi", {}, shown(cell))] : ""];
    nodes.push(mark);
    at = end;
  }
  return [...nodes, ...shown(turn.text.slice(at), terms, kept, at)];
}

function drawTurn(turn, at) {
  const acts = (turn.acts ?? []).map((act) => el("li", {}, line(act)));
  const none = el("li", { class: "empty" }, "nothing");
  const said = turn.text ? el("p", { class: "bubble", dir: "auto" }, marked(turn)) : el("ul", { class: "bubble acts" }, acts.length ? acts : none);
  const lists = turn.text ? [["acts", turn.acts ?? []], ...(turn.beside ?? [])] : (turn.beside ?? []);
  const inside = lists.filter(([, lines]) => lines.length).map(([title, lines]) => el("div", {}, el("h4", { dir: "ltr", lang: "en" }, title), el("ul", {}, lines.map((each) => el("li", {}, line(each))))));
  return el(
    "li",
    { class: `turn ${turn.who}${turn.faults ? " faulty" : ""}` },
    el("h4", { class: "author", dir: "ltr", lang: "en" }, `${at + 1} ${turn.who === "system" ? "agent" : "user"}`),
    said,
    turn.faults ? el("ul", { class: "faults", dir: "ltr", lang: "en" }, turn.faults.map((fault) => el("li", {}, line(fault)))) : "",
    turn.problems ? el("ul", { class: "faults", dir: "ltr", lang: "en" }, turn.problems.map((problem) => el("li", {}, shown(problem)))) : "",
    turn.flaws ? el("ul", { class: "flaws", dir: "ltr", lang: "en" }, turn.flaws.map((flaw) => el("li", {}, line(flaw)))) : "",
    (turn.calls ?? []).map(drawCall),
    inside.length ? el("details", { class: "inside" }, el("summary", { dir: "ltr", lang: "en" }, turn.text ? "acts and state" : "state"), el("div", { class: "lists" }, inside)) : "",
  );
}

function drawCall(call) {
  const text = (value) => (typeof value === "string" ? pretty(value) : JSON.stringify(value, null, 1));
  return el(
    "details",
    { class: "call", dir: "ltr", lang: "en" },
    el("summary", {}, el("code", {}, shown(String(call.name ?? "call"))), " ", el("small", {}, shown(String(call.arguments ?? "").slice(0, 80)))),
    el("pre", { tabindex: "0" }, shown(text(call.arguments ?? ""))),
    el("pre", { tabindex: "0" }, shown(text(call.result ?? ""))),
  );
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

function drawRaw(row) {
  const inside = el("pre", { tabindex: "0" }, "...");
  const details = el("details", { class: "raw" }, el("summary", {}, "Raw JSON"), inside);
  details.addEventListener("toggle", async () => {
    if (details.open) inside.replaceChildren(...shown(JSON.stringify(await record("raw", row), null, 1)));
  }, { once: true });
  return details;
}

// What the table says, beside the words it is about

let pointed = null; // the claim whose tip is shown

function showTip(mark) {
  pointed = mark;
  const tip = $("tip");
  tip.hidden = !mark;
  if (!mark) return;
  tip.replaceChildren(...mark.told.flat(Infinity).filter((each) => each !== ""));
  placeTip();
}

function placeTip() {
  const tip = $("tip");
  const place = pointed.getClientRects()[0];
  if (!place) return showTip(null); // its dialogue was closed
  const left = Math.max(8, Math.min(place.left, innerWidth - tip.offsetWidth - 8));
  const below = place.bottom + 6 + tip.offsetHeight < innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${below ? place.bottom + 6 : place.top - tip.offsetHeight - 6}px`;
}

const claimOf = (event) => (event.target instanceof Element ? event.target.closest(".claim") : null);
for (const name of ["pointerover", "focusin", "click"]) document.addEventListener(name, (event) => claimOf(event) && showTip(claimOf(event)));
for (const name of ["pointerout", "focusout"]) document.addEventListener(name, (event) => claimOf(event) && showTip(null));
addEventListener("scroll", () => pointed && placeTip(), { capture: true, passive: true });

// Keyboard, theme, address

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  "/": () => ($("search").focus(), $("search").select()),
  f: () => choose("result", wanted.result === "failure" ? "" : "failure"),
  b: turnBeside,
  d: turnTheme,
  "?": () => $("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    if (pointed) showTip(null);
    else if (typing) typing.blur();
    else if (opened) location.hash = "";
    return;
  }
  if (typing) return;
  const arrows = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in arrows && event.target.closest("#list")) {
    event.preventDefault();
    move(arrows[event.key]);
    focusing = true;
  } else if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

function remembered(value) {
  try {
    if (value) localStorage.setItem("crosstalk-theme", value);
    return localStorage.getItem("crosstalk-theme");
  } catch {
    return value; // a browser that keeps nothing for files
  }
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remembered(root.dataset.theme);
}

function followAddress() {
  let hash = location.hash.slice(1);
  try {
    hash = decodeURI(hash);
  } catch {
    // not one of ours
  }
  const row = byHash.get(hash);
  if (row || !hash) open(row ?? null);
}

// Start

const theme = remembered();
if (theme) document.documentElement.dataset.theme = theme;
$("theme").addEventListener("click", turnTheme);
$("keys-button").addEventListener("click", () => $("keys").showModal());
$("clear").addEventListener("click", clear);
document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
let pause = 0;
$("search").addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(() => search($("search").value), 150);
});
for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => $(button.dataset.go).scrollIntoView({ behavior: "smooth" }));
for (const button of document.querySelectorAll("[data-filter]")) {
  button.addEventListener("click", () => {
    const run = button.closest("[data-run]")?.dataset.run;
    if (several && run !== undefined) choose("run", run);
    choose(button.dataset.filter, button.dataset.value);
    $("dialogues").scrollIntoView({ behavior: "smooth" });
  });
}
new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && drawn < found.length && draw(), { root: null, rootMargin: "600px" }).observe($("more"));

unpacked("rows").then((records) => {
  takeRows(records);
  drawFilters();
  show();
  addEventListener("hashchange", followAddress);
  if (location.hash.length > 1) followAddress();
  document.documentElement.dataset.ready = "true";
});
