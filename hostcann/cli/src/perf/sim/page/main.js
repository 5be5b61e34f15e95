const data = JSON.parse(document.getElementById("data").textContent);
const launches = data.runs.flatMap((run) => run.launches.map((launch, i) => ({ ...launch, program: run.program, number: i + 1 })));
const by = (id) => document.getElementById(id);

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

const show = {
  tip(text, e) {
    const tip = by("tip");
    tip.hidden = text === null;
    if (text === null) return;
    tip.textContent = text;
    const left = Math.min(e.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    const top = e.clientY + 16 + tip.offsetHeight > window.innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  },
  keep(text) {
    by("kept").hidden = false;
    by("kept").textContent = text;
  },
};

const timeline = new Timeline(by("timeline"), show);
let launch = null;
let trace = null;
let spots = [];

function choose(index) {
  launch = launches[index];
  [...by("launches").querySelectorAll("tr[tabindex]")].forEach((row, i) => {
    row.classList.toggle("chosen", i === index);
    row.setAttribute("aria-selected", i === index);
  });
  const select = by("core");
  select.replaceChildren(...launch.trace.map((one, i) => {
    const option = element("option", one.name);
    option.value = i;
    return option;
  }));
  select.disabled = launch.trace.length < 2;
  by("kept").hidden = true;
  summary();
  tables();
  chooseCore(0);
}

function chooseCore(index) {
  trace = launch.trace[index] || null;
  timeline.load(launch, trace);
  charts();
}

function charts() {
  legend("timeline", timeline.legend());
  drawPipes(by("pipes"), launch);
  drawCores(by("cores"), launch, trace ? trace.core : -1);
  drawRoofline(by("roofline"), launch);
  spots = drawBuffer(by("ub"), launch, trace);
}

function summary() {
  const us = launch.cores.map((core) => core.cycles / launch.mhz);
  const bytes = launch.bytes.read + launch.bytes.write;
  const facts = [
    ["Task Duration (model)", `${launch.us_text} us`],
    ["error of every time (mean)", launch.error_text],
    ["bound (model)", launch.bound],
    ["slowest core (model)", `${Math.max(0, ...us).toFixed(2)} us`],
    ["outside of cores (model)", `${launch.launch_us.toFixed(2)} us`],
    ["global memory", bytesText(bytes)],
    ["bandwidth (model)", `${digits(bytes / launch.task_us / 1e3)} GB/s`],
    ["blocks", launch.simulated < launch.blocks ? `${launch.blocks}, ${launch.simulated} simulated` : String(launch.blocks)],
    ["chip", `${launch.soc}, ${launch.mode}`],
    ...(launch.tensors ? [["tensors", launch.tensors]] : []),
    ["kernel", `${launch.kernel}, key ${launch.tiling_key}`],
  ];
  by("summary").replaceChildren(...facts.map(([name, value]) => {
    const fact = element("div");
    fact.append(element("b", value), element("span", name, "soft"));
    return fact;
  }));
}

function table(title, head, rows) {
  if (rows.length === 0) return [];
  const made = element("table");
  const line = (cells, kind) => {
    const tr = element("tr");
    cells.forEach((cell, i) => {
      const number = typeof cell === "number";
      const made = element(kind, cell instanceof Node ? undefined : number ? trim(cell) : cell, number ? "number" : "");
      if (cell instanceof Node) made.append(cell);
      made.dataset.head = head[i];
      tr.append(made);
    });
    return tr;
  };
  made.append(line(head, "th"), ...rows.map((row) => line(row, "td")));
  const frame = element("div", undefined, "frame");
  frame.append(made);
  return [element("h2", title), frame];
}

function tables() {
  by("tables").replaceChildren(
    element("p", `All of these times${launch.l2_edge ? ", of the shorter one" : ""}: ${launch.error_text}`),
    ...launch.notes.map((note) => element("p", `Note: ${note}`)),
    ...table("What would help (model)", ["change", "us", "gain"],
      launch.advice.map((a) => [a.text, Number(a.task_us.toFixed(2)), `−${(a.gain * 100).toFixed(1)} %`])),
    ...table("Bank conflicts (model)", ["instruction", "operands", "repeats", "cycles lost", "line", "source"],
      launch.conflicts.map((c) => [c.op, c.who, c.repeats, c.cycles, c.line || "", code(c.line)])),
    ...table("Busiest lines (model)", ["line", "pipe", "instructions", "us, slowest core", "source"],
      [...launch.lines].sort((a, b) => b.cycles - a.cycles).slice(0, 30)
        .map((l) => [l.line, l.row, l.instructions, Number((l.cycles / launch.mhz).toFixed(3)), code(l.line)])),
  );
}

// The source line as it stands there.
function code(line) {
  return element("code", data.source[line] || "");
}

// Every launch; a click on one, or Enter, shows it.
function overview() {
  const programs = new Set(launches.map((one) => one.program));
  const of = (one) => programs.size > 1 ? [one.program] : [];
  const rows = launches.map((one) => [
    ...of(one), one.number, one.name, one.l2_edge ? one.us_text : Number(one.us_text), one.error_text, one.bound, one.blocks,
    one.tensors || "",
  ]);
  const head = [...(programs.size > 1 ? ["program"] : []), "", "kernel", "us (model)", "error (mean)", "bound (model)", "blocks", "tensors"];
  const count = launches.length === 1 ? "Launch" : `Launches: ${launches.length}`;
  const title = programs.size === 1 ? `${count} of ${[...programs][0]}` : count;
  by("launches").replaceChildren(...table(title, head, rows));
  [...by("launches").querySelectorAll("tr")].slice(1).forEach((row, i) => {
    row.tabIndex = 0;
    row.addEventListener("click", () => choose(i));
    row.addEventListener("keydown", (e) => { if (e.key === "Enter") choose(i); });
  });
}

function start() {
  const names = [...new Set(launches.map((one) => one.name))];
  const title = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  by("title").textContent = title || "No launch";
  document.title = `${title} (timing model)`;
  overview();
  by("core").addEventListener("change", (e) => chooseCore(Number(e.target.value)));
  by("fit").addEventListener("click", () => timeline.fit());
  by("in").addEventListener("click", () => timeline.zoom(0.6));
  by("out").addEventListener("click", () => timeline.zoom(1 / 0.6));
  by("ub").addEventListener("pointermove", (e) => {
    const hit = spots.find((s) => e.offsetX >= s.left && e.offsetX < s.left + s.width && e.offsetY >= s.top && e.offsetY < s.top + s.height);
    show.tip(hit ? hit.text : null, e);
  });
  by("ub").addEventListener("pointerleave", () => show.tip(null));
  const redraw = () => { if (launch) { timeline.draw(); charts(); } };
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // What takes longest is what one looks for.
  if (launches.length > 0) choose(data.slowest);
}

start();
