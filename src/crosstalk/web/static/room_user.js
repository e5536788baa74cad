// The user's room: the goal in words and as a table; ticks, answers, the last word.

import { Cells } from "./cells.js";
import { $, button, el, fresh, say, show } from "./dom.js";
import { plainHint } from "./hints.js";
import { focus } from "./keys.js";
import { Talk } from "./talk.js";
import { count, t } from "./words.js";

class UserSide {
  draft = { ticks: [], cells: {} };

  start() {
    this.talk = new Talk(this);
    this.cells = new Cells(this.talk, () => this.ticked());
    $("finish").addEventListener("change", () => this.ticked());
    $("missing").addEventListener("click", () => this.toMissing());
  }

  annotation() {
    return { ticks: this.talk.draft.ticks, done: $("finish").checked };
  }

  shown(view) {
    this.cells.show(view);
    if (!this.cells.inWords) this.showGoal(view.goal.description);
    $("finish").disabled = !view.can_finish;
    if (!view.can_finish) $("finish").checked = false;
    $("finish-label").title = t("room.finish_help");
    say($("missing"), count("room.missing", view.missing.length));
    show($("missing"), view.missing.length > 0);
    this.ticked();
  }

  // Goals whose words are not one line a part are told before the table.
  showGoal(lines) {
    fresh($("goal-words"), lines.map((line) => el("li", {}, line)));
    show($("goal-words"), lines.length > 0);
  }

  // Chips over the message: what it is ticked as saying.
  ticked() {
    const { ticks } = this.talk.draft;
    const chips = ticks.map((cell) => this.chip(cell));
    fresh($("says-list"), chips.length ? chips : [el("li", { class: "none" }, t("room.says_nothing"))]);
    show($("says"), !$("finish").checked || ticks.length > 0);
  }

  chip(cell) {
    const words = this.cells.label(cell);
    const remove = button("×", () => this.cells.tick(cell, false), { "aria-label": t("room.remove", { value: words }) });
    return el("li", { dir: "auto" }, words, remove);
  }

  wrote(text) {
    this.cells.suggest(text);
  }

  cleared() {
    this.talk.draft.ticks = [];
    $("finish").checked = false;
    this.cells.clear();
    this.ticked();
  }

  notes(event) {
    if (!event.ticks?.length) return null;
    const view = this.talk.view;
    const labels = event.ticks.map((cell) => el("li", {}, view.cells[cell]?.slot_name ?? ""));
    return el("ul", { class: "turn-notes" }, labels);
  }

  hint(hint) {
    const cell = hint.cell;
    const words = plainHint(hint, cell === null ? "" : this.cells.label(cell));
    const mends = {
      ticked_not_said: () => ({ words: t("room.untick_it"), act: () => this.cells.tick(cell, false) }),
      asked_not_said: () => ({ words: t("room.untick_it"), act: () => this.cells.tick(cell, false) }),
      asked_not_ticked: () => ({ words: t("room.tick_it"), act: () => this.cells.tick(cell, true) }),
      said_not_ticked: () => ({ words: t("room.tick_it"), act: () => this.cells.tick(cell, true) }),
      never_said: () => ({ words: t("room.tick_it"), act: () => this.cells.tick(cell, true) }),
    };
    return { words, mend: mends[hint.code]?.() };
  }

  toMissing() {
    this.talk.showPane("task");
    this.cells.focus(this.talk.view.missing[0]);
  }

  keys(talk) {
    return {
      KeyG: () => focus(talk, "task", document.querySelector("#cells input")),
      KeyF: () => $("finish").click(),
      Digit: (number) => {
        talk.showPane("task");
        this.cells.focusGroup(number);
      },
    };
  }
}

new UserSide().start();
