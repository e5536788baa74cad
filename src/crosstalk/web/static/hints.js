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
  show($("hints"), true);
  $("hints").focus();
}

export function hideHints() {
  if ($("hints").hidden) return false;
  show($("hints"), false);
  $("text").focus();
  return true;
}

function item(talk, hint) {
  const { words, mend } = talk.side.hint(hint);
  const line = el("li", { "data-code": hint.code }, el("span", {}, words));
  if (mend) line.append(" ", button(mend.words, () => mended(line, mend.act)));
  return line;
}

function mended(line, act) {
  act();
  if (line.dataset.code === "said_not_ticked") $("hints-list").querySelector('[data-code="nothing_ticked"]')?.remove();
  const next = line.nextElementSibling ?? line.previousElementSibling;
  line.remove();
  if (next) $("hints").focus();
  else hideHints();
}

export function plainHint(hint, cell = "") {
  return t(`hints.${hint.code}`, { value: hint.value, cell });
}
