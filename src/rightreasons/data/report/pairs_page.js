// The page of pairs: filters, one page of rows in the document, and its state in the address.
const MANY = 300; // values of a tag that a list still shows
const NO_ONE = "any";

class PairsPage {
  constructor(sets) {
    this.sets = sets;
    this.unpacked = new Map();
    this.filter = emptyFilter();
    this.fields = Object.fromEntries(["set", "search", "gold", "tag", "value", "exact", "differ", "size", "count", "remark", "page", "pager", "form", "table"]
      .map((name) => [name, byId(`pairs-${name}`)]));
    this.fields.set.replaceChildren(...sets.map((name, place) => make("option", { value: place }, name)));
    byId("pairs-set-field").hidden = sets.length < 2;
  }

  async start() {
    this.listen();
    await this.restore();
  }

  listen() {
    const { form, size, pager, search } = this.fields;
    let waiting = 0;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.changed(event.target), event.target === search ? 150 : 0);
    });
    form.addEventListener("reset", (event) => { event.preventDefault(); this.clear(); });
    byId("pairs-link").addEventListener("click", async ({ target }) => {
      await copy(location.href, "Link");
      done(target);
    });
    pager.addEventListener("click", ({ target }) => target.dataset.page && this.turn(target.dataset.page));
    size.addEventListener("change", () => { this.filter.size = Number(size.value); this.filter.page = 0; this.show(); });
    addEventListener("hashchange", () => this.restore());
    addEventListener("keydown", (event) => this.key(event));
  }

  // A slash goes to the search; arrows turn the page, unless something else uses them.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "/") {
      event.preventDefault();
      this.fields.search.focus();
    }
    const way = { ArrowLeft: "before", ArrowRight: "next" }[event.key];
    const scrolls = event.target.classList?.contains("box") && event.target.scrollWidth > event.target.clientWidth;
    if (way && !scrolls && inView(byId("pairs"))) this.turn(way);
  }

  async changed(field) {
    const old = this.filter.set;
    this.filter = { ...this.read(), size: this.filter.size, page: 0 };
    if (field === this.fields.tag) this.filter.value = "";
    if (this.filter.set !== old) this.filter = { ...emptyFilter(), set: this.filter.set, words: this.filter.words, size: this.filter.size };
    await this.open();
    this.show();
  }

  read() {
    const { set, search, gold, tag, value, exact, differ } = this.fields;
    const models = [...document.querySelectorAll("#pairs-model-fields [data-model]")].map((row) => {
      const of = (name) => row.querySelector(`[data-field=${name}]`)?.value ?? "";
      return { answer: of("answer"), right: of("right"), low: share(of("low")), high: share(of("high")) };
    });
    const chosen = value.hidden ? exact.value : value.value;
    return { set: Number(set.value), words: search.value, gold: gold.value, tag: tag.value, value: chosen, differ: differ.checked, models };
  }

  async clear() {
    this.filter = { ...emptyFilter(), set: this.filter.set, size: this.filter.size };
    await this.open();
    this.show();
    this.fields.search.focus();
  }

  async restore() {
    const { hash } = location;
    if (!hash.startsWith("#pairs?") && this.pairs) return;
    this.filter = readFilter(hash.startsWith("#pairs?") ? hash.slice(7) : "", this.sets.length);
    await this.open();
    this.show(false);
    if (hash.startsWith("#pairs?")) byId("pairs").scrollIntoView();
  }

  // Unpack a set when it is first asked for, and bring the fields in line with the filter.
  async open() {
    const { set } = this.filter;
    if (!this.unpacked.has(set)) {
      this.fields.count.textContent = "Unpacking the pairs …";
      const element = byId(`pairs-${set}`);
      this.unpacked.set(set, new Pairs(await unpacked(element)));
      element.remove();
    }
    const pairs = this.unpacked.get(set);
    if (this.pairs !== pairs) {
      this.pairs = pairs;
      this.lay();
    }
    this.write();
  }

  // The parts that depend on the set alone.
  lay() {
    const { data, tags, models } = this.pairs;
    const { gold, tag, table, remark } = this.fields;
    options(gold, data.gold.values);
    options(tag, tags.filter((each) => !each.values || each.values.length > 1 || each.codes.includes(-1)).map((each) => each.name));
    byId("pairs-differ-field").hidden = models.length < 2;
    byId("pairs-model-fields").replaceChildren(...models.map(modelFields));
    const heads = ["Pair", "Gold label", ...models.map((model) => model.name)];
    table.tHead.replaceChildren(make("tr", { role: "row" }, ...heads.map((text) => make("th", { scope: "col", role: "columnheader" }, ...breakable(text)))));
    const all = data.count === data.total;
    const what = all ? `All ${number(data.total)} pairs of ${data.set}.` : `${number(data.count)} of the ${number(data.total)} pairs of ${data.set}.`;
    remark.replaceChildren(...seen(`${what} ${data.remark}`));
  }

  write() {
    const { filter, fields } = this;
    fields.set.value = filter.set;
    fields.search.value = filter.words;
    fields.gold.value = filter.gold;
    fields.tag.value = filter.tag;
    fields.differ.checked = filter.differ;
    fields.size.value = filter.size;
    this.writeValues();
    document.querySelectorAll("#pairs-model-fields [data-model]").forEach((row, place) => {
      for (const field of row.querySelectorAll("[data-field]")) field.value = filter.models[place]?.[field.dataset.field] ?? "";
    });
    if (filter.models.some((model) => Object.values(model).some((value) => value !== "" && value !== undefined))) byId("pairs-models").open = true;
  }

  writeValues() {
    const { value, exact } = this.fields;
    const tag = this.pairs.tags.find((each) => each.name === this.filter.tag);
    const listed = !tag || (tag.values && tag.values.length <= MANY);
    value.hidden = !listed;
    exact.hidden = listed;
    value.disabled = !tag;
    options(value, listed && tag ? tag.values : []);
    (listed ? value : exact).value = this.filter.value;
  }

  turn(way) {
    const last = this.pages - 1;
    const page = { first: 0, before: this.filter.page - 1, next: this.filter.page + 1, last }[way];
    this.filter.page = Math.min(Math.max(0, page), last);
    this.show();
    document.querySelector(".pairs-box").scrollTop = 0;
  }

  get pages() {
    return Math.max(1, Math.ceil(this.rows.length / this.filter.size));
  }

  show(remember = true) {
    const { filter, fields, pairs } = this;
    this.rows = pairs.found(filter);
    filter.page = Math.min(filter.page, this.pages - 1);
    const from = filter.page * filter.size;
    const rows = [...this.rows.subarray(from, from + filter.size)];
    fields.table.tBodies[0].replaceChildren(...rows.map((row) => pairRow(pairs, row, filter.words.toLowerCase())));
    fields.table.hidden = fields.pager.hidden = !rows.length;
    fields.form.hidden = false;
    const n = this.rows.length;
    fields.count.textContent = n ? `${number(n)} of ${number(pairs.count)} pairs match.` : "No pair matches. Clear a filter.";
    fields.page.textContent = `Page ${number(filter.page + 1)} of ${number(this.pages)}`;
    const ends = { first: filter.page === 0, before: filter.page === 0, next: filter.page === this.pages - 1, last: filter.page === this.pages - 1 };
    for (const button of fields.pager.querySelectorAll("button")) button.setAttribute("aria-disabled", ends[button.dataset.page]);
    if (remember) remembered(filter);
  }
}

