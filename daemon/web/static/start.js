// What the page to search in shows without a query: what there is, the newest documents, and how to ask.

import { KEYS, SYNTAX, showPairs } from "./dialogs.js";
import { button, h } from "./dom.js";
import { message } from "./messages.js";
import { count } from "./numbers.js";

// Documents that are shown.
export const NEWEST = 12;
// Kinds that are counted.
const KINDS = 5;

// How many documents there are, and which of them are shown.
export function showTotals({ sources, kinds }, isFiltered) {
  const documents = sources.reduce((sum, source) => sum + source.documents, 0);
  if (!documents) return null;
  if (isFiltered) return "The newest documents that the filters let through";
  const most = Object.entries(kinds).sort(([, a], [, b]) => b - a);
  const told = most.slice(0, KINDS).map(([kind, number]) => `${number.toLocaleString()} ${kind}`);
  if (most.length > KINDS) told.push("more kinds");
  return `${count(documents, "document")}: ${told.join(", ")} · the newest first`;
}

export function showNoneYet(onall) {
  if (!onall) return message(null, h("p", {}, "The first documents are still being read: they come here one by one."));
  return message("Nothing there", h("p", {}, "No document passes the filters."), button("Show all documents", onall));
}

export function showHints() {
  return h(
    "aside",
    { class: "hints", "aria-label": "How to ask", hidden: true },
    h("h2", {}, "How to ask"),
    h("p", { class: "dim" }, "In your own words: passages are found by their words and by what they mean."),
    showPairs(SYNTAX),
    h("h2", {}, "Keys"),
    showPairs(KEYS.slice(0, 3)),
    h("p", { class: "dim" }, h("kbd", {}, "?"), " lists all keys."),
  );
}
