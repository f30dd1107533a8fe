"""The script of the page: it opens the detail that a link leads to, and turns the pages of the table of classes. Without it, the page
shows the first rows.

It writes text, never markup, and makes no requests.
"""

from __future__ import annotations

SCRIPT = """
"use strict";
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  const own = target && target.querySelector(":scope > details");
  if (own) own.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
for (const box of document.querySelectorAll(".classes")) {
  const data = JSON.parse(box.querySelector("script").textContent);
  const body = box.querySelector("tbody"), bar = box.querySelector(".pager"), message = bar.querySelector("[role=status]");
  const [first, back, on, last] = bar.querySelectorAll("button"), wanted = bar.querySelector("input");
  const count = data.numbers.length, end = Math.ceil(count / data.page) - 1;
  const formatted = number => number.toLocaleString("en-US", number % 1 ? {maximumSignificantDigits: 4} : {});
  let page = 0, marked = -1;
  const put = (row, text, name, kind) => {
    const cell = row.appendChild(document.createElement(name));
    cell.textContent = text;
    if (kind) cell.className = kind;
    return cell;
  };
  const line = at => {
    const row = document.createElement("tr"), open = !data.places.length || data.places[0][at] >= 0;
    put(row, formatted(data.numbers[at]), "th", "number").scope = "row";
    put(row, formatted(data.people[at]), "td", "number");
    for (const values of data.values) put(row, values[at] === null ? "infinite" : formatted(values[at]), "td", "number");
    if (open) data.places.forEach((places, qid) => put(row, data.labels[qid][places[at]], "td"));
    else put(row, data.few, "td", "soft").colSpan = data.places.length;
    if (at === marked) row.className = "marked";
    return row;
  };
  const show = to => {
    page = Math.min(Math.max(to, 0), end);
    const from = page * data.page, till = Math.min(from + data.page, count);
    body.replaceChildren(...Array.from({length: till - from}, (_, place) => line(from + place)));
    message.textContent = `rows ${formatted(from + 1)} to ${formatted(till)} of ${formatted(count)}`;
    for (const button of [first, back]) button.setAttribute("aria-disabled", page === 0);
    for (const button of [on, last]) button.setAttribute("aria-disabled", page === end);
  };
  first.onclick = () => show(0);
  back.onclick = () => show(page - 1);
  on.onclick = () => show(page + 1);
  last.onclick = () => show(end);
  wanted.onchange = () => {
    marked = data.numbers.indexOf(Number(wanted.value));
    if (marked >= 0) show(Math.floor(marked / data.page));
    else message.textContent = `there is no class ${wanted.value} in this table`;
  };
  bar.hidden = false;
  show(0);
}
"""
