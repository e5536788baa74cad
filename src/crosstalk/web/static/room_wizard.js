// The wizard's room: a form a domain, results, details, and what the user said last.

import { ActionForm } from "./action_form.js";
import { Detail } from "./detail.js";
import { $, button, el, fresh, say, show } from "./dom.js";
import { plainHint, showHints } from "./hints.js";
import { focus } from "./keys.js";
import { Offers } from "./offers.js";
import { QueryForm } from "./query_form.js";
import { Results } from "./results.js";
import { Talk } from "./talk.js";
import { count, given, list, problem, t } from "./words.js";

class WizardSide {
  draft = { form: {} };

  start() {
    this.domains = new Map(given.world.domains.map((domain) => [domain.key, domain]));
    this.talk = new Talk(this);
    this.domain = given.world.domains[0].key;
    this.mended = Promise.resolve(); // hints are mended one after the other
    this.unlisted = []; // fields searched for as typed, although no table has the word
    this.form = new QueryForm(this);
    this.results = new Results(this);
    this.detail = new Detail(this);
    this.offers = new Offers(this);
    this.actions = given.actions.length ? new ActionForm(this) : null;
    for (const tab of document.querySelectorAll('[role="tab"]')) {
      tab.addEventListener("click", () => this.open(tab.dataset.domain));
      tab.addEventListener("keydown", (event) => this.tabKey(event, tab));
    }
  }

  get myTurn() {
    return Boolean(this.talk.view?.your_turn);
  }

  annotation() {
    return this.offers.used ? { draft: this.offers.used } : {};
  }

  wrote() {
    if (!$("text").value.trim()) this.offers.used = "";
    this.offers.showDraft();
  }

  shown(view, message, before) {
    this.form.take(view, !before);
    this.showTabs(view);
    this.showHeard(view);
    this.showQueries(view);
    this.showSelected(view);
    this.results.refresh(view);
    this.actions?.take(view, message.events);
    this.offers.take(view);
    if (!before) this.openFirst(view);
    const begins = view.your_turn && !(before?.your_turn ?? false);
    if (begins && before) this.turnToHeard(view);
  }

  openFirst(view) {
    const filled = given.world.domains.filter((each) => Object.values(view.form[each.key] ?? {}).some(hasValue));
    const asked = view.queries.at(-1)?.domain;
    this.open(asked ?? filled.at(-1)?.key ?? this.domain);
    if (filled.length && !view.queries.length) this.search(false);
  }

  turnToHeard(view) {
    const news = document.querySelector('[data-news="task"]');
    show(news, document.querySelector(".panes").dataset.pane !== "task");
    document.querySelector(".search").scrollTop = 0;
    if (view.heard?.spans.length && !this.talk.busy()) this.open(view.heard.spans[0][2]);
  }

  showTabs(view) {
    for (const tab of document.querySelectorAll('[role="tab"]')) {
      const key = tab.dataset.domain;
      tab.classList.toggle("filled", Object.values(view.form[key] ?? {}).some(hasValue));
      tab.classList.toggle("chosen", (view.selected[key] ?? []).length > 0);
    }
  }

  open(domain, focusing = false) {
    this.domain = domain;
    for (const tab of document.querySelectorAll('[role="tab"]')) {
      const own = tab.dataset.domain === domain;
      tab.setAttribute("aria-selected", String(own));
      tab.tabIndex = own ? 0 : -1;
      if (own) $("form-panel").setAttribute("aria-labelledby", tab.id);
    }
    this.form.show(domain);
    this.results.show(domain);
    this.offers.refresh();
    if (focusing) focus(this.talk, "task", document.querySelector("#fields input, #fields select"));
  }

  tabKey(event, tab) {
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    const forward = getComputedStyle(tab).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const move = forward === "ArrowRight" ? step : -step;
    const next = tabs[(tabs.indexOf(tab) + move + tabs.length) % tabs.length];
    this.open(next.dataset.domain);
    next.focus();
  }

  // The user's last words; names in them are one click from a search.
  showHeard(view) {
    show($("heard"), Boolean(view.heard));
    show($("heard-note"), Boolean(view.heard?.spans.length));
    if (!view.heard) return;
    const { text, spans } = view.heard;
    const parts = [];
    let from = 0;
    for (const [start, end, domain, name] of spans) {
      parts.push(text.slice(from, start));
      parts.push(button(text.slice(start, end), () => this.searchName(domain, name), { class: "mark" }));
      from = end;
    }
    parts.push(text.slice(from));
    fresh($("heard-text"), parts);
    $("heard-text").tabIndex = $("heard-text").scrollHeight > $("heard-text").clientHeight ? 0 : -1; // scrolled by keys
    $("heard").classList.toggle("new", view.your_turn);
  }

  searchName(domain, name) {
    this.talk.showPane("task");
    this.open(domain);
    const slot = this.domains.get(domain).fields.find((field) => field.kind === "name");
    if (!slot) return;
    this.form.fillOnly({ [slot.slot]: name });
    this.search(true);
    this.detail.open(domain, name);
  }

  showQueries(view) {
    const { queries } = view;
    show($("history"), queries.length > 0);
    fresh($("queries"), queries.map((query) => this.queryLine(query, queries.filter((each) => each.domain === query.domain))));
  }

