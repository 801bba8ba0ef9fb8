// Keys choose answers, and a form is sent once. Everything also works without this script.
"use strict";

(() => {
  const isTyping = (element) => element.matches("textarea, input:not([type=radio]), select");

  const isPausing = (form) => {
    const card = form.closest("[data-pause]");
    return card !== null && Number(getComputedStyle(card).opacity) < 0.5;
  };

  // The question that a key answers: the one with the focus, else the first without an answer, else the last.
  const findQuestion = () => {
    const questions = [...document.querySelectorAll("fieldset.question")];
    const focused = document.activeElement.closest("fieldset.question");
    const open = questions.find((question) => !question.querySelector("input:checked"));
    return (focused && !focused.querySelector("input:checked") && focused) || open || focused || questions.at(-1);
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(document.activeElement)) return;
    if (event.key === "Enter" && !document.activeElement.matches("a, button, summary, input")) {
      const main = document.querySelector("button.main");
      if (main && !isPausing(main.form)) { event.preventDefault(); main.click(); }
      return;
    }
    const question = findQuestion();
    if (!question || isPausing(question.closest("form"))) return;
    const radios = [...question.querySelectorAll("input[type=radio]")];
    const wanted = radios.find((radio) => radio.dataset.key?.toLowerCase() === event.key.toLowerCase());
    if (!wanted) return;
    event.preventDefault();
    wanted.checked = true;
    wanted.focus();
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    form.setAttribute("aria-busy", "true");
  });

  // The back button may bring back a page from memory; the server knows what comes next.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  const alert = document.querySelector("[role=alert]");
  if (alert) {
    alert.tabIndex = -1;
    alert.focus();
  }
  document.documentElement.dataset.scripted = "yes";
})();
