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

const formatters = new Map();

function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  if (!formatters.has(digits)) {
    formatters.set(digits, new Intl.NumberFormat("en", { maximumSignificantDigits: digits, useGrouping: false }));
  }
  return formatters.get(digits).format(value);
}

function cellText(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : number(value, 5);
  return String(value);
}

const withUnit = (label, unit) => (unit ? `${label} (${unit})` : label);

function csv(header, rows) {
  const quote = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
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

// A drawing that leaves the page takes its colours and fonts along.
function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "font-size",
    "font-weight", "font-family", "text-anchor"];
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of kept) copies[i].setAttribute(name, style.getPropertyValue(name));
    copies[i].removeAttribute("class");
  });
  const paper = getComputedStyle(document.body).backgroundColor;
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: paper }));
  copy.setAttribute("xmlns", SVG);
  return new XMLSerializer().serializeToString(copy);
}