function emptyFilter() {
  return { set: 0, words: "", gold: "", tag: "", value: "", differ: false, models: [], page: 0, size: 25 };
}

function share(text) {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? value : undefined;
}

function inView(element) {
  const box = element.getBoundingClientRect();
  return box.top < innerHeight && box.bottom > 0;
}

function options(select, values) {
  select.replaceChildren(make("option", { value: "" }, NO_ONE), ...values.map((value) => make("option", { value }, value.length > 80 ? `${value.slice(0, 80)}…` : value || "(empty)")));
}

function modelFields(model, place) {
  const choice = (name, label, values) => {
    const select = make("select", { "data-field": name });
    options(select, values);
    return make("label", {}, `${label} `, select);
  };
  const bound = (name, label) => make("label", {}, `${label} `, make("input", { type: "number", min: 0, max: 1, step: 0.05, "data-field": name }));
  return make("fieldset", { "data-model": place }, make("legend", {}, ...breakable(model.name)),
    choice("answer", "Answer", model.answer.values), choice("right", "Right?", ["right", "wrong"]),
    ...(model.known ? [bound("low", "Confidence from"), bound("high", "to")] : []));
}

function pairRow(pairs, row, wanted) {
  const { data, models } = pairs;
  const edit = pairs.edited(row);
  const side = (name, label) => make("p", { class: name }, make("span", { class: "side" }, label),
    ...editedText(data[name][row] ?? "", edit && edit.side === name ? edit : null, wanted, data.lengths[name][row]));
  const more = make("details", { class: "more-of-pair" }, make("summary", {}, "Tags", data.parses.length ? " and parses" : "", make("span", { class: "unseen" }, ` of ${data.id[row]}`)));
  more.addEventListener("toggle", () => more.open && more.children.length === 1 && more.append(...details(pairs, row)));
  const gold = data.gold.values[pairs.gold[row]] ?? "-";
  return make("tr", { role: "row" },
    make("td", { role: "cell", class: "pair" }, side("premise", "Premise"), side("hypothesis", "Hypothesis"), more),
    make("td", { role: "cell", class: "gold" }, make("span", { class: "only-narrow" }, "Gold label "), gold),
    ...models.map((model) => answerCell(model, row)));
}

