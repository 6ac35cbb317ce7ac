// Each view selects from the prepared data what the choices ask for, and hands it to a plot.
const PAPER_KEY = { label: "published value, with reading error", colour: "var(--ink)", marker: "D", hollow: true };
const CEILING_KEY = { label: "what the scheme makes of the link", colour: "var(--quiet)", dash: ":" };
const MEAN = "mean over seeds with its 95 % interval";
const LETTERS = " Letters: within a group, two rows without a common letter differ by more than chance "
  + "(paired over seeds, Holm's correction).";

const paperLine = (paper, measure) => `${paper.source}: ${number(paper.value)} ${measure.unit}`;

function compareView(place) {
  const view = figure(place, "comparison");
  return () => {
    const measure = DATA.measures[state.measure];
    const cells = DATA.cells.filter((cell) => chosen(cell) && here(cell) && has(cell, measure));
    const groups = byGroup(cells, (label, members, inner) => ({
      label,
      rows: members.map((cell) => comparedRow(cell, inner, measure)),
    }));
    const rows = groups.flatMap((group) => group.rows);
    const key = [];
    if (rows.some((row) => row.paper)) key.push(PAPER_KEY);
    if (rows.some((row) => row.ceiling !== null)) key.push(CEILING_KEY);
    const title = `${measure.label}${where()}: ${MEAN}; small dots are single runs.`;
    const axis = { label: withUnit(measure.label, measure.unit), key };
    const caption = title + (rows.some((row) => row.note) ? LETTERS : "");
    view.show(caption, measureHeader(measure), measureRows(cells, measure),
      (plot) => rowPlot(plot, title, groups, axis));
  };
}

function comparedRow(cell, inner, measure) {
  const { label, marker } = DATA[inner][cell[inner]];
  const [mean, low, high] = cell.values[measure.name];
  const paper = published(cell, measure);
  return {
    label, marker, mean, low, high, paper,
    colour: paint(inner, cell[inner]),
    ceiling: measure.name === "goodput_bps" ? cell.ceiling : null,
    points: cell.seeds[measure.name] ?? [],
    note: cell.letters[measure.name]?.[inner],
    lines: [...describe(cell, measure), ...(paper ? [paperLine(paper, measure)] : [])],
  };
}

function sweepView(place) {
  const axes = indexes(DATA.grid).filter((i) => DATA.grid[i].values.length > 1);
  if (!axes.length) return null;
  let axis = axes[0];
  const choose = (i) => { axis = axes[i]; update(); };
  if (axes.length > 1) place.append(chooser("Over", axes.map((i) => DATA.grid[i].label), 0, choose));
  const view = figure(place, "sweep");

  function update() {
    const measure = DATA.measures[state.measure];
    const { label } = DATA.grid[axis];
    const level = (cell) => DATA.points[cell.point][axis];
    const onLine = (cell) => DATA.points[cell.point].every((value, i) => i === axis || value === state.grid[i]);
    const cells = DATA.cells.filter((cell) => chosen(cell) && has(cell, measure) && onLine(cell))
      .sort((a, b) => level(a) - level(b));
    const papers = cells.map((cell) => published(cell, measure)).filter(Boolean);
    const values = [...cells.flatMap((cell) => cell.values[measure.name]), ...papers.flatMap((p) => [p.low, p.high])];
    const x = sweptAxis(DATA.grid[axis], cells.map(level));
    const y = { label: measure.unit, domain: domain(values) };
    const panels = byGroup(cells, (title, members, inner) => ({
      title, x, y, layers: sweptLayers(members, inner, measure, (cell) => x.at(level(cell))),
    }));
    const key = [...keyOf(cells), ...(papers.length ? [PAPER_KEY] : [])];
    const title = `${measure.label} over ${label}: ${MEAN}.`;
    view.show(title, measureHeader(measure), measureRows(cells, measure),
      (plot) => panelPlot(plot, title, panels, { key, height: 230 }));
  }
  return update;
}

// Numbers have a scale; other levels stand side by side, in their order.
function sweptAxis({ numbers, values, label, unit }, levels) {
  if (!numbers) {
    return { label, at: (level) => level, domain: [-0.5, values.length - 0.5], ticks: indexes(values), names: values };
  }
  return {
    label: withUnit(label, unit),
    at: (level) => numbers[level],
    domain: domain(levels.map((level) => numbers[level]), false),
    ticks: numbers.length < 8 ? numbers : null,
  };
}

