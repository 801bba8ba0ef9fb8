// Data that the page carries packed, and what is said when something goes wrong.
const byId = (id) => document.getElementById(id);

function say(text) {
  byId("rr-said").textContent = text;
}

function trouble(text) {
  const place = byId("rr-trouble");
  place.textContent = text;
  place.hidden = false;
}

const canUnpack = typeof DecompressionStream === "function";

async function unpackedText(element) {
  const letters = atob(element.textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function unpacked(element) {
  return JSON.parse(await unpackedText(element));
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyByHand(text);
  }
  say(`${what} copied.`);
}

function copyByHand(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function done(button) {
  const before = button.textContent;
  if (button.dataset.done) return;
  button.dataset.done = "1";
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; delete button.dataset.done; }, 1500);
}
