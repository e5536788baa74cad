// Lists that keep themselves up to date: the server says when the page is old, and its live parts are exchanged.

import { Connection } from "./connection.js";
import { given } from "./words.js";

const PAUSE = 700; // milliseconds between two looks, however much happens
const ALONE = 3000; // how often to look while the server cannot be heard
const ANYWAY = 30000;
let heard = false;
let looked = 0;
let next = null;

function isBusy(part) {
  if (part.dataset.live === "always") return part.contains(document.activeElement);
  return part.contains(document.activeElement) || part.matches(":hover");
}

function liveParts() {
  return [...document.querySelectorAll("[data-live]")].filter((part) => !isBusy(part));
}

async function refresh() {
  const parts = liveParts();
  if (document.hidden || !parts.length) return;
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    const atEnd = part.id === "steps" && innerHeight + scrollY >= document.body.scrollHeight - 40;
    if (fresh && fresh.textContent !== part.textContent && !isBusy(part)) put(part, fresh, atEnd);
  }
}

function put(part, fresh, atEnd) {
  part.replaceWith(document.adoptNode(fresh));
  if (atEnd) scrollTo(0, document.body.scrollHeight); // whoever follows a dialogue stays at its end
}

function look(wait) {
  clearTimeout(next);
  next = setTimeout(async () => {
    looked = Date.now();
    await refresh().catch(() => {}); // the next look follows by itself
    look(heard ? ANYWAY : ALONE);
  }, wait);
}

// A look as soon as may be.
export function soon() {
  look(Math.max(0, looked + PAUSE - Date.now()));
}

if (liveParts().length) {
  const state = (now) => {
    heard = now === "open";
    soon();
  };
  new Connection(given.room ?? null, { changed: soon, state }, { watch: true });
  document.addEventListener("visibilitychange", soon);
}
