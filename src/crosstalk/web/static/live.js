// Lists that keep themselves up to date: the page is asked for again, and its live parts exchanged.

const PAUSE = 3000;

function isBusy(part) {
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
    if (fresh && fresh.textContent !== part.textContent && !isBusy(part)) part.replaceWith(document.adoptNode(fresh));
  }
}

setInterval(() => refresh().catch(() => {}), PAUSE); // the next try follows by itself
