// The cards of the state that only tell: what is indexed, layout, storage, the tuning, the model.

import { card, note, withCommands } from "./boxes.js";
import { bars, frontier, parts } from "./charts.js";
import { h } from "./dom.js";
import { bytes, count, percent } from "./numbers.js";
import { sentence } from "./words.js";

// What the index is made of, in the order of the chart.
const PARTS = {
  text: "text, compressed",
  keywords: "keyword index",
  vectors: "vectors",
  metadata: "documents and passages",
  history: "visited pages",
  log: "latest changes",
};
const BESIDE = { models: "the model, in its fast form", evaluation: "kept by evaluations", daemon: "log and reserve" };
const LEFT_OUT = {
  unsupported: "of a kind that is not read",
  unreadable: "not to be read by you",
  symlink: "links",
  special: "no files",
  "too-large": "too large",
  "in-the-cloud": "not on this machine but in a cloud",
  "other-file-system": "on other disks",
  ignored: "named by ignore rules",
  build: "build trees",
  secret: "secrets",
  "part-of-page": "parts of saved pages",
  "browser-export": "exports of a browser, which capsa history import reads",
};
const WITHOUT = { scan: "scans without text", protected: "protected by a password", empty: "empty" };

export function contents(record) {
  const kinds = Object.entries(record.kinds).sort(([, a], [, b]) => b - a);
  const waiting = record.waiting_for_vectors;
  return card(
    "What is indexed",
    h(
      "p",
      {},
      `${count(record.documents, "document")}, ${count(record.chunks, "passage")}, ${count(record.vectors, "vector")}.`,
    ),
    bars(
      "Documents by kind",
      kinds.map(([label, value]) => ({ label, value, text: value.toLocaleString() })),
    ),
    waiting > 0 && note(`${count(waiting, "document")} without vectors yet: found by words only.`),
    tallies("Without text", record.without_text, WITHOUT),
    tallies("Left out", record.skipped, LEFT_OUT),
  );
}

export function layout(record) {
  const { layout_budget: budget, scans, given_up: givenUp } = record;
  const kinds = Object.entries(budget.by_kind);
  if (!kinds.length) return null;
  const lines = kinds.map(([kind, share]) =>
    h(
      "p",
      {},
      share.cut
        ? `${share.cut} of ${share.documents} ${kind} documents (${percent(share.share)}) are too long for the time that layout may take: ${count(share.pages_cut, "page")} of ${share.pages} are plain paragraphs.`
        : `All ${share.documents} ${kind} documents have their whole layout.`,
    ),
  );
  const cut = kinds.some(([, share]) => share.cut);
  return card(
    "Layout",
    lines,
    cut &&
      h(
        "p",
        { class: "dim" },
        "The background finishes them when the machine is idle and on mains; ",
        h("code", {}, "capsa index --finish"),
        " does it now.",
      ),
    scans.pages_waiting > 0 &&
      h(
        "p",
        {},
        `${count(scans.pages_waiting, "scanned page")} wait to be read${scans.ocr ? "." : ": install capsa[ocr] for that."}`,
      ),
    givenUp.map((each) => note(`${each.path}: ${each.detail}`)),
  );
}

export function storage(record) {
  const rows = (names) =>
    Object.entries(names)
      .filter(([name]) => record.storage[name])
      .map(([name, label]) => ({ label, value: record.storage[name], text: bytes(record.storage[name]) }));
  return card(
    "Storage",
    parts(`The index, ${bytes(record.storage.index)}`, rows(PARTS)),
    h(
      "p",
      { class: "dim" },
      rows(BESIDE)
        .map((row) => `${row.label}: ${row.text}`)
        .join(" · "),
    ),
    h("p", { class: "dim" }, `Everything lies in ${record.home}.`),
  );
}

export function tuning({ tuning, found_at: foundAt }) {
  if (!tuning) return null;
  const same = (point, other) => ["vectors", "chunker", "bytes"].every((name) => point[name] === other[name]);
  const points = tuning.points.map((point) => ({
    x: point.bytes,
    y: point.kept,
    label: `${point.vectors}, ${point.chunker}`,
    chosen: same(point, tuning.choice),
  }));
  const names = { x: "bytes of the index", y: "share of hits kept", showX: bytes, showY: percent };
  const { choice } = tuning;
  return card(
    "Storage against recall",
    frontier("Settings that capsa tune tried", points, names),
    h(
      "p",
      {},
      `Chosen: ${choice.vectors} with ${choice.chunker}, ${bytes(choice.bytes)}, keeps ${percent(choice.kept)}.`,
    ),
    h(
      "p",
      { class: "dim" },
      `Measured on ${new Date(foundAt * 1000).toLocaleDateString(undefined, { dateStyle: "medium" })}; `,
      h("code", {}, "capsa tune --apply"),
      " makes it so.",
    ),
  );
}

export function model(record) {
  const { model, cache } = record;
  const states = {
    none: "not made yet: the next run makes it",
    missing: "missing: the next run makes it anew",
    behind: "behind the documents: searches add what is newer",
    current: "up to date",
  };
  return card(
    "Model",
    h("p", {}, `${model.name}. The file of vectors is ${states[cache.state] ?? cache.state}.`),
    model.problem && note(withCommands(`${sentence(model.problem)}. Passages are found by their words only.`)),
    !model.problem &&
      !model.current &&
      note(`The index was made with ${model.of_the_index}: the next run embeds it anew.`),
  );
}

function tallies(title, counts, names = {}) {
  const entries = Object.entries(counts);
  if (!entries.length) return null;
  return h(
    "p",
    { class: "dim" },
    `${title}: ${entries.map(([name, number]) => `${number.toLocaleString()} ${names[name] ?? name}`).join(", ")}.`,
  );
}
