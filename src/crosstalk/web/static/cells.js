// The user's table: one row a tuple of the goal, grouped by the parts of the goal.

import { CellValue } from "./cell_value.js";
import { $, el, fresh, say, show } from "./dom.js";
import { t } from "./words.js";

export class Cells {
  constructor(talk, ticked) {
    this.talk = talk;
    this.ticked = ticked;
    this.rows = [];
  }

  show(view) {
    if (!this.rows.length) this.build(view.cells, view.goal.description);
    view.cells.forEach((cell, number) => this.refresh(this.rows[number], cell, view));
    for (const group of document.querySelectorAll("#cells fieldset")) group.disabled = view.status !== "open";
    this.suggest(this.talk.draft.text);
  }

  build(cells, description) {
    const groups = new Map();
    for (const cell of cells) {
      if (!groups.has(cell.subgoal)) groups.set(cell.subgoal, []);
      groups.get(cell.subgoal).push(this.row(cell));
    }
    this.inWords = description.length === groups.size;
    const lines = this.inWords ? description : [];
    fresh($("cells"), [...groups].map(([subgoal, rows], number) => this.group(subgoal, rows, lines[number])));
  }

  group(subgoal, rows, words) {
    const name = rows[0].cell.domain_name;
    const heading = el("h3", {}, el("span", { class: "number" }, String(subgoal)), el("span", { class: "domain-name" }, name));
    const told = words ? el("p", { class: "goal-line" }, words) : null;
    return el("fieldset", { class: "subgoal" }, el("legend", {}, heading), told, rows.map((row) => row.element));
  }

  row(cell) {
    const tick = el("input", {
      type: "checkbox",
      "aria-label": t("room.tick_label", { slot: this.words(cell) }),
      onchange: () => this.tick(cell.cell, tick.checked),
    });
    tick.checked = this.talk.draft.ticks.includes(cell.cell);
    const badge = el("span", { class: "badge", hidden: true });
    const value = new CellValue(this.talk, cell);
    const label = el("label", { class: "cell-name" }, tick, el("span", { class: "slot-name" }, cell.slot_name), badge);
    const element = el("div", { class: `cell ${cell.constraint ? "wish" : "question"}` }, label, value.element);
    const row = { cell, tick, badge, value, element };
    this.rows[cell.cell] = row;
    return row;
  }

  refresh(row, cell, view) {
    row.cell = cell;
    row.element.classList.toggle("said", cell.said);
    row.element.classList.toggle("changed", cell.changed);
    row.element.classList.toggle("missing", view.missing.includes(cell.cell));
    say(row.badge, cell.changed ? t("room.changed") : t("room.said_before"));
    show(row.badge, cell.changed || cell.said);
    row.value.show(cell, view);
    row.tick.disabled = cell.dropped; // no act says that a wish is given up
    if (cell.dropped && row.tick.checked) this.tick(cell.cell, false);
  }

  words(cell) {
    return `${cell.domain_name} · ${cell.slot_name}`;
  }

  label(number) {
    const { cell } = this.rows[number];
    const several = new Set(this.rows.map((row) => row.cell.subgoal)).size > 1;
    const value = cell.constraint && !cell.reference ? [].concat(cell.value).join(t("common.list")) : "?";
    return `${several ? `${cell.subgoal} · ` : ""}${cell.slot_name}: ${value}`;
  }

  tick(number, on) {
    const { draft } = this.talk;
    const ticks = new Set(draft.ticks);
    if (on) ticks.add(number);
    else ticks.delete(number);
    draft.ticks = [...ticks].sort((one, other) => one - other);
    this.rows[number].tick.checked = on;
    this.talk.keep();
    this.suggest(draft.text);
    this.ticked();
  }

  clear() {
    for (const row of this.rows) row.tick.checked = false;
    this.suggest("");
  }

  // Rows whose value stands in the message and that are not ticked yet.
  suggest(text) {
    const written = text.toLowerCase();
    for (const row of this.rows) {
      const said = row.cell.constraint && !row.cell.dropped && [].concat(row.cell.value).some((value) => found(value, written));
      row.element.classList.toggle("suggested", Boolean(said) && !row.tick.checked && !row.cell.said);
    }
  }

  focus(number) {
    this.rows[number]?.value.focus();
  }

  focusGroup(number) {
    document.querySelectorAll(".subgoal")[number]?.querySelector("input")?.focus();
  }
}

function found(value, written) {
  return value.length > 1 && written.includes(value.toLowerCase());
}
