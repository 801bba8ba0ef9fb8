// Before anything is painted: the theme that was chosen last, where the browser lets a page remember it.
(() => {
  try {
    const kept = localStorage.getItem("rightreasons-theme");
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  } catch {
    // A page opened from disk may not be allowed to.
  }
  document.documentElement.classList.add("scripted");
})();