  // Each domain has a first search of its own.
  queryLine(query, own) {
    const place = own.length === 1 ? "only" : query === own[0] ? "first" : query === own.at(-1) ? "last" : "";
    const domain = this.domains.get(query.domain);
    const words = domain.fields
      .filter((field) => hasValue(query.slots[field.slot]))
      .map((field) => `${field.name}: ${list([].concat(query.slots[field.slot]))}`);
    const found = query.count ? count("room.found", query.count) : t("room.found_none");
    return el(
      "li",
      {},
      place ? el("span", { class: "badge" }, t(`room.${place}`)) : null,
      el("strong", {}, domain.name),
      el("span", {}, words.join(" · ") || t("room.empty_query")),
      el("span", { class: "found", dir: "auto" }, found),
      query.selected.length ? el("span", { class: "found", dir: "auto" }, t("room.selected_list", { names: list(query.selected) })) : null,
    );
  }

  showSelected(view) {
    const chips = Object.entries(view.selected).flatMap(([domain, names]) =>
      names.map((name) => this.selectedChip(domain, name)),
    );
    show($("says"), chips.length > 0);
    fresh($("says-list"), chips);
  }

  selectedChip(domain, name) {
    const put = button(name, () => this.talk.insert(name), { class: "link", title: t("room.insert") });
    const remove = button("×", () => this.results.select(domain, name, false), {
      "aria-label": t("room.remove", { value: name }),
    });
    return el("li", { dir: "auto" }, put, this.myTurn ? remove : null);
  }

  // recorded: a search of this turn; else only a look.
  // amends: what is new in the form was forgotten in the turn's first search.
  async search(recorded, amends = false) {
    const domain = this.domain;
    const slots = this.form.query(domain);
    const keeps = recorded && this.myTurn;
    const suggested = keeps ? { suggested: this.form.suggested(domain), unlisted: this.unlisted, amends } : {};
    const inForm = $("form-pane").contains(document.activeElement);
    try {
      const ack = await this.talk.ask({ do: keeps ? "query" : "peek", domain, slots, ...suggested });
      if (keeps) this.form.recorded(domain);
      this.results.put(domain, ack.result);
      this.form.tellCount(null);
      if (recorded && inForm) this.results.focusFirst();
      return true;
    } catch (refusal) {
      this.complain(refusal, domain);
      return false;
    } finally {
      this.unlisted = [];
    }
  }

  // A value that is no word of its field can be replaced by one of the nearest, or insisted on.
  complain(refusal, domain) {
    if (refusal.code !== "no_such_word") return this.form.complain(problem(refusal));
    const [hint] = refusal.hints;
    const choices = hint.near.map((word) =>
      button(word, () => this.form.exchange(domain, hint.slot, hint.value, word) || this.search(true)),
    );
    const keep = () => {
      this.unlisted = refusal.hints.map((each) => each.slot);
      this.search(true);
    };
    this.form.complain(t("hints.no_such_word", { value: hint.value, near: list(hint.near) }), [
      ...choices,
      button(t("room.keep_typed"), keep),
    ]);
  }

  ready() {
    const changed = [this.domain, ...this.domains.keys()].find((domain) => this.form.isChanged(domain));
    if (!changed) return true;
    this.open(changed);
    showHints(this.talk, [{ code: "unsearched" }], true);
    return false;
  }

  hint(hint) {
    if (hint.code === "unsearched") {
      const act = () => this.search(true);
      return { words: t("room.unsearched"), mend: { words: t("room.search_now"), act } };
    }
    const words = plainHint(hint);
    if (hint.code === "selected_not_named") return { words, mend: this.unselect(hint.value) };
    if (hint.code === "wish_not_searched") return { words, mend: this.fillIn(hint) };
    return { words, mend: hint.code === "named_not_selected" ? this.selectNamed(hint) : null };
  }

  inTurn(act) {
    return () => (this.mended = this.mended.then(act, act));
  }

  unselect(name) {
    const domain = Object.keys(this.talk.view.selected).find((key) => this.talk.view.selected[key].includes(name));
    return domain && { words: t("room.unselect_it"), act: this.inTurn(() => this.results.select(domain, name, false)) };
  }

  selectNamed({ value: name, domain: home, slot }) {
    const domain = this.results.domainOf(name);
    if (domain) return { words: t("room.select_it"), act: this.inTurn(() => this.results.select(domain, name, true)) };
    if (!this.domains.has(home)) return null;
    const act = async () => {
      this.open(home);
      this.form.change(home, { [slot]: name });
      if (await this.search(true)) this.results.select(home, name, true);
    };
    return { words: t("room.search_it"), act: this.inTurn(act) };
  }

  fillIn({ domain, slot, value }) {
    const field = this.domains.get(domain)?.fields.find((each) => each.slot === slot);
    if (!field) return null;
    const wish = { domain, slot, value: field.control === "several" ? [value] : value };
    const act = () => {
      this.open(domain);
      this.form.put(wish);
      return this.search(true, true);
    };
    return { words: t("room.add_to_search"), act: this.inTurn(act) };
  }

  cleared() {
    this.talk.draft.form = {};
    this.talk.draft.suggested = {};
    this.offers.used = "";
    say($("count"), "");
  }

  keys(talk) {
    return {
      KeyS: () => this.open(this.domain, true),
      KeyF: () => this.offers.takeAll() && $("search").focus(),
      KeyD: () => this.offers.useDraft(),
      ShiftDigit: (number) => this.offers.takeOne(number),
      KeyR: () => focus(talk, "task", document.querySelector("#results .result-name")),
      Digit: (number) => given.world.domains[number] && this.open(given.world.domains[number].key, true),
    };
  }
}

export function hasValue(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

new WizardSide().start();
