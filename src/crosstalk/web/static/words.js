// The words of the interface and what else the server has put into the page.

export const given = JSON.parse(document.getElementById("for-script").textContent);

export function has(key) {
  const [section, name] = key.split(".");
  return name in (given.words[section] ?? {});
}

export function t(key, values = {}) {
  const [section, name] = key.split(".");
  const text = given.words[section]?.[name] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export function count(key, number, values = {}) {
  const one = number === 1 && has(`${key}_one`);
  return t(one ? `${key}_one` : key, { n: number, ...values });
}

export function list(names) {
  return names.join(t("common.list"));
}

// What went wrong, in the reader's language where we have words for it.
export function problem(error) {
  const code = error?.code ?? "network";
  const key = `problems.${code}`;
  const message = error?.message ?? "";
  return has(key) ? t(key, { message }) : t("problems.unknown", { message: message || code });
}

export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
