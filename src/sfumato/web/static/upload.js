// Sending a table works as a plain form. With this, a file can be dropped, and one sees how much of it was sent.
const form = document.querySelector("form.upload");
if (form) {
  const field = form.querySelector("input[type=file]");
  const status = form.querySelector(".sending");
  const button = form.querySelector("button");
  form.querySelector(".drop").hidden = false;
  for (const kind of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
    });
  }
  form.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length) field.files = event.dataTransfer.files;
    field.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(field.files[0]);
  });

  const send = (file) => {
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", "Sending the table");
    status.replaceChildren(`Sending ${file.name} …`, bar);
    button.disabled = true;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = event.loaded / event.total;
    });
    request.addEventListener("load", () => {
      if (request.status < 400) location.href = request.responseURL;
      else refused(request.responseText);
    });
    request.addEventListener("error", () => refused(""));
    request.send(new FormData(form));
  };

  const refused = (page) => {
    const note = new DOMParser().parseFromString(page, "text/html").querySelector("main .note");
    const line = document.createElement("span");
    line.className = "bad";
    line.textContent = note ? note.textContent : "The table could not be sent; try again.";
    status.replaceChildren(line);
    button.disabled = false;
  };
}
