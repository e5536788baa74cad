// The words of the interface and what else the server has put into the page.

export const given = JSON.parse(document.getElementById("for-script").textContent);

const language = document.documentElement.lang;
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(`${language}-u-nu-latn`);

export function has(key) {
  const [section, name] = key.split(".");
  return name in (given.words[section] ?? {});
}

function textOf(key) {
  const [section, name] = key.split(".");
  const text = given.words[section]?.[name];
  if (text === undefined) console.error(`no words for ${key}`);
  return text ?? key;
}

// Names keep their own direction in a sentence from right to left: they stand between isolating marks.
function shown(value) {
  return typeof value === "string" && document.dir === "rtl" ? `\u2068${value}\u2069` : String(value);
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

export function t(key, values = {}) {
  return filled(textOf(key), values);
}

// A text about a number of things: a table with one form for each plural category of the language.
export function count(key, number, values = {}) {
  const text = textOf(key);
  const form = typeof text === "string" ? text : (text[plurals.select(number)] ?? text.other);
  return filled(form.replaceAll("{n}", numbers.format(number)), values);
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
