// Requests to our own server, with the token against forged ones.

const csrf = document.querySelector('meta[name="csrf"]');

export async function post(path, body) {
  return answer(
    fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf.content },
      body: JSON.stringify(body),
    }),
  );
}

export async function get(path) {
  return answer(fetch(path, { headers: { Accept: "application/json" } }));
}

// The answer, or an error thrown as {code, message}.
async function answer(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw { code: "network", message: "" };
  }
  const body = await response.json().catch(() => ({ code: "network", message: "" }));
  if (!response.ok) throw body;
  if (body.csrf) csrf.content = body.csrf;
  return body;
}
