// The fields of a variable rate are there only for it.
const part = document.querySelector(".variable");
if (part) {
  const follow = () => {
    part.hidden = document.querySelector("input[name=rate]:checked").value !== "variable";
  };
  for (const each of document.querySelectorAll("input[name=rate]")) each.addEventListener("change", follow);
  follow();
}
