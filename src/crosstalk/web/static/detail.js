// Everything about one entity, and what is near it. A click puts a value into the message.

import { $, button, el, fresh, show } from "./dom.js";
import { get } from "./requests.js";
import { given, problem, t } from "./words.js";

const FEW = 5;

export class Detail {
  constructor(side) {
    this.side = side;
  }

  async open(domain, name, line = []) {
    this.side.results.mark(name);
    if (this.side.domains.get(domain).kind !== "place") return this.showRide(name, line);
    const query = new URLSearchParams({ domain, name });
    try {
      this.show(await get(`/api/rooms/${given.room}/entity?${query}`));
    } catch (error) {
      this.put(el("p", { class: "problem" }, problem(error)));
    }
    return undefined;
  }

  put(...children) {
    show($("detail-empty"), false);
    show($("card"), true);
    fresh($("card"), ...children);
    $("detail").scrollTop = 0;
    document.querySelector(".panes").classList.add("has-detail");
    document.querySelector("#results li[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  // On small windows the card covers part of the results.
  close() {
    show($("card"), false);
    show($("detail-empty"), true);
    document.querySelector(".panes").classList.remove("has-detail");
    document.querySelector("#results li[aria-current] .result-name")?.focus();
  }

  head(eyebrow, title) {
    const close = button("×", () => this.close(), { class: "quiet icon", "aria-label": t("common.close") });
    return el("div", { class: "card-head" }, el("div", {}, el("p", { class: "eyebrow" }, eyebrow), el("h3", {}, title)), close);
  }

  showRide(name, line) {
    this.put(this.head("", name), el("ul", { class: "facts" }, line.filter(Boolean).map((text) => el("li", {}, this.value(text)))));
  }

  show(card) {
    const domain = this.side.domains.get(card.domain);
    const search = button(t("room.search_this"), () => this.side.searchName(card.domain, card.name));
    const isResult = this.side.results.domainOf(card.name) === card.domain;
    const rows = card.rows.filter((row) => row.texts[0] !== card.name).sort((one, other) => isLong(one) - isLong(other));
    this.put(
      this.head(domain.name, this.value(card.name)),
      isResult ? null : search,
      el("dl", { class: "facts" }, rows.flatMap((row) => this.row(row))),
      card.nearby.map((near) => this.nearby(near)),
    );
  }

  row(row) {
    const values = row.texts.length ? row.texts.map((text) => this.value(text)) : ["–"];
    const long = isLong(row) ? { class: "long" } : {};
    return [el("dt", long, row.slot_name), el("dd", long, values)];
  }

  value(text) {
    return button(text, () => this.side.talk.insert(text), { class: "value", title: t("room.insert") });
  }

  nearby(near) {
    const names = near.names.map((name) => el("li", {}, button(name, () => this.open(near.domain, name), { class: "link" })));
    const visible = el("ul", {}, names.slice(0, FEW));
    const rest = names.slice(FEW);
    const more = rest.length ? button(t("room.show_all", { n: names.length }), () => {
      visible.append(...rest);
      more.remove();
    }, { class: "quiet" }) : null;
    const empty = names.length ? null : el("p", { class: "note" }, t("room.none_nearby"));
    return el("section", { class: "near" }, el("h4", {}, t("room.nearby", { domain: near.domain_name })), visible, more, empty);
  }
}

// Lists of many values come after what is told in a word.
function isLong(row) {
  return row.texts.length > FEW;
}
