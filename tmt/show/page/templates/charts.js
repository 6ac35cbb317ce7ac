// Charts: Vega-Lite specifications of `tmt.show.charts`, filled with the rows that the reader's choice leaves.
const ROWS = Object.fromEntries(Object.entries(DATA.rows).map(([name, table]) => [name, recordsOf(table)]));

// Value of a field; `levels.0` is the first member of `levels`.
const valueOf = (row, field) => field.split(".").reduce((value, part) => value?.[part], row);

// Space that Vega-Lite leaves between panels.
const GAP = 20;

const INNER = { scheme: "tcp", tcp: "scheme" };
const innerKind = () => INNER[state.by];

// Colours and markers follow the kind that the marks stand for; those of runs have an order of their own.
function configuration(view) {
  if (view.selects.includes("runs")) return configured(DATA.runColours[theme()], DATA.members.tcp);
  const members = DATA.members[innerKind()];
  return configured(members.map((member) => member[theme()]), members);
}

function rowsOf(view, own) {
  const chosen = Object.fromEntries(KINDS.map((kind) => [kind, new Set(labelsOf(kind))]));
  const tests = {
    measure: (row) => row.column === DATA.measures[state.measure].name,
    point: (row) => row.point === pointOf(state.grid),
    line: (row) => DATA.points[row.point].every((level, i) => i === own.axis || level === state.grid[i]),
    runs: (row) => own.runs.has(row.run),
  };
  const kept = view.selects.map((name) => tests[name]);
  const rows = ROWS[view.rows].filter((row) => (view.selects.includes("runs")
    || KINDS.every((kind) => chosen[kind].has(row[kind]))) && kept.every((test) => test(row)));
  if (!view.selects.includes("line")) return rows;
  return rows.sort((a, b) => DATA.points[a.point][own.axis] - DATA.points[b.point][own.axis]);
}

function textsOf(view, own) {
  const measure = DATA.measures[state.measure];
  const axis = DATA.axes[own.axis];
  const fill = (text) => text
    .replace("{measure}", () => withUnit(measure.label, measure.unit))
    .replace("{where}", () => (DATA.axes.length ? ` with ${DATA.places[pointOf(state.grid)]}` : ""))
    .replace("{axis}", () => (axis ? withUnit(axis.label, axis.unit) : ""));
  const over = axis ? ` over ${withUnit(axis.label, axis.unit)}` : "";
  const shown = withUnit(measure.label, measure.unit);
  const heading = view.heading || shown + (view.selects.includes("line") ? over : "");
  return { fill, heading, measure: view.measure || view.heading || shown };
}

function specificationOf(view, own) {
  if (!view.selects.includes("line")) return view.specs[state.by];
  return view.specs[`${state.by}-${DATA.axes[own.axis].numeric ? "numbers" : "names"}`];
}

// The specification with rows, parameters and a width in pixels.
function filled(view, own, rows, width) {
  const { heading, measure } = textsOf(view, own);
  const there = new Set(rows.map((row) => row[innerKind()]));
  const narrow = width < NARROW;
  const values = {
    measure, narrow,
    heading: view.selects.includes("runs") ? "" : heading,
    across: view.across,
    members: labelsOf(innerKind()).filter((label) => there.has(label)),
    axis: own.axis,
    end_s: Math.max(0, ...rows.map((row) => row.end_s ?? 0)),
  };
  const spec = withValues(specificationOf(view, own), values, rows);
  if (spec.vconcat) {
    // The lowest panel of a run has names before it.
    const margin = rows.some((row) => !row.value) ? 122 : 60;
    for (const panel of spec.vconcat) panel.width = width - margin;
  } else if (spec.columns === 1) {
    const names = Math.min(180, 14 + 7.2 * Math.max(...rows.map((row) => row[innerKind()].length)));
    spec.spec.width = Math.max(80, width - names - (narrow ? 82 : 175));
  } else {
    const panels = new Set(rows.map((row) => row[state.by])).size;
    spec.columns = Math.max(1, Math.min(panels, 2, Math.floor(width / 320)));
    spec.spec.width = Math.floor((width - 60 + GAP) / spec.columns) - GAP;
  }
  return spec;
}

// One record for each member of a row's arrays, such as the points of a line.
function unfolded(rows, fields) {
  return rows.flatMap((row) => {
    const lists = fields.filter((field) => Array.isArray(valueOf(row, field)));
    if (!lists.length) return [fields.map((field) => valueOf(row, field) ?? null)];
    return row[lists[0]].map((_, i) => fields.map((field) => (
      lists.includes(field) ? row[field][i] : valueOf(row, field) ?? null)));
  });
}

// Puts the chart of a view into its place. Returns what draws it anew.
function figure(view, place) {
  const own = { axis: DATA.axes.findIndex((axis) => axis.values.length > 1), runs: new Set() };
  const header = () => view.heads.map(([, label]) => textsOf(view, own).fill(label));
  const records = () => unfolded(rowsOf(view, own), view.heads.map(([field]) => field));
  const frame = chartFrame(view.name, header, records);

  function update() {
    const rows = rowsOf(view, own);
    frame.describe(textsOf(view, own).fill(view.caption));
    const spec = rows.length ? filled(view, own, rows, frame.plot.clientWidth) : null;
    return frame.draw(spec, configuration(view), view.nothing);
  }

  if (view.selects.includes("line")) {
    const axes = indexes(DATA.axes).filter((i) => DATA.axes[i].values.length > 1);
    const choose = (i) => { own.axis = axes[i]; update(); };
    if (axes.length > 1) place.append(chooser("Over", axes.map((i) => DATA.axes[i].label), 0, choose));
  }
  if (view.selects.includes("runs")) place.append(runChips(view, own, update));
  place.append(frame.element);
  return update;
}

// Check boxes for the runs that a chart lays over each other.
function runChips(view, own, update) {
  const runs = [...new Set(ROWS[view.rows].map((row) => row.run))];
  const first = view.name === "timeline" ? DATA.firstRuns : [0];
  for (const i of first) own.runs.add(runs[i]);
  const boxes = runs.map((run) => {
    const box = el("input", { type: "checkbox", onchange: () => {
      if (box.checked) own.runs.add(run);
      else own.runs.delete(run);
      update();
    } });
    box.checked = own.runs.has(run);
    return el("label", { class: "chip" }, box, run);
  });
  return el("details", {}, el("summary", {}, `Choose runs (${runs.length})`), el("fieldset", { class: "runs" },
    el("legend", {}, "Runs"), ...boxes));
}
