// Tables that sort by any column and filter by text (`cubic`) or by bound (`>0.5`, `<=3`, `=2`).
const SHOWN = 100;
const BOUND = /^\s*(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;

function predicate(query) {
  const bound = BOUND.exec(query);
  if (bound) {
    const [, sign, digits] = bound;
    const limit = Number(digits);
    const test = { "<": (v) => v < limit, "<=": (v) => v <= limit, ">": (v) => v > limit, ">=": (v) => v >= limit, "=": (v) => v === limit }[sign];
    return (value) => (typeof value === "number" ? test(value) : sign === "=" && String(value) === digits);
  }
  const needle = query.trim().toLowerCase();
  return (value) => cellText(value).toLowerCase().includes(needle);
}

function compare(a, b) {
  const missing = (value) => value === null || value === undefined;
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

// `columns`: {name, label, unit, meaning}; `rows()` gives the rows that the page's choices leave.
function dataTable(place, { caption, columns, rows, file }) {
  const queries = new Map();
  let sorted = null;
  let direction = 1;
  let shown = SHOWN;
  const count = el("p", { class: "count", "aria-live": "polite" });
  const body = el("tbody");
  const more = el("button", { type: "button", onclick: () => { shown += 500; fill(); } }, "Show more rows");
  const heads = columns.map((column, i) => {
    const button = el("button", { type: "button", class: "sort", title: column.meaning, onclick: () => sortBy(i) }, withUnit(column.label, column.unit));
    return el("th", { scope: "col", "aria-sort": "none" }, button);
  });
  const filters = columns.map((column, i) => {
    const input = el("input", { type: "search", "aria-label": `Filter ${column.label}`, placeholder: "filter", size: 6,
      oninput: () => { if (input.value.trim()) queries.set(i, input.value); else queries.delete(i); shown = SHOWN; fill(); } });
    return el("td", {}, input);
  });

  function sortBy(index) {
    direction = sorted === index ? -direction : 1;
    sorted = index;
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== index ? "none" : direction > 0 ? "ascending" : "descending"));
    fill();
  }

  function selected() {
    const tests = [...queries].map(([i, query]) => [i, predicate(query)]);
    const kept = rows().filter((row) => tests.every(([i, test]) => test(row[i])));
    if (sorted === null) return kept;
    return [...kept].sort((a, b) => {
      const [x, y] = [a[sorted], b[sorted]];
      return x === null || y === null ? compare(x, y) : direction * compare(x, y);
    });
  }

  function fill() {
    const kept = selected();
    count.textContent = `${kept.length} of ${rows.total ?? rows().length} rows`;
    body.replaceChildren(...kept.slice(0, shown).map((row) => el("tr", {}, ...row.map((value, i) => {
      const numeric = typeof value === "number";
      return el(i ? "td" : "th", { scope: i ? null : "row", class: numeric ? "numeric" : null }, cellText(value));
    }))));
    more.hidden = kept.length <= shown;
  }

  const save = el("button", { type: "button", onclick: () => download(`${file}.csv`, "text/csv", csv(columns.map((c) => withUnit(c.label, c.unit)), selected())) }, "Download these rows (CSV)");
  const table = el("table", { class: "data" }, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads), el("tr", { class: "filters" }, ...filters)), body);
  place.replaceChildren(el("div", { class: "bar" }, count, save), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table), more);
  fill();
  return fill;
}
