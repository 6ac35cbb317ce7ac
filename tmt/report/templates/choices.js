// What the reader has chosen: TCP variants, schemes, a point of the grid, a measure. It is kept in the address,
// so that a link leads back to the same view.
const state = { tcp: new Set(), scheme: new Set(), grid: [], measure: 0, by: "scheme" };
const listeners = [];

const indexes = (list) => list.map((_, i) => i);
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
const pointOf = (grid) => DATA.points.findIndex((point) => same(point, grid));
const chosen = (item) => state.tcp.has(item.tcp) && state.scheme.has(item.scheme);
const here = (item) => item.point === pointOf(state.grid);
const treatment = (item) => `${DATA.tcp[item.tcp].label}, ${DATA.scheme[item.scheme].label}`;

function pointLabel(index) {
  const levels = DATA.grid.map((axis, i) => [axis.label, axis.values[DATA.points[index][i]], axis.unit]);
  return levels.map((words) => words.filter(Boolean).join(" ")).join(", ");
}

function resetChoices() {
  state.tcp = new Set(indexes(DATA.tcp));
  state.scheme = new Set(indexes(DATA.scheme));
  state.grid = [...(DATA.points[0] ?? [])];
  state.measure = 0;
  state.by = "scheme";
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const numbers = (name) => (words.get(name) ?? "").split(".").filter(Boolean).map(Number);
  for (const kind of ["tcp", "scheme"]) {
    if (words.has(kind)) state[kind] = new Set(numbers(kind).filter((i) => DATA[kind][i]));
  }
  if (words.has("grid") && pointOf(numbers("grid")) >= 0) state.grid = numbers("grid");
  const measure = DATA.measures.findIndex((m) => m.name === words.get("measure"));
  if (measure >= 0) state.measure = measure;
  if (words.get("by") === "tcp") state.by = "tcp";
}

function writeAddress() {
  const words = new URLSearchParams({
    tcp: [...state.tcp].join("."),
    scheme: [...state.scheme].join("."),
    grid: state.grid.join("."),
    measure: DATA.measures[state.measure].name,
    by: state.by,
  });
  try {
    history.replaceState(null, "", `#${words}`);
  } catch { /* some viewers forbid it for local files; the page works without */ }
}

function changed() {
  writeAddress();
  const words = [
    `${state.tcp.size} of ${DATA.tcp.length} TCP variants`,
    `${state.scheme.size} of ${DATA.scheme.length} schemes`,
    ...(DATA.grid.length ? [pointLabel(pointOf(state.grid))] : []),
  ];
  byId("choice").textContent = words.join(", ");
  for (const listener of listeners) listener();
}

function chips(kind, legend) {
  const boxes = DATA[kind].map((style, i) => {
    const colour = `var(--${kind}-${i})`;
    const box = el("input", { type: "checkbox", onchange: () => {
      if (box.checked) state[kind].add(i);
      else state[kind].delete(i);
      changed();
    } });
    box.checked = state[kind].has(i);
    const sign = svg("svg", { width: 26, height: 14, "aria-hidden": "true" });
    if (kind === "scheme") {
      sign.append(svg("line", { x1: 1, x2: 25, y1: 7, y2: 7, stroke: colour, "stroke-width": 2.4,
        "stroke-dasharray": DASHES[style.dash] }));
    }
    sign.append(marker(style.marker, colour, 13, 7, 4.4));
    return el("label", { class: "chip" }, box, sign, style.label);
  });
  return el("fieldset", {}, el("legend", {}, legend), ...boxes);
}

function chooser(label, options, value, onchange) {
  const items = options.map((option, i) => el("option", { value: i }, option));
  const select = el("select", { onchange: () => onchange(Number(select.value)) }, ...items);
  select.value = value;
  return el("label", { class: "chooser" }, `${label} `, select);
}

// A level that has no run with the other axes as they are moves those to the nearest point that has one.
function moveTo(axis, level) {
  const distance = (point) => point.reduce((sum, v, i) => sum + (i === axis ? 0 : Math.abs(v - state.grid[i])), 0);
  const open = DATA.points.filter((point) => point[axis] === level);
  state.grid = [...open.reduce((best, point) => (distance(point) < distance(best) ? point : best))];
}

function buildControls() {
  const moved = (axis, level) => {
    moveTo(axis, level);
    grid.forEach((label, i) => { label.querySelector("select").value = state.grid[i]; });
    changed();
  };
  const grid = DATA.grid.map(({ label, unit, values }, i) => (
    chooser(withUnit(label, unit), values, state.grid[i], (level) => moved(i, level))));
  const measure = chooser("Measure", DATA.measures.map((m) => m.label), state.measure, (i) => {
    state.measure = i;
    changed();
  });
  const by = chooser("Group by", ["link scheme", "TCP variant"], state.by === "tcp" ? 1 : 0, (i) => {
    state.by = i ? "tcp" : "scheme";
    changed();
  });
  const reset = el("button", { type: "button", onclick: () => {
    resetChoices();
    buildControls();
    changed();
    byId("controls").querySelector("button").focus();
  } }, "Reset");
  const choosers = el("div", { class: "choosers" }, ...grid, measure, by, reset);
  byId("controls").replaceChildren(chips("tcp", "TCP"), chips("scheme", "Link scheme"), choosers);
}
