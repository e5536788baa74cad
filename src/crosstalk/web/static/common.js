// On every page: language, light and dark, and forms that are posted as JSON.

import { post } from "./requests.js";
import { problem } from "./words.js";

const YEAR = 365 * 24 * 3600;

function remember(name, value) {
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR}; samesite=lax`;
}

async function speak(language) {
  remember("crosstalk_language", language);
  if (document.querySelector(".who")) await post("/api/interface", { interface: language });
  location.reload();
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remember("crosstalk_theme", root.dataset.theme);
}

async function valueOf(field) {
  if (field.type === "checkbox") return field.checked;
  if (field.type === "file") return field.files[0] ? field.files[0].text() : "";
  return field.dataset.number !== undefined ? Number(field.value) : field.value;
}

async function bodyOf(form, submitter) {
  const fields = [...form.elements].filter((field) => field.name && field.type !== "submit");
  const pairs = fields.map(async (field) => [field.name, await valueOf(field)]);
  const body = Object.fromEntries(await Promise.all(pairs));
  if (submitter?.name) body[submitter.name] = JSON.parse(submitter.value);
  return body;
}

function tell(form, text, good) {
  const place = form.querySelector("[data-problem]");
  if (!place) return;
  place.textContent = text;
  place.classList.toggle("good", good);
  place.hidden = !text;
}

async function send(form, submitter) {
  if (submitter) submitter.disabled = true;
  try {
    const answer = await post(form.dataset.post, await bodyOf(form, submitter));
    form.dispatchEvent(new CustomEvent("posted", { detail: answer, bubbles: true }));
    if (form.dataset.next) location.assign(form.dataset.next);
    else if (form.dataset.reload !== undefined) location.reload();
    else tell(form, form.dataset.done ?? "", true);
  } catch (error) {
    tell(form, problem(error), false);
  } finally {
    if (submitter) submitter.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.post) return;
  event.preventDefault();
  send(form, event.submitter);
});

// The menu of languages closes when somebody goes on elsewhere.
const menu = document.querySelector(".languages");
document.addEventListener("pointerdown", (event) => menu.contains(event.target) || (menu.open = false));
menu.addEventListener("focusout", (event) => event.relatedTarget && !menu.contains(event.relatedTarget) && (menu.open = false));
menu.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-language], [data-theme-switch]");
  if (target?.dataset.language) speak(target.dataset.language);
  else if (target) switchTheme();
});
