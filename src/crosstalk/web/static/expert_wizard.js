// The wizard's side of a turn that an expert annotates: first and last search, selected results.

import { makeControl } from "./controls.js";
import { $, button, el, fresh } from "./dom.js";
import { plainHint } from "./hints.js";
import { count, given, t } from "./words.js";

const { world } = given;
const PAUSE = 250;

export class WizardTurn {
  // view(): what the server makes of the annotation; change(): something is about to be annotated;
  // isOpen(): whether this turn is still the one that is shown.
  constructor(turn, said, { view, change, isOpen }) {
    this.isOpen = isOpen;
    this.turn = turn;
    this.said = said;
    this.view = view;
    this.change = change;
    this.which = "first";
  }

  async draw() {
    const { searches: found, hints } = await this.view();
    if (!this.isOpen()) return; // another turn was opened meanwhile
    this.shown = { first: found[0], last: found[1] };
    this.found = { first: found[0].found, last: found[1].found };
    this.hints = el("ul", { class: "findings" });
    this.tellHints(hints);
    const parts = [el("h2", {}, t("experts.wizard_turn")), el("p", { class: "note" }, t("experts.wizard_text"))];
    this.fields = el("div", {});
    this.chips = el("div", {});
    fresh($("form"), ...parts, this.searches(), this.fields, this.chips, this.hints);
    this.drawFields();
    this.drawChips();
  }

  // What the label checker finds in the turn as it is annotated now.
  tellHints(hints) {
    fresh(this.hints, hints.map((hint) => el("li", { "data-code": hint.code }, plainHint(hint))));
  }

  async recheck() {
    const { hints, searches } = await this.view();
    if (!this.isOpen()) return;
    this.found = { first: searches[0].found, last: searches[1].found };
    this.tellHints(hints);
    this.tellFound();
  }

  // What the search of each open domain finds, to be selected from.
  tellFound() {
    for (const [domain, box] of this.boxes) {
      const found = this.found[this.which][domain];
      if (!found) {
        fresh(box);
        continue;
      }
      const words = found.count ? count("room.found", found.count) : t("room.found_none");
      const chips = found.names.map((name) => {
        const on = (this.selected[domain] ?? []).includes(name);
        return button(name, () => this.select(domain, name), { class: "chip", dir: "auto", "aria-pressed": String(on) });
      });
      fresh(box, el("p", { class: "note" }, words), el("div", { class: "row" }, chips));
    }
  }

  searches() {
    const loosened = el("input", { type: "checkbox", onchange: () => this.loosen(loosened.checked) });
    loosened.checked = this.said.last !== null;
    const tabs = ["first", "last"].map((each) =>
      button(t(`experts.${each}_search`), () => this.open(each), { class: "chip", "aria-pressed": String(each === this.which), hidden: this.said.last === null }),
    );
    return el("div", { class: "row" }, el("label", { class: "check" }, loosened, t("experts.two_searches")), tabs);
  }

  open(which) {
    this.which = which;
    return this.draw();
  }

  loosen(on) {
    this.change();
    this.said.first ??= structuredClone(this.shown.first.form);
    this.said.last = on ? structuredClone(this.said.first) : null;
    return this.open(on ? "last" : "first");
  }

  drawFields() {
    const { form, bounds } = this.shown[this.which];
    this.boxes = new Map(); // domain -> what its search finds
    this.builders = new Map(); // the fields of a domain are made when it is opened
    const details = world.domains.map((domain) => this.domain(domain, form[domain.key] ?? {}, bounds[domain.key] ?? {}));
    fresh(this.fields, details);
    this.tellFound();
  }

  domain(domain, values, bounds) {
    const filled = Object.keys(values).length > 0;
    const element = el("details", { class: "domain" }, el("summary", {}, domain.name, filled ? " •" : ""));
    const build = () => element.children.length < 2 && element.append(this.controls(domain, values, bounds));
    element.addEventListener("toggle", build);
    element.open = filled;
    if (filled) build();
    this.builders.set(element, build);
    return element;
  }

  controls(domain, values, bounds) {
    const controls = new Map();
    const typed = () => {
      const found = [...controls].map(([slot, control]) => [slot, control.get()]);
      const plain = Object.fromEntries(found.filter(([, value]) => value && [].concat(value).length));
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.search(domain.key, plain), PAUSE);
    };
    for (const field of domain.fields) {
      const control = makeControl(field, typed, this.turn.names.map(([, name]) => name));
      control.set(values[field.slot] ?? "", bounds[field.slot] ?? null);
      controls.set(field.slot, control);
    }
    const box = el("div", { class: "found", role: "group", "aria-label": t("room.results") });
    this.boxes.set(domain.key, box);
    return el("div", {}, el("div", { class: "fields" }, [...controls.values()].map((control) => control.element)), box);
  }

  // A new search drops what was selected before, as in the room.
  search(domain, values) {
    this.change();
    const began = this.said.first === null;
    this.said.first ??= structuredClone(this.shown.first.form);
    if (began) this.said.selected ??= {};
    this.said[this.which][domain] = values;
    this.shown[this.which].form[domain] = values;
    if (began) this.drawChips();
    this.recheck();
  }

  get selected() {
    return this.said.selected ?? this.shown.last.selected;
  }

  names() {
    const before = Object.entries(this.shown.last.selected).flatMap(([domain, names]) => names.map((name) => [domain, name]));
    const all = [...this.turn.names, ...before];
    return all.filter(([domain, name], number) => all.findIndex((each) => each[0] === domain && each[1] === name) === number);
  }

  drawChips() {
    const names = this.names();
    const chips = names.map(([domain, name], number) => {
      const on = (this.selected[domain] ?? []).includes(name);
      const chip = button("", () => this.select(domain, name), { class: "chip", "aria-pressed": String(on) });
      chip.append(el("span", { dir: "auto" }, name), number < 9 ? el("kbd", {}, String(number + 1)) : "");
      return chip;
    });
    fresh(this.chips, chips.length ? el("div", { class: "selection" }, el("h3", {}, t("experts.selected")), el("div", { class: "row" }, chips)) : null);
  }

  select(domain, name) {
    this.change();
    const now = structuredClone(this.selected);
    const names = new Set(now[domain] ?? []);
    if (names.has(name)) names.delete(name);
    else names.add(name);
    now[domain] = [...names];
    this.said.selected = now;
    this.drawChips();
    this.tellFound();
    this.recheck();
  }

  key(letter) {
    if (!this.shown) return false;
    if (letter === "/") {
      const details = this.fields.querySelector("details[open]") ?? this.fields.querySelector("details");
      details.open = true;
      this.builders.get(details)();
      details.querySelector("input, select")?.focus();
      return true;
    }
    const named = this.names()[Number(letter) - 1];
    if (!named) return false;
    this.select(...named);
    return true;
  }
}
