// Tables that are sorted by a click or a key on a heading, and copied as CSV.
function startTables(exhibits) {
  for (const button of document.querySelectorAll("button.sort")) {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  }
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const found = (await exhibits)[button.dataset.copy];
      await copy(found.csv, "Table");
      done(button);
    });
  }
}

// Figures go from the greatest first, texts from the first letter; a second click turns it round.
function sortBy(head) {
  const table = head.closest("table");
  const place = head.cellIndex;
  const figure = head.classList.contains("figure");
  const usual = figure ? "descending" : "ascending";
  const other = figure ? "ascending" : "descending";
  const way = head.getAttribute("aria-sort") === usual ? other : usual;
  const sign = way === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row, order) => ({ row, order, key: sortKey(row.cells[place], figure) }));
  rows.sort((a, b) => compared(a.key, b.key, sign) || a.order - b.order);
  table.tBodies[0].append(...rows.map(({ row }) => row));
  for (const each of head.parentNode.cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", way);
  say(`Sorted by ${head.textContent.trim()}, ${way}.`);
}

function sortKey(cell, figure) {
  if (!figure) return cell.textContent;
  return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
}

// What isn't known comes last either way.
function compared(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
}
