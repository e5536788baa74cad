// The right control for each kind of slot; each has an element, set(value, bounds) and get().

import { button, el, fresh, uuid } from "./dom.js";
import { t } from "./words.js";

const MOST_OPTIONS = 24;

export function makeControl(field, typed, names = []) {
  if (field.control === "range") return range(field, typed);
  if (field.control === "least") return least(field, typed);
  if (field.control === "several") return several(field, typed);
  if (field.control === "choice" && field.choices.length <= MOST_OPTIONS) return choice(field, typed);
  return text(field, typed, field.control === "choice" ? field.choices : names);
}

function labelled(field, control, extra = {}) {
  return el("label", { class: "field", ...extra }, el("span", { class: "field-name" }, field.name), control);
}

function datalist(values) {
  return el("datalist", { id: `values-${uuid()}` }, values.map((value) => el("option", { value })));
}

function text(field, typed, values) {
  const known = datalist(values);
  const input = el("input", { type: "text", maxlength: 200, dir: "auto", list: known.id, oninput: typed });
  return {
    element: labelled(field, el("span", { class: "control" }, input, known)),
    set: (value) => (input.value = [].concat(value).join(t("common.list"))),
    get: () => input.value.trim(),
  };
}

function choice(field, typed) {
  const select = el("select", { onchange: typed });
  const options = (also) => [
    el("option", { value: "" }, t("room.any")),
    ...[...new Set([...field.choices, ...also])].map((value) => el("option", { value }, value)),
  ];
  fresh(select, options([]));
  return {
    element: labelled(field, select),
    set: (value) => {
      if (value && !field.choices.includes(value)) fresh(select, options([value]));
      select.value = value;
    },
    get: () => select.value,
  };
}

function numberInput(label, typed, step) {
  return el("input", { type: "number", min: 0, step, inputmode: "decimal", "aria-label": label, oninput: typed });
}

function number(input) {
  return input.value === "" ? null : Number(input.value);
}

// From ... to ..., or one of the words that stand for a number, such as "free".
function range(field, typed) {
  const changed = () => {
    if (words) words.value = "";
    typed();
  };
  const low = numberInput(`${field.name}, ${t("room.from")}`, changed, "any");
  const high = numberInput(`${field.name}, ${t("room.to")}`, changed, "any");
  const words = field.choices.length ? wordSelect(field, () => {
    low.value = high.value = "";
    typed();
  }) : null;
  const parts = [low, el("span", { class: "between" }, "–"), high];
  if (field.unit) parts.push(el("span", { class: "unit" }, field.unit));
  const element = el(
    "div",
    { class: "field", role: "group", "aria-label": field.name },
    el("span", { class: "field-name" }, field.name),
    el("span", { class: "control range" }, parts, words),
  );
  return {
    element,
    set: (value, bounds) => setRange(low, high, words, value, bounds),
    get: () => words?.value || band(number(low), number(high)),
  };
}

function wordSelect(field, typed) {
  const options = ["", ...field.choices].map((word) => el("option", { value: word }, word || t("room.any")));
  return el("select", { "aria-label": field.name, onchange: typed }, options);
}

function setRange(low, high, words, value, bounds) {
  const ends = typeof value === "object" ? value : bounds;
  const word = typeof value === "string" && words && [...words.options].some((each) => each.value === value);
  if (words) words.value = word ? value : "";
  low.value = word ? "" : (ends?.low ?? "");
  high.value = word ? "" : (ends?.high ?? "");
}

function band(low, high) {
  if (low === null && high === null) return "";
  return { ...(low === null ? {} : { low }), ...(high === null ? {} : { high }) };
}

function least(field, typed) {
  const low = numberInput(`${field.name}, ${t("room.at_least")}`, typed, "0.1");
  const unit = field.unit ? el("span", { class: "unit" }, field.unit) : null;
  const control = el("span", { class: "control range" }, el("span", { class: "between" }, t("room.at_least")), low, unit);
  return {
    element: labelled(field, control),
    set: (value, bounds) => (low.value = (typeof value === "object" ? value : bounds)?.low ?? ""),
    get: () => band(number(low), null),
  };
}

// Several terms: typed or picked one by one, each can be taken out again.
function several(field, typed) {
  let terms = [];
  const known = datalist(field.choices);
  const input = el("input", { type: "text", maxlength: 200, dir: "auto", list: known.id, placeholder: t("room.pick") });
  const chips = el("ul", { class: "values" });
  const draw = () => fresh(chips, terms.map(chip));
  const change = (next) => {
    terms = [...new Set(next)];
    draw();
    typed();
  };
  const chip = (term) =>
    el("li", {}, el("span", {}, term), button("×", () => change(terms.filter((each) => each !== term)), {
      "aria-label": t("room.remove", { value: term }),
    }));
  const settle = () => {
    const term = input.value.trim();
    input.value = "";
    if (term) change([...terms, term]);
  };
  input.addEventListener("change", settle);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && input.value.trim()) {
      event.preventDefault();
      settle();
    } else if (event.key === "Backspace" && !input.value && terms.length) change(terms.slice(0, -1));
  });
  return {
    element: labelled(field, el("span", { class: "control" }, chips, input, known), { class: "field wide" }),
    set: (value) => {
      terms = asTerms(value, field.choices);
      draw();
    },
    get: () => terms,
    settle,
  };
}

// Languages that keep terms in one text part them by spaces; terms with spaces are known ones.
function asTerms(value, choices) {
  if (Array.isArray(value)) return value;
  if (!value) return [];
  return choices.includes(value) ? [value] : value.split(/\s+/).filter(Boolean);
}
