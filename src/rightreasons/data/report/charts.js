// Charts: drawn when they come into view and before the page is printed, in the colours of the theme.
const COLOURS = {
  light: {
    ink: "#1c2330", muted: "#525c6b", line: "#d9dde3", ground: "#ffffff",
    category: ["#0b6bb0", "#c95300", "#007a5a", "#a83f84", "#7d6200", "#5560c9", "#57606c", "#9c2f17"],
    heat: ["#edf1f6", "#d3e2f1", "#a5c8e8", "#72aadb"],
    diverging: ["#eb9a5b", "#f6d3b4", "#f3f3f2", "#bdd6ee", "#72aadb"],
  },
  dark: {
    ink: "#e8ebf0", muted: "#aab4c2", line: "#3a4350", ground: "#1a2029",
    category: ["#62b5ee", "#ff9f57", "#3ccba1", "#e694cb", "#e2cc55", "#a5aeff", "#b3bdc9", "#ff9080"],
    heat: ["#2b3542", "#29455f", "#28567f", "#2c6aa0"],
    diverging: ["#a04f17", "#5f3a22", "#2a313b", "#254867", "#2c6aa0"],
  },
};
const dark = matchMedia("(prefers-color-scheme: dark)");
const STEP = 52; // pixels for one value of a discrete axis, at least
const WIDEST = 130; // and at most
const NARROW = 400; // a chart needs so much, and is scrolled where there is less
const drawn = new Map(); // by figure: the view that is in it

// Paper is light, whatever the screen is.
let printing = false;

function themeName() {
  if (printing) return "light";
  return document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
}

function themed(name, width) {
  const { ink, muted, line, ground, category, heat, diverging } = COLOURS[name];
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const words = { labelColor: muted, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 600, labelLimit: 220, titleLimit: 320 };
  return {
    background: "transparent", font, aria: false, padding: 4,
    view: { stroke: null },
    axis: { ...words, gridColor: line, domainColor: line, tickColor: line, titlePadding: 10, labelPadding: 6 },
    axisBand: { domain: false, ticks: false, grid: false },
    axisXDiscrete: { labelAngle: -30 },
    axisXQuantitative: { tickCount: 6, labelFlush: false, labelOverlap: true },
    header: { ...words, labelFontWeight: 600, labelColor: ink },
    legend: { ...words, labelLimit: 420, orient: "top", symbolType: "circle", symbolStrokeWidth: 2, symbolOpacity: 1, columnPadding: 18, columns: width < NARROW ? 1 : 3, gradientLength: 180 },
    title: { color: ink, fontSize: 14, fontWeight: 600, anchor: "start" },
    text: { color: ink, fontSize: 12 },
    rule: { color: muted }, tick: { color: ink },
    errorbar: { rule: { color: muted, strokeWidth: 1.5 }, ticks: { color: muted } },
    bar: { color: category[0], cornerRadiusEnd: 2 }, point: { color: category[0], filled: true, size: 60, opacity: 1 },
    line: { color: category[0], strokeWidth: 2 }, area: { color: category[0] },
    rect: { stroke: ground, strokeWidth: 2 },
    range: { category, heatmap: dense(heat), ramp: dense(heat), ordinal: heat.slice(1), diverging: dense(diverging) },
  };
}

// Close steps between some colours: charts go through hues that are in neither of two that are far apart.
function dense(colours) {
  const parts = colours.map((colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));
  const between = (a, b, share) => `#${a.map((part, i) => Math.round(part + (b[i] - part) * share).toString(16).padStart(2, "0")).join("")}`;
  return parts.slice(1).flatMap((next, i) => [0, 0.25, 0.5, 0.75].map((share) => between(parts[i], next, share))).concat(colours.at(-1));
}

// Rows of columns; the chart gets copies, since it writes into them.
function rowsOf(columns) {
  const names = Object.keys(columns);
  const count = names.length ? columns[names[0]].length : 0;
  return Array.from({ length: count }, (_, row) => Object.fromEntries(names.map((name) => [name, columns[name][row]])));
}

// How many places a chart has side by side, so that a narrow screen scrolls it instead of squeezing it.
function steps(spec, columns) {
  const x = (spec.encoding || {}).x || (spec.layer || []).map((layer) => (layer.encoding || {}).x).find(Boolean) || {};
  if (!["nominal", "ordinal"].includes(x.type)) return 0;
  const folded = (spec.transform || []).find((each) => each.fold)?.fold || [];
  return new Set(columns[x.field] || folded).size + 3; // and room for the names of the rows
}

