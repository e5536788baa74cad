// Keys that work everywhere in a room; each role adds its own.

import { $ } from "./dom.js";
import { hideHints } from "./hints.js";

export function watchKeys(talk) {
  const own = {
    KeyM: () => focus(talk, "talk", $("text")),
    KeyL: () => focus(talk, "talk", $("log")),
    KeyH: () => $("help").showModal(),
    ...talk.side.keys?.(talk),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && hideHints()) return;
    if (!event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const digit = /^Digit([1-9])$/.exec(event.code);
    const number = event.shiftKey ? own.ShiftDigit : own.Digit;
    const act = digit ? number && (() => number(Number(digit[1]) - 1)) : own[event.code];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

export function focus(talk, pane, element) {
  talk.showPane(pane);
  element?.focus();
}
