// What one part of the page says of a node lights up in all others.
document.querySelectorAll("section").forEach((section) => {
  const light = (event, on) => {
    const at = event.target.closest("[data-n]");
    for (const id of at ? at.dataset.n.split(" ") : []) {
      section.querySelectorAll(`[data-n~="${id}"]`).forEach((e) => e.classList.toggle("hot", on));
    }
  };
  section.addEventListener("mouseover", (event) => light(event, true));
  section.addEventListener("mouseout", (event) => light(event, false));
});