function specified({ chart, columns }, name, width) {
  const spec = structuredClone(chart);
  const single = !["facet", "repeat", "concat", "hconcat", "vconcat", "spec"].some((key) => key in spec)
    && !["row", "column", "facet"].some((key) => key in (spec.encoding || {}));
  if (single && spec.width === undefined) spec.width = "container";
  if (spec.width === "container") {
    const places = steps(spec, columns);
    spec.width = places ? Math.max(220, STEP * places, Math.min(width, WIDEST * places)) : Math.max(NARROW, width);
    spec.autosize = { type: "fit-x", contains: "padding" };
  }
  const own = spec.config || {};
  const config = vega.mergeConfig({}, own, themed(name, width));
  delete spec.config;
  const compiled = vegaLite.compile({ ...spec, data: { name: "values", values: rowsOf(columns) } }, { config, logger: vega.logger(vega.Error) });
  // An interpreter instead of eval: the page's policy forbids it, and no expression can reach out of its chart.
  return vega.parse(compiled.spec, compiled.spec.config, { ast: true });
}

function viewOf(data, name, width) {
  return new vega.View(specified(data, name, width), {
    renderer: "svg", expr: vegaInterpreter.expressionInterpreter, logLevel: vega.Error,
    loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse }, // a chart may not ask for anything, nor link anywhere
  });
}

async function refuse() {
  throw new Error("A chart in a report loads nothing.");
}

function draw(figure, data) {
  const canvas = figure.querySelector(".canvas");
  drawn.get(figure)?.finalize();
  canvas.replaceChildren();
  const tip = make("div", { class: "tip", hidden: true });
  const view = viewOf(data, themeName(), canvas.clientWidth - 12);
  view.tooltip((handler, event, item, value) => showTip(tip, canvas, event, value));
  const inner = make("div", { class: "plot", "aria-hidden": "true" });
  canvas.append(inner, tip);
  view.initialize(inner).run();
  drawn.set(figure, view);
  view.runAsync().then(() => reachable(canvas));
}

// What scrolls must be within reach of the keyboard.
function reachable(canvas) {
  if (canvas.scrollWidth > canvas.clientWidth) canvas.tabIndex = 0;
  else canvas.removeAttribute("tabindex");
}

function showTip(tip, canvas, event, value) {
  tip.hidden = value === null || value === undefined || value === "";
  if (tip.hidden) return;
  const told = typeof value === "object" ? Object.entries(value).map(([key, one]) => `${key}: ${one}`).join("\n") : String(value);
  tip.textContent = told.slice(0, 600);
  const box = canvas.getBoundingClientRect();
  tip.style.left = `${Math.min(event.clientX - box.left + 14, Math.max(0, box.width - 240)) + canvas.scrollLeft}px`;
  tip.style.top = `${event.clientY - box.top + 14}px`;
}

async function loadLibraries() {
  for (const element of document.querySelectorAll(".rr-vendored")) {
    const script = document.createElement("script");
    script.textContent = await unpackedText(element);
    document.head.append(script);
    element.remove();
  }
}

async function startCharts(exhibits) {
  const figures = [...document.querySelectorAll("figure.chart")];
  if (!figures.length) return;
  const [data] = await Promise.all([exhibits, loadLibraries()]);
  const attempt = (figure) => {
    try {
      draw(figure, data[figure.dataset.exhibit]);
    } catch (error) {
      figure.querySelector(".canvas").replaceChildren(make("p", { class: "empty" }, `This chart can't be drawn: ${error.message}`));
    }
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      attempt(target);
    }
  }, { rootMargin: "400px" });
  figures.forEach((figure) => watch.observe(figure));
  const again = () => [...drawn.keys()].forEach((figure) => attempt(figure));
  document.addEventListener("rr-theme", again);
  let width = innerWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(again, 150);
  });
  addEventListener("beforeprint", () => {
    printing = true;
    figures.forEach((figure) => attempt(figure));
  });
  addEventListener("afterprint", () => {
    printing = false;
    again();
  });
  figures.forEach((figure) => figure.addEventListener("click", ({ target }) => {
    const kind = target.dataset?.save;
    if (kind) saveChart(figure.dataset.exhibit, data[figure.dataset.exhibit], kind);
  }));
}

// A chart that is saved is for paper: in light colours on white, whatever the page shows.
async function saveChart(name, data, kind) {
  const view = viewOf({ ...data, chart: { ...data.chart, background: "white" } }, "light", 720);
  await view.runAsync();
  if (kind === "svg") save(new Blob([await view.toSVG()], { type: "image/svg+xml" }), `${name}.svg`);
  else {
    const canvas = await view.toCanvas(2);
    save(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), `${name}.png`);
  }
  view.finalize();
  say("Chart saved.");
}
