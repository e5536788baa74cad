// Filters the dialogues by type and outcome; without it all of them are shown.
for (const browser of document.querySelectorAll(".browser")) {
  const form = browser.querySelector(".filter");
  const dialogues = [...browser.querySelectorAll("details")];
  const count = form.querySelector("output");
  const show = () => {
    const wanted = [...form.querySelectorAll("select")].map((select) => [select.name, select.value]);
    let shown = 0;
    for (const each of dialogues) {
      each.hidden = wanted.some(([name, value]) => value && each.dataset[name] !== value);
      shown += each.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${dialogues.length} shown`;
  };
  form.addEventListener("change", show);
  form.hidden = false;
  show();
}
