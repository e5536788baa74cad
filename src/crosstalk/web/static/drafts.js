// What is not sent yet survives reloads and restarts; a full or forbidden storage is no reason to stop.

export function restored(place, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`crosstalk:${place}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function stored(place, value) {
  try {
    if (value === null || value.length === 0) localStorage.removeItem(`crosstalk:${place}`);
    else localStorage.setItem(`crosstalk:${place}`, JSON.stringify(value));
  } catch {
    // private windows may refuse; the page still works
  }
}
