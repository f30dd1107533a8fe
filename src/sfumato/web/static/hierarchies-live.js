// The levels of bands, units and codes, drawn by the server while somebody changes them. Nothing is saved until the button is pressed.
export function makeLive(form, preview) {
  let asking = false;
  let changed = null; // the level whose width was moved last, and "" for any other field

  async function ask() {
    if (asking || changed === null) return;
    asking = true;
    const data = new URLSearchParams(new FormData(form));
    data.set("changed", changed);
    changed = null;
    try {
      const answer = await fetch(form.dataset.preview, { method: "POST", body: data });
      if (answer.ok && form.isConnected) show(await answer.text(), data.get("changed"));
    } finally {
      asking = false;
    }
    ask();
  }

  function show(html, level) {
    const open = [...preview.querySelectorAll("details[open]")].map((each) => each.dataset.key);
    const made = new DOMParser().parseFromString(html, "text/html").body;
    const wrong = made.querySelector(".wrong");
    if (wrong) {
      // The last picture stays: only the line is new.
      preview.querySelector(".wrong")?.remove();
      preview.prepend(wrong);
      return;
    }
    preview.replaceChildren(...made.childNodes);
    for (const each of preview.querySelectorAll("details")) each.open = open.includes(each.dataset.key);
    const widths = preview.querySelector("#widths")?.value.trim().split(" ");
    if (widths && level !== "" && changed === null) follow(widths, Number(level));
  }

  // Wider bands follow the narrower ones, and the steps of their sliders, too.
  function follow(widths, level) {
    form.querySelectorAll("input[name=width]").forEach((field, place) => {
      const slider = sliderOf(field);
      if (place > 0) {
        slider.step = widths[place - 1];
        slider.min = 2 * Number(widths[place - 1]);
      }
      if (place + 1 > level) field.value = widths[place];
      slider.max = Math.max(Number(slider.max), Number(widths[place]));
      if (place + 1 !== level) slider.value = widths[place];
    });
  }

  const sliderOf = (field) => form.querySelector(`input[data-for="${field.id}"]`);

  function bounds() {
    const fixed = form.querySelector("#fixed");
    if (fixed) for (const each of form.querySelectorAll("[data-bound]")) each.disabled = !fixed.checked;
  }

  form.addEventListener("input", (event) => {
    const at = event.target;
    const field = at.dataset.for ? document.getElementById(at.dataset.for) : at;
    if (at.dataset.for) field.value = at.value;
    else if (at.id && sliderOf(at)) sliderOf(at).value = at.value;
    bounds();
    form.classList.add("unsaved");
    changed = at.dataset.for ? (field.dataset.level ?? "") : "";
    ask();
  });
  bounds();
}
