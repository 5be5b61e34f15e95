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

function round(cycles) {
  return Math.round(cycles * 10) / 10;
}

function bytesText(bytes) {
  return bytes >= 1048576 ? `${(bytes / 1048576).toFixed(1)} MiB` : bytes >= 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${bytes} B`;
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

const PIPES = [["aiv_scalar", "scalar"], ["aiv_mte2", "mte2"], ["aiv_vec", "vec"], ["aiv_mte3", "mte3"]];

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
  PIPES.forEach(([name, key], i) => {
    const ratios = launch.cores.map((core) => core.cycles > 0 ? core[key] / core.cycles : 0);
    const mean = ratios.reduce((a, b) => a + b, 0) / Math.max(1, ratios.length);
    const top = 12 + i * 34;
    g.fillStyle = colour("--fore");
    g.fillText(name, 8, top + 16);
    g.fillStyle = colour(`--${key === "vec" ? "vector" : key}`);
    g.fillRect(x(0), top, x(mean) - x(0), 22);
    g.fillStyle = colour("--fore");
    g.fillText(mean.toFixed(3), x(Math.max(mean, ...ratios)) + 6, top + 16);
    if (ratios.length > 1) {
      g.fillRect(x(Math.min(...ratios)), top + 10, Math.max(1, x(Math.max(...ratios)) - x(Math.min(...ratios))), 2);
    }
  });
}

// A bar for every core; the share of each pipe is not in it, pipes work at the same time.
function drawCores(canvas, launch, current) {
  const g = prepare(canvas, 166);
  const us = launch.cores.map((core) => core.cycles / launch.mhz);
  const most = Math.max(...us, 1e-9);
  const [left, bottom] = [52, 140];
  const step = (canvas.clientWidth - left - 10) / Math.max(1, us.length);
  g.fillStyle = colour("--soft");
  g.fillText(`${most.toFixed(2)} us`, 4, 18);
  g.fillText("0", 4, bottom);
  const mean = (us.reduce((a, b) => a + b, 0) / Math.max(1, us.length)).toFixed(2);
  const marked = us.length > 1 && launch.cores.some((core) => core.core === current);
  const text = `${us.length} ${us.length === 1 ? "core" : "cores"}; mean ${mean} us${marked ? "; red: the core of the timeline" : ""}`;
  g.fillText(cut(g, text, canvas.clientWidth - left - 8), left, bottom + 18);
  us.forEach((time, i) => {
    const height = time / most * (bottom - 12);
    g.fillStyle = colour(marked && launch.cores[i].core === current ? "--mark" : "--vector");
    g.fillRect(left + i * step, bottom - height, Math.max(1, step - 1), height);
  });
}

// The unified buffer in rows of 16 KiB; addresses under each other are in the same bank group.
const ROW_BYTES = 16384;

function drawBuffer(canvas, launch, trace) {
  const rows = Math.ceil(launch.ub_size / ROW_BYTES);
  const height = 18;
  const g = prepare(canvas, rows * height + 34);
  const [left, right] = [62, canvas.clientWidth - 10];
  const x = (addr) => left + (addr % ROW_BYTES) / ROW_BYTES * (right - left);
  const y = (addr) => 6 + Math.floor(addr / ROW_BYTES) * height;
  const paints = ["--mte2", "--vector", "--mte3", "--scalar", "--other"];
  g.fillStyle = colour("--soft");
  for (let row = 0; row < rows; row++) g.fillText(`${row * 16} KiB`, 8, 6 + row * height + 13);
  const spots = [];
  (trace ? trace.buffers : []).forEach((buffer, i) => {
    for (let from = buffer.addr; from < buffer.addr + buffer.bytes;) {
      const to = Math.min(buffer.addr + buffer.bytes, (Math.floor(from / ROW_BYTES) + 1) * ROW_BYTES);
      const width = (to - from) / ROW_BYTES * (right - left);
      g.fillStyle = colour(paints[i % paints.length]);
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
  g.fillStyle = colour("--soft");
  const none = trace ? "" : "no core was traced; ";
  const text = `${none}red: operands that share bank groups, of the conflicts below`;
  g.fillText(cut(g, text, canvas.clientWidth - left - 8), left, rows * height + 26);
  canvas.dataset.spots = spots.length;
  return spots;
}
