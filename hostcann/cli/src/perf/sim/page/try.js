// What page.rs does in its tests with the page in a browser; the result goes into an element of its own.
const result = { errors: [] };
window.addEventListener("error", (e) => result.errors.push(e.message));
const canvas = by("timeline");
const view = () => canvas.dataset.view.split(" ").map(Number);

function fire(target, type, x, y, more) {
  const { left, top } = target.getBoundingClientRect();
  const Kind = type === "wheel" ? WheelEvent : type.startsWith("pointer") ? PointerEvent : MouseEvent;
  target.dispatchEvent(new Kind(type, { clientX: left + x, clientY: top + y, bubbles: true, cancelable: true, ...more }));
}

function attempt() {
  result.drawn = canvas.dataset.drawn;
  result.all = view();
  fire(canvas, "wheel", 400, 60, { deltaY: -300 });
  result.near = view();
  fire(canvas, "pointerdown", 400, 60);
  fire(canvas, "pointermove", 460, 60);
  fire(canvas, "pointerup", 460, 60);
  result.moved = view();
  fire(canvas, "dblclick", 400, 60);
  result.fitted = view();
  const vector = timeline.rows.find((row) => row.name === "VECTOR");
  const [x, y] = [timeline.x(475), vector.top + 8];
  fire(canvas, "pointermove", x, y);
  result.tip = by("tip").hidden ? "" : by("tip").textContent;
  fire(canvas, "pointerdown", x, y);
  fire(canvas, "pointerup", x, y);
  fire(canvas, "click", x, y);
  result.kept = by("kept").textContent;
  fire(by("ub"), "pointermove", 64, 16);
  result.buffer = by("tip").textContent;
  result.points = by("roofline").dataset.points;
  result.above = by("roofline").dataset.above;
  result.legend = by("roofs").children.length;
  result.title = [by("title").textContent, document.title];
  result.chosen = [...by("launches").querySelectorAll("tr")].findIndex((row) => row.classList.contains("chosen"));
  result.cut = cut(canvas.getContext("2d"), "DataCopyPad<float>", 60);
  result.wide = document.documentElement.scrollWidth <= window.innerWidth;
  result.texts = Object.fromEntries(["summary", "launches", "tables"].map((id) => [id, by(id).textContent]));
  result.tables = by("tables").querySelectorAll("table").length;
  by("launch").value = 0;
  by("launch").dispatchEvent(new Event("change"));
  result.second = timeline.trace === null ? "No timeline" : "a timeline";
}

try {
  attempt();
} catch (error) {
  result.errors.push(String(error));
}
document.body.append(Object.assign(element("pre", JSON.stringify(result)), { id: "result" }));
