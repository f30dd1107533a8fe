// The pattern builder: columns as cards in ranked layers. It writes into the two text fields of its form, which work without it, too.
const TOLERANCE = 1e-9;

const element = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

class Builder {
  constructor(place) {
    this.place = place;
    this.form = place.closest("form");
    this.attributes = JSON.parse(place.dataset.attributes);
    this.stops = this.allStops();
    this.status = element("p", { class: "unseen", role: "status" });
    this.wrong = element("p", { class: "wrong bad", role: "alert" });
    this.layers = [];
    this.read();
    this.list = element("ol", { class: "layers" });
    const help = element("p", { class: "soft", id: "builder-help" }, "Drag a column to another layer, or choose it and press the up and down keys.");
    const add = element("button", { type: "button", onclick: () => this.add() }, "Add a layer");
    place.replaceChildren(help, this.list, element("p", {}, add), this.wrong, this.status);
    place.hidden = false;
    this.form.querySelector(".as-text").open = false;
    for (const field of this.fields) field.addEventListener("change", () => this.reread());
    this.form.addEventListener("submit", (event) => this.check(event));
    this.draw();
  }

  get fields() {
    return [this.form.elements.pattern, this.form.elements.shares];
  }

  // Every share at which some column gets a further level: nothing changes between them.
  allStops() {
    const found = new Set([0, 1]);
    for (const { levels } of this.attributes) for (let level = 1; level < levels.length; level++) found.add(level / (levels.length - 1));
    return [...found].sort((a, b) => a - b);
  }

  read() {
    const text = this.form.elements.pattern.value.trim();
    let layers = [];
    try {
      layers = text.startsWith("[") ? JSON.parse(text) : text.split(">").map((part) => part.split(",").map((name) => name.trim()).filter(Boolean));
    } catch {
      layers = [];
    }
    const known = new Set(this.attributes.map((each) => each.name));
    layers = layers.map((layer) => layer.filter((name) => known.delete(name))).filter((layer) => layer.length);
    const shares = this.form.elements.shares.value.split(/[\s,%]+/).filter(Boolean).map((part) => Number(part) / 100);
    const spread = (at) => (layers.length === 1 ? 0 : at / (layers.length - 1));
    this.layers = layers.map((names, at) => ({ names, stop: this.stopOf(shares.length === layers.length ? shares[at] : spread(at)) }));
    if (!this.layers.length) this.layers = [{ names: [], stop: 0 }];
  }

  // The cards follow the text; the text is left as it was typed.
  reread() {
    this.read();
    this.wrong.textContent = "";
    this.draw();
  }

  stopOf(share) {
    return Math.max(0, this.stops.filter((each) => each <= share + TOLERANCE).length - 1);
  }

  get outside() {
    const inside = new Set(this.layers.flatMap((layer) => layer.names));
    return this.attributes.map((each) => each.name).filter((name) => !inside.has(name));
  }

