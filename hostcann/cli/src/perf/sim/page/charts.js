"use strict";

// A canvas of this height, sharp on every screen, empty.
function prepare(canvas, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  const width = canvas.clientWidth;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  g.textBaseline = "alphabetic";
  return g;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// 1, 2 or 5 times a power of ten, at least this large.
function nice(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.9999);
}

function trim(number) {
  return String(Number(number.toPrecision(6)));
}

// For rates: more would say more than the model knows.
function digits(number) {
  return String(Number(number.toPrecision(3)));
}

function round(cycles) {
  return Math.round(cycles * 10) / 10;
}

function bytesText(bytes) {
  const of = (size) => Number((bytes / size).toFixed(1));
  return bytes >= 1048576 ? `${of(1048576)} MiB` : bytes >= 1024 ? `${of(1024)} KiB` : `${bytes} B`;
}

// As much of a text as there is room for; what is cut ends with an ellipsis.
function cut(g, text, room) {
  if (g.measureText(text).width <= room) return text;
  let shown = text;
  while (shown.length > 0 && g.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
  return shown.length > 1 ? `${shown}…` : "";
}

function label(g, text, x, y, room, paint) {
  g.fillStyle = colour(paint);
  g.fillText(cut(g, text, room), x, y);
}

// What the colours of a picture mean: its kind of mark, its paint, and words.
function legend(picture, entries) {
  by(`${picture}-legend`).replaceChildren(...entries.map(([kind, paint, text]) => {
    const item = element("li");
    const mark = element("i", "", kind);
    mark.style.setProperty("--paint", `var(${paint})`);
    item.append(mark, text);
    return item;
  }));
}

const PIPES = [["aiv_scalar", "scalar", "--scalar"], ["aiv_mte2", "mte2", "--mte2"], ["aiv_vec", "vec", "--vector"], ["aiv_mte3", "mte3", "--mte3"]];

// Mean busy part of the cores' time as a bar, least and most of a core as a line over it.
function drawPipes(canvas, launch) {
  const g = prepare(canvas, 4 * 34 + 30);
  const right = canvas.clientWidth - 60;
  const x = (ratio) => 92 + ratio * (right - 92);
  g.strokeStyle = colour("--line");
  g.fillStyle = colour("--soft");
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    g.beginPath();
    g.moveTo(Math.round(x(tick)) + 0.5, 8);
    g.lineTo(Math.round(x(tick)) + 0.5, 4 * 34 + 8);
    g.stroke();
    g.fillText(tick.toFixed(2), x(tick) - 10, 4 * 34 + 24);
  }
  PIPES.forEach(([name, key, paint], i) => {
    const ratios = launch.cores.map((core) => core.cycles > 0 ? core[key] / core.cycles : 0);
    const mean = ratios.reduce((a, b) => a + b, 0) / Math.max(1, ratios.length);
    const top = 12 + i * 34;
    g.fillStyle = colour("--fore");
    g.fillText(name, 8, top + 16);
    g.fillStyle = colour(paint);
    g.fillRect(x(0), top, x(mean) - x(0), 22);
    g.fillStyle = colour("--fore");
    g.fillText(mean.toFixed(3), x(Math.max(mean, ...ratios)) + 6, top + 16);
    if (ratios.length > 1) {
      g.fillRect(x(Math.min(...ratios)), top + 10, Math.max(1, x(Math.max(...ratios)) - x(Math.min(...ratios))), 2);
    }
  });
  const line = launch.cores.length > 1 ? [["line", "--fore", "from the least to the most busy core"]] : [];
  legend("pipes", [["", "--other", "bar: busy part of a core's time, mean over cores"], ...line]);
}

