// The list of hits: what each is, where it is, and the piece that answers.

import { h, icon } from "./dom.js";
import { LINES } from "./icons.js";
import { blocksOf, showBlock } from "./passages.js";
import { markSpans, markWords, plain } from "./words.js";

// The icons of kinds that have none of their name.
const ALIKE = { docx: "office", pptx: "office", xlsx: "csv" };
// What marks headings, links, images and bold in Markdown, beside their words.
const MARKUP = /(?<=^|\s)#{1,6}\s|!?\[(?=[^\]]{0,200}\]\()|\]\([^()\s]{0,400}\)?|\*\*/g;
// Characters that a snippet must have beside its heading.
const ENOUGH = 30;
// Characters of a chunk that a result makes a table or a listing of.
const MUCH = 20000;

export const iconOf = (kind) => icon(Object.hasOwn(LINES, kind) ? kind : (ALIKE[kind] ?? "text"));

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

// Made once: making it takes longer than all else of a hit.
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const dayOf = (instant) => (instant ? DAY.format(new Date(instant)) : "");

// Where a document is: a host with what is known of visits, or a path from its source on.
function placeOf(document_, sources) {
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

// Where and of when a passage is, in one line.
export function factsOf(document_, chunk, sources) {
  const day = dayOf(document_.modified);
  const facts = [placeOf(document_, sources), chunk && pagesOf(chunk), document_.visits ? `last on ${day}` : day];
  return facts.filter(Boolean).join(" · ");
}

// The headings that a passage stands under; the first is often the title once more.
export function headingsOf(chunk, document_) {
  const [first, ...rest] = chunk.headings;
  return first && document_.title?.startsWith(first) ? rest : chunk.headings;
}

// A hit; one of the same document as the hit before (`more`) tells only what is its own.
export function showHit(hit, { sources, href, onpick, more, words }) {
  const { document: document_, chunk } = hit;
  const headings = headingsOf(chunk, document_);
  const path = headings.length ? markWords(plain(headings.join(" › ")), words) : null;
  const link = (...text) => h("a", { href, onclick: onpick, "data-chunk": chunk.id }, text);
  const head = more
    ? [h("h3", {}, link(path ?? "Another passage"), " ", h("span", { class: "place" }, pagesOf(chunk)))]
    : [
        h("h3", {}, iconOf(document_.kind), link(titleOf(document_))),
        h("p", { class: "place", title: document_.path ?? document_.uri }, factsOf(document_, chunk, sources)),
        path && h("p", { class: "headings" }, path),
      ];
  const classes = more ? "hit more-of-it" : "hit";
  // A document that was not searched for has no piece that answers.
  const piece = hit.snippet === undefined ? null : h("div", { class: "piece" }, showPiece(hit, words));
  return h("li", { class: piece ? classes : "hit brief", "data-chunk": chunk.id }, head, piece);
}

// The table or the listing that the chunk is about, else the snippet.
function showPiece(hit, words) {
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
  const marks = hit.document.kind === "markdown" ? [...hit.snippet.matchAll(MARKUP)] : [];
  const cuts = marks.map((mark) => [mark.index, mark.index + mark[0].length]);
  const parts = markSpans(hit.snippet, hit.highlights ?? [], [...cuts, headingAt(hit)]);
  return [text.startsWith(snippet) ? "" : "… ", ...parts, text.endsWith(snippet) ? "" : " …"];
}

// Where the snippet begins with the heading, which stands above it already.
function headingAt({ snippet, chunk }) {
  const heading = chunk.headings.at(-1);
  const start = /^[#\s]*/.exec(snippet)[0].length;
  const end = start + (heading?.length ?? 0);
  const repeats = heading && snippet.startsWith(heading, start) && snippet.length - end > ENOUGH;
  return repeats ? [0, end] : [0, 0];
}
