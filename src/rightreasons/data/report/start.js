// Everything starts here.
const THEMES = ["auto", "light", "dark"];

function startTheme() {
  const button = byId("rr-theme");
  const show = () => {
    const name = document.documentElement.dataset.theme || "auto";
    button.textContent = `Theme: ${name}`;
    button.setAttribute("aria-label", name === "auto" ? "Theme: auto, as the system has it" : `Theme: ${name}`);
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || "auto") + 1) % THEMES.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("rightreasons-theme", next);
    } catch {
      // It lasts until the page is closed.
    }
    show();
    say(`Theme: ${next}.`);
    document.dispatchEvent(new Event("rr-theme"));
  });
  dark.addEventListener("change", () => document.dispatchEvent(new Event("rr-theme")));
  show();
}

// On a narrow screen the contents would fill it, so they are folded; a way into them is opened for whoever follows it.
function startContents() {
  const contents = byId("rr-contents");
  const narrow = matchMedia("(max-width: 68rem)");
  const fold = () => { contents.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  contents.addEventListener("click", ({ target }) => { if (target.closest("a") && narrow.matches) contents.open = false; });
}

// What an address leads to is opened, if it is folded.
function startLinks() {
  const reveal = () => {
    const target = location.hash.length > 1 && byId(location.hash.slice(1));
    const folded = target && target.closest("main details:not([open])");
    if (!folded) return;
    folded.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
}

// What is folded on the screen is open on paper.
function startPrinting() {
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open]):not(.more-of-pair)")];
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
}

async function start() {
  startTheme();
  startContents();
  startLinks();
  startPrinting(); // before the charts, which can't be drawn in what is folded
  if (!canUnpack) {
    trouble("This browser can't unpack the charts and pairs, since it has no DecompressionStream. Open the file in Chrome, Edge, Firefox or Safari of 2023 or later; the tables are all here.");
    const count = byId("pairs-count");
    if (count) count.textContent = "The pairs can't be shown in this browser.";
    startTables(Promise.resolve({}));
    return;
  }
  const exhibits = unpacked(byId("rr-exhibits"));
  startTables(exhibits);
  const sets = JSON.parse(byId("rr-about").textContent).sets;
  await Promise.all([startCharts(exhibits), sets.length ? new PairsPage(sets).start() : null]);
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => trouble(`Something in this page went wrong: ${error.message}`));
