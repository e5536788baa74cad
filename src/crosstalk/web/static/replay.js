// A dialogue step by step: everything is on the page, later steps are hidden.

import { $, show } from "./dom.js";
import { t } from "./words.js";

const PAUSE = 1400;
const steps = [...document.querySelectorAll("#steps > .step")];
let playing = null;

function go(number) {
  const at = Math.min(Math.max(number, 0), steps.length);
  steps.forEach((step, index) => {
    show(step, index < at);
    step.classList.toggle("newest", index === at - 1 && at < steps.length);
  });
  $("position").value = at;
  $("where").textContent = `${at} / ${steps.length}`;
  if (at < steps.length && at > 0) steps[at - 1].scrollIntoView({ block: "nearest" });
  if (at === steps.length) stop();
}

function where() {
  return Number($("position").value);
}

function stop() {
  clearInterval(playing);
  playing = null;
  $("play").textContent = t("admin.play");
}

function play() {
  if (playing) return stop();
  if (where() === steps.length) go(0);
  $("play").textContent = t("admin.pause");
  playing = setInterval(() => go(where() + 1), PAUSE);
  return undefined;
}

$("first").addEventListener("click", () => go(1));
$("back").addEventListener("click", () => go(where() - 1));
$("on").addEventListener("click", () => go(where() + 1));
$("last").addEventListener("click", () => go(steps.length));
$("play").addEventListener("click", play);
$("position").addEventListener("input", () => go(where()));
document.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  go(where() + step);
});
go(steps.length);
