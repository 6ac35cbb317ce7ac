// What the views share: the shell of a figure, and selections from the prepared data.
const NOTHING = "Nothing to draw: choose at least one TCP variant and one scheme that were run at this point.";

const paint = (kind, index) => `var(--${kind}-${index})`;
const has = (cell, measure) => Boolean(cell.values[measure.name]);
const measured = (name) => DATA.measures.find((measure) => measure.name === name);
const where = () => (DATA.grid.length ? ` with ${pointLabel(pointOf(state.grid))}` : "");

// [outer, inner]: what panels or groups stand for, and what the marks in them stand for.
const grouping = () => (state.by === "scheme" ? ["scheme", "tcp"] : ["tcp", "scheme"]);

// Calls `make` for each member of the outer kind that has items; those come in the order of the inner kind.
function byGroup(items, make) {
  const [outer, inner] = grouping();
  return indexes(DATA[outer]).flatMap((i) => {
    const mine = items.filter((item) => item[outer] === i).sort((a, b) => a[inner] - b[inner]);
    return mine.length ? [make(DATA[outer][i].label, mine, inner)] : [];
  });
}

// Entries of the key for the members of the inner kind that occur.
function keyOf(items) {
  const [, inner] = grouping();
  const used = new Set(items.map((item) => item[inner]));
  return indexes(DATA[inner]).filter((j) => used.has(j)).map((j) => ({ ...DATA[inner][j], colour: paint(inner, j) }));
}

function published(cell, measure) {
  const place = (item) => [item.tcp, item.scheme, item.point];
  return DATA.paper.find((item) => item.measure === measure.name && same(place(item), place(cell)));
}

// What is said about a mark.
function describe(cell, measure) {
  const [mean, low, high] = cell.values[measure.name];
  return [
    treatment(cell),
    `${measure.label}: ${number(mean)} ${measure.unit}`,
    low === null ? "no interval: a single run" : `95 % interval [${number(low)}, ${number(high)}]`,
    `${cell.runs} ${cell.runs === 1 ? "run" : "runs"}`,
  ];
}

// The head and the first columns of every figure's numbers.
const placeHeader = () => ["TCP", "scheme", ...DATA.grid.map((axis) => withUnit(axis.label, axis.unit))];
const placeOf = (item) => [
  DATA.tcp[item.tcp].label,
  DATA.scheme[item.scheme].label,
  ...DATA.grid.map((axis, i) => axis.values[DATA.points[item.point][i]]),
];

const measureHeader = (measure) => [...placeHeader(), withUnit(measure.label, measure.unit), "low", "high", "runs"];
const measureRow = (cell, measure) => [...placeOf(cell), ...cell.values[measure.name], cell.runs];
const measureRows = (cells, measure) => cells.map((cell) => measureRow(cell, measure));

// A figure: plot, caption, buttons, and its numbers as a table that opens.
function figure(place, name, nothing = NOTHING) {
  const file = `${DATA.file}-${name}`;
  const plot = el("div", { class: "plot" });
  const caption = el("figcaption");
  const numbers = el("div");
  let current = null;

  const save = (label, action) => el("button", { type: "button", onclick: action }, label);
  const buttons = el("div", { class: "bar" },
    save("Data (CSV)", () => download(`${file}.csv`, "text/csv", csv(current.header, current.rows))),
    save("Picture (SVG)", () => download(`${file}.svg`, "image/svg+xml", standalone(plot.querySelector("svg")))));
  const summary = el("summary", {}, "The numbers as a table");
  const details = el("details", { ontoggle: () => fillNumbers() }, summary, numbers);
  place.append(el("figure", {}, plot, caption, buttons, details));

  function fillNumbers() {
    if (!details.open || !current) return;
    const columns = current.header.map((label) => ({ label }));
    dataTable(numbers, { caption: current.title, file, columns, rows: () => current.rows });
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
