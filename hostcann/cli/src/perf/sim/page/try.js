// What page.rs does in its tests with the page in a browser: the body of a function.
const result = {};
const canvas = by("timeline");
const view = () => canvas.dataset.view.split(" ").map(Number);

function fire(target, type, x, y, more) {
  const { left, top } = target.getBoundingClientRect();
  const Kind = type === "wheel" ? WheelEvent : type.startsWith("pointer") ? PointerEvent : MouseEvent;
  target.dispatchEvent(new Kind(type, { clientX: left + x, clientY: top + y, bubbles: true, cancelable: true, ...more }));
}

// Paints that a picture is filled with while it is drawn anew, and that its legend does not have.
function unexplained() {
  const drawn = [];
  const proto = CanvasRenderingContext2D.prototype;
  const [rect, fill] = [proto.fillRect, proto.fill];
  proto.fillRect = function (...at) { drawn.push([this.canvas.id, this.fillStyle]); rect.apply(this, at); };
  proto.fill = function (...at) { drawn.push([this.canvas.id, this.fillStyle]); fill.apply(this, at); };
  timeline.draw();
  charts();
  [proto.fillRect, proto.fill] = [rect, fill];
  const names = ["--scalar", "--mte2", "--vector", "--mte3", "--other", "--mark", "--soft", "--fore"];
  return [...new Set(drawn.map(([id, style]) => `${id} ${names.find((name) => colour(name) === style)}`))].filter((one) => {
    const [id, name] = one.split(" ");
    // Buffers have colours only to tell them apart, and the pipes' bars have names; bytes in use are a row of the timeline.
    const named = { ub: name !== "--mark", pipes: name !== "--fore", timeline: name === "--other" }[id];
    return !named && ![...by(`${id}-legend`).querySelectorAll("i")].some((mark) => mark.style.getPropertyValue("--paint") === `var(${name})`);
  });
}

result.drawn = canvas.dataset.drawn;
result.all = view();
fire(canvas, "wheel", 200, 60, { deltaY: -300 });
result.near = view();
fire(canvas, "pointerdown", 200, 60);
fire(canvas, "pointermove", 260, 60);
fire(canvas, "pointerup", 260, 60);
result.moved = view();
fire(canvas, "dblclick", 200, 60);
result.fitted = view();
const vector = timeline.rows.find((row) => row.name === "VECTOR");
const [x, y] = [timeline.x(475), vector.top + 8];
fire(canvas, "pointermove", x, y);
result.tip = by("tip").hidden ? "" : by("tip").textContent;
fire(canvas, "pointerdown", x, y);
fire(canvas, "pointerup", x, y);
fire(canvas, "click", x, y);
result.kept = by("kept").textContent;
fire(by("ub"), "pointermove", 68, 16);
result.buffer = by("tip").textContent;
result.ub = by("ub").dataset.row;
result.points = by("roofline").dataset.points;
result.above = by("roofline").dataset.above;
result.title = [by("title").textContent, document.title];
const rows = [...by("launches").querySelectorAll("tr[tabindex]")];
const chosen = () => rows.findIndex((row) => row.classList.contains("chosen"));
result.chosen = chosen();
result.cut = cut(canvas.getContext("2d"), "DataCopyPad<float>", 60);
result.texts = Object.fromEntries(["summary", "launches", "tables"].map((id) => [id, by(id).textContent]));
result.tables = by("tables").querySelectorAll("table").length;
result.unexplained = unexplained();
rows[0].dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
result.key = chosen();
result.second = timeline.trace === null ? "No timeline" : "a timeline";
return result;
