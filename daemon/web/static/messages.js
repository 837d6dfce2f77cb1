// What the page to search in says when it has no hits to show: what is the matter, and what to do.

import { LIMIT, addressOf, hasFilter, withoutFilters } from "./address.js";
import { note, withCommands } from "./boxes.js";
import { button, h, icon } from "./dom.js";
import { count } from "./numbers.js";
import { titleOf } from "./results.js";
import { sentence } from "./words.js";

export const message = (title, ...content) => h("div", { class: "empty" }, title && h("h2", {}, title), content);

export function showFailure(failure, again) {
  return message(
    "That did not work",
    h("p", {}, withCommands(failure.message)),
    again && button([icon("retry"), "Try again"], again),
  );
}

export function showWelcome() {
  const text = "Choose a folder with documents. capsa reads them on this machine and sends nothing anywhere.";
  const link = h("a", { class: "button strong", href: "/state?add" }, icon("plus"), "Add a folder");
  return message("Nothing is indexed yet", h("p", {}, text), h("p", {}, link));
}

// How many passages were found, like what, and in what time.
export function showCount(found, hits, search, { ms, busy }) {
  if (!hits.length) return null;
  const best = found.hits.length >= LIMIT ? "The best " : "";
  const more = busy ? " · indexing goes on, more may be found" : "";
  const took = ` · ${Math.max(1, Math.round(ms))} ms`;
  return [best, count(hits.length, "passage"), search.like && showLike(found, search), took, more];
}

// What all that was found is like, with the way back to it.
function showLike(found, search) {
  const own = found.hits.find((hit) => String(hit.chunk.id) === search.like);
  if (!own) return " like a passage";
  const href = addressOf({ ...search, hit: search.like });
  return [" like ", h("a", { href }, `a passage of ${titleOf(own.document)}`)];
}

// What a search had to do without, and what was perhaps meant.
export function showNotes(found, hits, search, onsearch) {
  const meant = hits.length ? correct(found, search) : null;
  const question = meant && ["Did you mean ", button(meant.q, () => onsearch(meant), { class: "link" }), "? "];
  const unknown = hits.length > 0 && !search.like && !hits.some((hit) => hit.why.bm25);
  const where = hasFilter(search) ? "Nothing that the filters let through has" : "No document has";
  const told = unknown && `${where} these words; these passages are the nearest in meaning.`;
  return [found.notes.map((each) => note(withCommands(sentence(each)))), (question || told) && note(question, told)];
}

// The search with known words for unknown ones, null when there are none.
function correct(found, search) {
  if (!found.corrections?.length) return null;
  const right = (q, { word, instead }) => q.replace(word, () => instead);
  return { ...search, q: found.corrections.reduce(right, search.q), hit: "" };
}

// Nothing was found: what was asked, and what to ask instead.
export function showNothing(found, search, { onsearch, busy }) {
  const corrected = correct(found, search);
  const filtered = hasFilter(search) && withoutFilters(search);
  return message(
    "Nothing found",
    h(
      "p",
      {},
      search.like ? "Nothing else is like this passage." : ["No passage answers ", h("strong", {}, search.q), "."],
    ),
    h(
      "ul",
      {},
      corrected &&
        h(
          "li",
          {},
          "Did you mean ",
          button(corrected.q, () => onsearch(corrected)),
          "?",
        ),
      filtered &&
        h(
          "li",
          {},
          "Only what the filters let through was searched. ",
          button("Search everything", () => onsearch(filtered)),
        ),
      search.q.includes('"') &&
        h(
          "li",
          {},
          "Words in quotes must stand so. ",
          button("Search without quotes", () => onsearch({ ...search, q: search.q.replaceAll('"', " ").trim() })),
        ),
      busy && h("li", {}, "Documents are still being read: this page looks again when there are more."),
      h("li", {}, "Other words for the same may help: passages are also found by what they mean."),
    ),
  );
}
