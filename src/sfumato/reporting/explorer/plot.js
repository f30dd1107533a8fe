// The plot: grid and area of the bounds below, one dot per node on the canvas, front, knee and marks above.
const MARGIN = {left: 58, right: 16, top: 16, bottom: 48};
const plot = byId("plot"), canvas = plot.querySelector("canvas"), [below, above] = plot.querySelectorAll("svg");
const DOT = data.nodes > 500 ? [2, 2.6, 4] : [3.2, 4, 5];

function scaleOf(column, nodes, start, end) {
  const values = nodes.map(node => column[node]).filter(Number.isFinite);
  let low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const log = low > 0 && high / low > 1000, way = log ? Math.log10 : value => value;
  // Sums of the same numbers in another order differ in the last digits; do not stretch the axis over that.
  if (!(high - low > 1e-12 * Math.max(1, Math.abs(high)))) [low, high] = [low - (Math.abs(low) || 1) / 2, low + (Math.abs(low) || 1) / 2];
  const pad = (way(high) - way(low)) * 0.03, from = way(low) - pad, to = way(high) + pad;
  const at = value => start + ((way(value) - from) / (to - from)) * (end - start);
  const reach = value => (!log || value > 0 ? Math.min(Math.max((way(value) - from) / (to - from), 0), 1) : 0) * (end - start) + start;
  return {at, reach, log, ticks: log ? decades(from, to) : ticks(from, to, Math.max(Math.abs(end - start) / 85, 3))};
}

function ticks(from, to, wanted) {
  const rough = (to - from) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => rough <= power * factor), values = [];
  for (let place = Math.ceil(from / step); place * step <= to; place++) values.push(Number((place * step).toPrecision(6)));
  return values;
}

function decades(from, to) {
  const values = [], every = Math.max(1, Math.ceil((to - from) / 6));
  for (let power = Math.ceil(from); power <= to; power += every) values.push(10 ** power);
  return values;
}

function grid(size, x, y, state) {
  const {left, top} = MARGIN, right = size.width - MARGIN.right, bottom = size.height - MARGIN.bottom, parts = [];
  for (const value of x.ticks) {
    parts.push(draw("line", {x1: x.at(value), x2: x.at(value), y1: top, y2: bottom, class: "grid"}));
    parts.push(draw("text", {x: x.at(value), y: bottom + 16, "text-anchor": "middle", class: "soft"}, formatted(value)));
  }
  for (const value of y.ticks) {
    parts.push(draw("line", {x1: left, x2: right, y1: y.at(value), y2: y.at(value), class: "grid"}));
    parts.push(draw("text", {x: left - 7, y: y.at(value) + 4, "text-anchor": "end", class: "soft"}, formatted(value)));
  }
  // Where there is no room for the words, the menu has all of them.
  const named = (name, scale, room) => {
    const end = `${scale.log ? " (log scale)" : ""} · worse →`, most = Math.floor(room / 7.2) - end.length, words = data.words[name];
    return (words.length > most ? `${words.slice(0, most - 1)}…` : words) + end;
  };
  parts.push(draw("text", {x: right, y: size.height - 10, "text-anchor": "end", class: "axis"}, named(state.x, x, right - 10)));
  parts.push(draw("text", {x: 14, y: top, "text-anchor": "end", transform: `rotate(-90 14 ${top})`, class: "axis"}, named(state.y, y, size.height - top - 10)));
  return parts;
}

function bounded(state, axis) {
  const name = Object.keys(state.bounds).find(each => columnOf(each, state.scope) === axis);
  return name === undefined ? null : state.bounds[name];
}

function region(size, x, y, state) {
  const across = bounded(state, state.x), up = bounded(state, state.y);
  if (across === null && up === null) return [];
  const {left, top} = MARGIN, bottom = size.height - MARGIN.bottom, end = size.width - MARGIN.right;
  const right = across === null ? end : x.reach(across), high = up === null ? top : y.reach(up);
  const parts = [draw("rect", {x: left, y: high, width: Math.max(right - left, 0), height: Math.max(bottom - high, 0), class: "region"})];
  // A bound beyond the scale has no line: a line at the edge would suggest that the bound is there.
  if (right < end) parts.push(draw("line", {x1: right, x2: right, y1: high, y2: bottom, class: "bound"}));
  if (high > top) parts.push(draw("line", {x1: left, x2: right, y1: high, y2: high, class: "bound"}));
  return parts;
}

function dots(size, places, kind) {
  const ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d"), style = getComputedStyle(plot);
  [canvas.width, canvas.height] = [size.width * ratio, size.height * ratio];
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  ["--faint", "--bar", "--front"].forEach((color, wanted) => {
    pen.fillStyle = style.getPropertyValue(color).trim();
    pen.globalAlpha = wanted === 1 ? 0.7 : 1;
    for (const node of every) {
      if (kind[node] !== wanted || !places[node]) continue;
      pen.beginPath();
      pen.arc(places[node][0], places[node][1], DOT[wanted], 0, 7);
      pen.fill();
    }
  });
}

function stairs(places, front) {
  const drawn = front.filter(node => places[node]).map(node => places[node]);
  return drawn.map(([x, y], step) => (step ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)} ${y.toFixed(1)}`)).join("");
}

function marks(places, view, node, chosen) {
  const parts = [draw("path", {d: stairs(places, view.front), class: "stairs"})];
  const ring = (each, radius, kind) => each !== null && places[each] && parts.push(draw("circle", {cx: places[each][0], cy: places[each][1], r: radius, class: kind}));
  if (view.knee !== null && places[view.knee]) {
    const [x, y] = places[view.knee], end = x > MARGIN.left + 50; // below and to the left, where there is no front
    ring(view.knee, 7, "knee");
    parts.push(draw("text", {x: x + (end ? -11 : 11), y: y + 17, "text-anchor": end ? "end" : "start", class: "halo"}, "knee"));
  }
  ring(chosen, 10, "chosen");
  ring(node, 12, "focused");
  return parts;
}
