// The wizard's form: one control a field, by its kind. What is typed is kept until it is searched for.

import { makeControl } from "./controls.js";
import { $, fresh, say, show } from "./dom.js";
import { count, t } from "./words.js";

const PEEK_PAUSE = 250;

export class QueryForm {
  constructor(side) {
    this.side = side;
    this.talk = side.talk;
    this.controls = new Map();
    $("form-pane").addEventListener("submit", (event) => {
      event.preventDefault();
      for (const control of this.controls.values()) control.settle?.();
      this.side.search(true);
    });
    $("clear").addEventListener("click", () => {
      this.fillOnly({});
      document.querySelector("#fields input, #fields select")?.focus();
    });
  }

  // What the server has; typed values win until they are searched for.
  take(view) {
    this.view = view;
    if (this.controls.size) this.show(this.side.domain);
  }

  values(domain) {
    return this.talk.draft.form[domain] ?? this.view.form[domain] ?? {};
  }

  show(domain) {
    if (!this.view) return;
    if (this.shown !== domain) this.build(domain);
    const carried = this.view.carried.includes(domain) && !this.isChanged(domain);
    show($("carried"), carried);
    $("form-pane").classList.toggle("is-carried", carried);
    for (const [slot, control] of this.controls) {
      const value = this.values(domain)[slot] ?? "";
      if (!control.element.contains(document.activeElement)) control.set(value, this.bounds(domain, slot));
      control.element.classList.toggle("carried-field", carried && Boolean([].concat(value).length && value));
    }
  }

  bounds(domain, slot) {
    return domain in this.talk.draft.form ? null : (this.view.bounds[domain]?.[slot] ?? null);
  }

  build(domain) {
    this.shown = domain;
    this.controls = new Map();
    const { fields } = this.side.domains.get(domain);
    const elements = fields.map((field) => {
      const control = makeControl(field, () => this.typed(domain), this.names(field));
      this.controls.set(field.slot, control);
      return control.element;
    });
    fresh($("fields"), elements);
    say($("count"), "");
  }

  // Names that may be meant: selected ones, and those the user has just said.
  names(field) {
    if (!["name", "nearby", "endpoint"].includes(field.kind)) return [];
    const selected = Object.entries(this.view.selected).flatMap(([domain, names]) =>
      !field.target || field.target === domain ? names : [],
    );
    const heard = (this.view.heard?.spans ?? []).map((span) => span[3]);
    return [...new Set([...selected, ...heard])];
  }

  typed(domain) {
    this.talk.draft.form[domain] = this.read();
    this.talk.keep();
    show($("carried"), false);
    clearTimeout(this.timer);
    this.complains = false;
    this.timer = setTimeout(() => this.peek(domain), PEEK_PAUSE);
  }

  read() {
    const found = {};
    for (const [slot, control] of this.controls) {
      const value = control.get();
      if (value !== "" && value !== null && !(Array.isArray(value) && !value.length)) found[slot] = value;
    }
    return found;
  }

  async peek(domain) {
    try {
      const ack = await this.talk.ask({ do: "peek", domain, slots: this.query(domain) });
      if (this.shown === domain && this.isChanged(domain) && !this.complains) this.tellCount(ack.result.count);
    } catch {
      if (!this.complains) this.tellCount(null); // a number half typed; searching will say what is wrong
    }
  }

  tellCount(number) {
    const place = $("count");
    place.classList.remove("problem");
    if (number === null) say(place, "");
    else say(place, number ? count("room.count", number) : t("room.count_none"));
  }

  // Stays until something is typed: a count that comes late does not wipe it.
  complain(text, buttons = []) {
    this.complains = true;
    say($("count"), text);
    if (buttons.length) $("count").append(" ", ...buttons);
    $("count").classList.add("problem");
  }

  // One typed value of a field replaced by a word of it.
  exchange(domain, slot, typed, word) {
    const held = this.values(domain)[slot] ?? "";
    const value = Array.isArray(held) ? held.map((each) => (each === typed ? word : each)) : word;
    this.change(domain, { ...this.values(domain), [slot]: value });
  }

  // A value that was read in the user's message: kept as suggested until it is searched for.
  put(wish) {
    const { domain, slot, value } = wish;
    const known = this.values(domain);
    const several = Array.isArray(value) ? [...new Set([...[].concat(known[slot] || []), ...value])] : value;
    this.change(domain, { ...known, [slot]: several });
    this.mark(domain, [...this.suggested(domain).filter((each) => each !== slot), slot]);
  }

  toggle(wish) {
    const { domain, slot } = wish;
    if (this.side.domain !== domain) this.side.open(domain);
    if (!this.holds(wish)) this.put(wish);
    else {
      const before = this.view.form[domain]?.[slot] ?? "";
      this.change(domain, { ...this.values(domain), [slot]: before });
      this.mark(domain, this.suggested(domain).filter((each) => each !== slot));
    }
    this.side.offers.refresh();
  }

  holds(wish) {
    const held = this.values(wish.domain)[wish.slot] ?? "";
    if (!wish.value) return !held || !held.length;
    if (Array.isArray(wish.value)) return wish.value.every((each) => [].concat(held).includes(each));
    return JSON.stringify(held) === JSON.stringify(wish.value);
  }

  suggested(domain) {
    return this.talk.draft.suggested?.[domain] ?? [];
  }

  mark(domain, slots) {
    this.talk.draft.suggested = { ...this.talk.draft.suggested, [domain]: slots };
    this.talk.keep();
  }

  change(domain, values) {
    this.talk.draft.form[domain] = values;
    this.talk.keep();
    if (domain !== this.shown) return;
    this.complains = false;
    for (const [slot, control] of this.controls) control.set(values[slot] ?? "", this.view.bounds[domain]?.[slot] ?? null);
    show($("carried"), false);
    this.peek(domain);
  }

  query(domain) {
    const values = this.values(domain);
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value && [].concat(value).length));
  }

  isChanged(domain) {
    return domain in this.talk.draft.form;
  }

  recorded(domain) {
    delete this.talk.draft.form[domain];
    if (this.talk.draft.suggested) delete this.talk.draft.suggested[domain];
    this.talk.keep();
  }

  fillOnly(values) {
    for (const [slot, control] of this.controls) control.set(values[slot] ?? "", null);
    this.talk.draft.form[this.shown] = values;
    this.talk.keep();
    this.typed(this.shown);
  }
}
