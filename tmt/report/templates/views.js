// Each view selects from the prepared data what the choices ask for, and hands it to a plot.
const paint = (kind, index) => `var(--${kind}-${index})`;
const lines = (cell, measure) => {
  const [mean, low, high] = cell.values[measure.name];
  const interval = low === null ? "no interval: a single run" : `95 % interval [${number(low)}, ${number(high)}]`;
  return [treatment(cell), `${measure.label}: ${number(mean)} ${measure.unit}`, interval, `${cell.runs} ${cell.runs === 1 ? "run" : "runs"}`];
};
const has = (cell, measure) => Boolean(cell.values[measure.name]);
const published = (cell, measure) => DATA.paper.find((p) => p.tcp === cell.tcp && p.scheme === cell.scheme && p.point === cell.point && p.measure === measure.name);

// A figure: plot, caption, buttons, and its numbers as a table that opens.
function figure(place, name, nothing = "Nothing to draw: choose at least one TCP variant and one scheme that were run at this point.") {
  const plot = el("div", { class: "plot" });
  const caption = el("figcaption");
  const numbers = el("div");
  let current = null;
  const file = () => `${DATA.file}-${name}`;
  const details = el("details", { ontoggle: () => fillNumbers() }, el("summary", {}, "The numbers as a table"), numbers);
  const buttons = el("div", { class: "bar" },
    el("button", { type: "button", onclick: () => download(`${file()}.csv`, "text/csv", csv(current.header, current.rows)) }, "Data (CSV)"),
    el("button", { type: "button", onclick: () => download(`${file()}.svg`, "image/svg+xml", standalone(plot.querySelector("svg"))) }, "Picture (SVG)"));
  place.append(el("figure", {}, plot, caption, buttons, details));
  function fillNumbers() {
    if (!details.open || !current) return;
    dataTable(numbers, { caption: current.title, file: file(), rows: () => current.rows, columns: current.header.map((label) => ({ label })) });
  }
  return {
    show(title, header, rows, drawing) {
      current = { title, header, rows };
      caption.textContent = title;
      buttons.hidden = details.hidden = !rows.length;
      if (rows.length) drawing(plot);
      else plot.replaceChildren(el("p", { class: "empty" }, nothing));
      fillNumbers();
    },
  };
}

const GRID_HEADER = () => DATA.grid.map((axis) => withUnit(axis.label, axis.unit));
const gridValues = (point) => DATA.grid.map((axis, i) => axis.values[DATA.points[point][i]]);
const where = () => (DATA.grid.length ? ` at ${pointLabel(pointOf(state.grid))}` : "");

function compareView(place) {
  const view = figure(place, "comparison");
  return () => {
    const measure = DATA.measures[state.measure];
    const cells = DATA.cells.filter((cell) => chosen(cell) && here(cell) && has(cell, measure));
    const [outer, inner] = state.by === "scheme" ? ["scheme", "tcp"] : ["tcp", "scheme"];
    const groups = indexes(DATA[outer]).map((i) => ({
      label: DATA[outer][i].label,
      rows: cells.filter((cell) => cell[outer] === i).sort((a, b) => a[inner] - b[inner]).map((cell) => {
        const [mean, low, high] = cell.values[measure.name];
        const style = DATA[inner][cell[inner]];
        const paper = published(cell, measure);
        return { label: style.label, colour: paint(inner, cell[inner]), marker: style.marker, mean, low, high, paper, limit: measure.name === "goodput_bps" ? cell.ceiling : null,
          points: cell.seeds?.[measure.name] ?? [], note: cell.letters?.[measure.name]?.[inner],
          lines: [...lines(cell, measure), ...(paper ? [`${paper.source}: ${number(paper.value)} ${measure.unit}`] : [])] };
      }),
    })).filter((group) => group.rows.length);
    const key = groups.some((g) => g.rows.some((r) => r.paper)) ? [{ label: "published value, with reading error", colour: "var(--ink)", marker: "D", hollow: true }] : [];
    if (groups.some((g) => g.rows.some((r) => r.limit !== null))) key.push({ label: "what the scheme makes of the link", colour: "var(--quiet)", dash: ":" });
    const title = `${measure.label}${where()}: mean over seeds with its 95 % interval; small dots are single runs.`;
    const letters = groups.some((g) => g.rows.some((r) => r.note)) ? ` Letters: within a group, two rows without a common letter differ by more than chance (paired over seeds, Holm's correction).` : "";
    const rows = cells.map((cell) => [DATA.tcp[cell.tcp].label, DATA.scheme[cell.scheme].label, ...gridValues(cell.point), ...cell.values[measure.name], cell.runs]);
    view.show(title + letters, ["TCP", "scheme", ...GRID_HEADER(), withUnit(measure.label, measure.unit), "low", "high", "runs"], rows,
      (plot) => rowPlot(plot, title, groups, { label: withUnit(measure.label, measure.unit), unit: measure.unit, key }));
  };
}

