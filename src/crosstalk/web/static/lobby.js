// The lobby: choose a role, wait, go to the room.

import { Connection } from "./connection.js";
import { $, say, show } from "./dom.js";
import { tellNotices } from "./notices.js";
import { clock, count, problem, t } from "./words.js";

const title = document.title;
let you = null;
let machines = [];
let entering = false;
let ahead = 0; // the server's clock minus ours, in seconds

const connection = new Connection(null, { lobby: hear, state: tellState });

function hear(lobby) {
  if (lobby.room) return enter(lobby.room);
  ahead = lobby.now - Date.now() / 1000;
  you = lobby.you;
  machines = lobby.machines;
  tellNotices(lobby.notices);
  showWaiting(lobby.waiting, lobby.goals_left);
  show($("choosing"), !you);
  show($("waiting"), Boolean(you));
  if (you) tellWait();
  for (const each of document.querySelectorAll("[data-machine]"))
    show(each, lobby.goals_left && machines.includes(other(each.dataset.machine)));
}

function other(role) {
  return role === "user" ? "wizard" : "user";
}

function enter(room) {
  if (entering) return; // the news may come twice
  entering = true;
  document.title = t("lobby.your_turn");
  location.assign(`/room/${room}`);
}

function showWaiting(waiting, goalsLeft) {
  show($("no-goals"), !goalsLeft);
  for (const each of document.querySelectorAll("[data-waiting]")) {
    const role = each.dataset.waiting;
    const number = waiting[role];
    say(each, number ? count(`lobby.waits_${role}`, number) : t(`lobby.nobody_waits_${role}`));
    each.classList.toggle("somebody", number > 0);
  }
  for (const each of document.querySelectorAll("[data-wait]")) each.disabled = !goalsLeft;
}

function tellWait() {
  const now = Date.now() / 1000 + ahead;
  say($("waiting-title"), t(`lobby.waiting_${you.role}`));
  say($("waiting-text"), t("lobby.waiting_text"));
  say($("waited"), clock(now - you.since));
  show($("offer"), now >= you.offer_at);
  show($("offer-machine"), machines.includes(other(you.role)));
  document.title = `${clock(now - you.since)} · ${title}`;
}

setInterval(() => {
  if (you) tellWait();
  else document.title = title;
}, 1000);

function tellState(state) {
  const banner = $("connection");
  show(banner, state !== "open");
  if (state === "open") return;
  say(banner, t(`common.${state}`));
  if (state === "elsewhere") {
    const here = document.createElement("button");
    here.type = "button";
    here.textContent = t("common.use_here");
    here.addEventListener("click", () => connection.connect());
    banner.append(" ", here);
  }
}

async function ask(message, done = "") {
  const place = $("problem");
  try {
    await connection.ask(message);
    place.classList.add("good");
    say(place, done);
  } catch (refusal) {
    place.classList.remove("good");
    say(place, problem(refusal));
  }
  show(place, Boolean(place.textContent));
}

document.addEventListener("click", (event) => {
  const { wait, machine } = event.target.dataset;
  if (wait) ask({ do: "wait", role: wait });
  else if (machine) ask({ do: "machine", role: machine });
});
$("offer-machine").addEventListener("click", () => ask({ do: "machine", role: you.role }));
$("way-out").addEventListener("click", async () => {
  await ask({ do: "way_out" }, t("lobby.credited"));
  if ($("way-out").dataset.ends) location.reload(); // a participant's visit has ended with it
});
$("stop-waiting").addEventListener("click", () => ask({ do: "unwait" }));
