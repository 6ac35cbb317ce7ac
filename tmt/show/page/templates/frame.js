// The frame of a chart: plot, caption, downloads, and the numbers as a table that opens.
const NARROW = 560;

// Records from names and rows of values; see `columnar` of `tmt.show.page.page`.
const recordsOf = ({ names, rows }) => rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));

// `header()` and `rows()` give the chart's numbers as they are now.
function chartFrame(name, header, rows) {
  const file = `${DATA.file}-${name}`;
  const plot = el("div", { class: "plot", tabindex: 0, role: "group" });
  const [caption, numbers] = [el("figcaption"), el("div")];
  const button = (label, action) => el("button", { type: "button", onclick: action }, label);
  const buttons = el("div", { class: "bar" },
    button("Data (CSV)", () => download(`${file}.csv`, "text/csv", csv(header(), rows()))),
    button("Picture (SVG)", async () => download(`${file}.svg`, "image/svg+xml", await drawn.toSVG())));
  const details = el("details", { ontoggle: () => fillNumbers() }, el("summary", {}, "The numbers as a table"), numbers);
  let drawn = null;
  let turn = 0;

  function fillNumbers() {
    if (!details.open) return;
    const columns = header().map((label) => ({ label }));
    const [firstSentence] = caption.textContent.split(". "); // the others explain the marks of the plot
    dataTable(numbers, { caption: firstSentence, file, columns, rows });
  }

  function describe(text) {
    caption.textContent = text;
    plot.setAttribute("aria-label", text);
    fillNumbers();
  }

  // Draws a specification; in place of none it shows a text. A later call overtakes one that is at work.
  async function draw(spec, config, nothing) {
    const mine = turn += 1;
    const old = drawn;
    buttons.hidden = details.hidden = !spec;
    if (spec) {
      const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false, logLevel: 1,
        config, tooltip: (_, event, __, text) => tell(text, event?.clientX, event?.clientY) };
      const { view } = await vegaEmbed(plot, spec, options);
      if (mine !== turn) return view.finalize();
      drawn = view;
    } else {
      plot.replaceChildren(el("p", { class: "empty" }, nothing));
      drawn = null;
    }
    plot.dataset.drawn = String(mine);
    return old?.finalize();
  }

  withKeys(plot);
  return { plot, describe, draw, element: el("figure", {}, plot, caption, buttons, details) };
}

// Draws charts again where the page's width or its colour scheme changes.
function keepDrawn(redraw) {
  let width = document.body.clientWidth;
  dark.addEventListener("change", redraw);
  window.addEventListener("resize", () => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    redraw();
  });
  window.addEventListener("scroll", () => tell(null), { passive: true });
}

// The configuration of all charts, with the colours and markers of this one.
function configured(colours, members) {
  const config = structuredClone(DATA.configurations[theme()]);
  config.range.category = colours;
  config.range.symbol = members.map((member) => member.path);
  return config;
}

// A copy of a specification with its rows, and with those of the values that it has as parameters.
function withValues(template, values, rows) {
  const spec = structuredClone(template);
  const known = { ...values, ...DATA.inks[theme()] };
  for (const param of spec.params) if (param.name in known) param.value = known[param.name];
  spec.datasets = { rows };
  return spec;
}
