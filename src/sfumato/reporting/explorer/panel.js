// The chosen node: its policy, its losses, its worst classes with prior against posterior, and the command that publishes it.
const panel = byId("chosen");

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

function showNode(node) {
  panel.hidden = false;
  panel.dataset.node = written(node);
  panel.querySelector(".node").textContent = written(node);
  fill(byId("policy"), data.attributes.map(([name, height], qid) => {
    const level = levelsOf(node)[qid];
    return [name, `${level} of ${height}`, level === 0 ? "as it is" : level === height ? "withheld" : ""];
  }));
  const names = Object.keys(data.losses).filter(name => !name.endsWith(".max"));
  fill(byId("losses"), names.map(name => [name, `${name}.max` in losses ? told(losses[`${name}.max`][node]) : "", told(losses[name][node])]));
  const gone = counted.suppressed[node];
  byId("size").textContent = `${several(counted.classes[node], "class", "classes")}, the smallest of ${several(counted.smallest[node], "person", "people")}` +
    (gone ? `; ${several(gone, "person is", "people are")} suppressed` : "") + (feasible[node] ? "." : ". The models are violated here.");
  showCommand(node);
  showClasses(node);
}

function showCommand(node) {
  const search = left[node] && data.search;
  const line = search ? data.search : `${data.publish[0]}'${written(node)}'${data.publish[1]}`;
  byId("command").replaceChildren(...line.split(" ").flatMap((word, place) => [...(place ? [" "] : []), make("span", word, "word")]));
  byId("how").textContent = search
    ? "At this node classes are suppressed, and publish suppresses none. This command searches for the best node and suppresses classes as here; it may choose another node."
    : "This command makes the release:";
}

function showClasses(node) {
  const rows = data.worst[node], small = data.small[node], all = counted.classes[node];
  const large = all - (small ? small[0] : 0);
  const said = rows.length < large ? `The worst ${count(rows.length)} of ${several(large, "class", "classes")}, worst first.` : rows.length ? `${several(rows.length, "class", "classes")}, worst first.` : "";
  const hidden = small ? `${several(small[0], "class has", "classes have")} fewer than ${data.few} people and ${small[0] === 1 ? "is" : "are"} not shown; the worst is class ${count(small[1])} (${several(small[2], "person", "people")}), distribution loss ${told(small[3])}.` : "";
  byId("which").textContent = [said, hidden].filter(Boolean).join(" ");
  byId("classes").replaceChildren(...rows.map((row, place) => showClass(node, row, place)));
}

function showClass(node, row, place) {
  const [number, people, loss] = row, labels = row.slice(3, 3 + width), held = row.slice(3 + width);
  const box = make("details"), at = levelsOf(node);
  box.open = place === 0;
  box.append(make("summary", `Class ${count(number)}: ${several(people, "person", "people")}, distribution loss ${told(loss)}`));
  const named = labels.map((label, qid) => [data.attributes[qid][0], data.labels[qid][at[qid]][label], at[qid] === data.attributes[qid][1]]);
  const shown = named.filter(([, , top]) => !top).map(([name, label]) => `${name} ${label}`).join(" · ");
  box.append(make("p", shown || "everybody", "soft"), beliefs(held, `Class ${count(number)}: ${data.sensitive}`));
  return box;
}

function beliefs(held, title) {
  const mass = held.reduce((sum, each) => sum + each, 0), table = make("table"), head = make("tr");
  const rows = data.values.map((value, place) => [value, data.prior[place], held[place] / mass]);
  rows.sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1]));
  const most = Math.max(...rows.map(([, before, after]) => Math.max(before, after)));
  for (const name of ["value", "prior", "posterior", ""]) head.append(Object.assign(make("th", name, name.startsWith("p") ? "number" : ""), {scope: "col"}));
  table.append(make("caption", title), make("thead"), make("tbody"));
  table.tHead.append(head);
  fill(table.tBodies[0], rows.map(([value, before, after]) => [value, percent(before), percent(after), bars(before / most, after / most)]));
  const scroll = make("div", undefined, "scroll");
  scroll.append(table);
  return scroll;
}

function bars(before, after) {
  const drawn = draw("svg", {viewBox: "0 0 160 20", preserveAspectRatio: "none", class: "pair", "aria-hidden": "true"});
  drawn.append(draw("rect", {x: 0.5, y: 1, width: Math.max(before * 158, 0.5), height: 7, class: "hollow"}));
  drawn.append(draw("rect", {x: 0.5, y: 10, width: after ? Math.max(after * 158, 0.5) : 0, height: 8, class: "bar"}));
  return drawn;
}

byId("copy").addEventListener("click", () => {
  const words = document.createRange();
  words.selectNodeContents(byId("command"));
  getSelection().removeAllRanges();
  getSelection().addRange(words);
  byId("copied").textContent = document.execCommand("copy") ? "copied" : "selected";
});
