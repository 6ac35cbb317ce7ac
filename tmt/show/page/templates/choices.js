// The reader's choice: TCP variants, schemes, a point of the grid, a measure. The page's address holds it, so that
// a link leads back to the same view.
const KINDS = ["tcp", "scheme"];
const state = { tcp: new Set(), scheme: new Set(), grid: [], measure: 0, by: "scheme" };
const listeners = [];

const indexes = (list) => list.map((_, i) => i);
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
const pointOf = (grid) => DATA.points.findIndex((point) => same(point, grid));
const labelsOf = (kind) => [...state[kind]].sort((a, b) => a - b).map((i) => DATA.members[kind][i].label);

function resetChoices() {
  for (const kind of KINDS) state[kind] = new Set(indexes(DATA.members[kind]));
  state.grid = [...(DATA.points[DATA.opens] ?? DATA.points[0] ?? [])];
  state.measure = 0;
  state.by = "scheme";
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const numbers = (name) => (words.get(name) ?? "").split(".").filter(Boolean).map(Number);
  for (const kind of KINDS) {
    if (words.has(kind)) state[kind] = new Set(numbers(kind).filter((i) => DATA.members[kind][i]));
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
    `${state.tcp.size} of ${DATA.members.tcp.length} TCP variants`,
    `${state.scheme.size} of ${DATA.members.scheme.length} schemes`,
    ...(DATA.axes.length ? [DATA.places[pointOf(state.grid)]] : []),
  ];
  byId("choice").textContent = words.join(", ");
  for (const listener of listeners) listener();
}

function chips(kind, legend) {
  const boxes = DATA.members[kind].map((member, i) => {
    const box = el("input", { type: "checkbox", onchange: () => {
      if (box.checked) state[kind].add(i);
      else state[kind].delete(i);
      changed();
    } });
    box.checked = state[kind].has(i);
    const marker = svg("path", { d: member.path, transform: "translate(7 7) scale(5)", fill: `var(--${kind}-${i})` });
    const sign = svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, marker);
    return el("label", { class: "chip" }, box, sign, member.label);
  });
  return el("fieldset", {}, el("legend", {}, legend), ...boxes);
}

function chooser(label, options, value, onchange) {
  const items = options.map((option, i) => el("option", { value: i }, option));
  const select = el("select", { onchange: () => onchange(Number(select.value)) }, ...items);
  select.value = value;
  return el("label", { class: "chooser" }, `${label} `, select);
}

// Chooses a level of an axis; the other axes move to the nearest point that has runs.
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
  const grid = DATA.axes.map(({ label, unit, values }, i) => (
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
  byId("controls").replaceChildren(choosers, chips("tcp", "TCP"), chips("scheme", "Link scheme"));
}
