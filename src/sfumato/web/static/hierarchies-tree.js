// A tree whose labels can be dragged to another parent and renamed where they stand. Both only fill in the form that works without them.
export function makeTree(form) {
  const picks = () => [...form.querySelectorAll("input[name=pick]")];
  const ticked = () => picks().filter((each) => each.checked);
  const levelOf = (pick) => Number(pick.value.split(":")[0]);

  function tell() {
    const levels = [...new Set(ticked().map(levelOf))].sort();
    const many = ticked().length;
    const words = many ? `${many} ticked on level ${levels.join(" and ")}` : "Tick labels of one level";
    form.querySelector("#ticked").textContent = words;
    for (const option of form.querySelectorAll("#to option")) {
      const fits = levels.length === 0 || Number(option.value.split(":")[0]) === levels[0] + 1;
      option.disabled = option.parentElement.hidden = !fits;
    }
    const to = form.querySelector("#to");
    if (to && (to.selectedOptions[0]?.disabled ?? true)) to.value = to.querySelector("option:not(:disabled)")?.value ?? "";
  }

  function tickOnly(pick) {
    for (const each of picks()) each.checked = each === pick;
    tell();
  }

  const send = (button) => form.requestSubmit(form.querySelector(button));

  let lifted = null; // the level of what is being dragged
  const target = (event) => (lifted === null ? null : event.target.closest?.(`li[data-level="${lifted + 1}"]`));

  form.addEventListener("dragstart", (event) => {
    const row = event.target.closest?.(".row");
    if (!row) return;
    const pick = row.querySelector("input[name=pick]");
    const level = levelOf(pick);
    if (!pick.checked || ticked().some((each) => levelOf(each) !== level)) tickOnly(pick);
    lifted = level;
    row.classList.add("lifted");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", row.querySelector(".name").textContent);
  });

  function unmark() {
    for (const each of form.querySelectorAll("li.over")) each.classList.remove("over");
  }

  form.addEventListener("dragover", (event) => {
    const over = target(event);
    unmark();
    if (!over) return;
    event.preventDefault();
    over.classList.add("over");
  });

  form.addEventListener("drop", (event) => {
    const over = target(event);
    if (!over) return;
    event.preventDefault();
    form.querySelector("#to").value = over.dataset.key;
    send("#move");
  });

  form.addEventListener("dragend", () => {
    lifted = null;
    unmark();
    for (const each of form.querySelectorAll(".lifted")) each.classList.remove("lifted");
  });

  function rename(row) {
    const pick = row.querySelector("input[name=pick]");
    if (levelOf(pick) === 0 || row.querySelector(".renaming")) return;
    const name = row.querySelector(".name");
    const field = document.createElement("input");
    field.className = "renaming";
    field.value = name.textContent;
    field.maxLength = 200;
    field.setAttribute("aria-label", `New name of ${name.textContent}`);
    row.draggable = false;
    row.querySelector("label").hidden = true;
    row.prepend(field);
    field.select();
    field.focus();
    let open = true;
    const end = () => {
      if (!open) return; // a field that is removed loses the focus, which ends it once more
      open = false;
      field.remove();
      row.draggable = true;
      row.querySelector("label").hidden = false;
      pick.focus();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") end();
      if (event.key !== "Enter") return;
      event.preventDefault();
      tickOnly(pick);
      form.querySelector("#label").value = field.value;
      end();
      send("#rename");
    });
    field.addEventListener("blur", end);
  }

  form.addEventListener("dblclick", (event) => {
    const row = event.target.closest(".row");
    if (row) rename(row);
  });
  form.addEventListener("keydown", (event) => {
    const row = event.target.closest?.(".row");
    if (event.key === "F2" && row) rename(row);
    // Enter would press a button of the form, which nobody expects of a box to tick or of a search.
    if (event.key === "Enter" && event.target.matches?.("#find, input[name=pick]")) event.preventDefault();
  });
  // The labels above stay: something may be dragged to them.
  form.querySelector("#find")?.addEventListener("input", (event) => {
    const wanted = event.target.value.toLocaleLowerCase();
    for (const each of form.querySelectorAll(".tree li:not(:has(ul))")) {
      each.hidden = !each.querySelector(".name").textContent.toLocaleLowerCase().includes(wanted);
    }
    if (wanted) for (const each of form.querySelectorAll(".tree details")) each.open = each.querySelector("li:not([hidden]) > .row") !== null;
  });
  form.addEventListener("change", tell);
  tell();
}
