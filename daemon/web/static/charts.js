// Charts as SVG, each with its numbers in text beside it: bars, one bar of parts, and points with their frontier.

import { h, svg } from "./dom.js";

// Colours of the style that parts have, one after another.
const COLOURS = 7;

// Rows of {label, value, text}, widest first.
export function bars(title, rows) {
  const most = Math.max(...rows.map((row) => row.value), 1);
  const shown = rows.map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, row.label),
      h("td", { class: "bar-cell", "aria-hidden": "true" }, bar([{ value: row.value, colour: 0 }], most)),
      h("td", { class: "number" }, row.text),
    ),
  );
  return h("table", { class: "bars" }, h("caption", { class: "unseen" }, title), h("tbody", {}, shown));
}

// One bar of {label, value, text}, and its legend.
export function parts(title, rows) {
  const whole = rows.reduce((sum, row) => sum + row.value, 0) || 1;
  const legend = rows.map((row, place) =>
    h(
      "li",
      {},
      h("span", { class: `key s${place % COLOURS}`, "aria-hidden": "true" }),
      h("span", {}, row.label),
      h("span", { class: "number" }, row.text),
    ),
  );
  const picture = bar(
    rows.map((row, place) => ({ value: row.value, colour: place % COLOURS })),
    whole,
  );
  return h("figure", { class: "parts" }, h("figcaption", {}, title), picture, h("ul", {}, legend));
}

function bar(pieces, whole) {
  let at = 0;
  const shapes = pieces.map(({ value, colour }) => {
    const width = (value / whole) * 400;
    const shape = svg("rect", {
      x: at.toFixed(1),
      y: 0,
      width: Math.max(width, value ? 1 : 0).toFixed(1),
      height: 16,
      class: `s${colour}`,
    });
    at += width;
    return shape;
  });
  return svg(
    "svg",
    { viewBox: "0 0 400 16", preserveAspectRatio: "none", class: "bar-chart", "aria-hidden": "true" },
    shapes,
  );
}

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [420, 250, 46, 40];

// Points of {x, y, label, chosen}: x along, by its logarithm, y up; the line joins those that no other beats.
export function frontier(title, points, { x, y, showX, showY }) {
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  const logs = scale(Math.log(Math.min(...xs)), Math.log(Math.max(...xs)), LEFT, WIDTH - 12);
  const across = (value) => logs(Math.log(value));
  const up = scale(Math.min(...ys), Math.max(...ys), HEIGHT - BOTTOM, 12);
  const best = unbeaten(points);
  const line = best.map((point) => `${across(point.x).toFixed(1)},${up(point.y).toFixed(1)}`).join(" ");
  const text = (at, height, words, anchor) => svg("text", { x: at, y: height, "text-anchor": anchor }, words);
  const ends = (values) => [Math.min(...values), Math.max(...values)];
  const axes = [
    ...ends(xs).map((value, place) => text(across(value), HEIGHT - BOTTOM + 18, showX(value), place ? "end" : "start")),
    ...ends(ys).map((value) => text(LEFT - 6, up(value) + 4, showY(value), "end")),
    text((LEFT + WIDTH) / 2, HEIGHT - 6, x, "middle"),
    svg("line", { x1: LEFT, x2: WIDTH - 12, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM, class: "axis" }),
  ];
  const dots = points.map((point) => {
    const name = svg("title", {}, `${point.label}: ${showX(point.x)}, ${showY(point.y)}`);
    return svg(
      "circle",
      {
        cx: across(point.x),
        cy: up(point.y),
        r: point.chosen ? 7 : 4.5,
        class: point.chosen ? "s1" : best.includes(point) ? "s0" : "beaten",
      },
      name,
    );
  });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": `${title}: ${y} against ${x}` },
    axes,
    svg("polyline", { points: line, class: "front" }),
    dots,
  );
  const signs = { s1: "chosen", s0: "none is as small and keeps more", beaten: "the others" };
  const legend = Object.entries(signs).map(([sign, label]) =>
    h("li", {}, h("span", { class: `key ${sign}`, "aria-hidden": "true" }), label),
  );
  const caption = h("figcaption", {}, `${title}: ${y} against ${x}`);
  return h("figure", { class: "frontier" }, caption, picture, h("ul", { class: "legend" }, legend));
}

function scale(low, high, start, end) {
  const span = high - low || 1;
  return (value) => start + ((value - low) / span) * (end - start) * 0.94 + (end - start) * 0.03;
}

// The points that have the most of y for their x or less.
function unbeaten(points) {
  const kept = [];
  for (const point of [...points].sort((a, b) => a.x - b.x || b.y - a.y)) {
    if (!kept.length || point.y > kept.at(-1).y) kept.push(point);
  }
  return kept;
}
