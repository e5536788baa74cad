// The wizard's form for actions: fields as the world declares them, and what came of the last call.

import { $, el, fresh, say, show, uuid } from "./dom.js";
import { given, problem, t } from "./words.js";

const INPUTS = { date: "date", time: "time", count: "number" };

export class ActionForm {
  constructor(side) {
    this.side = side;
    this.inputs = new Map();
    const options = given.actions.map((action) => el("option", { value: action.key }, action.name));
    fresh($("action"), el("option", { value: "" }, t("room.action_choose")), options);
    $("action").addEventListener("change", () => this.build());
    $("action-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.perform();
    });
    $("actions").addEventListener("toggle", () => this.suggest());
    this.build();
  }

  get action() {
    return given.actions.find((action) => action.key === $("action").value);
  }

  build() {
    this.inputs = new Map();
    fresh($("action-fields"), (this.action?.fields ?? []).map((field) => this.field(field)));
    show($("action-confirm"), Boolean(this.action?.confirm));
    this.tell("", null);
    this.suggest();
    this.enable();
  }

  field(field) {
    const input = field.choices.length ? this.choice(field) : this.input(field);
    this.inputs.set(field.slot, input);
    const name = el("span", { class: "field-name" }, field.name);
    return el("label", { class: "field" }, name, input, input.known ?? null);
  }

  choice(field) {
    const options = ["", ...field.choices].map((value) => el("option", { value }, value || t("room.action_choose")));
    return el("select", { required: field.needed }, options);
  }

  input(field) {
    const known = field.is_place ? el("datalist", { id: `places-${uuid()}` }) : null;
    const input = el("input", {
      type: INPUTS[field.control] ?? "text",
      required: field.needed,
      min: field.low,
      max: field.high,
      maxlength: 200,
      dir: "auto",
      list: known?.id,
    });
    input.known = known;
    return input;
  }

  // Places that may be meant: those selected and looked at; the first fills an empty field.
  suggest() {
    const selected = this.side.talk?.view?.selected ?? {};
    for (const field of this.action?.fields ?? []) {
      if (!field.is_place) continue;
      const input = this.inputs.get(field.slot);
      const fitting = Object.entries(selected).filter(([domain]) => !field.target || field.target === domain);
      const names = fitting.flatMap(([, several]) => several);
      fresh(input.known, names.map((value) => el("option", { value })));
      if (!input.value && field.target && names.length === 1) input.value = names[0];
    }
  }

  take(view, events) {
    const last = events.filter((event) => event.kind === "acted").at(-1);
    if (last && this.waiting) this.came(last);
    this.suggest();
    this.enable();
  }

  enable() {
    $("perform").disabled = !this.action || !this.side.myTurn;
  }

  async perform() {
    const { action } = this;
    if (!action || !this.side.myTurn) return;
    const typed = [...this.inputs].map(([slot, input]) => [slot, input.value.trim()]);
    const given = Object.fromEntries(typed.filter(([, value]) => value));
    this.waiting = true;
    try {
      await this.side.talk.ask({ do: "perform", action: action.key, arguments: given });
    } catch (refusal) {
      this.waiting = false;
      this.tell(problem(refusal), "refused-action");
    }
  }

  came(event) {
    this.waiting = false;
    this.tell(event.message || event.title, event.done ? "done-action" : "refused-action");
  }

  tell(words, kind) {
    const place = $("action-result");
    say(place, words);
    place.classList.remove("done-action", "refused-action");
    if (kind) place.classList.add(kind);
  }
}
