// Messages of the staff: in the lobby, and over a room, which does not record them.

import { $, button, el, show } from "./dom.js";
import { post } from "./requests.js";
import { t } from "./words.js";

// A message that came while the page was open; earlier ones stand in it already.
export function tellNotices(notices) {
  const list = $("notices").querySelector("ul");
  for (const { id, text } of notices) {
    if (list.querySelector(`[data-notice="${id}"]`)) continue;
    const line = el("li", { class: "banner", "data-notice": id }, el("p", { dir: "auto" }, text));
    line.append(button(t("common.understood"), () => readNotice(id, line), { class: "quiet" }));
    list.prepend(line);
  }
  show($("notices"), list.children.length > 0);
}

async function readNotice(id, line) {
  await post(`/api/messages/${id}/read`, {}).catch(() => {}); // it stays unread, and comes back
  line.remove();
  show($("notices"), $("notices").querySelectorAll("li").length > 0);
}
