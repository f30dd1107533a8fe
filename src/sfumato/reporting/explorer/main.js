// The controls, the mouse and the keys.
const LETTERS = {epsilon: "ε", alpha: "α", delta: "δ", gamma: "γ"};
const state = {x: data.axes[0], y: data.axes[1], scope: data.scope, zoom: "all", bounds: {...data.bounds}};
const tip = byId("tip");
let view, places = [], hovered = null, focused = null, chosen = null;

function lay() {
  const size = {width: plot.clientWidth, height: Math.round(Math.min(Math.max(plot.clientWidth * 0.6, 300), 520))};
  plot.style.height = `${size.height}px`;
  const fitted = state.zoom === "within" && view.nodes.length ? view.nodes : every;
  const x = scaleOf(losses[state.x], fitted, MARGIN.left, size.width - MARGIN.right);
  const y = scaleOf(losses[state.y], fitted, size.height - MARGIN.bottom, MARGIN.top);
  places = every.map(node => {
    const at = [x.at(losses[state.x][node]), y.at(losses[state.y][node])];
    return inside(at, size) ? at : null;
  });
  for (const layer of [below, above]) layer.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  below.replaceChildren(...grid(size, x, y, state), ...region(size, x, y, state));
  dots(size, places, view.kind);
  mark();
}

function inside([x, y], size) {
  return x >= MARGIN.left && x <= size.width - MARGIN.right && y >= MARGIN.top && y <= size.height - MARGIN.bottom;
}

function mark() {
  above.replaceChildren(...marks(places, view, hovered !== null ? hovered : focused, chosen));
  const node = hovered !== null ? hovered : focused;
  tip.hidden = node === null || !places[node];
  if (!tip.hidden) showTip(node);
}

function showTip(node) {
  const [x, y] = places[node], others = here(node).length - 1, suppressed = counted.suppressed[node];
  const lines = [policy(node), `${several(counted.classes[node], "class", "classes")}, the smallest has ${several(counted.smallest[node], "person", "people")}` + (suppressed ? `, ${count(suppressed)} suppressed` : ""),
    `${data.words[state.x]}: ${formatted(losses[state.x][node])}`, `${data.words[state.y]}: ${formatted(losses[state.y][node])}`, statusOf(node) + (others ? `; ${count(others)} more at this place` : "")];
  tip.replaceChildren(...lines.map((line, place) => make("div", line, place ? "" : "first")));
  const left = x > plot.clientWidth / 2 ? x - tip.offsetWidth - 14 : x + 14;
  tip.style.left = `${Math.min(Math.max(left, 4), Math.max(plot.clientWidth - tip.offsetWidth - 4, 4))}px`;
  tip.style.top = `${y > plot.clientHeight / 2 ? Math.max(y - tip.offsetHeight - 12, 0) : y + 14}px`;
}

function statusOf(node) {
  if (node === view.knee) return "the knee of the front";
  return ["", "within the bounds", "on the front"][view.kind[node]] || (feasible[node] ? "outside the bounds" : "violates the models");
}

// How a node compares on the axes as they are.
function comparison(node) {
  if (!view.kind[node] || view.kind[node] === 2) return statusOf(node)[0].toUpperCase() + statusOf(node).slice(1);
  const x = losses[state.x], y = losses[state.y];
  const better = view.front.filter(each => x[each] <= x[node] && y[each] <= y[node]);
  return `Within the bounds, but ${several(better.length, "node of the front is", "nodes of the front are")} better on these axes`;
}

// Nodes at the same place, the front first; a second click chooses the next.
function here(node) {
  const [x, y] = places[node];
  return every.filter(each => places[each] && Math.abs(places[each][0] - x) < 0.5 && Math.abs(places[each][1] - y) < 0.5)
    .sort((a, b) => view.kind[b] - view.kind[a] || feasible[b] - feasible[a] || a - b);
}

function nearest(x, y, reach) {
  let best = null, least = reach * reach;
  for (const node of every) {
    if (!places[node]) continue;
    const far = (places[node][0] - x) ** 2 + (places[node][1] - y) ** 2;
    if (far < least) [best, least] = [node, far];
  }
  return best === null ? null : here(best)[0];
}

function toward(node, across, up) {
  const [x, y] = places[node];
  let best = node, least = Infinity;
  for (const each of every) {
    if (!places[each]) continue;
    const ahead = (places[each][0] - x) * across - (places[each][1] - y) * up;
    const aside = Math.abs((places[each][0] - x) * up) + Math.abs((places[each][1] - y) * across);
    if (ahead > 0.5 && ahead + 2 * aside < least) [best, least] = [each, ahead + 2 * aside];
  }
  return here(best)[0];
}

function focus(node) {
  [focused, hovered] = [node, null];
  mark();
  if (node !== null) byId("announced").textContent = `${policy(node)}; ${data.words[state.x]}: ${formatted(losses[state.x][node])}, ${data.words[state.y]}: ${formatted(losses[state.y][node])}; ${statusOf(node)}`;
}

function choose(node) {
  chosen = node;
  showNode(node);
  for (const row of byId("front").rows) row.classList.toggle("marked", row.dataset.node === written(node));
  mark();
}

const WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
function pressed(event) {
  const {front} = view, start = focused !== null ? focused : view.knee !== null ? view.knee : nearest(0, 0, Infinity);
  const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1, at = front.indexOf(start);
  if (event.ctrlKey || event.metaKey || event.altKey || start === null) return;
  if (event.key in WAYS && focused === null) focus(start);
  else if (event.key in WAYS && (event.shiftKey || at < 0)) focus(toward(start, ...WAYS[event.key]));
  else if (event.key in WAYS) focus(front[Math.min(Math.max(at + step, 0), front.length - 1)]);
  else if (event.key === "Home" && front.length) focus(front[0]);
  else if (event.key === "End" && front.length) focus(front[front.length - 1]);
  else if (event.key.toLowerCase() === "k" && view.knee !== null) focus(view.knee);
  else if (event.key === "Enter" || event.key === " ") {
    choose(start);
    byId("announced").textContent = `${policy(start)}: chosen; its classes are shown below the plot`;
  }
  else if (event.key === "Escape") focus(null);
  else return;
  event.preventDefault();
}

// Rounded up, so that the bound works when it is typed in.
const upward = value => String(Math.ceil(value * 1e4 - 1e-5) / 1e4);

function report() {
  const bounds = Object.keys(state.bounds).length ? "are within the bounds" : data.models ? "satisfy the models" : "are compared (no models, no bounds)";
  const least = view.least.map(([name, value]) => `${LETTERS[name]} ${value === null ? "does not help: no node keeps the other bounds" : `at least ${upward(value)}`}`);
  byId("log").textContent = view.front.length
    ? `${count(view.nodes.length)} of ${several(data.nodes, "node")} ${bounds}, ${count(view.front.length)} of them on the front. The knee is ${policy(view.knee)}.`
    : feasible.includes(1) ? `No node is within the bounds. The least feasible value of each, with the others unchanged: ${least.join("; ")}.` : "No node satisfies the models.";
  byId("log").classList.toggle("bad", !view.front.length);
  const hidden = Object.keys(state.bounds).map(name => columnOf(name, state.scope)).filter(name => name !== state.x && name !== state.y);
  byId("beside").textContent = hidden.length ? `Also bounded, but on no axis: ${hidden.map(name => data.words[name]).join("; ")}.` : "";
  for (const small of document.querySelectorAll("small[data-bound]")) small.textContent = data.words[columnOf(small.dataset.bound, state.scope)];
}

// As in page.py: all, or so many evenly spread.
const spread = front => front.length <= data.rows ? front : Array.from({length: data.rows}, (_, place) => front[Math.floor(place * (front.length - 1) / (data.rows - 1))]);

function list() {
  const shown = spread(view.front);
  const rows = shown.map(node => {
    const pick = make("button", policy(node));
    pick.type = "button";
    pick.addEventListener("click", () => choose(node));
    return [pick, formatted(losses[state.x][node]), formatted(losses[state.y][node]), count(counted.classes[node]), count(counted.smallest[node])];
  });
  fill(byId("front"), rows);
  Array.from(byId("front").rows).forEach((row, place) => {
    row.dataset.node = written(shown[place]);
    row.classList.toggle("marked", shown[place] === chosen);
  });
  byId("front-more").textContent = shown.length < view.front.length ? `${count(shown.length)} of ${count(view.front.length)} are listed, evenly spread; the plot has all.` : "";
  [byId("head-x").textContent, byId("head-y").textContent] = [data.words[state.x], data.words[state.y]];
}

// The chosen node follows the knee until somebody chooses another one; that one stays, and is compared anew.
function renew() {
  const follows = chosen === null || chosen === view.knee;
  view = look(state);
  [hovered, focused] = [null, null];
  if (follows && view.knee !== null) chosen = view.knee;
  report();
  list();
  lay();
  if (chosen !== null) showNode(chosen);
}

for (const axis of ["x", "y"]) byId(axis).addEventListener("change", event => { state[axis] = event.target.value; renew(); });
for (const name of ["scope", "zoom"]) byId(name).addEventListener("change", event => { state[name] = event.target.value; renew(); });
for (const name of Object.keys(LETTERS)) {
  byId(name).addEventListener("input", event => {
    const text = event.target.value.trim(), value = Number(text), wrong = event.target.validity.badInput || !(value >= 0);
    event.target.setAttribute("aria-invalid", wrong);
    delete state.bounds[name];
    if (text && !wrong) state.bounds[name] = value;
    renew();
  });
}
plot.addEventListener("pointermove", event => {
  const box = plot.getBoundingClientRect(), node = nearest(event.clientX - box.left, event.clientY - box.top, 16);
  if (node !== hovered) { hovered = node; mark(); }
});
plot.addEventListener("pointerleave", () => { hovered = null; mark(); });
plot.addEventListener("click", event => {
  const box = plot.getBoundingClientRect(), node = nearest(event.clientX - box.left, event.clientY - box.top, 20);
  if (node === null) return;
  const stack = here(node), next = stack[(stack.indexOf(chosen) + 1) % stack.length];
  focus(next);
  choose(next);
});
plot.addEventListener("keydown", pressed);
plot.addEventListener("blur", () => { focused = null; mark(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lay());
new ResizeObserver(() => { if (plot.clientWidth !== Number(below.getAttribute("viewBox").split(" ")[2])) lay(); }).observe(plot);
for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;
renew();
