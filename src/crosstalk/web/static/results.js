// The result list: look at one, select those the answer is about.

import { $, button, el, fresh, say, show } from "./dom.js";
import { count, problem, t } from "./words.js";

export class Results {
  constructor(side) {
    this.side = side;
    this.found = new Map();
    $("results").addEventListener("keydown", (event) => this.key(event));
  }

  put(domain, result) {
    this.found.set(domain, result);
    if (domain === this.side.domain) this.show(domain);
  }

  show(domain) {
    const result = this.found.get(domain);
    say($("results-note"), this.note(result));
    fresh($("results"), (result?.rows ?? []).map((row, number) => this.row(domain, row, number)));
    if (this.side.talk.view) this.refresh(this.side.talk.view);
  }

  note(result) {
    if (!result) return t("room.results_none_yet");
    if (!result.count) return t("room.results_none");
    const shown = result.rows.length;
    return shown < result.count ? t("room.results_more", { shown, n: result.count }) : count("room.found", result.count);
  }

  focusFirst() {
    $("results").querySelector(".result-name")?.focus();
  }

  row(domain, row, number) {
    const tick = el("input", {
      type: "checkbox",
      tabindex: -1,
      "aria-label": t("room.select_label", { name: row.name }),
      onchange: () => this.select(domain, row.name, tick.checked),
    });
    const name = button("", () => this.side.detail.open(domain, row.name, row.line), { class: "result-name" });
    name.append(el("strong", {}, row.name), el("span", { class: "line" }, row.line.filter(Boolean).join(" · ")));
    const key = number < 9 ? el("kbd", { "aria-hidden": "true" }, String(number + 1)) : null;
    const item = el("li", { "data-name": row.name }, el("label", { class: "tick" }, key, tick), name);
    return item;
  }

  refresh(view) {
    const chosen = new Set(view.selected[this.side.domain] ?? []);
    for (const item of $("results").children) {
      const tick = item.querySelector("input");
      tick.checked = chosen.has(item.dataset.name);
      tick.disabled = !view.your_turn;
      item.classList.toggle("selected", tick.checked);
      item.querySelector(".result-name").setAttribute("aria-description", tick.checked ? t("room.selected_now") : "");
    }
  }

  mark(name) {
    for (const item of $("results").children)
      if (item.dataset.name === name) {
        item.setAttribute("aria-current", "true");
        requestAnimationFrame(() => item.scrollIntoView({ block: "nearest" })); // the card takes room
      } else item.removeAttribute("aria-current");
  }

  domainOf(name) {
    return [...this.found.keys()].find((domain) => this.found.get(domain).rows.some((row) => row.name === name));
  }

  lineOf(domain, name) {
    return this.found.get(domain)?.rows.find((row) => row.name === name)?.line ?? [];
  }

  // A form that was changed is searched first: only what it finds can be selected.
  async select(domain, name, on) {
    const { side } = this;
    if (side.form.isChanged(domain) && domain === side.domain && !(await side.search(true))) return;
    const names = new Set(side.talk.view.selected[domain] ?? []);
    if (on) names.add(name);
    else names.delete(name);
    try {
      await side.talk.ask({ do: "select", domain, names: [...names] });
      if (on) side.detail.open(domain, name, this.lineOf(domain, name));
    } catch (refusal) {
      side.form.complain(problem(refusal));
      this.refresh(side.talk.view);
    }
  }

  // By number: selected, and back to the message; or its card.
  async pick(item, open) {
    if (!item) return;
    if (open) return item.querySelector(".result-name").click();
    const tick = item.querySelector("input");
    if (!tick.disabled) await this.select(this.side.domain, item.dataset.name, !tick.checked);
    this.side.talk.showPane("talk");
    $("text").focus();
  }

  key(event) {
    const item = event.target.closest("li");
    if (!item || !event.target.classList.contains("result-name")) return;
    if (event.key === " ") {
      event.preventDefault();
      const tick = item.querySelector("input");
      if (!tick.disabled) tick.click();
    }
    const digit = /^Digit([1-9])$/.exec(event.code);
    if (digit && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.pick($("results").children[Number(digit[1]) - 1], event.shiftKey);
    }
    const next = { ArrowDown: item.nextElementSibling, ArrowUp: item.previousElementSibling }[event.key];
    if (!next) return;
    event.preventDefault();
    next.querySelector(".result-name").focus();
  }
}