// A line for each member of the inner kind, and its published values beside it.
function sweptLayers(cells, inner, measure, at) {
  return [...new Set(cells.map((cell) => cell[inner]))].sort((a, b) => a - b).flatMap((j) => {
    const { dash, marker } = DATA[inner][j];
    const colour = paint(inner, j);
    const mine = cells.filter((cell) => cell[inner] === j);
    const ours = mine.map((cell) => [at(cell), ...cell.values[measure.name], describe(cell, measure)]);
    const papers = mine.map((cell) => [cell, published(cell, measure)]).filter(([, paper]) => paper)
      .map(([cell, p]) => [at(cell), p.value, p.low, p.high, [treatment(cell), paperLine(p, measure)]]);
    return [
      { kind: "sweep", colour, dash, marker, data: ours },
      { kind: "paper", colour, data: papers },
    ];
  });
}

function tradeView(place) {
  const [goodput, delay] = [measured("goodput_bps"), measured("delay_p95_s")];
  if (!goodput || !delay) return null;
  const view = figure(place, "goodput-and-delay");
  const span = (cells, measure) => ({
    label: withUnit(measure.label, measure.unit),
    domain: domain(cells.flatMap((cell) => cell.values[measure.name])),
  });
  const mark = (cell, inner) => ({
    kind: "cross",
    colour: paint(inner, cell[inner]),
    marker: DATA[inner][cell[inner]].marker,
    data: [[...cell.values[delay.name], ...cell.values[goodput.name],
      [...describe(cell, goodput).slice(0, 3), ...describe(cell, delay).slice(1, 3)]]],
  });
  return () => {
    const cells = DATA.cells.filter((cell) => chosen(cell) && here(cell) && has(cell, goodput) && has(cell, delay));
    const [x, y] = [span(cells, delay), span(cells, goodput)];
    const panels = byGroup(cells, (title, members, inner) => ({
      title, x, y,
      layers: members.map((cell) => mark(cell, inner)),
    }));
    const key = keyOf(cells).map(({ label, marker, colour }) => ({ label, marker, colour }));
    const title = `${goodput.label} against ${delay.label.toLowerCase()}${where()}: further up and further left is `
      + "better. Bars are 95 % intervals.";
    const header = [...placeHeader(), ...[goodput, delay].flatMap((m) => [withUnit(m.label, m.unit), "low", "high"])];
    const rows = cells.map((cell) => [...placeOf(cell), ...cell.values[goodput.name], ...cell.values[delay.name]]);
    view.show(title, header, rows, (plot) => panelPlot(plot, title, panels, { key, height: 240 }));
  };
}

function delayView(place) {
  const names = ["least", "median", "85th percentile", "95th percentile", "99th percentile"];
  const unit = DATA.delayUnit;
  const view = figure(place, "delay");
  const delayRow = (cell, inner) => ({
    label: DATA[inner][cell[inner]].label,
    marker: DATA[inner][cell[inner]].marker,
    colour: paint(inner, cell[inner]),
    mean: cell.quantiles[1], low: null, high: null, quantiles: cell.quantiles,
    lines: [treatment(cell), ...names.map((name, k) => `${name}: ${number(cell.quantiles[k])} ${unit}`)],
  });
  return () => {
    const cells = DATA.cells.filter((cell) => chosen(cell) && here(cell) && cell.quantiles);
    const groups = byGroup(cells, (label, members, inner) => ({
      label,
      rows: members.map((cell) => delayRow(cell, inner)),
    }));
    const title = `One-way delay of packets${where()}: mark and number at the median, thick bar from there to the `
      + "95th percentile, thin line from the least to the 99th; each the mean over seeds.";
    const header = [...placeHeader(), ...names.map((name) => withUnit(name, unit))];
    view.show(title, header, cells.map((cell) => [...placeOf(cell), ...cell.quantiles]),
      (plot) => rowPlot(plot, title, groups, { label: withUnit("One-way delay", unit) }));
  };
}

