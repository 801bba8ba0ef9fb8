// Texts from outside become text nodes, never markup; letters that can't be seen are shown by their number.
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb]/g;
const LONG = 600; // letters of a text that are shown before "show all"
const AROUND = 200; // letters that are shown before and after a place in a long text

function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function number(value) {
  return value.toLocaleString("en");
}

// A text as nodes: what is searched for is marked, what can't be seen is named.
function nodes(text, wanted = "") {
  const found = [];
  const low = wanted && text.toLowerCase();
  if (low && low.length === text.length) {
    let from = 0;
    for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, from)) {
      found.push(...seen(text.slice(from, at)), make("mark", {}, ...seen(text.slice(at, at + wanted.length))));
      from = at + wanted.length;
    }
    found.push(...seen(text.slice(from)));
    return found;
  }
  return seen(text);
}

function seen(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) found.push(text.slice(from, match.index));
    const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    found.push(make("span", { class: "unseen-letter" }, `U+${code}`));
    from = match.index + 1;
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

// A name that may be broken after its punctuation, and not in its words.
function breakable(text) {
  return text.split(/(?<=[_/.:-])(?=\w)/).flatMap((part, place) => [...(place ? [make("wbr")] : []), ...seen(part)]);
}

// The place in a string after some characters, which may take two units each.
function unitsOf(text, characters) {
  let at = 0;
  for (let i = 0; i < characters && at < text.length; i++) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

function whole(text, at) {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

// The parts of a text: as it was, taken out, put in. Where the edit isn't there, the text is one part.
function parts(text, edit) {
  if (!edit) return [["same", text]];
  const at = unitsOf(text, edit.at);
  if (text.slice(at, at + edit.to.length) !== edit.to || (!edit.to && !edit.from)) return [["same", text]];
  return [
    ["same", text.slice(0, at)],
    ["del", edit.from],
    ["ins", edit.to],
    ["same", text.slice(at + edit.to.length)],
  ].filter(([, part]) => part);
}

// A long part is shown by its ends: those at an edit if there is one, else its beginning.
function shortened(found) {
  return found.map(([kind, part], place) => {
    const first = place === 0;
    const last = place === found.length - 1;
    const most = found.length === 1 ? LONG : 2 * AROUND;
    if (part.length <= most + 20) return [kind, part];
    const head = whole(part, first && last ? LONG : AROUND);
    const tail = last ? part.length : whole(part, part.length - AROUND);
    return [kind, `${part.slice(0, head)} … ${part.slice(tail)}`];
  });
}

function editedText(text, edit, wanted, fullLength) {
  const found = parts(text, edit);
  const holder = make("span", { class: "text", dir: "auto" });
  const fill = (shown) => holder.replaceChildren(...shown.flatMap(([kind, part]) => {
    if (kind === "same") return nodes(part, wanted);
    const words = make("span", { class: "unseen" }, kind === "del" ? " [taken out: " : " [put in: ");
    return [make(kind, {}, words, ...nodes(part, wanted), make("span", { class: "unseen" }, "] "))];
  }));
  if (text.length <= LONG + 20 && !fullLength) {
    fill(found);
    return [holder];
  }
  fill(shortened(found));
  const cut = fullLength ? `; this file has the first ${number(text.length)}` : "";
  const button = make("button", {
    type: "button", class: "more controls",
    onclick: () => { fill(found); button.replaceWith(cut ? make("span", { class: "note" }, `(${number(fullLength)} characters${cut})`) : ""); },
  }, `show all (${number(fullLength || text.length)} characters${cut})`);
  return [holder, " ", button];
}

// A bracketed parse on several lines; what is no tree, or too deep to draw, stays as it is.
function drawnParse(text) {
  const tree = readTree(text);
  return tree === null ? text : lines(tree, 0);
}

function readTree(text) {
  const stack = [[]];
  for (const token of text.match(/[()]|[^\s()]+/g) || []) {
    if (token === "(") {
      if (stack.length > 100) return null;
      stack.push([]);
    } else if (token === ")") {
      const done = stack.pop();
      if (!stack.length) return null;
      stack.at(-1).push(done);
    } else stack.at(-1).push(token);
  }
  return stack.length === 1 && stack[0].length === 1 && Array.isArray(stack[0][0]) ? stack[0][0] : null;
}

function flat(tree) {
  return Array.isArray(tree) ? `(${tree.map(flat).join(" ")})` : tree;
}

function lines(tree, depth) {
  const short = flat(tree);
  if (!Array.isArray(tree) || short.length <= 44) return short;
  const named = typeof tree[0] === "string";
  const inner = (named ? tree.slice(1) : tree).map((part) => `\n${"  ".repeat(depth + 1)}${lines(part, depth + 1)}`);
  return `(${named ? tree[0] : ""}${inner.join("")})`;
}
