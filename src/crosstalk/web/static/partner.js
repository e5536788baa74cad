// The partner: here, away, gone, a machine; and what can be done about it.

import { $, button, fresh, say, show } from "./dom.js";
import { t } from "./words.js";

export function tellPartner(talk) {
  const { partner, choices, status } = talk.view;
  const badge = $("partner");
  badge.dataset.state = partner.state;
  say(badge, words(partner));
  show(badge, status === "open");
  tellChoices(talk, partner, choices);
}

function words(partner) {
  if (partner.state !== "away" || !partner.gone_at) return t(`room.${partner.state}`);
  const until = new Date(partner.gone_at * 1000);
  const time = until.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return t("room.away", { time });
}

function tellChoices(talk, partner, choices) {
  const offered = choices.join();
  const place = $("choices");
  show(place, choices.length > 0);
  if (place.dataset.offered === offered) return;
  place.dataset.offered = offered;
  say($("choices-text"), choices.length ? t(`room.${partner.state}_text`) : "");
  fresh(
    $("choices-buttons"),
    choices.map((choice) => button(t(`room.choose_${choice}`), () => talk.choose(choice))),
  );
}
