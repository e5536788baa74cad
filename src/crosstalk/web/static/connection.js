// The socket: comes back by itself, says what it has seen, repeats what was not acknowledged.
//
// Messages carry ids of our making. Until one is acknowledged it is kept, also over a reload of the
// page, and sent again under the same id; the server records it once.

import { uuid } from "./dom.js";
import { restored, stored } from "./drafts.js";

const PAUSES = [500, 1000, 2000, 4000, 8000];
const NOT_LOGGED_IN = 4401;
const SHUT_OUT = 4403;
const TAKEN_OVER = 4409;
const HEARTBEAT = 25000; // a cable that was pulled closes nothing: ask now and then
const PATIENCE = 10000;
const KEPT = new Set(["say", "fill", "query", "select", "report"]);

export class Connection {
  // hears: {update, lobby, presence, notices, changed, acknowledged, refused, state}, all optional
  // watch: only follow what happens, as reviewers do
  constructor(room, hears, { place = null, watch = false } = {}) {
    this.room = room;
    this.watches = watch;
    this.hears = hears;
    this.place = place;
    this.last = 0;
    this.tries = 0;
    this.waiting = new Map();
    for (const message of place ? restored(place, []) : []) this.waiting.set(message.id, { message });
    addEventListener("online", () => this.hurry());
    addEventListener("offline", () => this.drop());
    setInterval(() => this.tell(this.hello(), true), HEARTBEAT);
    document.addEventListener("visibilitychange", () => !document.hidden && this.hurry());
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = null;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket = socket;
    socket.onopen = () => this.greet(socket);
    socket.onmessage = (event) => {
      clearTimeout(this.watch);
      this.hear(JSON.parse(event.data));
    };
    socket.onclose = (event) => socket === this.socket && this.closed(event.code);
  }

  hello() {
    return { do: "hello", room: this.room, last: this.last, ...(this.watches ? { watch: true } : {}) };
  }

  greet(socket) {
    socket.send(JSON.stringify(this.hello()));
    for (const { message } of this.waiting.values()) socket.send(JSON.stringify(message));
  }

  closed(code) {
    this.socket = null;
    clearTimeout(this.watch);
    if (code === NOT_LOGGED_IN) location.assign("/login");
    else if (code === SHUT_OUT) location.assign("/");
    else if (code === TAKEN_OVER) this.hears.state?.("elsewhere");
    else {
      const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
      this.tries += 1;
      this.timer = setTimeout(() => this.connect(), pause * (0.7 + 0.6 * Math.random()));
      this.hears.state?.("lost");
    }
  }

  // Nothing was heard for too long: this socket is dead, whatever it says.
  drop() {
    const dead = this.socket;
    if (!dead) return;
    this.socket = null;
    dead.close();
    this.closed(0);
  }

  // Somebody is looking, or the network is back: no reason to wait any longer.
  hurry() {
    if (this.timer) this.connect();
  }

  hear(message) {
    if (message.type === "ack" || message.type === "refused") return this.settle(message);
    if (["update", "lobby", "watching"].includes(message.type)) {
      this.tries = 0;
      this.hears.state?.("open");
    }
    if (message.type === "update") this.last = message.seq;
    this.hears[message.type]?.(message);
  }

  settle(answer) {
    const kept = this.waiting.get(answer.id);
    if (!kept) return;
    this.waiting.delete(answer.id);
    this.keep();
    if (answer.type === "ack") this.hears.acknowledged?.(kept.message, answer);
    if (answer.type === "ack") kept.resolve?.(answer);
    else if (kept.reject) kept.reject(answer);
    else this.hears.refused?.(kept.message, answer); // asked before the page was loaded anew
  }

  keep() {
    if (!this.place) return;
    const messages = [...this.waiting.values()].map(({ message }) => message);
    stored(this.place, messages.filter((message) => KEPT.has(message.do)));
  }

  // Resolves to the acknowledgement; throws the refusal.
  ask(message) {
    const whole = { id: uuid(), ...(this.room ? { room: this.room } : {}), ...message };
    return new Promise((resolve, reject) => {
      this.waiting.set(whole.id, { message: whole, resolve, reject });
      this.keep();
      this.tell(whole, true);
    });
  }

  // Sent if it can be, else forgotten: kept messages follow by themselves when the socket is back.
  tell(message, answered = false) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    if (!answered) return;
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.drop(), PATIENCE);
  }
}
