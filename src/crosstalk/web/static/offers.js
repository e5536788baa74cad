// What the page offers the wizard: wishes read in the user's message, and a drafted answer.

import { $, button, el, fresh, say, show } from "./dom.js";
import { get } from "./requests.js";
import { given, t } from "./words.js";

export class Offers {
  constructor(side) {
    this.side = side;
    this.wishes = [];
    this.used = "";
    $("take-all").addEventListener("click", () => this.takeAll() && this.side.search(true));
    $("use-draft").addEventListener("click", () => this.useDraft());
  }

  // The server is asked again whenever something happened that an offer may depend on.
  async take(view) {
    const state = JSON.stringify([view.your_turn, view.heard?.text, view.selected, view.queries, view.exchange]);
    if (state === this.state) return;
    this.state = state;
    if (!view.your_turn) return this.put({ wishes: [], draft: "" });
    try {
      const offered = await get(`/api/rooms/${given.room}/aid`);
      if (state === this.state) this.put(offered);
    } catch {
      this.state = null; // nothing is offered; the next update asks again
    }
  }

  put({ wishes, draft }) {
    this.wishes = wishes;
    this.drafted = draft;
    fresh($("offers-list"), wishes.map((wish, number) => this.chip(wish, number)));
    show($("offers"), wishes.length > 0);
    say($("draft-text"), draft);
    this.showDraft();
  }

  chip(wish, number) {
    const { form } = this.side;
    const words = wish.value ? `${wish.name}: ${wish.text}` : t("room.give_up", { slot: wish.name });
    const label = t("room.take_one", { value: `${wish.domain_name}, ${words}` });
    const key = el("kbd", { "aria-hidden": "true" }, String(number + 1));
    const take = button("", () => form.toggle(wish), { "aria-label": label, "aria-pressed": String(form.holds(wish)), title: `Alt+Shift+${number + 1}` });
    take.append(key, el("span", {}, wish.domain === this.side.domain ? words : `${wish.domain_name} · ${words}`));
    return el("li", {}, take);
  }

  // Whether a wish stands in the form is seen on its chip.
  refresh() {
    if (!this.side.form.view) return;
    fresh($("offers-list"), this.wishes.map((wish, number) => this.chip(wish, number)));
  }

  takeOne(number) {
    if (this.wishes[number]) this.side.form.toggle(this.wishes[number]);
  }

  takeAll() {
    const { form } = this.side;
    for (const wish of this.wishes) if (!form.holds(wish)) form.put(wish);
    if (!this.wishes.length) return false;
    this.side.talk.showPane("task");
    this.side.open(this.wishes[0].domain);
    this.refresh();
    return true;
  }

  showDraft() {
    show($("draft"), Boolean(this.drafted) && !$("text").value.trim());
  }

  useDraft() {
    if ($("draft").hidden) return;
    this.used = this.drafted;
    this.side.talk.insert(this.drafted);
    this.showDraft();
  }
}
