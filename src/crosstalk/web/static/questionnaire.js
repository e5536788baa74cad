// A questionnaire: questions that depend on others, and answers sent all at once.

import { post } from "./requests.js";
import { problem, t } from "./words.js";

const form = document.getElementById("questionnaire");
const place = form.querySelector("[data-problem]");

function answersOf(question) {
  const fields = [...question.querySelectorAll("input, textarea")];
  const several = fields.some((field) => field.type === "checkbox");
  const given = fields
    .filter((field) => !["radio", "checkbox"].includes(field.type) || field.checked)
    .filter((field) => field.dataset.untouched === undefined)
    .map((field) => field.value)
    .filter(Boolean);
  return several ? given : (given[0] ?? "");
}

function showDependent() {
  for (const each of form.querySelectorAll("[data-shown-if]")) {
    const other = form.querySelector(`[data-question="${each.dataset.shownIf}"]`);
    const given = other.hidden ? "" : answersOf(other);
    each.hidden = ![given].flat().includes(each.dataset.shownValue);
    each.disabled = each.hidden; // what is hidden is not required
  }
}

form.addEventListener("input", (event) => {
  if (event.target.type === "range") {
    delete event.target.dataset.untouched;
    event.target.parentElement.querySelector("output").textContent = event.target.value;
  }
  showDependent();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const answers = {};
  for (const each of form.querySelectorAll("[data-question]:not([hidden])"))
    answers[each.dataset.question] = answersOf(each);
  const { questionnaire, moment, room } = form.dataset;
  place.hidden = true;
  event.submitter.disabled = true;
  try {
    await post("/api/questionnaire", { questionnaire, moment, room: Number(room), answers });
    location.assign("/lobby");
  } catch (error) {
    place.textContent = error.code === "unanswered" ? t("study.unanswered") : problem(error);
    place.hidden = false;
    event.submitter.disabled = false;
  }
});

showDependent();