// A bar for every core in the colour of the pipe that is busy longest; pipes work at the same time, so parts would not add up.
function drawCores(canvas, launch, current) {
  const g = prepare(canvas, 166);
  const us = launch.cores.map((core) => core.cycles / launch.mhz);
  const most = Math.max(...us, 1e-9);
  const [left, bottom] = [64, 148];
  const step = Math.min(48, (canvas.clientWidth - left - 10) / Math.max(1, us.length));
  g.fillStyle = colour("--soft");
  g.fillText(`${most.toFixed(2)} us`, 4, 18);
  g.fillText("0", 4, bottom);
  const busiest = launch.cores.map((core) => PIPES.reduce((best, pipe) => core[pipe[1]] > core[best[1]] ? pipe : best));
  us.forEach((time, i) => {
    const height = time / most * (bottom - 12);
    g.fillStyle = colour(busiest[i][2]);
    g.fillRect(left + i * step, bottom - height, Math.max(1, step - 1), height);
    if (launch.cores[i].core !== current) return;
    const middle = left + i * step + step / 2;
    g.fillStyle = colour("--mark");
    g.beginPath();
    g.moveTo(middle, bottom + 4);
    g.lineTo(middle + 5, bottom + 13);
    g.lineTo(middle - 5, bottom + 13);
    g.fill();
  });
  const mean = (us.reduce((a, b) => a + b, 0) / Math.max(1, us.length)).toFixed(2);
  legend("cores", [
    ...PIPES.filter((pipe) => busiest.includes(pipe)).map(([name, , paint]) => ["", paint, `${name} is busy longest`]),
    ...(launch.cores.some((core) => core.core === current) ? [["", "--mark", "the core of the timeline"]] : []),
    ["words", "--back", `${coresText(launch)}, mean ${mean} us`],
  ]);
}

function coresText(launch) {
  return `${launch.cores.length} ${launch.cores.length === 1 ? "core" : "cores"}`;
}

// The unified buffer in rows of as many bytes that what is used fills the picture; as rows are multiples of 512 bytes, addresses
// under each other are in the same bank group.
const ROWS = 12;

function drawBuffer(canvas, launch, trace) {
  const buffers = trace ? trace.buffers : [];
  const ends = [...buffers.map((b) => b.addr + b.bytes), ...launch.conflicts.flatMap((c) => c.at.map((addr) => addr + 32))];
  const used = Math.max(0, ...ends);
  let row = 512;
  while (row * ROWS < used) row *= 2;
  const height = 18;
  const g = prepare(canvas, ROWS * height + 12);
  const [left, right] = [66, canvas.clientWidth - 10];
  const x = (addr) => left + (addr % row) / row * (right - left);
  const y = (addr) => 6 + Math.floor(addr / row) * height;
  const paints = ["--mte2", "--vector", "--mte3", "--scalar", "--other"];
  // `queue 1 [0]` and `queue 1 [1]` are one.
  const owner = (buffer) => buffer.name.split(" [")[0];
  const owners = [...new Set(buffers.map(owner))];
  g.fillStyle = colour("--soft");
  for (let i = 0; i < ROWS; i++) g.fillText(bytesText(i * row), 8, 6 + i * height + 13);
  const spots = [];
  buffers.forEach((buffer) => {
    for (let from = buffer.addr; from < buffer.addr + buffer.bytes;) {
      const to = Math.min(buffer.addr + buffer.bytes, (Math.floor(from / row) + 1) * row);
      const width = (to - from) / row * (right - left);
      g.fillStyle = colour(paints[owners.indexOf(owner(buffer)) % paints.length]);
      g.globalAlpha = 0.6;
      g.fillRect(x(from), y(from), Math.max(1, width - 1), height - 3);
      g.globalAlpha = 1;
      if (width > 40) label(g, buffer.name, x(from) + 4, y(from) + 12, width - 8, "--fore");
      spots.push({ left: x(from), top: y(from), width, height, text: `${buffer.name}\nfrom ${buffer.addr}, ${bytesText(buffer.bytes)}` });
      from = to;
    }
  });
  g.fillStyle = colour("--mark");
  for (const conflict of launch.conflicts) {
    for (const [i, addr] of conflict.at.entries()) {
      g.beginPath();
      g.moveTo(x(addr), y(addr) + height - 9);
      g.lineTo(x(addr) + 7, y(addr) + height - 3);
      g.lineTo(x(addr), y(addr) + height - 3);
      g.fill();
      const other = conflict.at[0] === conflict.at[1] ? "its own blocks" : conflict.operands[1 - i];
      const text = `${conflict.operands[i]} of ${conflict.op} at ${addr}\nshares bank groups with ${other}\n${conflict.line || ""}`;
      spots.unshift({ left: x(addr) - 2, top: y(addr) + height - 12, width: 12, height: 12, text });
    }
  }
  canvas.dataset.spots = spots.length;
  canvas.dataset.row = row;
  legend("ub", [
    ["words", "--back", trace ? `${bytesText(used)} of ${bytesText(launch.ub_size)} in use, ${bytesText(row)} in a row; a colour is a queue or a TBuf` : "no core was traced"],
    ...(launch.conflicts.length > 0 ? [["", "--mark", "operands that share bank groups, of the conflicts below"]] : []),
  ]);
  return spots;
}
