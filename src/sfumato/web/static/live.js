// A page of the service stays true: whenever the account's things change, it is fetched again and the parts that differ are replaced.
// A part in which somebody is writing is left alone until they say so.
const PAUSE = 400;
const LIVE = "[data-live]";
const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
document.body.append(said);

const touched = new WeakSet();
document.addEventListener("input", (event) => {
  const part = event.target.closest?.(LIVE);
  if (part) touched.add(part);
});

const announcements = (root) => [...root.querySelectorAll("[data-announced]")].map((each) => each.dataset.announced);

// A part is compared as the server sent it: what scripts have made of it since does not count.
const sent = new WeakMap();
const remember = () => {
  for (const part of document.querySelectorAll(`main ${LIVE}`)) if (!sent.has(part)) sent.set(part, part.outerHTML);
};

const writing = (part) =>
  touched.has(part) || (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select, [role=group]"));

function replace(before, after) {
  const active = before.contains(document.activeElement) ? document.activeElement : null;
  const opened = new Set([...before.querySelectorAll("details[open][id]")].map((each) => each.id));
  if (before.matches("details[open]")) after.setAttribute("open", "");
  const fresh = document.importNode(after, true);
  for (const each of fresh.querySelectorAll("details[id]")) if (opened.has(each.id)) each.open = true;
  before.replaceWith(fresh);
  sent.set(fresh, after.outerHTML);
  if (active) refocus(active, fresh);
}

function refocus(active, fresh) {
  const same = (each) => each.tagName === active.tagName && each.textContent === active.textContent && each.getAttribute("href") === active.getAttribute("href");
  const found = (active.id && document.getElementById(active.id)) || [...fresh.querySelectorAll("a, button, summary, [tabindex]")].find(same);
  if (found) found.focus({ preventScroll: true });
  else {
    fresh.tabIndex = -1;
    fresh.focus({ preventScroll: true });
  }
}

function compare(next) {
  const [main, after] = [document.querySelector("main"), next.querySelector("main")];
  if (!after) return;
  const before = announcements(main);
  const parts = [...main.querySelectorAll(LIVE)];
  const known = new Set(parts.map((each) => each.id));
  let held = false;
  for (const part of parts) {
    const fresh = after.querySelector(`#${CSS.escape(part.id)}`);
    if (fresh && fresh.outerHTML === sent.get(part)) continue;
    if (writing(part)) held = true;
    else if (fresh) replace(part, fresh);
    else part.remove();
  }
  let last = null;
  for (const fresh of after.querySelectorAll(LIVE)) {
    const here = document.getElementById(fresh.id);
    if (!here && !known.has(fresh.id)) {
      const made = document.importNode(fresh, true);
      sent.set(made, fresh.outerHTML);
      if (last) last.after(made);
      else main.append(made);
      last = made;
    } else last = here ?? last;
  }
  const news = announcements(document.querySelector("main")).filter((each) => !before.includes(each));
  if (news.length) said.textContent = news.join(" ");
  note(held);
  remember();
  document.dispatchEvent(new Event("replaced"));
}

function note(held) {
  document.querySelector(".changed")?.remove();
  if (!held) return;
  const box = document.createElement("div");
  box.className = "changed";
  box.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Show what is new";
  button.addEventListener("click", () => location.reload());
  box.append("This page has changed while you were writing. ", button);
  document.querySelector("main").append(box);
}

let waiting = null;
let again = false;
async function look() {
  if (waiting) {
    again = true;
    return;
  }
  waiting = new Promise((done) => setTimeout(done, PAUSE));
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok && !answer.redirected) compare(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // The service is away; the stream tells when it is back.
  }
  await waiting;
  waiting = null;
  if (again) {
    again = false;
    look();
  }
}

let source = null;
let lost = false;
function listen() {
  source ??= new EventSource("/events");
  source.onopen = () => {
    document.documentElement.dataset.live = "yes";
    if (lost) look();
    lost = false;
  };
  source.onerror = () => {
    lost = true;
  };
  source.addEventListener("changed", look);
}

// A page in the background asks nothing; when it comes back, it looks once.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    source?.close();
    source = null;
    lost = true;
  } else listen();
});
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
remember();
listen();
