// Texts of documents as what they are: tables, code with its language, headings, lists, paragraphs.

import { h } from "./dom.js";
import { markWords } from "./words.js";

const FENCE = /^\s{0,3}(```+|~~~+)\s*([\w+#.-]*)/;
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const LIST = /^\s*(?:[-*•–]|\d{1,3}[.)])\s/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const CODE_LINE =
  /^\s{2,}\S|[;{}\\]\s*$|^\s*[<$#@/*]|\w\(.*\)|[=!<>]=|\s=\s|=>|->|::|^\s*(?:import|from|def|class|return|if|for|while|let|const|var|select|end)\b/;
const PROSE_LINE = /^[A-Z0-9“"'(][^;{}]*\s[^;{}]*[.,:?]$/;
// Rows of a table that a result shows; the preview shows all.
const FEW_ROWS = 6;

const LANGUAGES = {
  py: "Python",
  pyi: "Python",
  js: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  jsx: "JavaScript",
  ts: "TypeScript",
  tsx: "TypeScript",
  c: "C",
  h: "C",
  cc: "C++",
  cpp: "C++",
  hpp: "C++",
  java: "Java",
  kt: "Kotlin",
  go: "Go",
  rs: "Rust",
  rb: "Ruby",
  php: "PHP",
  pl: "Perl",
  swift: "Swift",
  cs: "C#",
  lua: "Lua",
  r: "R",
  jl: "Julia",
  hs: "Haskell",
  ml: "OCaml",
  ex: "Elixir",
  exs: "Elixir",
  erl: "Erlang",
  clj: "Clojure",
  el: "Emacs Lisp",
  lisp: "Lisp",
  scm: "Scheme",
  sh: "Shell",
  bash: "Shell",
  zsh: "Shell",
  fish: "Shell",
  ps1: "PowerShell",
  bat: "Batch",
  sql: "SQL",
  vim: "Vim script",
  dart: "Dart",
  zig: "Zig",
  nim: "Nim",
  cmake: "CMake",
  mk: "Make",
  awk: "Awk",
  tcl: "Tcl",
  css: "CSS",
  scss: "SCSS",
  less: "Less",
  vue: "Vue",
  json: "JSON",
  yaml: "YAML",
  yml: "YAML",
  toml: "TOML",
  ini: "INI",
  xml: "XML",
  svg: "SVG",
  diff: "Diff",
  patch: "Diff",
  python: "Python",
  shell: "Shell",
  javascript: "JavaScript",
  typescript: "TypeScript",
  console: "Console",
  html: "HTML",
  rust: "Rust",
  ruby: "Ruby",
};

export function languageOf(name) {
  const suffix = /(?:^|\.)([a-z0-9+#]+)$/i.exec(name ?? "")?.[1]?.toLowerCase();
  return LANGUAGES[suffix] ?? "";
}

// The blocks of a text: {type, lines, language}. `about` is {kind (of the chunk), format, name, headings}.
export function blocksOf(text, about) {
  if (about.format === "code") return [{ type: "code", lines: text.split("\n"), language: languageOf(about.name) }];
  const blocks = [];
  let block = null;
  let fence = null;
  for (const line of text.split("\n")) {
    const opening = about.format === "markdown" ? FENCE.exec(line) : null;
    if (fence) {
      if (opening && line.trim().startsWith(fence) && !opening[2]) fence = null;
      else block.lines.push(line);
    } else if (opening) {
      fence = opening[1];
      block = { type: "code", lines: [], language: languageOf(opening[2]) || opening[2] };
      blocks.push(block);
    } else if (!line.trim()) {
      block = null;
    } else if (block && block.type === "open") {
      block.lines.push(line);
    } else {
      block = { type: "open", lines: [line], language: "" };
      blocks.push(block);
    }
    if (!fence && block?.type === "code" && opening) block = null;
  }
  return joinCode(blocks.map((each) => (each.type === "open" ? { ...each, type: typeOf(each.lines, about) } : each)));
}

function typeOf(lines, about) {
  if (lines.length > 1 && lines.some((line) => line.includes("|")) && RULE.test(lines[1])) return "pipes";
  if (lines.length > 1 && lines.filter((line) => line.includes("\t")).length * 2 >= lines.length) return "tabs";
  if (about.kind === "table" && lines[0].includes("\t")) return "tabs";
  if (lines.length === 1 && (HEADING.test(lines[0]) || about.headings?.includes(lines[0].trim()))) return "heading";
  if (about.kind === "code" && looksLikeCode(lines)) return "code";
  return lines.some((line) => LIST.test(line)) ? "list" : "text";
}

function looksLikeCode(lines) {
  const isProse = (line) => PROSE_LINE.test(line.trim()) && line.trim().split(/\s+/).length > 6;
  return lines.filter((line) => CODE_LINE.test(line) && !isProse(line)).length * 2 >= lines.length;
}

// An empty line inside a listing parts no listings.
function joinCode(blocks) {
  const joined = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type === "code" && last?.type === "code" && !block.language && !last.language) {
      last.lines.push("", ...block.lines);
    } else joined.push(block);
  }
  return joined;
}

export function showBlock(block, words, few = false) {
  if (block.type === "pipes" || block.type === "tabs") return showTable(rowsOf(block), words, few);
  if (block.type === "code") return showCode(block, words, few);
  const text = block.lines.join(block.type === "list" ? "\n" : " ");
  if (block.type === "heading") {
    return h("p", { class: "heading" }, markWords(HEADING.exec(text)?.[2] ?? text, words));
  }
  return h("p", block.type === "list" ? { class: "lines" } : {}, markWords(text, words));
}

function rowsOf(block) {
  if (block.type === "tabs") return block.lines.map((line) => line.split("\t"));
  return block.lines.filter((_, place) => place !== 1).map(cellsOfPipes);
}

function cellsOfPipes(line) {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim());
}

function showTable(rows, words, few) {
  const [head, ...body] = rows;
  const shown = few ? chooseRows(body, words) : body;
  const width = Math.max(...rows.map((row) => row.length));
  const fill = (row) => [...row, ...Array(width - row.length).fill("")];
  const table = h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        fill(head).map((cell) => h(cell ? "th" : "td", cell ? { scope: "col" } : {}, markWords(cell, words))),
      ),
    ),
    h(
      "tbody",
      {},
      shown.map((row) =>
        h(
          "tr",
          {},
          fill(row).map((cell) => h("td", {}, markWords(cell, words))),
        ),
      ),
    ),
  );
  const left = body.length - shown.length;
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
    table,
    left > 0 && h("p", { class: "dim" }, `… ${left} more ${left === 1 ? "row" : "rows"}`),
  );
}

// Of a long table the rows that have the words, else the first.
function chooseRows(rows, words) {
  const found = rows.filter((row) => row.some((cell) => hasWord(cell, words)));
  return (found.length ? found : rows).slice(0, FEW_ROWS);
}

function hasWord(text, words) {
  const parts = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts.some((part) => words.has(part));
}

function showCode(block, words, few) {
  const whole = withoutEmptyEnds(block.lines);
  const lines = few ? chooseLines(whole, words) : whole;
  const label = block.language ? `Code, ${block.language}` : "Code";
  return h(
    "figure",
    { class: "code" },
    h("figcaption", {}, block.language || "Code"),
    h("pre", { tabindex: "0", role: "region", "aria-label": label }, h("code", {}, markWords(lines.join("\n"), words))),
  );
}

function withoutEmptyEnds(lines) {
  const isFull = (line) => line.trim() !== "";
  return lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1);
}

// Of a long listing some lines around the first that has the words.
function chooseLines(lines, words) {
  const first = Math.max(0, lines.findIndex((line) => hasWord(line, words)) - 2);
  return withoutEmptyEnds(lines.slice(first, first + 9));
}
