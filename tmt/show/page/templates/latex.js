// Tables as LaTeX with booktabs and siunitx; `tmt.show.page.table_files` writes the same.
const LONGEST = 40;
const SPECIAL = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "→": "$\\to$" };
const escaped = (text) => text.replace(/[#$%&_{}\\~^→]/g, (character) => SPECIAL[character] ?? `\\${character}`);
const num = (text) => `\\num{${text}}`;

function interval(text) {
  const bounds = /^([-+]?[\d.]+) \[([-\d.]+), ([-\d.]+)\]$/.exec(text);
  if (bounds) return `${num(bounds[1])} [${num(bounds[2])}, ${num(bounds[3])}]`;
  const half = /^([-+]?[\d.]+) ±([\d.]+)$/.exec(text);
  return half ? num(`${half[1]} +- ${half[2]}`) : escaped(text);
}

// The kind of a column and its cells.
function latexColumn(values) {
  const missing = (value) => value === null || value === undefined;
  const known = values.filter((value) => !missing(value));
  const parts = known.map((value) => /^(-?)(\d+)(?:\.(\d+))?$/.exec(cellText(value)));
  if (known.length && known.every((value) => typeof value === "number") && parts.every(Boolean)) {
    const most = (i) => Math.max(...parts.map((part) => (part[i] ?? "").length));
    const form = `${most(1) ? "-" : ""}${most(2)}${most(3) ? `.${most(3)}` : ""}`;
    return [`S[table-format=${form}]`, values.map((value) => (missing(value) ? "{--}" : cellText(value)))];
  }
  const cells = values.map((value) => {
    if (missing(value)) return "--";
    return typeof value === "number" ? num(cellText(value)) : interval(String(value));
  });
  return [cells.some((cell) => cell.includes("\\num{")) ? "r" : "l", cells];
}

function latex(header, rows) {
  const columns = header.map((_, i) => latexColumn(rows.map((row) => row[i])));
  const long = rows.length > LONGEST;
  const name = long ? "longtable" : "tabular";
  const line = (cells) => `${cells.join(" & ")} \\\\`;
  return [
    `% \\usepackage{booktabs,${long ? "longtable," : ""}siunitx} \\sisetup{separate-uncertainty}`,
    `\\begin{${name}}{${columns.map(([kind]) => kind).join("")}}`,
    "\\toprule", line(header.map((head) => `{${escaped(head)}}`)), "\\midrule", ...(long ? ["\\endhead"] : []),
    ...rows.map((_, i) => line(columns.map(([, cells]) => cells[i]))),
    "\\bottomrule", `\\end{${name}}`, "",
  ].join("\n");
}
