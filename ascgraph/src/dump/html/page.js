// What one part of the page says of a node lights up in all others.
document.querySelectorAll("section").forEach(function (section) {
  function light(event, on) {
    var at = event.target.closest("[data-n]");
    if (!at) { return; }
    at.getAttribute("data-n").split(" ").forEach(function (id) {
      section.querySelectorAll('[data-n~="' + id + '"]').forEach(function (e) { e.classList.toggle("hot", on); });
    });
  }
  section.addEventListener("mouseover", function (event) { light(event, true); });
  section.addEventListener("mouseout", function (event) { light(event, false); });
});
