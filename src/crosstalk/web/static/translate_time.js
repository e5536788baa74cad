// How long somebody really worked: the page is seen, and something happened in the last half minute.

const IDLE = 30_000;
let worked = 0;
let last = null;

function active() {
  const now = performance.now();
  if (last !== null && now - last < IDLE) worked += now - last;
  last = document.visibilityState === "visible" ? now : null;
}

for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "input", "visibilitychange"])
  document.addEventListener(name, active, { passive: true });

// Seconds since the last time this was asked.
export function secondsWorked() {
  active();
  const seconds = worked / 1000;
  worked = 0;
  return Math.round(seconds * 10) / 10;
}
