// The pages work without this. With it, a role is saved when it is chosen, and a page that waits shows what is done meanwhile.
document.documentElement.classList.add("scripted");

for (const form of document.querySelectorAll("form.role")) {
  form.addEventListener("change", () => form.requestSubmit());
}

const status = document.getElementById("job");
if (status?.dataset.running === "yes") {
  const lost = () => {
    status.querySelector("p").textContent = "Nobody answers: sfumato has ended. Start it again at the terminal, and open the address that it prints.";
  };
  const look = async () => {
    const answer = await fetch(status.dataset.address).catch(() => null);
    if (!answer) return lost();
    const job = answer.ok ? await answer.json() : null;
    if (!job || job.done) {
      location.reload();
      return;
    }
    const bar = status.querySelector("progress");
    if (job.share === null) bar.removeAttribute("value");
    else bar.value = job.share;
    document.getElementById("job-step").textContent = job.step ? `: ${job.step}` : "";
    setTimeout(look, 500);
  };
  setTimeout(look, 300);
}