function sweepView(place) {
  const axes = indexes(DATA.grid).filter((i) => DATA.grid[i].numbers && DATA.grid[i].values.length > 1);
  if (!axes.length) return null;
  let axis = axes[0];
  if (axes.length > 1) place.append(chooser("Over", axes.map((i) => DATA.grid[i].label), 0, (i) => { axis = axes[i]; update(); }));
  const view = figure(place, "sweep");
  const update = () => {
    const measure = DATA.measures[state.measure];
    const { numbers, label, unit } = DATA.grid[axis];
    const onLine = (cell) => DATA.points[cell.point].every((v, i) => i === axis || v === state.grid[i]);
    const cells = DATA.cells.filter((cell) => chosen(cell) && has(cell, measure) && onLine(cell));
    const [outer, inner] = state.by === "scheme" ? ["scheme", "tcp"] : ["tcp", "scheme"];
    const at = (cell) => numbers[DATA.points[cell.point][axis]];
    const papers = cells.map((cell) => published(cell, measure)).filter(Boolean);
    const y = { label: measure.unit, domain: domain([...cells.flatMap((cell) => cell.values[measure.name]), ...papers.flatMap((p) => [p.low, p.high])]) };
    const x = { label: withUnit(label, unit), domain: domain(cells.map(at), false), ticks: numbers.length < 8 ? numbers : null };
    const panels = indexes(DATA[outer]).filter((i) => cells.some((cell) => cell[outer] === i)).map((i) => ({
      title: DATA[outer][i].label, x, y,
      layers: indexes(DATA[inner]).flatMap((j) => {
        const mine = cells.filter((cell) => cell[outer] === i && cell[inner] === j).sort((a, b) => at(a) - at(b));
        const style = DATA[inner][j];
        const paper = mine.flatMap((cell) => { const p = published(cell, measure); return p ? [[at(cell), p.value, p.low, p.high, [treatment(cell), `${p.source}: ${number(p.value)} ${measure.unit}`]]] : []; });
        return mine.length ? [{ kind: "sweep", colour: paint(inner, j), dash: style.dash, marker: style.marker, data: mine.map((cell) => [at(cell), ...cell.values[measure.name], lines(cell, measure)]) },
          ...(paper.length ? [{ kind: "paper", colour: paint(inner, j), data: paper }] : [])] : [];
      }),
    }));
    const key = indexes(DATA[inner]).filter((j) => state[inner].has(j)).map((j) => ({ ...DATA[inner][j], colour: paint(inner, j) }));
    if (papers.length) key.push({ label: "published", colour: "var(--ink)", marker: "D", hollow: true });
    const title = `${measure.label} over ${label}: mean over seeds with its 95 % interval.`;
    const rows = cells.map((cell) => [DATA.tcp[cell.tcp].label, DATA.scheme[cell.scheme].label, ...gridValues(cell.point), ...cell.values[measure.name], cell.runs]);
    view.show(title, ["TCP", "scheme", ...GRID_HEADER(), withUnit(measure.label, measure.unit), "low", "high", "runs"], rows, (plot) => panelPlot(plot, title, panels, { key, height: 230 }));
  };
  return update;
}