function answerCell(model, row) {
  const right = model.rights[row] === 1;
  const known = model.known && model.known[row] >= 0;
  return make("td", { role: "cell", class: `answer ${right ? "right" : "wrong"}` },
    make("span", { class: "only-narrow" }, ...breakable(model.name), " "),
    make("span", { class: "said" }, model.answer.values[model.answers[row]] ?? "-"),
    make("span", { class: "judged" }, right ? "✓ right" : "✗ wrong"),
    known ? make("span", { class: "confidence" }, `confidence ${(model.known[row] / 1000).toFixed(2)}`) : null);
}

function details(pairs, row) {
  const facts = [["id", pairs.data.id[row]], ...pairs.tags.map((tag) => [tag.name, pairs.value(tag, row)])]
    .filter(([, value]) => value !== null && value !== undefined);
  const list = make("dl", { class: "tags" }, ...facts.map(([name, value]) => make("div", {}, make("dt", {}, ...seen(name)), make("dd", {}, ...editedText(String(value), null, "")))));
  const parses = pairs.data.parses.filter((parse) => parse.plain[row]).map((parse) =>
    make("div", { class: "parse" }, make("p", { class: "side" }, parse.name.replaceAll("_", " ")), make("pre", { tabindex: 0 }, ...seen(drawnParse(parse.plain[row])))));
  return [list, ...parses];
}

// The address says what is shown, in few words: what is as usual is left out.
function remembered(filter) {
  const said = new URLSearchParams();
  const usual = emptyFilter();
  for (const name of ["set", "words", "gold", "tag", "value", "page", "size"]) if (filter[name] !== usual[name]) said.set(name, filter[name]);
  if (filter.differ) said.set("differ", "1");
  filter.models.forEach((model, place) => {
    for (const [name, value] of Object.entries(model)) if (value !== "" && value !== undefined) said.set(`${name}.${place}`, value);
  });
  const wanted = `#pairs?${said}`;
  if (location.hash === wanted) return;
  try {
    history.replaceState(null, "", wanted);
  } catch {
    // Some browsers refuse for files; the view is right all the same.
  }
}

function readFilter(text, sets) {
  const said = new URLSearchParams(text);
  const filter = emptyFilter();
  for (const name of ["words", "gold", "tag", "value"]) filter[name] = said.get(name) ?? "";
  const whole = (name) => Math.max(0, Number.parseInt(said.get(name) ?? "0", 10) || 0);
  filter.set = Math.min(whole("set"), sets - 1);
  filter.page = whole("page");
  filter.size = [25, 50, 100].includes(whole("size")) ? whole("size") : 25;
  filter.differ = said.get("differ") === "1";
  for (const [key, value] of said) {
    const [, name, place] = key.match(/^(answer|right|low|high)\.(\d{1,3})$/) || [];
    if (!name) continue;
    while (filter.models.length <= Number(place)) filter.models.push({});
    filter.models[place][name] = name === "low" || name === "high" ? share(value) : value;
  }
  return filter;
}
