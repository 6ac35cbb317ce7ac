// The two forms that all pictures of the page have: rows with intervals, and panels with two axes.

// Rows in groups; a row: {label, colour, marker, mean, low, high, points, paper, note, lines}.
function rowPlot(place, label, groups, axis) {
  draw(place, label, (root, width, marks) => {
    const narrow = width < 560;
    const names = groups.flatMap((group) => group.rows.map((row) => row.label.length));
    const left = Math.min(narrow ? 122 : 200, 36 + Math.max(4, ...names) * 7.4);
    const right = narrow ? 62 : 178;
    const [low, high] = domain(groups.flatMap((group) => group.rows.flatMap((row) => [row.mean, row.low, row.high,
      row.ceiling, row.paper?.low, row.paper?.high, ...(row.points ?? []), ...(row.quantiles ?? [])])));
    const x = linear(low, high, left, width - right);
    const rowHeight = 25;
    const key = axis.key ?? [];
    let y = 12 + drawKey(root, key, 8, 12, width - 16);
    const top = y;
    const body = svg("g");
    for (const group of groups) {
      body.append(text(4, y + 16, group.label, { class: "group" }));
      body.append(svg("line", { x1: 0, x2: width, y1: y + 22.5, y2: y + 22.5, class: "rule" }));
      y += 25;
      for (const row of group.rows) {
        body.append(drawRow(row, x, y + rowHeight / 2, { left, right, width, narrow, axis }, marks));
        y += rowHeight;
      }
      y += 8;
    }
    const grid = svg("g", { class: "grid" });
    for (const tick of ticks(low, high, narrow ? 3 : 6)) {
      grid.append(svg("line", { x1: x(tick), x2: x(tick), y1: top, y2: y }));
      grid.append(text(x(tick), y + 14, number(tick), { "text-anchor": "middle" }));
    }
    root.append(grid, body, text((left + width - right) / 2, y + 34, axis.label, { class: "axis" }));
    return y + 44;
  });
}

function drawRow(row, x, y, { left, width, right, narrow, axis }, marks) {
  const node = svg("g");
  node.append(svg("rect", { x: 0, y: y - 12, width, height: 24, class: "hit" }));
  node.append(marker(row.marker, row.colour, 14, y, 4.4));
  node.append(text(28, y + 4, shorten(row.label, left - 30)));
  if (row.mean === null || row.mean === undefined) {
    node.append(text(left + 4, y + 4, "no value", { class: "quiet" }));
    return node;
  }
  for (const point of row.points ?? []) {
    node.append(svg("circle", { cx: x(point), cy: y + 7, r: 2.1, fill: row.colour, class: "seed" }));
  }
  if (row.quantiles) drawQuantiles(node, row, x, y);
  else if (row.low !== null) {
    node.append(whisker(row, x(row.low), x(row.high), y));
  }
  if (Number.isFinite(row.ceiling)) {
    node.append(svg("path", { d: `M${x(row.ceiling)} ${y - 12}v24`, class: "ceiling" }));
  }
  if (row.paper) {
    const { value, low, high } = row.paper;
    node.append(svg("path", { d: `M${x(low)} ${y - 8}H${x(high)}`, class: "paper" }));
    node.append(svg("path", { d: `M${x(value)} ${y - 13}l4.5 5l-4.5 5l-4.5 -5Z`, class: "paper" }));
  }
  node.append(marker(row.marker, row.colour, x(row.mean), y, 5));
  const interval = row.low === null || narrow ? "" : `  [${number(row.low, 3)}, ${number(row.high, 3)}]`;
  const value = svg("text", { x: width - right + 10, y: y + 4 }, number(row.mean, 3));
  value.append(svg("tspan", { class: "quiet" }, interval));
  node.append(value);
  if (row.note) node.append(text(width - 4, y + 4, row.note, { class: "letters", "text-anchor": "end" }));
  marks.push({ node, lines: row.lines });
  return node;
}

// min, median, p85, p95, p99: a thin line over all, a thick one from the median to the 95th percentile.
function drawQuantiles(node, row, x, y) {
  const [least, median, , p95, p99] = row.quantiles;
  node.append(whisker(row, x(least), x(p99), y));
  node.append(svg("path", { d: `M${x(median)} ${y}H${x(p95)}`, stroke: row.colour, class: "thick" }));
}

const whisker = (row, from, to, y) => svg("path", {
  d: `M${from} ${y}H${to}M${from} ${y - 4}v8M${to} ${y - 4}v8`,
  stroke: row.colour,
  class: "whisker",
});

function shorten(label, room) {
  const letters = Math.floor(room / 6.7);
  return label.length > letters ? `${label.slice(0, Math.max(3, letters - 1))}…` : label;
}

// Panels side by side (or stacked, `columns: 1`); a panel: {title, x, y, layers}, an axis: {label, domain}.
function panelPlot(place, label, panels, { key = [], columns = null, height = 210, least = 290 } = {}) {
  draw(place, label, (root, width, marks) => {
    const room = Math.max(1, Math.floor(width / least));
    const across = columns ?? Math.ceil(panels.length / Math.ceil(panels.length / room));
    const cell = width / across;
    let top = 12 + drawKey(root, key, 8, 12, width - 8);
    panels.forEach((panel, i) => {
      const tall = panel.height ?? height;
      const column = i % across;
      const group = svg("g", { transform: `translate(${column * cell} ${top})` });
      drawPanel(group, panel, cell - 8, tall, marks);
      root.append(group);
      if (column === across - 1 || i === panels.length - 1) top += tall;
    });
    return top;
  });
}