function tradeView(place) {
  const measures = ["goodput_bps", "delay_p95_s"].map((name) => DATA.measures.find((m) => m.name === name));
  const [goodput, delay] = measures;
  if (!goodput || !delay) return null;
  const view = figure(place, "goodput-and-delay");
  return () => {
    const cells = DATA.cells.filter((cell) => chosen(cell) && here(cell) && has(cell, goodput) && has(cell, delay));
    const axis = (measure) => ({ label: withUnit(measure.label, measure.unit), domain: domain(cells.flatMap((cell) => cell.values[measure.name])) });
    const [outer, inner] = state.by === "scheme" ? ["scheme", "tcp"] : ["tcp", "scheme"];
    const panels = indexes(DATA[outer]).filter((i) => cells.some((cell) => cell[outer] === i)).map((i) => ({
      title: DATA[outer][i].label, x: axis(delay), y: axis(goodput),
      layers: cells.filter((cell) => cell[outer] === i).map((cell) => ({ kind: "cross", colour: paint(inner, cell[inner]), marker: DATA[inner][cell[inner]].marker,
        data: [[...cell.values[delay.name], ...cell.values[goodput.name], [...lines(cell, goodput).slice(0, 3), ...lines(cell, delay).slice(1, 3)]]] })),
    }));
    const key = indexes(DATA[inner]).filter((j) => state[inner].has(j)).map((j) => ({ label: DATA[inner][j].label, marker: DATA[inner][j].marker, colour: paint(inner, j) }));
    const title = `${goodput.label} against ${delay.label.toLowerCase()}${where()}: further up and further left is better. Bars are 95 % intervals.`;
    const rows = cells.map((cell) => [DATA.tcp[cell.tcp].label, DATA.scheme[cell.scheme].label, ...gridValues(cell.point), ...cell.values[goodput.name], ...cell.values[delay.name]]);
    view.show(title, ["TCP", "scheme", ...GRID_HEADER(), withUnit(goodput.label, goodput.unit), "low", "high", withUnit(delay.label, delay.unit), "low", "high"], rows,
      (plot) => panelPlot(plot, title, panels, { key, height: 240 }));
  };
}

function delayView(place) {
  const view = figure(place, "delay");
  return () => {
    const cells = DATA.cells.filter((cell) => chosen(cell) && here(cell) && cell.quantiles);
    const [outer, inner] = state.by === "scheme" ? ["scheme", "tcp"] : ["tcp", "scheme"];
    const unit = DATA.delayUnit;
    const names = ["least", "median", "85th percentile", "95th percentile", "99th percentile"];
    const groups = indexes(DATA[outer]).map((i) => ({
      label: DATA[outer][i].label,
      rows: cells.filter((cell) => cell[outer] === i).sort((a, b) => a[inner] - b[inner]).map((cell) => ({
        label: DATA[inner][cell[inner]].label, colour: paint(inner, cell[inner]), marker: DATA[inner][cell[inner]].marker,
        mean: cell.quantiles[1], low: null, high: null, quantiles: cell.quantiles,
        lines: [treatment(cell), ...names.map((name, k) => `${name}: ${number(cell.quantiles[k])} ${unit}`)] })),
    })).filter((group) => group.rows.length);
    const title = `One-way delay of packets${where()}: mark at the median, thick bar from there to the 95th percentile, thin line from the least to the 99th; each the mean over seeds.`;
    const rows = cells.map((cell) => [DATA.tcp[cell.tcp].label, DATA.scheme[cell.scheme].label, ...gridValues(cell.point), ...cell.quantiles]);
    view.show(title, ["TCP", "scheme", ...GRID_HEADER(), ...names.map((name) => withUnit(name, unit))], rows,
      (plot) => rowPlot(plot, title, groups, { label: `One-way delay (${unit})`, unit }));
  };
}

