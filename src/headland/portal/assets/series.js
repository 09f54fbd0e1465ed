// Series: a chart of the figures that a table beside it has, by when they were found.
"use strict";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = 86400;
const HEIGHT = 200;
// Where there are more, dots hide the line.
const MOST_DOTS = 80;
// From the length of a step on: what a tick says, and what it says besides where a year, month or day begins.
const STEPS = [
  [365 * DAY, "{YYYY}", null, null, null, null, null, null, 1],
  [28 * DAY, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [DAY, "{D} {MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [60, "{HH}:{mm}", "\n{D} {MMM} {YYYY}", null, "\n{D} {MMM}", null, null, null, 1],
];
// Lines differ by more than their colours.
const LINES = [["--accent", []], ["--calm", [8, 3]], ["--waiting", [3, 3]], ["--bad", [10, 3, 3, 3]], ["--ink", [2, 4]], ["--muted", [14, 4]]];

function token(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function said(at) {
  const time = new Date(at * 1000);
  return `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}`;
}

function numbered(value) { return value.toLocaleString("en", { maximumFractionDigits: 4 }); }

// What the rows of a table say: times, and of each line a value for each of them, or none.
function figuresOf(table) {
  const rows = [...table.tBodies[0].rows].map((row) => row.dataset);
  const times = [...new Set(rows.map((row) => Number(row.at)))].sort((one, other) => one - other);
  const column = (some, member) => {
    const found = new Map(some.filter((row) => member in row).map((row) => [Number(row.at), Number(row[member])]));
    return times.map((at) => found.get(at) ?? null);
  };
  const names = [...new Set(rows.map((row) => row.line))];
  const lines = names.map((name) => ({ name, values: column(rows.filter((row) => row.line === name), "value") }));
  const limits = ["low", "high"].map((member) => column(rows, member)).filter((values) => values.some((value) => value !== null));
  return { times, lines, limits };
}

// From nought where that does not make what changes too small to be seen.
function rangeOf(_plot, least, most) {
  const space = (most - least || Math.abs(most) || 1) * 0.12;
  return [least >= 0 && least < most * 0.7 ? 0 : least - space, most + space];
}

function draw(place, { times, lines, limits }, unit, told) {
  const [muted, rule, surface] = ["--muted", "--line", "--surface"].map(token);
  const style = getComputedStyle(document.body);
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: muted, font, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 } };
  const drawn = lines.map(({ name, values }, number) => {
    const [colour, dash] = LINES[number % LINES.length];
    const few = values.filter((value) => value !== null).length <= MOST_DOTS;
    const stroke = token(colour);
    return { label: name || "Altogether", stroke, dash, width: 2, spanGaps: true, points: { show: few, size: 7, stroke, fill: surface } };
  });
  const usual = limits.map(() => ({ label: "usual", stroke: muted, width: 1, dash: [4, 4], spanGaps: true, points: { show: false } }));
  return new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, points: { size: 9 } },
      scales: { x: { range: (_plot, from, to) => [from - (to - from) * 0.04, to + (to - from) * 0.04] }, y: { range: rangeOf } },
      axes: [{ ...axis, space: 60, size: 44, values: STEPS }, { ...axis, size: 64, values: (_plot, ticks) => ticks.map(numbered) }],
      series: [{}, ...drawn, ...usual],
      hooks: {
        setCursor: [(plot) => {
          const at = plot.cursor.idx;
          if (at === null || at === undefined) { told.textContent = ""; return; }
          const found = lines.filter(({ values }) => values[at] !== null);
          told.textContent = `${said(times[at])}: ${found.map(({ name, values }) => `${name ? `${name} ` : ""}${numbered(values[at])}${unit ? ` ${unit}` : ""}`).join(", ")}`;
        }],
      },
    },
    [times, ...lines.map(({ values }) => values), ...limits],
    place,
  );
}

// Which line is which.
function keyOf(lines) {
  const list = document.createElement("ul");
  list.className = "key";
  lines.forEach(({ name }, number) => {
    const [colour, dash] = LINES[number % LINES.length];
    const item = document.createElement("li");
    const sample = document.createElement("span");
    sample.style.borderTop = `3px ${dash.length ? (dash[0] > 4 ? "dashed" : "dotted") : "solid"} var(${colour})`;
    item.append(sample, name || "Altogether");
    list.append(item);
  });
  return list;
}

// The arrows go from one time to the next, as the pointer does.
function takeArrows(place, plot, times) {
  let at = -1;
  const go = (next) => {
    at = Math.max(0, Math.min(times.length - 1, next));
    plot().setCursor({ left: plot().valToPos(times[at], "x"), top: 0 });
  };
  place.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: times.length - 1 }[event.key];
    if (step === undefined) return;
    go(step);
    event.preventDefault();
  });
  place.addEventListener("blur", () => { at = -1; plot().setCursor({ left: -10, top: -10 }); });
}

function showSeries(place) {
  const table = document.getElementById(place.dataset.series);
  const figures = figuresOf(table);
  const { times, lines } = figures;
  const told = document.createElement("p");
  told.className = "hint";
  told.setAttribute("role", "status");
  place.hidden = false;
  place.tabIndex = 0;
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `Chart of ${table.caption.textContent}, ${said(times[0])} to ${said(times.at(-1))}. The arrow keys go from one time to the next; the table has the same figures.`);
  place.after(told);
  if (lines.length > 1) place.after(keyOf(lines));
  let plot = draw(place, figures, table.dataset.unit, told);
  const anew = () => { plot.destroy(); plot = draw(place, figures, table.dataset.unit, told); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", anew);
  new ResizeObserver(() => { plot.setSize({ width: place.clientWidth, height: HEIGHT }); }).observe(place);
  takeArrows(place, () => plot, times);
  place.dataset.drawn = "yes";
}

if (window.uPlot) document.querySelectorAll("[data-series]").forEach(showSeries);
