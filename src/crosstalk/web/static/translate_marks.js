// Marks of errors in a translation: words that are selected, what is wrong with them, how bad it is.

import { button, el, fresh, say } from "./dom.js";
import { t } from "./words.js";

// Positions count letters, as the server does; JavaScript counts units of UTF-16.
function letters(text, unit) {
  return [...text.slice(0, unit)].length;
}

function part(text, mark) {
  return [...text].slice(mark.start, mark.end).join("");
}

export class Marks {
  // kinds: { categories, severities }; place: the element with the translation; keep(): save them
  constructor(turn, kinds, place, keep) {
    this.turn = turn;
    this.place = place;
    this.keep = keep;
    this.list = el("ul", { class: "value-list marks" });
    this.told = el("p", { class: "note", role: "status" });
    this.kind = this.choice(kinds.categories, "mark_");
    this.severity = this.choice(kinds.severities, "severity_");
    this.severity.value = "minor";
    const add = button(t("translate.mark"), () => this.add());
    add.addEventListener("mousedown", (event) => event.preventDefault()); // the selection stays
    const choices = el("div", { class: "row" }, this.label("mark_kind", this.kind), this.label("mark_how_bad", this.severity), add);
    this.element = el("fieldset", { class: "question" }, el("legend", {}, t("translate.marks")), el("small", {}, t("translate.marks_help")), choices, this.told, this.list);
    document.addEventListener("selectionchange", () => (this.chosen = this.selected() ?? this.chosen));
    this.draw();
  }

  choice(values, prefix) {
    return el("select", {}, values.map((value) => el("option", { value }, t(`translate.${prefix}${value}`))));
  }

  label(name, control) {
    return el("label", {}, t(`translate.${name}`), control);
  }

  // What is selected in the translation, as positions; null if it is elsewhere.
  selected() {
    const now = getSelection();
    if (!now.rangeCount) return null;
    const range = now.getRangeAt(0);
    if (!this.place.contains(range.commonAncestorContainer)) return null;
    const before = document.createRange();
    before.setStart(this.place, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    const { text } = this.turn;
    return { start: letters(text, start), end: letters(text, start + range.toString().length) };
  }

  add() {
    const where = this.chosen;
    const isWhere = where && (where.end > where.start || this.kind.value === "omission");
    say(this.told, isWhere ? "" : t("translate.select_first"));
    if (!isWhere) return;
    this.chosen = null;
    this.turn.marks.push({ ...where, category: this.kind.value, severity: this.severity.value });
    this.turn.marks.sort((one, other) => one.start - other.start || one.end - other.end);
    this.draw();
    this.keep();
  }

  draw() {
    const lines = this.turn.marks.map((mark, number) => this.line(mark, number));
    fresh(this.list, lines.length ? lines : el("li", { class: "note" }, t("translate.no_marks")));
    this.show();
  }

  line(mark, number) {
    const words = part(this.turn.text, mark) || t("translate.omitted_here");
    const about = `${t(`translate.mark_${mark.category}`)}, ${t(`translate.severity_${mark.severity}`)}`;
    const remove = button("×", () => {
      this.turn.marks.splice(number, 1);
      this.draw();
      this.keep();
    }, { "aria-label": t("translate.unmark", { value: words }), class: "quiet icon" });
    return el("li", {}, el("bdi", {}, words), " · ", el("span", { class: "slot" }, about), " ", remove);
  }

  // Marked words are underlined; where marks overlap, the first one shows.
  show() {
    const all = [...this.turn.text];
    const parts = [];
    let from = 0;
    for (const mark of this.turn.marks) {
      if (mark.start < from || mark.end === mark.start) continue;
      parts.push(all.slice(from, mark.start).join(""), el("mark", { class: `error ${mark.severity}` }, all.slice(mark.start, mark.end).join("")));
      from = mark.end;
    }
    fresh(this.place, ...parts, all.slice(from).join(""));
  }
}
