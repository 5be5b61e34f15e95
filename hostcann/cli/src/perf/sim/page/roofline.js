"use strict";

// The roofs of a launch are those of its cores: what they can compute, what they can draw from the L2, and what the memory can
// give of that. Each kind of bytes has a roof and a point of its own, so that no point can lie above its roof.
function roofsOf(launch) {
  const { roofs, bytes } = launch;
  if (!(roofs.vec_gops > 0 && roofs.hbm_gbs > 0)) return [];
  const drawn = roofs.l2_gbs > 0 ? roofs.l2_gbs : Infinity;
  const count = coresText(launch);
  const point = (moved) => moved > 0 && launch.vec_ops > 0 ? { x: launch.vec_ops / moved, y: launch.vec_ops / launch.task_us / 1e3 } : null;
  const all = [];
  if (Number.isFinite(drawn)) {
    const gbs = drawn;
    all.push({ name: "L2", gbs, paint: "--mte2", what: `what ${count} can draw from the L2`, of: "bytes between the cores and the L2", point: point(bytes.read + bytes.write) });
  }
  const gbs = Math.min(roofs.hbm_gbs, drawn);
  const what = gbs < roofs.hbm_gbs ? `HBM, limited to what ${count} can draw (the chip: ${digits(roofs.hbm_gbs)} GB/s)` : "what HBM can give";
  all.push({ name: "HBM", gbs, paint: "--mte3", what, of: "bytes between the L2 and HBM", point: point(bytes.hbm_read + bytes.hbm_write) });
  return all;
}

function drawRoofline(canvas, launch) {
  const g = prepare(canvas, 280);
  const roofs = roofsOf(launch);
  const points = roofs.filter((roof) => roof.point);
  canvas.dataset.points = points.length;
  canvas.dataset.above = points.filter((roof) => roof.point.y > 1.001 * Math.min(launch.roofs.vec_gops, roof.point.x * roof.gbs)).length;
  if (roofs.length === 0) {
    g.fillStyle = colour("--soft");
    g.fillText("The roofs of this chip are not known.", 12, 24);
    legend("roofline", []);
    return;
  }
  const peak = launch.roofs.vec_gops;
  const xs = [0.02, ...roofs.map((roof) => peak / roof.gbs * 4), ...points.map((p) => p.point.x / 2), ...points.map((p) => p.point.x * 2)];
  const ys = [peak * 2, peak / 300, ...points.map((p) => p.point.y / 2)];
  const range = (all) => [Math.log10(Math.min(...all)), Math.log10(Math.max(...all))];
  const [[x0, x1], [y0, y1]] = [range(xs), range(ys)];
  const [left, right, top, bottom] = [56, canvas.clientWidth - 14, 12, 244];
  const x = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (right - left);
  const y = (value) => bottom - (Math.log10(value) - y0) / (y1 - y0) * (bottom - top);
  grid(g, [x0, x1], [y0, y1], x, y, [left, right, top, bottom]);
  for (const roof of roofs) {
    g.strokeStyle = colour(roof.paint);
    g.lineWidth = 2;
    // One over the other where both are the same.
    g.setLineDash(roof.name === "HBM" ? [7, 5] : []);
    g.beginPath();
    for (let i = 0; i <= 60; i++) {
      const at = 10 ** (x0 + (x1 - x0) * i / 60);
      const height = Math.min(peak, at * roof.gbs);
      if (height >= 10 ** y0) g.lineTo(x(at), y(height));
    }
    g.stroke();
  }
  g.setLineDash([]);
  g.lineWidth = 1;
  for (const { point, paint } of points) {
    g.fillStyle = colour(paint);
    g.strokeStyle = colour("--fore");
    g.beginPath();
    g.arc(x(point.x), y(point.y), 5, 0, 7);
    g.fill();
    g.stroke();
  }
  legend("roofline", roofs.flatMap((roof) => [
    ["line", roof.paint, `${roof.name} ${digits(roof.gbs)} GB/s: ${roof.what}`],
    ...(roof.point ? [["dot", roof.paint, `this launch, ${digits(roof.point.y)} Gop/s, by ${roof.of}`]] : []),
  ]).concat([["words", "--back", `Flat: ${digits(peak)} Gop/s, an instruction of 64 lanes of 32 bits every cycle on each core`]]));
}

function grid(g, [x0, x1], [y0, y1], x, y, [left, right, top, bottom]) {
  g.strokeStyle = colour("--line");
  g.fillStyle = colour("--soft");
  for (let n = Math.ceil(x0); n <= x1; n++) {
    g.strokeRect(Math.round(x(10 ** n)) + 0.5, top, 0, bottom - top);
    g.fillText(trim(10 ** n), x(10 ** n) - 8, bottom + 15);
  }
  for (let n = Math.ceil(y0); n <= y1; n++) {
    g.strokeRect(left, Math.round(y(10 ** n)) + 0.5, right - left, 0);
    g.fillText(trim(10 ** n), 6, y(10 ** n) + 4);
  }
  g.fillText(cut(g, "Gop/s over operations per byte (32-bit lanes)", right - left), left, bottom + 30);
}
