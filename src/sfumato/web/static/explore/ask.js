// Another threshold: the workbench says which nodes satisfy the models now; the bounds on losses are looked at here.
const again = byId("again"), wishes = {};

function sameWish(sent) {
  const models = new URLSearchParams([...sent].filter(([name]) => name === "use" || name === "others" || name === "suppress" || name.includes(".")));
  return models.toString();
}

async function wish() {
  const sent = asked(), wanted = sameWish(sent);
  if (wanted === wishes.last) return;
  wishes.last = wanted;
  const answer = await (await fetch(`${place}/answer?${sent}`)).json();
  if (wishes.last !== wanted) return; // another one was asked for meanwhile
  again.hidden = !answer.again;
  again.textContent = answer.again ? `${answer.again}. The picture still shows what was asked before.` : "";
  if (answer.again) return;
  feasible.set(bytes(answer.feasible));
  data.models = answer.models;
  renew();
  remember();
}

ask.addEventListener("input", event => {
  if (event.target.name && !(event.target.id in LETTERS)) wish();
});
ask.addEventListener("change", () => remember());
ask.addEventListener("keydown", event => {
  if (event.key === "Enter" && event.target.tagName === "INPUT") event.preventDefault(); // the picture has changed already
});
wishes.last = sameWish(asked());
const start = new URLSearchParams(location.search).get("node");
const at = start && every.find(node => written(node) === start);
if (at !== undefined && at !== null && at !== "") choose(at);