function distributionView(place) {
  if (!DATA.distributions.length) return null;
  const view = figure(place, "delay-distribution", "None of the chosen runs kept its packet records.");
  const distribution = (run, inner) => ({
    kind: "line", colour: paint(inner, run[inner]), dash: DATA[inner][run[inner]].dash,
    data: run.x.map((value, k) => [value, run.y[k]]),
  });
  return () => {
    const runs = DATA.distributions.filter((run) => chosen(run) && here(run));
    const x = { label: withUnit("One-way delay", DATA.delayUnit), domain: domain(runs.flatMap((run) => run.x)) };
    const y = { label: "share of packets that were faster", domain: [0, 1.02] };
    const panels = byGroup(runs, (title, members, inner) => ({
      title, x, y, layers: members.map((run) => distribution(run, inner)),
    }));
    const key = keyOf(runs).map(({ label, dash, colour }) => ({ label, dash, colour }));
    const title = `Distribution of one-way delays in the runs that kept their packet records${where()}.`;
    const header = [...placeHeader(), "seed", withUnit("delay", DATA.delayUnit), "share"];
    const rows = runs.flatMap((run) => run.x.map((value, k) => [...placeOf(run), run.seed, value, run.y[k]]));
    view.show(title, header, rows, (plot) => panelPlot(plot, title, panels, { key, height: 230 }));
  };
}

function timelineView(place) {
  if (!DATA.timelines.length) return null;
  const name = (run) => [treatment(run), pointLabel(run.point), `seed ${run.seed}`].filter(Boolean).join(", ");
  let index = Math.min(DATA.liveliest, DATA.timelines.length - 1);
  const choose = (i) => { index = i; update(); };
  place.append(chooser("Run", DATA.timelines.map(name), index, choose));
  const view = figure(place, "timeline");

  function update() {
    const run = DATA.timelines[index];
    const panels = run.panels.map((panel, i) => coursePanel(run, panel, i === run.panels.length - 1));
    const key = panels.flatMap((panel) => panel.layers).filter((layer) => layer.label)
      .map(({ label, colour }) => ({ label, colour, dash: "-" }));
    const title = `${name(run)}: what the sender's window did, what reached the receiver, how late, what was lost.`;
    const header = ["panel", "what", "time (s)", "value or low", "high"];
    const rows = run.panels.flatMap((panel) => panel.layers.flatMap((layer) => layer.data.map((item) => {
      const [time, value = null, high = null] = Array.isArray(item) ? item : [item];
      return [panel.title, layer.label || layer.kind, time, value, high];
    })));
    view.show(title, header, rows, (plot) => panelPlot(plot, title, panels, { key, columns: 1 }));
  }
  return update;
}

function coursePanel(run, panel, isLast) {
  const values = (layer) => (layer.kind === "moments" ? layer.span : layer.data.flatMap(([, ...rest]) => rest));
  const inked = (colour) => `color-mix(in srgb, ${colour} var(--strength), white)`;
  const colour = (layer) => (layer.colour ? inked(layer.colour) : paint("tcp", run.tcp));
  return {
    title: panel.title,
    height: panel.height,
    x: { label: isLast ? "Simulated time (s)" : "", domain: [0, run.end_s] },
    y: { label: panel.unit, domain: domain(panel.layers.flatMap(values)), ticks: panel.unit ? null : [] },
    layers: panel.layers.map((layer) => ({ ...layer, colour: colour(layer) })),
  };
}

// The tables follow the choices too; those that the page has not stay away.
function tables() {
  const filtered = (table, keep) => {
    const rows = () => table.rows.filter((_, i) => keep(table.keys[i]));
    rows.total = table.rows.length;
    return rows;
  };
  const runs = filtered(DATA.runs, ([tcp, scheme]) => state.tcp.has(tcp) && state.scheme.has(scheme));
  const differences = filtered(DATA.differences, ([point, tcps, schemes]) => point === pointOf(state.grid)
    && tcps.every((tcp) => state.tcp.has(tcp)) && schemes.every((scheme) => state.scheme.has(scheme)));
  const wanted = [
    ["runs", "All runs of the chosen TCP variants and schemes", DATA.runs.columns, runs],
    ["differences", "Paired differences at the chosen point", DATA.differences.columns, differences],
    ["paper", "Published values beside ours", DATA.published.columns, () => DATA.published.rows],
  ];
  return wanted.filter(([name]) => byId(`${name}-table`)).map(([name, caption, columns, rows]) => (
    dataTable(byId(`${name}-table`), { caption, columns, rows, file: `${DATA.file}-${name}` })));
}
