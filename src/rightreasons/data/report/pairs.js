// The pairs of a set as columns, and which of them a filter lets through.
class Pairs {
  constructor(data) {
    this.data = data;
    this.count = data.count;
    this.gold = codes(data.gold);
    this.tags = data.tags.map((tag) => ({ ...tag, codes: tag.codes ? Int32Array.from(tag.codes) : null }));
    this.models = data.models.map((model) => ({
      ...model,
      answers: codes(model.answer),
      rights: Uint8Array.from(model.right, (digit) => (digit === "1" ? 1 : 0)),
      known: model.confidence ? Int16Array.from(model.confidence, (value) => (value === null ? -1 : value)) : null,
    }));
    this.differ = this.models.length > 1 ? differing(this.models, this.count) : null;
    this.edit = Object.fromEntries(["side", "edit_at", "edit_from", "edit_to"].map((name) => [name, this.tags.find((tag) => tag.name === name)]));
  }

  // Lower case is made once, on the first search.
  get searched() {
    const { premise, hypothesis } = this.data;
    this.lower ??= premise.map((text, row) => `${text ?? ""}\n${hypothesis[row] ?? ""}`.toLowerCase());
    return this.lower;
  }

  value(tag, row) {
    return tag.codes ? tag.values[tag.codes[row]] ?? null : tag.plain[row];
  }

  // What was edited in a pair, if its tags say so.
  edited(row) {
    const { side, edit_at, edit_from, edit_to } = this.edit;
    if (!side || !edit_at || !edit_to) return null;
    const at = this.value(edit_at, row);
    if (at === null) return null;
    return { side: this.value(side, row), at: Number(at), from: (edit_from && this.value(edit_from, row)) || "", to: this.value(edit_to, row) || "" };
  }

  // The rows that a filter lets through, in their order.
  found(filter) {
    const tests = this.tests(filter);
    const rows = new Int32Array(this.count);
    let n = 0;
    for (let row = 0; row < this.count; row++) {
      let fits = true;
      for (let i = 0; i < tests.length && fits; i++) fits = tests[i](row);
      if (fits) rows[n++] = row;
    }
    return rows.subarray(0, n);
  }

  tests(filter) {
    const tests = [];
    const gold = this.data.gold.values.indexOf(filter.gold);
    if (filter.gold) tests.push((row) => this.gold[row] === gold);
    const tag = this.tags.find((each) => each.name === filter.tag);
    if (tag && filter.value !== "") tests.push(tagTest(tag, filter.value));
    this.models.forEach((model, place) => tests.push(...modelTests(model, filter.models[place] || {})));
    if (filter.differ && this.differ) tests.push((row) => this.differ[row] === 1);
    if (filter.words) tests.push(wordTest(this.searched, filter.words));
    return tests;
  }
}

function codes(coded) {
  return Int32Array.from(coded.codes);
}

function differing(models, count) {
  const found = new Uint8Array(count);
  const [first, ...others] = models;
  for (const other of others) {
    for (let row = 0; row < count; row++) {
      if (first.answer.values[first.answers[row]] !== other.answer.values[other.answers[row]]) found[row] = 1;
    }
  }
  return found;
}

function tagTest(tag, value) {
  if (!tag.codes) return (row) => tag.plain[row] === value;
  const code = tag.values.indexOf(value);
  return (row) => tag.codes[row] === code && code >= 0;
}

function wordTest(texts, words) {
  const wanted = words.toLowerCase();
  return (row) => texts[row].includes(wanted);
}

function modelTests(model, { answer, right, low, high }) {
  const tests = [];
  if (answer) {
    const code = model.answer.values.indexOf(answer);
    tests.push((row) => model.answers[row] === code);
  }
  if (right) {
    const wanted = right === "right" ? 1 : 0;
    tests.push((row) => model.rights[row] === wanted);
  }
  if (model.known && low !== undefined) tests.push((row) => model.known[row] >= Math.round(low * 1000));
  if (model.known && high !== undefined) tests.push((row) => model.known[row] >= 0 && model.known[row] <= Math.round(high * 1000));
  return tests;
}
