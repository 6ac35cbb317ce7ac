// Tables that sort by any column and filter by text (`cubic`) or by bound (`>0.5`, `<=3`, `=2`).
const SHOWN = 100;
const BOUND = /^\s*(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;
const TESTS = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "=": (value, limit) => value === limit,
};

function predicate(query) {
  const bound = BOUND.exec(query);
  if (bound) return (value) => typeof value === "number" && TESTS[bound[1]](value, Number(bound[2]));
  const needle = query.trim().toLowerCase();
  return (value) => cellText(value).toLowerCase().includes(needle);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

// Rows in the order of one column; those without a value come last either way.
function sortedRows(rows, column, direction) {
  const missing = (row) => (row[column] === null || row[column] === undefined ? 1 : 0);
  return [...rows].sort((a, b) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return direction * compare(a[column], b[column]);
  });
}

// `columns`: {label, unit, meaning, extra}; extra columns are shown on demand. `rows()` gives the rows that the
// page's choices leave.
function dataTable(place, { caption, columns, rows, file }) {
  const queries = new Map();
  const names = columns.map((column) => withUnit(column.label, column.unit));
  let [sorted, direction, shown, wide] = [null, 1, SHOWN, false];
  const hidden = (i) => Boolean(columns[i].extra) && !wide;

  function tableRow(row) {
    const cells = row.map((value, i) => el(i ? "td" : "th", {
      scope: i ? null : "row",
      class: typeof value === "number" ? "numeric" : null,
      hidden: hidden(i),
    }, cellText(value)));
    return el("tr", {}, ...cells);
  }

  function kept() {
    const tests = [...queries].map(([i, query]) => [i, predicate(query)]);
    const found = rows().filter((row) => tests.every(([i, test]) => test(row[i])));
    return sorted === null ? found : sortedRows(found, sorted, direction);
  }

  function fill() {
    const found = kept();
    count.textContent = `${found.length} of ${rows.total ?? rows().length} rows`;
    body.replaceChildren(...found.slice(0, shown).map(tableRow));
    more.hidden = found.length <= shown;
    for (const cell of [...heads, ...filters]) cell.hidden = hidden(cell.cellIndex);
  }

  function sortBy(index) {
    direction = sorted === index ? -direction : 1;
    sorted = index;
    const order = direction > 0 ? "ascending" : "descending";
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === index ? order : "none"));
    fill();
  }

  function filterBy(index, query) {
    if (query.trim()) queries.set(index, query);
    else queries.delete(index);
    shown = SHOWN;
    fill();
  }

  const heads = columns.map((column, i) => el("th", { scope: "col", "aria-sort": "none" },
    el("button", { type: "button", class: "sort", title: column.meaning, onclick: () => sortBy(i) }, names[i])));
  // A head of many words takes two lines, whatever the room.
  heads.forEach((head, i) => { head.style.minWidth = `${Math.ceil(names[i].length / 2) + 3}ch`; });
  const filters = columns.map((column, i) => el("td", {}, el("input", {
    type: "search",
    size: 4,
    placeholder: "filter",
    "aria-label": `Filter ${column.label}`,
    oninput: (event) => filterBy(i, event.target.value),
  })));
  const count = el("p", { class: "count", "aria-live": "polite" });
  const saveRows = () => download(`${file}.csv`, "text/csv", csv(names, kept()));
  const save = el("button", { type: "button", onclick: saveRows }, "Download these rows (CSV)");
  const saveLatex = () => download(`${file}.tex`, "application/x-tex", latex(
    names.filter((_, i) => !hidden(i)), kept().map((row) => row.filter((_, i) => !hidden(i)))));
  const print = el("button", { type: "button", onclick: saveLatex }, "LaTeX");
  const more = el("button", { type: "button", onclick: () => { shown += 500; fill(); } }, "Show more rows");
  const widen = el("button", { type: "button", onclick: () => { wide = !wide; fill(); } }, "All columns");
  widen.hidden = !columns.some((column) => column.extra);
  const body = el("tbody");
  const head = el("thead", {}, el("tr", {}, ...heads), el("tr", { class: "filters" }, ...filters));
  const table = el("table", { class: "data" }, el("caption", {}, el("span", {}, caption)), head, body);
  const frame = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table);
  place.replaceChildren(el("div", { class: "bar" }, count, widen, save, print), frame, more);
  fill();
  return fill;
}
