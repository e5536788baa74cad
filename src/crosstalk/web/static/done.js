// The end of a study: copying the code.

import { t } from "./words.js";

document.getElementById("copy")?.addEventListener("click", async () => {
  const code = document.getElementById("code");
  const told = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(code.textContent);
    told.textContent = t("study.copied");
  } catch {
    getSelection().selectAllChildren(code); // without the right to copy, it is ready to be copied
    told.textContent = t("study.selected");
  }
});
