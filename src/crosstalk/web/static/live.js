// Lists that keep themselves up to date: the page is asked for again, and its live parts exchanged.

const PAUSE = 3000;

function isBusy(part) {
  if (part.dataset.live === "always") return part.contains(document.activeElement);
  return part.contains(document.activeElement) || part.matches(":hover");
}

export async function refresh() {
  const parts = [...document.querySelectorAll("[data-live]")].filter((part) => !isBusy(part));
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

setInterval(() => refresh().catch(() => {}), PAUSE); // the next try follows by itself
