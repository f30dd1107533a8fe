// The chosen node: its levels, its losses, its worst classes with prior and posterior, and the command that publishes it.
const panel = byId("chosen"), suppresses = bytes(data.suppresses);

function showNode(node) {
  panel.hidden = false;
  panel.dataset.node = written(node);
  panel.querySelector(".policy").textContent = policy(node);
  panel.querySelector(".node").textContent = written(node);
  byId("status").textContent = `${comparison(node)}.`;
  fill(byId("policy"), data.attributes.map(([name, height], qid) => {
    const level = levelsOf(node)[qid];
    return [name, data.phrases[qid][level], `level ${level} of ${height}`];
  }));
  const names = Object.keys(data.losses).filter(name => !name.endsWith(".max"));
  fill(byId("losses"), names.map(name => [data.words[name].replace(/, mean$/, ""), `${name}.max` in losses ? formatted(losses[`${name}.max`][node]) : "", formatted(losses[name][node])]));
  const suppressed = counted.suppressed[node];
  byId("size").textContent = `${several(counted.classes[node], "class", "classes")}, the smallest has ${several(counted.smallest[node], "person", "people")}` +
    (suppressed ? `; ${several(suppressed, "person is", "people are")} suppressed` : "") + (feasible[node] ? "." : ". This node violates the models.");
  showCommand(node);
  showClasses(node);
}

function showCommand(node) {
  const search = suppresses[node] && data.search;
  const line = search ? data.search : `${data.publish[0]}'${written(node)}'${data.publish[1]}`;
  byId("command").replaceChildren(...line.split(/ (?=-)/).flatMap((part, place) => [...(place ? [" "] : []), make("span", part, "word")]));
  byId("how").textContent = search
    ? "This node needs suppression, and publish suppresses nobody. This command searches for the best node and suppresses people as needed. It may choose another node."
    : "This command publishes it:";
}

function showClasses(node) {
  const rows = data.worst[node], small = data.small[node], all = counted.classes[node];
  const large = all - (small ? small[0] : 0);
  const shown = rows.length < large ? `The worst ${count(rows.length)} of ${several(large, "class", "classes")}, worst first.` : rows.length ? `${several(rows.length, "class", "classes")}, worst first.` : "";
  const hidden = small ? `${several(small[0], "class has", "classes have")} fewer than ${data.few} people and ${small[0] === 1 ? "is" : "are"} not shown. The worst is class ${count(small[1])} (${several(small[2], "person", "people")}) with a distribution loss of ${formatted(small[3])}.` : "";
  byId("which").textContent = [shown, hidden].filter(Boolean).join(" ");
  byId("classes").replaceChildren(...rows.map((row, place) => showClass(node, row, place)));
}

function showClass(node, row, place) {
  const [number, people, loss] = row, labels = row.slice(3, 3 + width), perValue = row.slice(3 + width);
  const box = make("details"), at = levelsOf(node);
  box.open = place === 0;
  box.append(make("summary", `Class ${count(number)}: ${several(people, "person", "people")}, distribution loss ${formatted(loss)}`));
  const named = labels.map((label, qid) => [data.attributes[qid][0], data.labels[qid][at[qid]][label], at[qid] === data.attributes[qid][1]]);
  const shown = named.filter(([, , top]) => !top).map(([name, label]) => `${name} ${label}`).join(" · ");
  box.append(make("p", shown || "all people", "soft"), beliefs(perValue, `Class ${count(number)}: ${data.sensitive}`));
  return box;
}

function beliefs(perValue, title) {
  const total = perValue.reduce((sum, each) => sum + each, 0), table = make("table"), head = make("tr");
  const rows = data.values.map((value, place) => [value, data.prior[place], perValue[place] / total]);
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