  write() {
    const used = this.layers.filter((layer) => layer.names.length);
    const names = used.flatMap((layer) => layer.names);
    const plain = names.every((name) => !/[,>[]/.test(name) && name === name.trim());
    const [pattern, shares] = this.fields;
    if (!used.length) pattern.value = "";
    else pattern.value = plain ? used.map((layer) => layer.names.join(",")).join(" > ") : JSON.stringify(used.map((layer) => layer.names));
    shares.value = used.map((layer) => String(Number((100 * this.stops[layer.stop]).toPrecision(12)))).join(", ");
  }

  // The columns of a layer in words: how far each may be generalized.
  words(name, stop) {
    const { levels } = this.attributes.find((each) => each.name === name);
    const height = levels.length - 1;
    const level = Math.floor(this.stops[stop] * height + TOLERANCE);
    if (level === 0) return levels[0];
    return `up to level ${level} of ${height}: ${levels[level]}`;
  }

  shareWords(stop) {
    if (stop === 0) return "not at all";
    if (stop === this.stops.length - 1) return "as far as needed";
    return `up to ${Math.round(100 * this.stops[stop])} % of the way`;
  }

  draw(focus) {
    const layers = this.layers.map((layer, at) => this.drawLayer(layer, at));
    this.list.replaceChildren(...layers, this.drawOutside());
    if (focus) [...this.list.querySelectorAll(".chip")].find((chip) => chip.dataset.name === focus)?.focus();
  }

  drawLayer(layer, at) {
    const title = `Layer ${at + 1}${at === 0 ? ", most important" : ""}`;
    const slider = element("input", { type: "range", "aria-label": `Layer ${at + 1} may be generalized`, min: 0, max: this.stops.length - 1, step: 1, "aria-valuetext": this.shareWords(layer.stop), id: `share-${at}`, value: layer.stop });
    slider.value = layer.stop;
    const output = element("output", { for: `share-${at}` }, this.shareWords(layer.stop));
    slider.addEventListener("input", () => this.slide(at, Number(slider.value)));
    const remove = element("button", { type: "button", "aria-label": `Remove layer ${at + 1}`, onclick: () => this.remove(at) }, "Remove");
    const head = element("div", { class: "head" }, element("h3", {}, title), ...(this.layers.length > 1 ? [remove] : []));
    const share = element("div", { class: "share" }, element("label", { for: `share-${at}` }, "may be generalized"), slider, output);
    return this.target(element("li", { class: "layer", "data-layer": at }, head, share, this.cards(layer.names, at)), at);
  }

  drawOutside() {
    const head = element("div", { class: "head" }, element("h3", {}, "Outside: left out of the release"));
    return this.target(element("li", { class: "layer outside", "data-layer": this.layers.length }, head, this.cards(this.outside, this.layers.length)), this.layers.length);
  }

  cards(names, at) {
    if (!names.length) return element("p", { class: "empty" }, "No column here.");
    return element("ul", {}, ...names.map((name) => element("li", {}, this.card(name, at))));
  }

  card(name, at) {
    const inside = at < this.layers.length;
    const words = inside ? this.words(name, this.layers[at].stop) : "";
    const where = inside ? `layer ${at + 1} of ${this.layers.length}, ${words}` : "outside";
    const button = (step, sign, label) =>
      element("button", { type: "button", "aria-label": label, tabindex: -1, onclick: () => this.step(name, at, step) }, sign);
    const moves = [];
    if (at > 0) moves.push(button(-1, "↑", `Move ${name} up`));
    if (inside) moves.push(button(1, "↓", `Move ${name} down`));
    const label = element("span", { class: "name" }, name, ...(words ? [element("span", { class: "words" }, words)] : []));
    const made = element(
      "div",
      { class: "chip", role: "group", tabindex: 0, draggable: "true", "aria-label": `${name}, ${where}`, "aria-describedby": "builder-help", "data-name": name },
      label,
      element("span", { class: "moves" }, ...moves),
    );
    made.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.step(name, at, step);
    });
    made.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("text/plain", name);
      event.dataTransfer.effectAllowed = "move";
      made.classList.add("held");
    });
    made.addEventListener("dragend", () => made.classList.remove("held"));
    return made;
  }

  target(made, at) {
    made.addEventListener("dragover", (event) => {
      event.preventDefault();
      made.classList.add("over");
    });
    made.addEventListener("dragleave", () => made.classList.remove("over"));
    made.addEventListener("drop", (event) => {
      event.preventDefault();
      const name = event.dataTransfer.getData("text/plain");
      if (this.attributes.some((each) => each.name === name)) this.move(name, at);
      else made.classList.remove("over");
    });
    return made;
  }

  step(name, at, by) {
    const to = at + by;
    if (to >= 0 && to <= this.layers.length) this.move(name, to);
  }

  move(name, to) {
    for (const layer of this.layers) layer.names = layer.names.filter((each) => each !== name);
    const inside = to < this.layers.length;
    if (inside) this.layers[to].names.push(name);
    this.changed(name);
    const where = inside ? `in layer ${to + 1} now, ${this.words(name, this.layers[to].stop)}` : "outside now";
    this.status.textContent = `${name} is ${where}.`;
  }

  // A later layer may never be finer than an earlier one, so the others follow.
  slide(at, stop) {
    this.layers.forEach((layer, place) => {
      if (place === at) layer.stop = stop;
      else layer.stop = place < at ? Math.min(layer.stop, stop) : Math.max(layer.stop, stop);
    });
    this.write();
    this.layers.forEach((layer, place) => this.retell(layer, place));
    this.touched();
  }

  // The words of a layer, without drawing it anew: the slider is being held.
  retell(layer, place) {
    const shown = this.list.children[place];
    const slider = shown.querySelector("input");
    slider.value = layer.stop;
    slider.setAttribute("aria-valuetext", this.shareWords(layer.stop));
    shown.querySelector("output").textContent = this.shareWords(layer.stop);
    for (const chip of shown.querySelectorAll(".chip")) {
      const { name } = chip.dataset;
      const words = this.words(name, layer.stop);
      chip.querySelector(".words").textContent = words;
      chip.setAttribute("aria-label", `${name}, layer ${place + 1} of ${this.layers.length}, ${words}`);
    }
  }

  add() {
    this.layers.push({ names: [], stop: this.stops.length - 1 });
    this.changed();
    this.status.textContent = `Layer ${this.layers.length} was added.`;
  }

  remove(at) {
    this.layers.splice(at, 1);
    this.changed();
    this.list.querySelector(".chip, input")?.focus();
    this.status.textContent = `Layer ${at + 1} was removed; its columns are outside.`;
  }

  changed(focus) {
    this.wrong.textContent = "";
    this.write();
    this.draw(focus);
    this.touched();
  }

  // For whoever watches whether somebody is writing here.
  touched() {
    this.place.dispatchEvent(new Event("input", { bubbles: true }));
  }

  check(event) {
    if (this.form.elements.pattern.value.trim()) return;
    event.preventDefault();
    this.wrong.textContent = "Put one column at least into a layer.";
  }
}

const begin = () => {
  for (const place of document.querySelectorAll(".builder[hidden]")) new Builder(place);
};
document.addEventListener("replaced", begin);
begin();
