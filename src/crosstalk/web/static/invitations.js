// A new invitation: its link is shown once, here.

import { $, show } from "./dom.js";
import { soon } from "./live.js";
import { t } from "./words.js";

$("invite").addEventListener("posted", (event) => {
  $("link").value = new URL(event.detail.link, location.href).href;
  show($("new-link"), true);
  $("link").focus();
  $("link").select();
  soon();
});

$("copy").addEventListener("click", async () => {
  $("link").select();
  try {
    await navigator.clipboard.writeText($("link").value);
  } catch {
    document.execCommand("copy"); // plain http has no clipboard
  }
  $("copy").textContent = t("admin.copied");
});
