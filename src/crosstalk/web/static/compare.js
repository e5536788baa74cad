// Two annotations side by side: choose for each difference, then settle.

import { $, say, show } from "./dom.js";
import { post } from "./requests.js";
import { given, problem, t } from "./words.js";

const form = $("settle");

function choices() {
  const chosen = form.querySelectorAll("input:checked");
  return Object.fromEntries([...chosen].map((radio) => [radio.name, radio.value]));
}

function tell(text, good) {
  const place = $("problem");
  say(place, text);
  place.classList.toggle("good", good);
  show(place, true);
}

function chooseAll(value) {
  for (const radio of form.querySelectorAll(`input[value="${value}"]`)) radio.checked = true;
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { room, left, right } = given;
  try {
    await post(`/api/admin/experts/${room}/settle`, { left, right, choices: choices() });
    tell(t("experts.settled_now"), true);
  } catch (error) {
    tell(problem(error), false);
  }
});
$("all-left")?.addEventListener("click", () => chooseAll("a"));
$("all-right")?.addEventListener("click", () => chooseAll("b"));
