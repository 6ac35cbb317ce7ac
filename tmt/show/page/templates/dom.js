// Elements, numbers as text, downloads. Text reaches the page as text nodes and attributes only, never as markup.
const SVG = "http://www.w3.org/2000/svg";

function assign(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const el = (name, attributes = {}, ...children) => assign(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => assign(document.createElementNS(SVG, name), attributes, children);
const byId = (id) => document.getElementById(id);

function cellText(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(5)));
  return String(value);
}

const withUnit = (label, unit) => (unit ? `${label} (${unit})` : label);

// A spreadsheet takes text that begins with one of these for a formula; an apostrophe before it keeps it text.
const FORMULA = /^[=+\-@\t\r]/;

function csv(header, rows) {
  const quote = (value) => {
    if (typeof value === "number") return String(value);
    const text = String(value ?? "").replace(FORMULA, "'$&");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(quote).join(",")).join("\r\n") + "\r\n";
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
