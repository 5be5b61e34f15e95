// The timeline of one core: rows of instructions, arrows between them, the bytes of the unified buffer in use.
const LANE = 20;
const GAP = 8;
const LABELS = 86;
const AXIS = 26;
const USED = 64;

class Timeline {
  constructor(canvas, show) {
    this.canvas = canvas;
    this.show = show;
    this.rows = [];
    this.view = { from: 0, to: 1 };
    this.hovered = null;
    this.drag = null;
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("pointerdown", (e) => this.press(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", () => { this.drag = null; });
    canvas.addEventListener("pointerleave", () => { this.drag = null; this.hover(null); });
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("keydown", (e) => this.key(e));
    canvas.addEventListener("click", () => { if (this.hovered !== null && !this.moved) this.show.keep(this.describe(this.hovered)); });
  }

  // `trace` is that of one core; without one the canvas says so.
  load(launch, trace) {
    this.launch = launch;
    this.trace = trace;
    this.hovered = null;
    this.rows = trace ? rowsOf(trace) : [];
    const ends = trace ? trace.events.map((e) => e.end) : [];
    this.end = Math.max(1, ends.reduce((a, b) => Math.max(a, b), 0));
    // Of the task: its launch lies before the core's own time.
    this.begin = trace ? trace.events.reduce((a, e) => Math.min(a, e.start), 0) : 0;
    const lanes = this.rows.reduce((sum, row) => sum + row.lanes.length * LANE + GAP, 0);
    this.height = AXIS + lanes + USED + 2 * GAP;
    this.fit();
  }

  fit() {
    const margin = (this.end - this.begin) * 0.01;
    this.set(this.begin - margin, this.end + margin);
  }

  // Never closer than some cycles, never further away than everything.
  set(from, to) {
    const widest = (this.end - this.begin) * 1.1;
    let width = Math.min(Math.max(to - from, 8), widest);
    let middle = (from + to) / 2;
    middle = Math.min(Math.max(middle, this.begin), this.end);
    this.view = { from: middle - width / 2, to: middle + width / 2 };
    this.draw();
  }

  zoom(factor, at) {
    const { from, to } = this.view;
    const fixed = at === undefined ? (from + to) / 2 : at;
    this.set(fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
  }

  get width() { return this.canvas.clientWidth; }
  x(cycle) { return LABELS + (cycle - this.view.from) / (this.view.to - this.view.from) * (this.width - LABELS); }
  cycle(x) { return this.view.from + (x - LABELS) / (this.width - LABELS) * (this.view.to - this.view.from); }

  wheel(e) {
    e.preventDefault();
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      const by = e.deltaX / (this.width - LABELS) * (this.view.to - this.view.from);
      this.set(this.view.from + by, this.view.to + by);
    } else {
      this.zoom(Math.exp(e.deltaY * 0.0015), this.cycle(e.offsetX));
    }
  }

  press(e) {
    this.drag = { x: e.offsetX, view: { ...this.view } };
    this.moved = false;
  }

  move(e) {
    if (!this.drag) {
      this.hover(this.find(e.offsetX, e.offsetY), e);
      return;
    }
    const cycles = (e.offsetX - this.drag.x) / (this.width - LABELS) * (this.drag.view.to - this.drag.view.from);
    this.moved = this.moved || Math.abs(e.offsetX - this.drag.x) > 3;
    this.set(this.drag.view.from - cycles, this.drag.view.to - cycles);
  }

  key(e) {
    const by = (this.view.to - this.view.from) * 0.2;
    const keys = {
      ArrowLeft: () => this.set(this.view.from - by, this.view.to - by),
      ArrowRight: () => this.set(this.view.from + by, this.view.to + by),
      "+": () => this.zoom(0.7),
      "-": () => this.zoom(1 / 0.7),
      0: () => this.fit(),
    };
    if (keys[e.key]) {
      e.preventDefault();
      keys[e.key]();
    }
  }

  hover(found, e) {
    const change = found !== this.hovered;
    this.hovered = found;
    this.show.tip(found === null ? null : this.describe(found), e);
    if (change) this.draw();
  }

  // The event under a point.
  find(x, y) {
    const cycle = this.cycle(x);
    const slack = (this.view.to - this.view.from) / (this.width - LABELS);
    for (const row of this.rows) {
      for (let lane = 0; lane < row.lanes.length; lane++) {
        const top = row.top + lane * LANE;
        if (x < LABELS || y < top || y >= top + LANE) continue;
        const events = row.lanes[lane];
        const at = after(events, cycle, this.trace) - 1;
        for (const near of [at, at + 1]) {
          const event = this.trace.events[events[near]];
          if (event && event.start - slack <= cycle && cycle <= event.end + slack) return events[near];
        }
      }
    }
    return null;
  }

  describe(index) {
    const event = this.trace.events[index];
    const us = (cycles) => (cycles / this.launch.mhz).toFixed(3);
    const lines = [event.name];
    if (event.line) lines.push(event.line);
    if (data.source[event.line]) lines.push(`  ${data.source[event.line]}`);
    lines.push(`${us(event.start - this.begin)} us, ${us(event.end - event.start)} us long (model)`);
    lines.push(`cycles ${round(event.start)} to ${round(event.end)}: ${round(event.end - event.start)}`);
    for (const [key, value] of Object.entries(event.args || {})) lines.push(`${key}: ${value}`);
    for (const flow of this.trace.flows) {
      if (flow.to === index) lines.push(`waits for ${this.trace.events[flow.from].name} (${flow.name})`);
      if (flow.from === index) lines.push(`lets go ${this.trace.events[flow.to].name} (${flow.name})`);
    }
    return lines.join("\n");
  }

  // Of the colours and lines that are drawn.
  legend() {
    if (!this.trace) return [];
    const words = { LAUNCH: "launch of the task", SCALAR: "scalar unit", MTE2: "copy in", VECTOR: "vector unit", MTE3: "copy out" };
    return [
      ...this.rows.map((row) => ["", row.colour, words[row.name] ? `${row.name}: ${words[row.name]}` : row.name]),
      ...(this.trace.events.some(waits) ? [["pale", "--other", "pale: the pipe waits"]] : []),
      ...(this.trace.flows.length > 0 ? [["line", "--soft", "arrow: to an instruction from what it waits for"], ["line", "--mark", "arrow of the instruction under the pointer"]] : []),
    ];
  }

  draw() {
    const g = prepare(this.canvas, this.height);
    this.canvas.dataset.view = `${this.view.from} ${this.view.to}`;
    if (!this.trace) {
      g.fillStyle = colour("--soft");
      g.fillText("No timeline of this launch: it was made for other cores, or the launch has none (--core).", 12, 24);
      return;
    }
    this.axis(g);
    let top = AXIS;
    let drawn = 0;
    for (const row of this.rows) {
      row.top = top;
      g.fillStyle = colour("--fore");
      g.fillText(row.name, 8, top + 14);
      row.lanes.forEach((events, lane) => { drawn += this.lane(g, row, events, top + lane * LANE); });
      top += row.lanes.length * LANE + GAP;
    }
    this.canvas.dataset.drawn = drawn;
    this.arrows(g);
    this.used(g, top);
  }

  axis(g) {
    const cycles = this.view.to - this.view.from;
    const step = nice(cycles / this.launch.mhz / Math.max(2, (this.width - LABELS) / 110));
    g.strokeStyle = colour("--line");
    g.fillStyle = colour("--soft");
    const first = Math.ceil(Math.max(0, this.view.from - this.begin) / this.launch.mhz / step);
    const last = Math.floor((this.view.to - this.begin) / this.launch.mhz / step);
    for (let n = first; n <= last; n++) {
      const x = Math.round(this.x(this.begin + n * step * this.launch.mhz)) + 0.5;
      g.beginPath();
      g.moveTo(x, AXIS - 6);
      g.lineTo(x, this.height);
      g.stroke();
      const time = `${trim(n * step)} us`;
      if (x + 3 + g.measureText(time).width < this.width) g.fillText(time, x + 3, AXIS - 9);
    }
  }

  // Events narrower than a pixel share it.
  lane(g, row, events, top) {
    let drawn = 0;
    let until = -1;
    for (let i = Math.max(0, after(events, this.view.from, this.trace) - 1); i < events.length; i++) {
      const event = this.trace.events[events[i]];
      if (event.start > this.view.to) break;
      const left = Math.max(LABELS, this.x(event.start));
      const right = Math.max(left + 1, this.x(event.end));
      if (right < LABELS + 1 || (right <= until && events[i] !== this.hovered)) continue;
      until = Math.max(until, Math.floor(right));
      drawn += 1;
      g.fillStyle = colour(row.colour);
      g.globalAlpha = events[i] === this.hovered ? 1 : waits(event) ? 0.22 : 0.72;
      g.fillRect(left, top + 1, Math.max(1, right - left - (right - left > 4 ? 1 : 0)), LANE - 3);
      g.globalAlpha = 1;
      const room = Math.min(right, this.width) - left;
      if (room > 30) label(g, event.name, left + 4, top + 14, room - 8, waits(event) ? "--fore" : "--back");
    }
    return drawn;
  }

  arrows(g) {
    const near = this.trace.flows.filter((flow) => {
      const [from, to] = [this.trace.events[flow.from], this.trace.events[flow.to]];
      return to.start >= this.view.from && from.end <= this.view.to;
    });
    const all = near.length <= 150;
    for (const flow of near) {
      const mine = flow.from === this.hovered || flow.to === this.hovered;
      if (all || mine) this.arrow(g, flow, mine);
    }
  }

  arrow(g, flow, strong) {
    const place = (index, cycle) => {
      const row = this.rows.find((r) => r.of.has(index));
      return [this.x(cycle), row.top + row.of.get(index) * LANE + LANE / 2];
    };
    const [x1, y1] = place(flow.from, this.trace.events[flow.from].end);
    const [x2, y2] = place(flow.to, Math.max(this.trace.events[flow.to].start, this.trace.events[flow.from].end));
    if (x1 < LABELS || x2 < LABELS) return;
    g.strokeStyle = g.fillStyle = colour(strong ? "--mark" : "--soft");
    g.globalAlpha = strong ? 1 : 0.55;
    g.lineWidth = strong ? 1.6 : 0.8;
    g.beginPath();
    g.moveTo(x1, y1);
    g.bezierCurveTo(x1 + 12, y1, x2 - 12, y2, x2, y2);
    g.stroke();
    g.beginPath();
    g.moveTo(x2, y2);
    g.lineTo(x2 - 5, y2 - 3);
    g.lineTo(x2 - 5, y2 + 3);
    g.fill();
    g.globalAlpha = 1;
    g.lineWidth = 1;
  }

  used(g, top) {
    const size = this.launch.ub_size;
    const y = (bytes) => top + USED - bytes / size * (USED - 6);
    g.fillStyle = colour("--fore");
    g.fillText("UB in use", 8, top + 14);
    g.fillStyle = colour("--soft");
    g.fillText(`${size / 1024} KiB`, 8, top + 30);
    g.fillStyle = colour("--other");
    g.globalAlpha = 0.5;
    this.trace.ub.forEach(([cycle, bytes], i) => {
      const end = i + 1 < this.trace.ub.length ? this.trace.ub[i + 1][0] : this.end;
      const [left, right] = [Math.max(LABELS, this.x(cycle)), this.x(end)];
      if (right > left) g.fillRect(left, y(bytes), right - left, top + USED - y(bytes));
    });
    g.globalAlpha = 1;
    g.strokeStyle = colour("--line");
    g.strokeRect(LABELS + 0.5, top + 0.5, this.width - LABELS - 2, USED);
  }
}

// The rows of a core, and in each the lanes that hold its events in the order of time.
function rowsOf(trace) {
  const rows = new Map();
  trace.events.forEach((event, index) => {
    if (!rows.has(event.row)) {
      rows.set(event.row, { name: event.row, order: event.order, colour: `--${event.row.toLowerCase()}`, lanes: [], of: new Map(), top: 0 });
    }
    const row = rows.get(event.row);
    while (row.lanes.length <= event.lane) row.lanes.push([]);
    row.lanes[event.lane].push(index);
    row.of.set(index, event.lane);
  });
  const sorted = [...rows.values()].sort((a, b) => a.order - b.order);
  for (const row of sorted) {
    if (!["--scalar", "--mte2", "--vector", "--mte3"].includes(row.colour)) row.colour = "--other";
    row.lanes.forEach((lane) => lane.sort((a, b) => trace.events[a].start - trace.events[b].start));
  }
  return sorted;
}

// The pipe does nothing meanwhile.
function waits(event) {
  return /^(WaitFlag|PipeBarrier|SyncAll|CrossCoreWaitFlag)/.test(event.name);
}

// How many events of a lane begin before a cycle, or at it.
function after(events, cycle, trace) {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trace.events[events[middle]].start <= cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}
