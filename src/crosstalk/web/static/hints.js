// Hints about a message: what does not fit, with a button that mends it.

import { $, button, el, fresh, show } from "./dom.js";
import { t } from "./words.js";

// sendable: whether the message may go out as it is.
export function showHints(talk, hints, sendable) {
  fresh($("hints-list"), hints.map((hint) => item(talk, hint)));
  const sure = $("hints-sure");
  show(sure, sendable);
  sure.onclick = () => {
    hideHints();
    talk.submit(true);
  };
  $("hints-back").onclick = hideHints;
  $("hints").onkeydown = mendByKey;
  show($("hints"), true);
  $("hints").focus();
}

export function hideHints() {
  if ($("hints").hidden) return false;
  show($("hints"), false);
  $("text").focus();
  return true;
}

// The digit n mends the n-th hint.
function mendByKey(event) {
  const at = /^[1-9]$/.test(event.key) && !event.altKey && !event.ctrlKey ? Number(event.key) - 1 : -1;
  const mend = $("hints-list").children[at]?.querySelector("button");
  if (!mend) return;
  event.preventDefault();
  mend.click();
}

function item(talk, hint) {
  const { words, mend } = talk.side.hint(hint);
  const line = el("li", { "data-code": hint.code }, el("span", {}, words));
  if (mend) line.append(" ", button(mend.words, () => mended(line, mend.act)));
  return line;
}

function mended(line, act) {
  act();
  if (["said_not_ticked", "asked_not_ticked"].includes(line.dataset.code)) $("hints-list").querySelector('[data-code="nothing_ticked"]')?.remove();
  const next = line.nextElementSibling ?? line.previousElementSibling;
  line.remove();
  if (next) $("hints").focus();
  else hideHints();
}

export function plainHint(hint, cell = "") {
  return t(`hints.${hint.code}`, { value: hint.value, cell, near: (hint.near ?? []).join(", ") });
}
