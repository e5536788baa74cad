// What both roles share: the conversation, the message being written, and the partner.

import { Connection } from "./connection.js";
import { $, button, el, say, show } from "./dom.js";
import { restored, stored } from "./drafts.js";
import { showHints } from "./hints.js";
import { watchKeys } from "./keys.js";
import { tellNotices } from "./notices.js";
import { tellPartner } from "./partner.js";
import { given, problem, t } from "./words.js";

const TYPING_PAUSE = 3000;
const title = document.title;

export class Talk {
  // side: {draft, annotation, shown, cleared, notes, hint, ready}: what this role adds
  constructor(side) {
    this.side = side;
    this.role = given.role;
    this.place = `${given.worker}:${given.room}`;
    this.view = null;
    this.sending = false;
    this.turns = 0;
    this.atEnd = true; // whoever scrolls back to read stays there
    this.typed = 0;
    this.draft = { text: "", ...side.draft, ...restored(`draft:${this.place}`, {}) };
    $("text").value = this.draft.text;
    $("text").placeholder = t("room.placeholder");
    this.connection = new Connection(
      given.room,
      {
        update: (message) => this.update(message),
        presence: () => this.partnerTypes(),
        notices: (message) => tellNotices(message.notices),
        acknowledged: (message) => message.do === "say" && this.said(),
        refused: (message, refusal) => message.do === "say" && this.unsaid(refusal),
        state: (state) => this.tellState(state),
      },
      { place: `outbox:${this.place}` },
    );
    this.sending = [...this.connection.waiting.values()].some(({ message }) => message.do === "say");
    this.listen();
    watchKeys(this);
    document.addEventListener("visibilitychange", () => this.view && this.tellTitle());
  }

  ask(message) {
    return this.connection.ask(message);
  }

