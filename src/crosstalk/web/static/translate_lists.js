// Progress bars, and links that can be copied.

import { t } from "./words.js";

for (const bar of document.querySelectorAll("[data-share]")) bar.style.inlineSize = `${bar.dataset.share}%`;

for (const copy of document.querySelectorAll("[data-copy]"))
  copy.addEventListener("click", async () => {
    const link = location.origin + copy.dataset.copy;
    try {
      await navigator.clipboard.writeText(link);
      copy.textContent = t("translate.copied");
    } catch {
      prompt("", link); // plain http has no clipboard
    }
  });
