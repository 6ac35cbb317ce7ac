// Page of a search: each chart with its caption, its numbers as a table, and downloads; then the tables.
const NARROW = 560;

const recordsOf = ({ names, rows }) => rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));

// The specification with rows, the page's colours and a width in pixels.
function filled(chart, width) {
  const spec = structuredClone(chart.spec);
  const narrow = width < NARROW;
  const values = { narrow, ...DATA.inks[theme()] };
  for (const param of spec.params) if (param.name in values) param.value = values[param.name];
  spec.datasets = { rows: recordsOf(chart) };
  if (spec.spec) {
    spec.columns = Math.max(1, Math.min(chart.panels, Math.floor(width / 300)));
    spec.spec.width = Math.floor((width - 40) / spec.columns) - 70;
  } else {
    spec.width = Math.max(120, width - chart.margin * (narrow ? 0.62 : 1));
  }
  return spec;
}

function configuration() {
  const config = structuredClone(DATA.configurations[theme()]);
  config.range.category = DATA.members.scheme.map((member) => member[theme()]);
  config.range.symbol = DATA.members.scheme.map((member) => member.path);
  return config;
}

function figure(chart, place) {
  const file = `${DATA.file}-${chart.name}`;
  const plot = el("div", { class: "plot", tabindex: 0, role: "group", "aria-label": chart.caption });
  const numbers = el("div");
  const columns = chart.heads.map(([, label]) => ({ label }));
  const rows = () => recordsOf(chart).map((row) => chart.heads.map(([name]) => row[name]));
  const fill = () => { if (details.open) dataTable(numbers, { caption: chart.caption, columns, rows, file }); };
  const details = el("details", { ontoggle: fill }, el("summary", {}, "The numbers as a table"), numbers);
  let drawn = null;
  const button = (label, action) => el("button", { type: "button", onclick: action }, label);
  const buttons = el("div", { class: "bar" },
    button("Data (CSV)", () => download(`${file}.csv`, "text/csv", csv(chart.heads.map(([, label]) => label), rows()))),
    button("Picture (SVG)", async () => download(`${file}.svg`, "image/svg+xml", await drawn.toSVG())));
  place.append(el("figure", {}, plot, el("figcaption", {}, chart.caption), buttons, details));
  withKeys(plot);
  return async () => {
    const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false, logLevel: 1,
      config: configuration(), tooltip: (_, event, __, text) => tell(text, event?.clientX, event?.clientY) };
    const { view } = await vegaEmbed(plot, filled(chart, plot.clientWidth), options);
    drawn?.finalize();
    drawn = view;
    plot.dataset.drawn = "1";
  };
}

const redraws = DATA.charts.map((chart) => figure(chart, byId(`${chart.name}-view`)));
const redraw = () => redraws.forEach((update) => update());
for (const { name, caption, columns, rows } of DATA.tables) {
  dataTable(byId(`${name}-table`), { caption, columns, rows: () => rows, file: `${DATA.file}-${name}` });
}
redraw();
dark.addEventListener("change", redraw);
let width = document.body.clientWidth;
window.addEventListener("resize", () => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  redraw();
});
window.addEventListener("scroll", () => tell(null), { passive: true });
