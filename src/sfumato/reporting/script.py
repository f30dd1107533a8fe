"""The script of the page: it leafs through the classes that the page holds as data. Without it the first rows stand there.

It writes text only, never markup, and asks nobody for anything.
"""

from __future__ import annotations

SCRIPT = """
"use strict";
for (const box of document.querySelectorAll(".classes")) {
  const data = JSON.parse(box.querySelector("script").textContent);
  const body = box.querySelector("tbody"), bar = box.querySelector(".pager"), said = bar.querySelector("[role=status]");
  const [first, back, on, last] = bar.querySelectorAll("button"), wanted = bar.querySelector("input");
  const count = data.numbers.length, end = Math.ceil(count / data.page) - 1;
  const told = number => number.toLocaleString("en-US", number % 1 ? {maximumSignificantDigits: 4} : {});
  let page = 0, found = -1;
  const put = (row, text, name, kind) => {
    const cell = row.appendChild(document.createElement(name));
    cell.textContent = text;
    if (kind) cell.className = kind;
    return cell;
  };
  const line = at => {
    const row = document.createElement("tr"), open = !data.places.length || data.places[0][at] >= 0;
    put(row, told(data.numbers[at]), "th", "number").scope = "row";
    put(row, told(data.people[at]), "td", "number");
    for (const values of data.values) put(row, values[at] === null ? "infinite" : told(values[at]), "td", "number");
    if (open) data.places.forEach((places, qid) => put(row, data.labels[qid][places[at]], "td"));
    else put(row, data.few, "td", "soft").colSpan = data.places.length;
    if (at === found) row.className = "found";
    return row;
  };
  const show = to => {
    page = Math.min(Math.max(to, 0), end);
    const from = page * data.page, till = Math.min(from + data.page, count);
    body.replaceChildren(...Array.from({length: till - from}, (_, place) => line(from + place)));
    said.textContent = `rows ${told(from + 1)} to ${told(till)} of ${told(count)}`;
    for (const button of [first, back]) button.setAttribute("aria-disabled", page === 0);
    for (const button of [on, last]) button.setAttribute("aria-disabled", page === end);
  };
  first.onclick = () => show(0);
  back.onclick = () => show(page - 1);
  on.onclick = () => show(page + 1);
  last.onclick = () => show(end);
  wanted.onchange = () => {
    found = data.numbers.indexOf(Number(wanted.value));
    if (found >= 0) show(Math.floor(found / data.page));
    else said.textContent = `class ${wanted.value} is not here`;
  };
  bar.hidden = false;
  show(0);
}
"""
