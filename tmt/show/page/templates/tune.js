// Page of a search: its charts, then its tables.

// The specification of a chart with its rows and a width in pixels.
function filled(chart, width) {
  const spec = withValues(chart.spec, { narrow: width < NARROW }, recordsOf(chart));
  if (spec.spec) {
    spec.columns = Math.max(1, Math.min(chart.panels, Math.floor(width / 300)));
    spec.spec.width = Math.floor((width - 40) / spec.columns) - 70;
  } else {
    Object.assign(spec, { width, autosize: { type: "fit-x", contains: "padding" } });
  }
  return spec;
}

// Puts a chart into its place. Returns what draws it anew.
function figure(chart, place) {
  const header = () => chart.heads.map(([, label]) => label);
  const rows = () => recordsOf(chart).map((row) => chart.heads.map(([name]) => row[name]));
  const frame = chartFrame(chart.name, header, rows);
  place.append(frame.element);
  frame.describe(chart.caption);
  const members = DATA.members.scheme;
  return () => frame.draw(filled(chart, frame.plot.clientWidth), configured(members.map((one) => one[theme()]), members));
}

const redraws = DATA.charts.map((chart) => figure(chart, byId(`${chart.name}-view`)));
const redraw = () => redraws.forEach((update) => update());
for (const { name, caption, columns, rows } of DATA.tables) {
  dataTable(byId(`${name}-table`), { caption, columns, rows: () => rows, file: `${DATA.file}-${name}` });
}
redraw();
keepDrawn(redraw);
