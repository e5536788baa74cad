// The queue of reviewers: a key judges a dialogue and goes on to the next one.

import { $, show } from "./dom.js";
import { post } from "./requests.js";
import { given, problem } from "./words.js";

const NEXT = `/admin/review?after=${given.room}`;
const form = $("verdict");
const why = $("why");

function complain(error) {
  const place = form.querySelector("[data-problem]");
  place.textContent = problem(error);
  show(place, true);
}

async function judge(decision) {
  const { note, note_for: side, reason } = form.elements;
  const body = { decision, note: note.value, note_for: side.value, reason: reason.value };
  try {
    await post(form.dataset.post, body);
    location.assign(NEXT);
  } catch (error) {
    complain(error);
  }
}

function giveBack(reason) {
  why.close();
  $("reason").value = reason;
  judge("returned");
}

const keys = {
  a: () => judge("approved"),
  r: () => why.showModal(),
  s: () => judge("second"),
  n: () => $("note").focus(),
  j: () => $("skip").click(),
  k: () => $("back").click(),
};

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  if (why.open) {
    const reason = given.reasons[Number(event.key) - 1];
    if (reason) giveBack(reason);
    return;
  }
  if (event.key === "Escape") document.activeElement?.blur();
  if (event.target.closest("input, textarea, select")) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

form.addEventListener(
  "submit",
  (event) => {
    event.preventDefault();
    event.stopImmediatePropagation(); // judged here, so that the next one follows
    judge(JSON.parse(event.submitter.value));
  },
  true,
);
for (const each of why.querySelectorAll("[data-reason]")) each.addEventListener("click", () => giveBack(each.dataset.reason));

// Whoever opens a dialogue keeps it; if somebody was faster, the next one follows.
post(`/api/admin/rooms/${given.room}/claim`, {}).catch((error) =>
  error.code === "claimed" ? location.assign(NEXT) : complain(error),
);
