// The pages work without this. With it, a role is saved when it is chosen, and a page that waits shows what is done meanwhile.
document.documentElement.classList.add("scripted");

for (const form of document.querySelectorAll("form.role")) {
  form.addEventListener("change", () => form.requestSubmit());
}

const status = document.getElementById("job");
if (status?.dataset.running === "yes") {
  const look = async () => {
    const answer = await fetch(status.dataset.address);
    const job = answer.ok ? await answer.json() : null;
    if (!job || job.done) {
      location.reload();
      return;
    }
    const bar = status.querySelector("progress");
    if (job.share === null) bar.removeAttribute("value");
    else bar.value = job.share;
    setTimeout(look, 500);
  };
  setTimeout(look, 300);
}
