// What an editor changed in the machine's text: words, or single characters where there are no spaces.

const PIECES = /[\u3400-\u9fff]|[\p{L}\p{M}\p{N}'’-]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu;
const LONGEST = 1500; // pieces; beyond that both texts are shown whole

export function pieces(text) {
  return text.match(PIECES) ?? [];
}

// [["same" | "gone" | "new", text], ...]
export function difference(before, after) {
  const old = pieces(before);
  const now = pieces(after);
  if (old.length > LONGEST || now.length > LONGEST) return before === after ? [["same", after]] : [["gone", before], ["new", after]];
  const common = longest(old, now);
  const found = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) add(found, "same", old[i], (i += 1), (j += 1));
    else if (i < old.length && (j === now.length || common[i + 1][j] >= common[i][j + 1])) add(found, "gone", old[i], (i += 1));
    else add(found, "new", now[j], (j += 1));
  }
  return found;
}

function add(found, kind, text) {
  const last = found.at(-1);
  if (last?.[0] === kind) last[1] += text;
  else found.push([kind, text]);
}

// Lengths of the longest common subsequences of the rests from i and j on.
function longest(old, now) {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      table[i][j] = old[i] === now[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  return table;
}