function distributionView(place) {
  if (!DATA.distributions.length) return null;
  const view = figure(place, "delay-distribution", "None of the chosen runs kept its packet records.");
  return () => {
    const runs = DATA.distributions.filter((run) => chosen(run) && here(run));
    const [outer, inner] = state.by === "scheme" ? ["scheme", "tcp"] : ["tcp", "scheme"];
    const x = { label: `One-way delay (${DATA.delayUnit})`, domain: domain(runs.flatMap((run) => run.x)) };
    const y = { label: "share of packets that were faster", domain: [0, 1.02] };
    const panels = indexes(DATA[outer]).filter((i) => runs.some((run) => run[outer] === i)).map((i) => ({ title: DATA[outer][i].label, x, y,
      layers: runs.filter((run) => run[outer] === i).map((run) => ({ kind: "line", colour: paint(inner, run[inner]), dash: DATA[inner][run[inner]].dash, data: run.x.map((v, k) => [v, run.y[k]]) })) }));
    const key = indexes(DATA[inner]).filter((j) => runs.some((run) => run[inner] === j)).map((j) => ({ label: DATA[inner][j].label, dash: DATA[inner][j].dash, colour: paint(inner, j) }));
    const title = `Distribution of one-way delays in the runs that kept their packet records${where()}.`;
    const rows = runs.flatMap((run) => run.x.map((v, k) => [DATA.tcp[run.tcp].label, DATA.scheme[run.scheme].label, ...gridValues(run.point), run.seed, v, run.y[k]]));
    view.show(title, ["TCP", "scheme", ...GRID_HEADER(), "seed", `delay (${DATA.delayUnit})`, "share"], rows, (plot) => panelPlot(plot, title, panels, { key, height: 230 }));
  };
}

function timelineView(place) {
  if (!DATA.timelines.length) return null;
  let index = 0;
  const label = (run) => `${treatment(run)}, ${DATA.grid.length ? `${pointLabel(run.point)}, ` : ""}seed ${run.seed}`;
  place.append(chooser("Run", DATA.timelines.map(label), 0, (i) => { index = i; update(); }));
  const view = figure(place, "timeline");
  const update = () => {
    const run = DATA.timelines[index];
    const inked = (layer) => (layer.colour ? `color-mix(in srgb, ${layer.colour} var(--strength), white)` : paint("tcp", run.tcp));
    const bounds = [0, run.end_s];
    const panels = run.panels.map((panel, i) => ({ title: panel.title, height: panel.height, x: { label: i === run.panels.length - 1 ? "Simulated time (s)" : "", domain: bounds },
      y: { label: panel.unit, ticks: panel.unit ? null : [], domain: domain(panel.layers.flatMap((layer) => (layer.kind === "moments" ? layer.span : layer.data.flatMap((d) => d.slice(1))))) },
      layers: panel.layers.map((layer) => ({ ...layer, colour: inked(layer) })) }));
    const key = run.panels.flatMap((panel) => panel.layers).filter((layer) => layer.label).map((layer) => ({ label: layer.label, colour: inked(layer), dash: "-" }));
    const title = `${label(run)}: what the sender's window did, what reached the receiver, how late, and what was lost.`;
    const rows = run.panels.flatMap((panel) => panel.layers.flatMap((layer) => layer.data.map((d) => [panel.title, layer.label ?? layer.kind, ...(Array.isArray(d) ? [d[0], d[1], d[2] ?? null] : [d, null, null])])));
    view.show(title, ["panel", "what", "time (s)", "value or low", "high"], rows, (plot) => panelPlot(plot, title, panels, { key, columns: 1 }));
  };
  return update;
}

function tables() {
  const updates = [];
  const inRuns = () => DATA.runs.rows.filter((_, i) => { const [tcp, scheme] = DATA.runs.keys[i]; return (tcp === null || state.tcp.has(tcp)) && (scheme === null || state.scheme.has(scheme)); });
  inRuns.total = DATA.runs.rows.length;
  if (byId("runs-table")) updates.push(dataTable(byId("runs-table"), { caption: "All runs of the chosen TCP variants and schemes", columns: DATA.runs.columns, rows: inRuns, file: `${DATA.file}-runs` }));
  if (byId("differences-table")) {
    const rows = () => DATA.differences.rows.filter((_, i) => { const [point, tcp, scheme] = DATA.differences.keys[i]; return point === pointOf(state.grid) && tcp.every((t) => state.tcp.has(t)) && scheme.every((s) => state.scheme.has(s)); });
    rows.total = DATA.differences.rows.length;
    updates.push(dataTable(byId("differences-table"), { caption: "Paired differences of the chosen TCP variants and schemes", columns: DATA.differences.columns, rows, file: `${DATA.file}-differences` }));
  }
  if (byId("paper-table")) dataTable(byId("paper-table"), { caption: "Published values beside ours", columns: DATA.published.columns, rows: () => DATA.published.rows, file: `${DATA.file}-published` });
  return updates;
}
