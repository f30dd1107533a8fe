// The chosen node and the one beside it: a part of the page that the workbench writes.
const panel = byId("chosen"), ask = byId("ask");
let latest = "";

// What the form asks for, as the address of a page has it.
function asked() {
  const sent = new URLSearchParams();
  for (const [name, value] of new FormData(ask)) {
    const model = name.includes(".") ? name.split(".")[0] : null;
    if (value !== "" && (model === null || ask.querySelector(`[name=use][value="${model}"]`).checked)) sent.append(name, value);
  }
  return sent;
}

function remember() {
  const sent = asked();
  history.replaceState(null, "", `?${sent}`);
  return sent;
}

// Only what is shown is asked for: the last answer counts.
async function showNode(node) {
  ask.elements.node.value = written(node);
  const sent = remember().toString();
  if (sent === latest) return;
  latest = sent;
  panel.classList.add("loading");
  const answer = await fetch(`${place}/node?${sent}`);
  if (latest !== sent) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const failed = page.querySelector("main");
  panel.replaceChildren(...(failed ? [make("p", failed.textContent, "note bad")] : page.body.childNodes));
  panel.classList.remove("loading");
}

panel.addEventListener("click", event => {
  const pin = event.target.closest("a.pin");
  if (!pin) return;
  event.preventDefault();
  ask.elements.beside.value = pin.dataset.pin;
  showNode(chosen);
  byId("announced").textContent = pin.dataset.pin ? "kept; choose another way to compare" : "put away";
});