  listen() {
    const text = $("text");
    text.addEventListener("input", () => this.wrote());
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.submit();
    });
    $("say").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    for (const tab of document.querySelectorAll(".panes-tabs [data-pane]"))
      tab.addEventListener("click", () => this.showPane(tab.dataset.pane));
    const log = $("log");
    log.addEventListener("scroll", () => (this.atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40));
    new ResizeObserver(() => this.atEnd && this.toEnd()).observe(log); // a draft or a hint takes its room
    $("show-help").addEventListener("click", () => $("help").showModal());
    $("begin-task").addEventListener("click", () => this.showPane("task"));
    this.listenToDialog("report", (text) => this.report(text));
    this.listenToDialog("leave", (text) => this.leave(text));
  }

  listenToDialog(name, act) {
    const dialog = $(name);
    $(`show-${name}`).addEventListener("click", () => {
      dialog.returnValue = "";
      dialog.showModal();
    });
    dialog.addEventListener("close", () => {
      if (dialog.returnValue) act($(`${name}-text`).value.trim());
    });
  }

  showPane(pane) {
    document.querySelector(".panes").dataset.pane = pane;
    for (const tab of document.querySelectorAll(".panes-tabs [data-pane]"))
      tab.setAttribute("aria-pressed", String(tab.dataset.pane === pane));
    const news = document.querySelector(`[data-news="${pane}"]`);
    show(news, false);
    if (pane === "talk") this.toEnd();
  }

  wrote() {
    this.draft.text = $("text").value;
    this.keep();
    show($("problem"), false);
    this.side.wrote?.(this.draft.text);
    const now = Date.now();
    if (now - this.typed > TYPING_PAUSE && this.view?.your_turn) {
      this.typed = now;
      this.connection.tell({ do: "typing", room: given.room });
    }
  }

  keep() {
    stored(`draft:${this.place}`, this.draft);
  }

  insert(words) {
    const text = $("text");
    const before = text.value.slice(0, text.selectionStart);
    const space = before && !/[\s（(「“]$/u.test(before) && given.world.language !== "zh" ? " " : "";
    text.setRangeText(space + words, text.selectionStart, text.selectionEnd, "end");
    this.showPane("talk");
    text.focus();
    this.wrote();
  }

  update(message) {
    const first = this.view === null;
    const before = this.view;
    this.view = message.view;
    this.ahead = message.now - Date.now() / 1000;
    for (const event of message.events) this.add(event, first);
    show($("begin"), this.turns === 0 && this.view.status === "open");
    this.side.shown(this.view, message, before);
    tellPartner(this);
    this.tellTurn(before);
    if (first && this.turns) this.toEnd();
  }

  add(event, first) {
    if (event.kind === "turn") this.addTurn(event, first);
    else if (event.kind === "acted") this.addActed(event, first);
    else if (event.kind === "presence" && event.by !== this.role) this.addPresence(event);
  }

  addTurn(event, first) {
    const mine = event.by === this.role;
    this.turns += 1;
    const who = mine ? t("room.you") : t(`room.partner_${event.by}`);
    const notes = mine ? this.side.notes?.(event) : null;
    const item = el(
      "li",
      { class: `turn ${mine ? "mine" : "theirs"}`, "data-seq": event.seq },
      el("span", { class: "author" }, who),
      el("p", { class: "bubble", dir: "auto" }, event.text),
      notes ?? null,
    );
    $("turns").append(item);
    say($("typing"), "");
    if (!first) this.toEnd();
    if (!first && !mine) this.news();
  }

  // What was done, with its code; the wizard also sees what was refused.
  addActed(event, first) {
    const words = `${event.title}${event.message ? ` – ${event.message}` : ""}`;
    const insert = this.role === "wizard" && event.done && event.message;
    const item = el(
      "li",
      { class: `acted ${event.done ? "done-action" : "refused-action"}`, dir: "auto" },
      el("span", {}, words),
      insert ? button(t("room.insert"), () => this.insert(event.message), { class: "link" }) : null,
    );
    $("turns").append(item);
    if (!first) this.toEnd();
    if (!first && this.role !== "wizard") this.news();
  }

  addPresence(event) {
    if (!["gone", "left", "machine"].includes(event.state)) return;
    const words = `${t(`room.partner_${event.by}`)} ${t(`room.event_${event.state}`)}`;
    $("turns").append(el("li", { class: "presence" }, words));
    this.toEnd();
  }

  news() {
    const hidden = document.querySelector(".panes").dataset.pane !== "talk";
    show(document.querySelector('[data-news="talk"]'), hidden);
  }

  toEnd() {
    const log = $("log");
    log.scrollTop = log.scrollHeight;
  }

  partnerTypes() {
    say($("typing"), t("room.typing"));
    clearTimeout(this.typingTimer);
    this.typingTimer = setTimeout(() => say($("typing"), ""), 2 * TYPING_PAUSE);
  }

  tellTurn(before) {
    const { view } = this;
    const over = view.status !== "open";
    say($("turn-state"), this.turnWords());
    document.body.classList.toggle("my-turn", view.your_turn);
    $("send").disabled = !view.your_turn || this.sending;
    $("text").readOnly = this.sending;
    show($("composer"), !over);
    show($("done"), over);
    if (over) this.tellEnd(before);
    else if (view.your_turn && before && !before.your_turn && !this.busy()) $("text").focus();
    this.tellTitle();
  }

  tellTitle() {
    document.title = this.view.your_turn && document.hidden ? `${t("room.title_turn")} · ${title}` : title;
  }

  // Somebody who is typing elsewhere is not to be torn away.
  busy() {
    const active = document.activeElement;
    return Boolean(active?.closest("dialog, .task, .detail, .hints"));
  }

  turnWords() {
    const { view } = this;
    if (this.sending) return t("room.sending");
    if (view.your_turn && this.role === "user" && this.turns === 0) return t("room.your_turn_first");
    if (view.your_turn) return t(view.user_done ? "room.your_turn_last" : `room.your_turn_${this.role}`);
    if (view.user_done && this.role === "user") return t("room.said_goodbye");
    if (this.role === "wizard" && this.turns === 0) return t("room.wait_for_first");
    return t(`room.their_turn_${view.next ?? "user"}`);
  }

  tellEnd(before) {
    const end = this.left ? "left" : this.view.status;
    const reviewed = this.view.review !== "pending";
    say($("done-title"), t(`room.done_${end}`));
    const words = reviewed ? `room.review_${this.view.review}` : `room.done_${end}_text`;
    say($("done-text"), t(words, { note: this.view.note }));
    stored(`draft:${this.place}`, null);
    if (before && before.status === "open") {
      this.showPane("talk");
      $("done").focus();
    }
  }

  tellState(state) {
    const banner = $("connection");
    show(banner, state !== "open");
    if (state === "open") return;
    say(banner, t(`common.${state}`));
    if (state === "elsewhere")
      banner.append(" ", button(t("common.use_here"), () => this.connection.connect()));
  }

  complain(text, good = false) {
    if ($("composer").hidden) return say($("done-text"), text);
    const place = $("problem");
    say(place, text);
    place.classList.toggle("good", good);
    return show(place, Boolean(text));
  }

  // Writing is over: send it, unless this role has something to settle first.
  async submit(sure = false) {
    if (this.sending || !this.view?.your_turn) return;
    const text = $("text").value.trim();
    if (!text) return this.complain(t("problems.empty_text"));
    if (!sure && this.side.ready && !this.side.ready()) return;
    this.sending = true;
    this.tellTurn(this.view);
    try {
      await this.ask({ do: "say", text, sure, ...this.side.annotation() });
    } catch (refusal) {
      this.unsaid(refusal);
    }
  }

  unsaid(refusal) {
    this.sending = false;
    if (this.view) this.tellTurn(this.view);
    this.refused(refusal);
  }

  refused(refusal) {
    if (refusal.hints?.length) showHints(this, refusal.hints, refusal.code === "hints");
    else this.complain(problem(refusal));
  }

  said() {
    this.sending = false;
    $("text").value = "";
    this.draft.text = "";
    this.side.cleared?.();
    this.keep();
    show($("hints"), false);
    if (this.view) this.tellTurn(this.view);
  }

  async report(text) {
    if (!text) return;
    try {
      await this.ask({ do: "report", text });
      $("report-text").value = "";
      this.complain(t("room.reported"), true);
    } catch (refusal) {
      this.complain(problem(refusal));
    }
  }

  async leave(text) {
    try {
      this.left = true;
      await this.ask({ do: "leave", text });
      stored(`draft:${this.place}`, null);
      location.assign("/work");
    } catch (refusal) {
      this.left = false;
      this.complain(problem(refusal));
    }
  }

  async choose(choice) {
    try {
      await this.ask({ do: "choose", choice });
      if (choice === "requeue") location.assign("/lobby");
    } catch (refusal) {
      this.complain(problem(refusal));
    }
  }
}