function drawPanel(group, panel, width, height, marks) {
  const [left, upper, right, lower] = [52, 24, 10, panel.x.label ? 42 : 8];
  const x = linear(...panel.x.domain, left, width - right);
  const y = linear(...panel.y.domain, height - lower, upper);
  const grid = svg("g", { class: "grid" });
  for (const tick of panel.x.ticks ?? ticks(...panel.x.domain, width / 80)) {
    grid.append(svg("line", { x1: x(tick), x2: x(tick), y1: upper, y2: height - lower }));
    const name = panel.x.names ? shorten(panel.x.names[tick], width / panel.x.names.length) : number(tick);
    if (panel.x.label) grid.append(text(x(tick), height - lower + 14, name, { "text-anchor": "middle" }));
  }
  for (const tick of panel.y.ticks ?? ticks(...panel.y.domain, height < 120 ? 2 : 4)) {
    grid.append(svg("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick) }));
    grid.append(text(left - 6, y(tick) + 4, number(tick), { "text-anchor": "end" }));
  }
  const title = svg("text", { x: 4, y: 14, class: "group" }, panel.title);
  title.append(svg("tspan", { class: "quiet", dx: 8 }, panel.y.label));
  group.append(grid, title);
  if (panel.x.label) group.append(text((left + width - right) / 2, height - 8, panel.x.label, { class: "axis" }));
  for (const layer of panel.layers) LAYERS[layer.kind](group, layer, x, y, marks);
}

const place = (a, b) => `${a.toFixed(1)} ${b.toFixed(1)}`;
const path = (points, x, y) => points.map(([a, b], i) => (i ? "L" : "M") + place(x(a), y(b))).join("");
const curve = (layer, x, y) => svg("path", {
  d: path(layer.data, x, y),
  stroke: layer.colour,
  class: "line",
  "stroke-dasharray": DASHES[layer.dash],
});
const bars = (layer, d) => svg("path", { d, stroke: layer.colour, class: "whisker" });

// What a panel can hold; `data` holds numbers in the units of the axes.
const LAYERS = {
  // [[x, y, low, high, lines]]: a line through means, whiskers for intervals
  sweep(group, layer, x, y, marks) {
    group.append(curve(layer, x, y));
    for (const [a, b, low, high, lines] of layer.data) {
      const node = svg("g");
      if (low !== null) node.append(bars(layer, `M${x(a)} ${y(low)}V${y(high)}`));
      node.append(marker(layer.marker, layer.colour, x(a), y(b), 4));
      group.append(node);
      marks.push({ node, lines });
    }
  },
  // [[x, y]]: a plain line
  line(group, layer, x, y) {
    group.append(curve(layer, x, y));
  },
  // [[x, y]]: the value holds until the next one
  step(group, layer, x, y) {
    const corner = ([a, b], i) => (i ? `H${x(a).toFixed(1)}V${y(b).toFixed(1)}` : `M${place(x(a), y(b))}`);
    const d = layer.data.map(corner).join("");
    group.append(svg("path", { d, stroke: layer.colour, class: "line thin" }));
  },
  // [[x, low, high]]: an area between two values
  band(group, layer, x, y) {
    const upper = layer.data.map(([a, , high]) => [a, high]);
    const back = layer.data.map(([a, low]) => [a, low]).reverse();
    group.append(svg("path", { d: `${path([...upper, ...back], x, y)}Z`, fill: layer.colour, class: "band" }));
  },
  // [x]: moments
  moments(group, layer, x, y) {
    const [bottom, top] = layer.span;
    const d = layer.data.map((a) => `M${x(a).toFixed(1)} ${y(bottom).toFixed(1)}V${y(top).toFixed(1)}`).join("");
    group.append(svg("path", { d, stroke: layer.colour, class: "moments" }));
  },
  // [[x, xLow, xHigh, y, yLow, yHigh, lines]]: a cross of intervals
  cross(group, layer, x, y, marks) {
    for (const [a, aLow, aHigh, b, bLow, bHigh, lines] of layer.data) {
      const node = svg("g");
      if (aLow !== null) node.append(bars(layer, `M${x(aLow)} ${y(b)}H${x(aHigh)}`));
      if (bLow !== null) node.append(bars(layer, `M${x(a)} ${y(bLow)}V${y(bHigh)}`));
      node.append(marker(layer.marker, layer.colour, x(a), y(b), 5));
      group.append(node);
      marks.push({ node, lines });
    }
  },
  // [[x, y, low, high, lines]]: published values
  paper(group, layer, x, y, marks) {
    for (const [a, b, low, high, lines] of layer.data) {
      const node = svg("g");
      node.append(svg("path", { d: `M${x(a) + 7} ${y(low)}V${y(high)}`, class: "paper" }));
      const diamond = marker("D", layer.colour, x(a) + 7, y(b), 4);
      diamond.classList.add("hollow");
      node.append(diamond);
      group.append(node);
      marks.push({ node, lines });
    }
  },
};
