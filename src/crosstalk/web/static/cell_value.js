// The value of one cell: told by the goal, learned from the wizard, or changed because nothing fits.

import { $, button, el, fresh, say, show } from "./dom.js";
import { plainHint } from "./hints.js";
import { given, list, problem, t } from "./words.js";

const SEPARATORS = /[,，、;；\n]/;

export class CellValue {
  constructor(talk, cell) {
    this.talk = talk;
    this.cell = cell;
    this.changing = false;
    this.typed = talk.draft.cells[cell.cell] ?? null;
    this.element = el("div", { class: "cell-value" });
    this.told = el("span", { class: "told" });
    this.change = button(t("room.change"), () => this.startChange(), {
      class: "link",
      "aria-label": t("room.change_label", { slot: cell.slot_name }),
    });
    this.drop = button(t("room.drop"), () => this.send("", { dropped: true }), {
      class: "link",
      "aria-label": t("room.drop_label", { slot: cell.slot_name }),
    });
    this.undo = button(t("room.undo"), () => this.send(""), { class: "link" });
    this.input = this.makeInput();
    this.values = el("ul", { class: "values" });
    this.choices = el("div", { class: "choices" });
    this.note = el("div", { class: "cell-note", role: "alert", hidden: true });
    this.element.append(this.told, this.change, this.drop, this.undo, this.values, this.input, this.choices, this.note);
  }

  makeInput() {
    const input = el("input", {
      type: "text",
      maxlength: 200,
      autocomplete: "off",
      dir: "auto",
      "aria-label": t("room.fill_label", { slot: this.cell.slot_name }),
      oninput: () => this.remember(input.value),
      onchange: () => this.commit(),
      onkeydown: (event) => this.key(event),
    });
    return input;
  }

  get isQuestion() {
    return !this.cell.constraint || Boolean(this.cell.reference);
  }

  get isOpen() {
    return this.isQuestion || this.changing;
  }

  show(cell, view) {
    this.cell = cell;
    this.view = view;
    const now = [].concat(cell.value).filter(Boolean);
    this.tellTold(now);
    show(this.input, this.isOpen && !this.isYesNo);
    if (document.activeElement !== this.input) this.input.value = this.typed ?? this.inputText(now);
    this.input.placeholder = this.isQuestion ? t("room.fill_in") : "";
    this.showValues(now);
    this.showChoices(now);
    this.element.classList.toggle("filled", this.isQuestion && now.length > 0);
  }

  get isYesNo() {
    return this.isQuestion && this.cell.kind === "services" && this.cell.choices.length === 2;
  }

  inputText(now) {
    return this.cell.several ? "" : (now[0] ?? "");
  }

  tellTold(now) {
    const { cell } = this;
    if (cell.reference) say(this.told, this.referenceWords(cell.reference));
    else if (cell.constraint) fresh(this.told, this.wishWords(now));
    show(this.told, cell.constraint || Boolean(cell.reference));
    show(this.change, cell.constraint && !cell.reference && !this.changing && this.view.status === "open");
    const wish = cell.constraint && !cell.reference && this.view.status === "open";
    show(this.drop, wish && !cell.dropped && !this.changing);
    show(this.undo, cell.changed);
  }

  wishWords(now) {
    if (!this.cell.changed) return [list(now)];
    const instead = this.cell.dropped ? t("room.dropped") : list(now);
    return [el("del", {}, list([].concat(this.cell.wanted))), " ", el("ins", {}, instead)];
  }

  referenceWords(reference) {
    const number = reference.near ?? reference.at;
    const named = this.view.cells.find((cell) => cell.subgoal === number && cell.kind === "name" && cell.value);
    const other = named ? named.value : t("room.place_of", { n: number });
    return t(reference.near ? "room.near" : "room.at", { other });
  }

  showValues(now) {
    const many = this.cell.several && this.isOpen;
    show(this.values, many && now.length > 0);
    if (many) fresh(this.values, now.map((value) => this.chip(value, now)));
  }

  chip(value, now) {
    const remove = button("×", () => this.send(now.filter((each) => each !== value)), {
      "aria-label": t("room.remove", { value }),
    });
    return el("li", {}, el("span", {}, value), remove);
  }

  // One click for what the wizard has named, and for "there is none".
  showChoices(now) {
    const offered = this.isOpen ? this.cell.choices.filter((each) => this.isYesNo || !now.includes(each)) : [];
    const buttons = offered.map((value) => this.choice(value, now, value));
    if (this.isQuestion && !this.cell.reference && !this.isYesNo && !now.length)
      buttons.push(this.choice(given.world.nothing, now, given.world.nothing, t("room.nothing")));
    show(this.choices, buttons.length > 0);
    fresh(this.choices, buttons);
  }

  choice(value, now, words, title = "") {
    const pressed = now.includes(value);
    const next = this.cell.several && value !== given.world.nothing ? [...now, value] : value;
    return button(words, () => this.send(pressed && !this.cell.several ? "" : next), {
      class: "chip",
      title,
      "aria-pressed": String(pressed),
      "aria-label": `${this.cell.slot_name}: ${title || words}`,
    });
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.commit();
    } else if (event.key === "Escape" && this.changing) {
      this.stopChange();
      this.change.focus();
    }
  }

  remember(text) {
    this.typed = text;
    this.talk.draft.cells[this.cell.cell] = text;
    this.talk.keep();
  }

  forget() {
    this.typed = null;
    delete this.talk.draft.cells[this.cell.cell];
    this.talk.keep();
  }

  startChange() {
    this.changing = true;
    this.show(this.cell, this.view);
    this.input.focus();
    this.input.select();
  }

  stopChange() {
    this.changing = false;
    this.forget();
    show(this.note, false);
    this.show(this.cell, this.view);
  }

  commit() {
    const text = this.input.value.trim();
    const now = [].concat(this.cell.value).filter(Boolean);
    if (!this.cell.several && text === (now[0] ?? "")) return this.changing ? this.stopChange() : this.forget();
    if (this.cell.several && !text) return undefined;
    return this.send(this.cell.several ? [...now, ...this.parts(text)] : text);
  }

  parts(text) {
    if (this.cell.choices.includes(text)) return [text];
    return text.split(SEPARATORS).map((part) => part.trim()).filter(Boolean);
  }

  async send(value, extra = {}) {
    this.element.classList.add("saving");
    show(this.note, false);
    try {
      const whole = Array.isArray(value) && !value.length ? "" : value;
      await this.talk.ask({ do: "fill", cell: this.cell.cell, value: whole, ...extra });
      this.changing = false;
      this.forget();
      show(this.note, false); // of a value that was typed, and left for this one
      if (this.cell.several) this.input.value = "";
      this.show(this.cell, this.view);
    } catch (refusal) {
      this.complain(refusal, value);
    } finally {
      this.element.classList.remove("saving");
    }
  }

  complain(refusal, value) {
    const hint = refusal.code === "hints" ? refusal.hints[0] : null;
    const words = hint ? plainHint(hint, this.cell.slot_name) : problem(refusal);
    const keep = hint ? button(t("room.keep_it"), () => this.send(value, { sure: true })) : null;
    fresh(this.note, el("span", {}, words), keep);
    show(this.note, true);
  }

  focus() {
    const target = this.isOpen && !this.input.hidden ? this.input : this.element.querySelector("button:not([hidden])");
    (target ?? $("cells")).focus();
    this.element.scrollIntoView({ block: "center" });
  }
}
