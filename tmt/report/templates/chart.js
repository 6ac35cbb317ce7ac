// Drawing: prepared numbers in, one SVG out. Everything here is about pixels.
const MARKERS = {
  o: (r) => svg("circle", { r }),
  s: (r) => svg("rect", { x: -r * 0.9, y: -r * 0.9, width: r * 1.8, height: r * 1.8 }),
  "^": (r) => svg("path", { d: `M0 ${-r * 1.15}L${r * 1.1} ${r * 0.85}H${-r * 1.1}Z` }),
  v: (r) => svg("path", { d: `M0 ${r * 1.15}L${r * 1.1} ${-r * 0.85}H${-r * 1.1}Z` }),
  D: (r) => svg("path", { d: `M0 ${-r * 1.25}L${r * 1.25} 0L0 ${r * 1.25}L${-r * 1.25} 0Z` }),
  P: (r) => svg("path", { d: `M${-r} 0H${r}M0 ${-r}V${r}`, "stroke-width": 2.4 }),
  X: (r) => svg("path", { d: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`, "stroke-width": 2.4 }),
};
const DASHES = { "-": null, "--": "7 4", ":": "2 3", "-.": "8 3 2 3" };

function marker(shape, colour, x, y, r = 4.6) {
  const group = svg("g", { transform: `translate(${x} ${y})`, fill: colour, stroke: colour }, MARKERS[shape](r));
  return group;
}

const linear = (low, high, start, end) => {
  const slope = high === low ? 0 : (end - start) / (high - low);
  return (value) => start + (value - low) * slope;
};

function ticks(low, high, wanted) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) result.push(i * step);
  return result;
}

// Axis from zero unless the numbers lie far from it; a little air beyond the last one.
function domain(values, fromZero = true) {
  const finite = values.filter((value) => Number.isFinite(value));
  if (!finite.length) return [0, 1];
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (fromZero) low = Math.min(0, low);
  if (low === high) high = low + (Math.abs(low) || 1);
  const air = (high - low) * 0.04;
  return [low === 0 ? 0 : low - air, high + air];
}

function text(x, y, content, attributes = {}) {
  return svg("text", { x, y, ...attributes }, content);
}

const drawings = new WeakMap();

// An SVG of the width that its place has; it is drawn again when that width changes.
function draw(place, label, paint) {
  const render = () => {
    const width = Math.max(280, Math.floor(place.clientWidth));
    const root = svg("svg", { class: "chart", role: "img", tabindex: 0, "aria-label": label, width });
    const marks = [];
    const height = Math.ceil(paint(root, width, marks));
    root.setAttribute("height", height);
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    place.replaceChildren(root);
    attendTo(root, marks);
  };
  render();
  if (!drawings.has(place)) {
    let last = place.clientWidth;
    const watcher = new ResizeObserver(() => {
      if (place.clientWidth && place.clientWidth !== last) {
        last = place.clientWidth;
        drawings.get(place)();
      }
    });
    watcher.observe(place);
  }
  drawings.set(place, render);
}

// Marks answer to the pointer and, once the drawing has the focus, to the arrow keys.
function attendTo(root, marks) {
  let current = -1;
  const show = (index, event) => {
    marks[current]?.node.classList.remove("active");
    current = index;
    const mark = marks[index];
    if (!mark) return tip(null);
    mark.node.classList.add("active");
    const box = mark.node.getBoundingClientRect();
    return tip(mark.lines, event?.clientX ?? box.x + box.width / 2, event?.clientY ?? box.y);
  };
  marks.forEach((mark, index) => {
    mark.node.classList.add("mark");
    mark.node.addEventListener("pointerenter", (event) => show(index, event));
    mark.node.addEventListener("pointerleave", () => show(-1));
  });
  root.addEventListener("blur", () => show(-1));
  root.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") show(-1);
    if (!step || !marks.length) return;
    event.preventDefault();
    show((current + step + marks.length + (current < 0 && step < 0 ? 1 : 0)) % marks.length);
  });
}

function tip(lines, x = 0, y = 0) {
  const box = byId("tip");
  box.hidden = !lines;
  if (!lines) return;
  box.replaceChildren(...lines.map((line, i) => el(i ? "div" : "strong", {}, line)));
  const room = document.documentElement.clientWidth;
  box.style.left = `${Math.max(6, Math.min(x + 12, room - box.offsetWidth - 6))}px`;
  box.style.top = `${Math.max(6, y - box.offsetHeight - 10)}px`;
}

// Entries of the key in as many lines as they need; returns the height used.
function drawKey(root, entries, left, top, width) {
  let x = left;
  let y = top;
  for (const entry of entries) {
    const length = 30 + entry.label.length * 7.2 + 14;
    if (x + length > left + width && x > left) {
      x = left;
      y += 19;
    }
    if (entry.dash !== undefined) {
      root.append(svg("line", { x1: x, x2: x + 24, y1: y, y2: y, stroke: entry.colour, "stroke-width": 2,
        "stroke-dasharray": DASHES[entry.dash] }));
    }
    if (entry.marker) root.append(hollow(entry, marker(entry.marker, entry.colour, x + 12, y, 4.2)));
    root.append(text(x + 30, y + 4, entry.label, { class: "key" }));
    x += length;
  }
  return entries.length ? y - top + 20 : 0;
}

const hollow = (entry, node) => {
  if (entry.hollow) node.classList.add("hollow");
  return node;
};
