// Elements without HTML strings: text is always text.

export function $(id) {
  return document.getElementById(id);
}

// el("p", { class: "note", onclick: ... }, "text", child, null): null children are left out.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function set(element, name, value) {
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
}

export function show(element, visible) {
  element.hidden = !visible;
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A button that does one thing.
export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

export function fresh(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // plain http has no randomUUID
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
