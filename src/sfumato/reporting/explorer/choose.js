// Nodes within the bounds, the front, the knee, and the least feasible bounds, as in search/space/within.py and search/space/knee.py.
const columnOf = (parameter, scope) => data.parameters[parameter] + (scope === "class" ? ".max" : "");

function keeps(state, without) {
  const bounds = Object.entries(state.bounds).filter(([name]) => name !== without);
  const limits = bounds.map(([name, most]) => [losses[columnOf(name, state.scope)], most + data.tolerance]);
  return node => feasible[node] === 1 && limits.every(([column, most]) => column[node] <= most);
}

function frontOf(nodes, x, y) {
  const order = nodes.slice().sort((a, b) => x[a] - x[b] || y[a] - y[b] || sumOf(a) - sumOf(b) || a - b);
  const front = [];
  for (const node of order) {
    const last = front[front.length - 1];
    if (last === undefined || y[node] < y[last] || (x[node] === x[last] && y[node] === y[last])) front.push(node);
  }
  return front;
}

function kneeOf(front, x, y) {
  const finite = front.filter(node => Number.isFinite(x[node]) && Number.isFinite(y[node]));
  if (!finite.length) return front[0];
  const span = column => {
    const values = finite.map(node => column[node]), low = Math.min(...values), high = Math.max(...values);
    return [low, high - low, high];
  };
  const spans = [span(x), span(y)];
  const tie = 1e-12 * Math.max(1, ...spans.map(([, , high]) => Math.abs(high)));
  const [[left, across], [bottom, up]] = spans.map(([low, size]) => [low, size > tie ? size : 1]);
  const scaled = finite.map(node => [(x[node] - left) / across, (y[node] - bottom) / up]);
  const towards = scaled.map(([u, v]) => 1 - (u + v));
  const worth = Math.max(...towards) > 1e-12 ? towards : scaled.map(([u, v]) => -Math.sqrt(u * u + v * v));
  const most = Math.max(...worth);
  return finite[worth.findIndex(value => value >= most - 1e-12)];
}

function leastOf(state) {
  return Object.entries(state.bounds).map(([name]) => {
    const column = losses[columnOf(name, state.scope)], others = every.filter(keeps(state, name));
    return [name, others.length ? others.reduce((least, node) => Math.min(least, column[node]), Infinity) : null];
  });
}

function look(state) {
  const holds = keeps(state), nodes = every.filter(holds), x = losses[state.x], y = losses[state.y];
  const front = frontOf(nodes, x, y), kind = new Uint8Array(data.nodes);
  for (const node of nodes) kind[node] = 1;
  for (const node of front) kind[node] = 2;
  return {nodes, front, kind, knee: front.length ? kneeOf(front, x, y) : null, least: front.length ? [] : leastOf(state)};
}
