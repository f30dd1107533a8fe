// Small helpers. Text is written as text, never as markup.
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const floats = text => new Float64Array(bytes(text).buffer);
const columns = texts => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, floats(text)]));
const width = data.attributes.length;
const levels = bytes(data.levels), feasible = bytes(data.feasible);
const losses = columns(data.losses), counted = columns(data.counted);
const every = Array.from({length: data.nodes}, (_, node) => node);

const byId = name => document.getElementById(name);
const levelsOf = node => Array.from(levels.subarray(node * width, (node + 1) * width));
const written = node => `[${levelsOf(node).join(",")}]`;
const sumOf = node => levelsOf(node).reduce((sum, level) => sum + level, 0);
const listed = names => names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names.join("");
// As in naming.py: columns with labels, columns as they are, columns with one label for everybody.
function policy(node) {
  const at = levelsOf(node), names = data.attributes.map(([name]) => name), top = qid => data.attributes[qid][1];
  const parts = at.flatMap((level, qid) => level && level < top(qid) ? [`${names[qid]} ${data.phrases[qid][level]}`] : []);
  const same = names.filter((_, qid) => at[qid] === 0), stars = names.filter((_, qid) => at[qid] && at[qid] === top(qid));
  if (same.length) parts.push(`${listed(same)} ${same.length === 1 ? "as it is" : "as they are"}`);
  if (stars.length) parts.push(`${listed(stars)} *`);
  return parts.join(" · ");
}
const count = number => number.toLocaleString("en-US");
const several = (number, noun, more) => `${count(number)} ${number === 1 ? noun : more || noun + "s"}`;

function formatted(number) {
  if (!Number.isFinite(number)) return "infinite";
  if (Number.isInteger(number) || Math.abs(number) >= 1000) return count(Math.round(number));
  return String(Number(number.toPrecision(4)));
}

function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  return `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : 1)}%`;
}

function make(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function draw(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? Math.round(value * 10) / 10 : value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function fill(body, rows) {
  body.replaceChildren(...rows.map(cells => {
    const row = make("tr");
    cells.forEach((cell, place) => {
      const made = cell instanceof Node ? make(place ? "td" : "th") : make(place ? "td" : "th", cell, place ? "number" : "");
      if (cell instanceof Node) made.append(cell);
      if (!place) made.scope = "row";
      row.append(made);
    });
    return row;
  }));
}
