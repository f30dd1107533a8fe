// A button that copies a command. Where the browser does not allow that, the command is selected.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const command = document.getElementById(button.dataset.copy), said = button.parentElement.querySelector("[role=status]");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command.textContent);
      said.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(command);
      said.textContent = "selected; copy it with the keyboard";
    }
  });
}
