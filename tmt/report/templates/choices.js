// What the reader has chosen: TCP variants, schemes, a point of the grid, a measure. It is kept in the address,
// so that a link leads back to the same view.
const state = { tcp: new Set(), scheme: new Set(), grid: [], measure: 0, by: "scheme" };
const listeners = [];

const indexes = (list) => list.map((_, i) => i);

function resetChoices() {
  state.tcp = new Set(indexes(DATA.tcp));
  state.scheme = new Set(indexes(DATA.scheme));
  state.grid = [...DATA.points[0]];
  state.measure = 0;
  state.by = "scheme";
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const numbers = (name, limit) => (words.get(name) ?? "").split(".").filter(Boolean).map(Number).filter((n) => Number.isInteger(n) && n >= 0 && n < limit);
  if (words.has("tcp")) state.tcp = new Set(numbers("tcp", DATA.tcp.length));
  if (words.has("scheme")) state.scheme = new Set(numbers("scheme", DATA.scheme.length));
  const grid = numbers("grid", Infinity);
  if (words.has("grid") && pointOf(grid) >= 0) state.grid = grid;
  const measure = DATA.measures.findIndex((m) => m.name === words.get("measure"));
  if (measure >= 0) state.measure = measure;
  if (words.get("by") === "tcp") state.by = "tcp";
}

function writeAddress() {
  const words = new URLSearchParams({ tcp: [...state.tcp].join("."), scheme: [...state.scheme].join("."), grid: state.grid.join("."), measure: DATA.measures[state.measure].name, by: state.by });
  try {
    history.replaceState(null, "", `#${words}`);
  } catch { /* some viewers forbid it for local files; the page works without */ }
}

const pointOf = (grid) => DATA.points.findIndex((point) => point.length === grid.length && point.every((v, i) => v === grid[i]));
const chosen = (item) => state.tcp.has(item.tcp) && state.scheme.has(item.scheme);
const here = (item) => item.point === pointOf(state.grid);
const pointLabel = (index) => DATA.grid.map((axis, i) => `${axis.label} ${axis.values[DATA.points[index][i]]}${axis.unit ? ` ${axis.unit}` : ""}`).join(", ");
const treatment = (item) => `${DATA.tcp[item.tcp].label}, ${DATA.scheme[item.scheme].label}`;

function changed() {
  writeAddress();
  byId("choice").textContent = `${state.tcp.size} of ${DATA.tcp.length} TCP variants, ${state.scheme.size} of ${DATA.scheme.length} schemes${DATA.grid.length ? `, ${pointLabel(pointOf(state.grid))}` : ""}`;
  for (const listener of listeners) listener();
}

function chips(kind, legend) {
  const boxes = DATA[kind].map((style, i) => {
    const box = el("input", { type: "checkbox", onchange: () => { state[kind][box.checked ? "add" : "delete"](i); changed(); } });
    box.checked = state[kind].has(i);
    const sign = svg("svg", { width: 26, height: 14, "aria-hidden": "true" });
    if (kind === "scheme") sign.append(svg("line", { x1: 1, x2: 25, y1: 7, y2: 7, stroke: `var(--${kind}-${i})`, "stroke-width": 2.4, "stroke-dasharray": DASHES[style.dash] }));
    sign.append(marker(style.marker, `var(--${kind}-${i})`, 13, 7, 4.4));
    return el("label", { class: "chip" }, box, sign, style.label);
  });
  return el("fieldset", {}, el("legend", {}, legend), ...boxes);
}

function chooser(label, options, value, onchange) {
  const select = el("select", { onchange: () => onchange(Number(select.value)) }, ...options.map((option, i) => el("option", { value: i }, option)));
  select.value = value;
  return el("label", { class: "chooser" }, `${label} `, select);
}

// A choice that no run has moves the other axes to the nearest point that exists.
function moveTo(axis, value) {
  const distance = (point) => point.reduce((sum, v, i) => sum + (i === axis ? 0 : Math.abs(v - state.grid[i])), 0);
  const open = DATA.points.filter((point) => point[axis] === value);
  state.grid = [...open.reduce((best, point) => (distance(point) < distance(best) ? point : best))];
}

function buildControls() {
  const grid = DATA.grid.map((axis, i) => chooser(withUnit(axis.label, axis.unit), axis.values, state.grid[i], (value) => { moveTo(i, value); buildControls(); changed(); }));
  const measure = chooser("Measure", DATA.measures.map((m) => m.label), state.measure, (value) => { state.measure = value; changed(); });
  const by = chooser("Group by", ["link scheme", "TCP variant"], state.by === "scheme" ? 0 : 1, (value) => { state.by = value ? "tcp" : "scheme"; changed(); });
  const reset = el("button", { type: "button", onclick: () => { resetChoices(); buildControls(); changed(); } }, "Reset");
  byId("controls").replaceChildren(chips("tcp", "TCP"), chips("scheme", "Link scheme"), el("div", { class: "choosers" }, ...grid, measure, by, reset));
}
