"use strict";
// Items one after the other; judgements stay in this browser until they are saved to a file. Texts are only ever set as text.
(() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("data").textContent);
  const place = `${data.format} ${data.digest} ${data.participant}`;
  const known = new Set(data.items.map((entry) => entry.item));
  let judgements = [];
  let shown = 0;
  let saved = 0;

  const warn = (text) => { find("trouble").textContent = text; find("trouble").hidden = false; };

  const load = () => {
    try {
      const stored = JSON.parse(localStorage.getItem(place) ?? "[]");
      judgements = stored.filter((each) => known.has(each.item));
    } catch {
      warn("This browser does not keep your judgements. Save them to a file before you close this page.");
    }
  };
  const store = () => {
    try {
      localStorage.setItem(place, JSON.stringify(judgements));
    } catch {
      warn("This browser does not keep your judgements. Save them to a file before you close this page.");
    }
  };

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const makeQuestion = (question) => {
    const name = `answer-${question.name}`;
    if (question.kind === "text") {
      const label = make("label", { class: "legend", for: name }, question.text);
      const field = make("textarea", { id: name, name, rows: 3, maxlength: 2000 });
      field.required = question.required;
      return make("div", { class: "question" }, label, field);
    }
    const choices = question.choices.map((choice) => {
      const input = make("input", { type: "radio", name, value: choice.value, "data-key": choice.key });
      input.required = question.required;
      const key = make("kbd", { "aria-hidden": "true" }, choice.key);
      return make("label", { class: "choice" }, input, make("span", { class: "choice-text" }, choice.text), key);
    });
    return make("fieldset", { class: "question", "aria-describedby": "premise hypothesis" },
      make("legend", {}, question.text), make("div", { class: "choices" }, ...choices));
  };

  const readAnswers = () => {
    const form = new FormData(find("questions"));
    return Object.fromEntries(data.questions.map(({ name }) => [name, String(form.get(`answer-${name}`) ?? "").trim()]));
  };
  // One by one: the questions after the first without an answer are hidden, and earlier ones are fixed.
  let step = 0;
  const showQuestions = () => {
    const single = data.show === "one-by-one";
    [...find("questions").querySelectorAll(".question")].forEach((part, number) => {
      part.hidden = single && number !== step;
    });
  };
  const isVisible = (number) => data.show !== "one-by-one" || number === step;

  const showEnd = () => {
    find("task").hidden = true;
    find("end").hidden = false;
    find("end").querySelector("h1").focus();
    document.title = "All items are judged";
  };

  const showItem = () => {
    const done = new Set(judgements.map((each) => each.item));
    const entry = data.items.find((each) => !done.has(each.item));
    find("progress").max = data.items.length;
    find("progress").value = judgements.length;
    find("progress-text").textContent = `${judgements.length} of ${data.items.length} judged`;
    find("save-state").textContent = saved === judgements.length ? "" : `${judgements.length - saved} judgements are not saved to a file yet.`;
    if (!entry) { showEnd(); return; }
    step = 0;
    const text = `Item ${judgements.length + 1} of ${data.items.length}`;
    document.title = text;
    find("item-title").textContent = text;
    find("premise").textContent = entry.premise;
    find("hypothesis").textContent = entry.hypothesis;
    const next = make("button", { type: "submit", class: "main" }, "Next");
    find("questions").replaceChildren(...data.questions.map(makeQuestion), next);
    find("questions").dataset.item = entry.item;
    showQuestions();
    const pause = judgements.length ? data.pause * 1000 : 0;
    find("task").style.visibility = "hidden";
    setTimeout(() => {
      find("task").style.visibility = "visible";
      find("item-title").focus();
      shown = performance.now();
    }, pause);
  };

  const isMissing = (answers) => data.questions.some((question, number) => isVisible(number) && question.required && !answers[question.name]);

  find("questions").noValidate = true; // hidden questions can't be checked by the browser
  find("questions").addEventListener("submit", (event) => {
    event.preventDefault();
    const answers = readAnswers();
    find("trouble").hidden = true;
    if (isMissing(answers)) { warn("An answer is missing. Please answer the question, then continue."); return; }
    if (data.show === "one-by-one" && step + 1 < data.questions.length) {
      step += 1;
      showQuestions();
      find("questions").querySelector(".question:not([hidden]) :is(input, textarea)").focus();
      return;
    }
    const seconds = Math.round(performance.now() - shown) / 1000;
    judgements.push({ item: find("questions").dataset.item, answers, seconds, judged: new Date().toISOString() });
    store();
    showItem();
  });

  document.addEventListener("keydown", (event) => {
    if (find("task").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.activeElement.matches("textarea")) return;
    const open = [...find("questions").querySelectorAll("fieldset")].filter((part) => !part.hidden);
    const question = open.find((part) => !part.querySelector("input:checked")) ?? open.at(-1);
    const radio = question && [...question.querySelectorAll("input")].find((each) => each.dataset.key.toLowerCase() === event.key.toLowerCase());
    if (!radio || find("task").style.visibility === "hidden") return;
    event.preventDefault();
    radio.checked = true;
    radio.focus();
  });

  find("save").addEventListener("click", () => {
    const { format, version, digest, participant } = data;
    const content = JSON.stringify({ format, version, digest, participant, judgements }, null, 1);
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type: "application/json" })), download: "judgements.json" });
    link.click();
    URL.revokeObjectURL(link.href);
    saved = judgements.length;
    find("save-state").textContent = `Saved ${judgements.length} judgements to judgements.json.`;
  });

  find("begin").addEventListener("click", () => {
    find("start").hidden = true;
    for (const id of ["task", "saving", "again", "progress-part"]) find(id).hidden = false;
    showItem();
  });
  addEventListener("beforeunload", (event) => { if (!find("trouble").hidden && saved < judgements.length) event.preventDefault(); });
  load();
  document.documentElement.dataset.scripted = "yes";
  if (judgements.length) find("begin").textContent = "Continue";
  find("begin").disabled = false;
})();
