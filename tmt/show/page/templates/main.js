// Puts the page together.
function tables() {
  const chosen = (kind, labels) => labels.every((label) => labelsOf(kind).includes(label));
  const filtered = (table, keep) => {
    const rows = () => table.rows.filter((_, i) => keep(table.keys[i]));
    rows.total = table.rows.length;
    return rows;
  };
  const { runs, older, differences, paper, groups } = DATA.tables;
  const ofRuns = (table) => filtered(table, ([tcp, scheme]) => chosen("tcp", [tcp]) && chosen("scheme", [scheme]));
  const wanted = [
    ["runs", "Runs of the chosen TCP variants and schemes", runs, () => ofRuns(runs)],
    ["older", "Runs of earlier versions", older, () => ofRuns(older)],
    ["differences", "Paired differences at the chosen point", differences, () => filtered(differences,
      ([point, tcps, schemes]) => point === pointOf(state.grid) && chosen("tcp", tcps) && chosen("scheme", schemes))],
    ["groups", "Groups of flows beside each other", groups, () => () => groups.rows],
    ["paper", "Published values beside ours", paper, () => () => paper.rows],
  ];
  return wanted.filter(([name]) => byId(`${name}-table`)).map(([name, caption, { columns }, rows]) => (
    dataTable(byId(`${name}-table`), { caption, columns, rows: rows(), file: `${DATA.file}-${name}` })));
}

resetChoices();
if (DATA.points.length) {
  readAddress();
  buildControls();
  if (matchMedia("(max-width: 46rem)").matches) byId("chooser").open = false;
  const figures = DATA.views.filter((view) => byId(`${view.name}-view`))
    .map((view) => figure(view, byId(`${view.name}-view`)));
  listeners.push(...tables(), ...figures);
  changed();
  keepDrawn(() => figures.forEach((update) => update()));
} else {
  tables();
}
