// The pages of levels work without this. With it, a change is shown where it was made, bands are drawn while somebody drags, and labels of
// a tree can be dragged between parents.
import { makeLive } from "./hierarchies-live.js";
import { makeTree } from "./hierarchies-tree.js";

const page = () => document.getElementById("main");

function say(text, bad = false) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("bad", bad);
  said.classList.toggle("note", bad);
}

// What was open stays open, what was sought is sought again, and the focus stays where it was.
function swapped(html) {
  const made = new DOMParser().parseFromString(html, "text/html");
  const open = new Map([...page().querySelectorAll("details[data-key]")].map((each) => [each.dataset.key, each.open]));
  const focused = document.activeElement?.id;
  const sought = document.getElementById("find")?.value;
  document.title = made.title;
  page().replaceChildren(...made.getElementById("main").childNodes);
  for (const each of page().querySelectorAll("details[data-key]")) {
    if (open.has(each.dataset.key)) each.open = open.get(each.dataset.key);
  }
  begin();
  const find = document.getElementById("find");
  if (find && sought) {
    find.value = sought;
    find.dispatchEvent(new Event("input"));
  }
  if (focused) document.getElementById(focused)?.focus();
}

async function send(form, submitter) {
  const data = new FormData(form, submitter);
  const upload = form.enctype === "multipart/form-data";
  const answer = await fetch(form.action, { method: "POST", body: upload ? data : new URLSearchParams(data) });
  const html = await answer.text();
  if (!answer.ok) {
    const wrong = new DOMParser().parseFromString(html, "text/html").querySelector(".note.bad");
    say(wrong?.textContent ?? "That did not work; open the page again.", true);
    return;
  }
  history.replaceState(null, "", answer.url);
  const before = document.getElementById("undo-button").textContent;
  swapped(html);
  if ("top" in form.dataset) scrollTo(0, 0); // the page is another one
  const now = document.getElementById("undo-button").textContent.replace(/^Undo: /, "");
  if (form.id === "undo") say(document.getElementById("redo-button").textContent.replace(/^Redo: /, "Undone: "));
  else if (document.getElementById("undo-button").textContent === before) say("Nothing to change.");
  else say(`Done: ${now}`);
}

function begin() {
  for (const form of page().querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form, event.submitter);
    });
  }
  const levels = document.getElementById("levels");
  if (levels) makeLive(levels, document.getElementById("preview"));
  const tree = document.getElementById("tree");
  if (tree) makeTree(tree);
}

const types = (element) => element.matches("input:not([type=range],[type=checkbox],[type=radio]),textarea");

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || types(event.target)) return;
  const key = event.key.toLowerCase();
  const wanted = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
  const button = wanted && document.getElementById(`${wanted}-button`);
  if (!button) return;
  event.preventDefault();
  if (!button.disabled) button.form.requestSubmit(button);
});

if (document.getElementById("undo")) begin();
