// Words of a query in texts: which are to be marked, and texts with marks.

import { h } from "./dom.js";

// A name in which marks of direction turn no letters around: "exe.png" is not to be read where "gnp.exe" stands.
export const plain = (name) => name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

export const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

// Python counts characters, JavaScript halves of surrogate pairs: spans are read on an array of characters.
export function spans(text, highlights) {
  const characters = Array.from(text);
  return highlights.map(([start, end]) => characters.slice(start, end).join(""));
}

// What characters are, beside those that are only shown: 0.
const [MARKED, CUT] = [1, 2];

// The text with marks, without the parts that are cut, which are told by JavaScript's own places.
export function markSpans(text, highlights, cuts = []) {
  const characters = Array.from(text);
  const kinds = new Uint8Array(characters.length);
  const place = (at) => (characters.length === text.length ? at : Array.from(text.slice(0, at)).length);
  for (const [start, end] of highlights) kinds.fill(MARKED, start, Math.max(start, end));
  for (const [start, end] of cuts) kinds.fill(CUT, place(start), place(end));
  const parts = [];
  for (let at = 0, start = 0; at < kinds.length; start = at) {
    const kind = kinds[start];
    while (at < kinds.length && kinds[at] === kind) at += 1;
    const run = characters.slice(start, at).join("");
    if (kind !== CUT) parts.push(kind === MARKED ? h("mark", {}, run) : run);
  }
  return parts;
}

// The words that were marked in a snippet, to be marked in other texts too.
export function wordsOf(hit) {
  return new Set(spans(hit.snippet ?? "", hit.highlights ?? []).map((word) => word.toLowerCase()));
}

const WORD = /[\p{L}\p{N}]+(?:[-_.:/]{1,2}[\p{L}\p{N}]+)*/gu;
const PART = /[\p{L}\p{N}]+/gu;

export function markWords(text, words) {
  if (!words?.size) return [text];
  const parts = [];
  let at = 0;
  const mark = (word, start) => {
    parts.push(text.slice(at, start), h("mark", {}, word));
    at = start + word.length;
  };
  for (const whole of text.matchAll(WORD)) {
    if (words.has(whole[0].toLowerCase())) {
      mark(whole[0], whole.index);
      continue;
    }
    for (const part of whole[0].matchAll(PART)) {
      if (words.has(part[0].toLowerCase())) mark(part[0], whole.index + part.index);
    }
  }
  return [...parts, text.slice(at)];
}
