// The list of hits: what each is, where it is, and the piece that answers.

import { h, icon } from "./dom.js";
import { blocksOf, showBlock } from "./passages.js";
import { markSpans, plain, wordsOf } from "./words.js";

const KINDS = new Set("pdf html markdown text code csv rst org page docx pptx xlsx epub mail image office".split(" "));
// Characters of a chunk that a result makes a table or a listing of.
const MUCH = 20000;

export const iconOf = (kind) => icon(KINDS.has(kind) ? kind : "text");

export function titleOf(document_) {
  return plain(document_.title || document_.path?.split(/[\\/]/).at(-1) || document_.uri);
}

export function webAddress(document_) {
  return [document_.url, document_.uri].find((each) => /^https?:\/\//i.test(each ?? "")) ?? null;
}

export function pagesOf(chunk) {
  if (!chunk.page_first) return "";
  const several = chunk.page_last && chunk.page_last !== chunk.page_first;
  return several ? `pages ${chunk.page_first}–${chunk.page_last}` : `page ${chunk.page_first}`;
}

export const dayOf = (instant) =>
  instant ? new Date(instant).toLocaleDateString(undefined, { dateStyle: "medium" }) : "";

// Where a document is: a host with what is known of visits, or a path from its source on.
export function placeOf(document_, sources) {
  const address = webAddress(document_);
  if (address) {
    const { count } = document_.visits ?? {};
    return [new URL(address).host, count && `${count.toLocaleString()} ${count === 1 ? "visit" : "visits"}`]
      .filter(Boolean)
      .join(" · ");
  }
  const path = plain(document_.path ?? "");
  const root = sources
    .map((source) => source.path)
    .find((each) => path.startsWith(`${each}/`) || path.startsWith(`${each}\\`));
  return root ? path.slice(root.length - root.split(/[\\/]/).at(-1).length) : path;
}

export function headingsOf(chunk, document_) {
  const headings = chunk.headings[0] === document_.title ? chunk.headings.slice(1) : chunk.headings;
  return plain(headings.join(" › "));
}

export function showHit(hit, { sources, href, onpick }) {
  const { document: document_, chunk } = hit;
  const day = dayOf(document_.modified);
  const facts = [placeOf(document_, sources), pagesOf(chunk), document_.visits ? `last on ${day}` : day].filter(
    Boolean,
  );
  const headings = headingsOf(chunk, document_);
  return h(
    "li",
    { class: "hit", "data-chunk": chunk.id },
    h("h3", {}, iconOf(document_.kind), h("a", { href, onclick: onpick, "data-chunk": chunk.id }, titleOf(document_))),
    h("p", { class: "place", title: document_.path ?? document_.uri }, facts.join(" · ")),
    headings && h("p", { class: "headings" }, headings),
    h("div", { class: "piece" }, showPiece(hit)),
  );
}

// The table or the listing that the chunk is about, else the snippet.
function showPiece(hit) {
  const words = wordsOf(hit);
  const wanted = { table: ["pipes", "tabs"], code: ["code"] }[hit.chunk.kind];
  if (wanted && hit.text.length < MUCH) {
    const about = {
      kind: hit.chunk.kind,
      format: hit.document.kind,
      name: hit.document.path,
      headings: hit.chunk.headings,
    };
    const blocks = blocksOf(hit.text, about);
    const place = blocks.findIndex((each) => wanted.includes(each.type));
    if (place >= 0) return [showCaption(blocks[place - 1], words), showBlock(blocks[place], words, true)];
  }
  const label = hit.chunk.kind === "figure" && h("span", { class: "label" }, "Figure");
  return h("p", {}, label, ...cut(hit));
}

function showCaption(block, words) {
  const short = block && ["text", "heading"].includes(block.type) && block.lines.join(" ").length < 300;
  return short ? showBlock(block, words) : null;
}

function cut(hit) {
  const [text, snippet] = [hit.text.trim(), hit.snippet.trim()];
  const parts = markSpans(hit.snippet, hit.highlights ?? []);
  return [text.startsWith(snippet) ? "" : "… ", ...parts, text.endsWith(snippet) ? "" : " …"];
}
