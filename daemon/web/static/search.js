// The page to search in: the field, the filters, the results, the preview; all of it is told by the address.

import { ask, isGone, isLocked, isMissing } from "./api.js";
import { addressOf, hasFilter, readAddress, requestOf, withoutFilters } from "./address.js";
import { h, replace } from "./dom.js";
import { makeField } from "./field.js";
import { Filters } from "./filters.js";
import { List } from "./list.js";
import { Preview } from "./preview.js";
import { showCount, showFailure, showNotes, showNothing, showWelcome } from "./messages.js";
import { Spelling } from "./spelling.js";
import { Steps, go } from "./steps.js";
import { NEWEST, showHints, showNoneYet, showTotals } from "./start.js";
import { wordsOf } from "./words.js";
import { showKeys } from "./dialogs.js";

// While documents come in, the page without a query is told anew no more often than so, in ms.
const REST = 5000;

export class SearchView {
  constructor(main) {
    this.sources = [];
    this.hits = [];
    this.number = 0;
    this.spelling = new Spelling();
    this.steps = new Steps(() => this.search);
    this.filters = new Filters((search) => this.go({ ...search, hit: "" }));
    this.preview = new Preview({
      onclose: () => this.pick(null),
      onmove: (step) => this.move(step),
      onlike: (chunk) => this.go({ ...withoutFilters(this.search), q: "", like: String(chunk), hit: "" }),
      onforget: () => this.pick(null, true),
      sources: this.sources,
    });
    const { form, field } = makeField({ typed: () => this.typed(), submitted: () => this.submitted() });
    this.field = field;
    this.count = h("p", { class: "count", role: "status", "aria-live": "polite" });
    this.notes = h("div", { class: "notes" });
    this.list = new List({
      onpick: (chunk, focused) => this.pick(chunk, false, focused),
      addressOf: (chunk) => addressOf({ ...this.search, hit: String(chunk) }),
      sources: this.sources,
    });
    const rows = [this.count, this.notes, this.list.element];
    this.hints = showHints();
    this.results = h("section", { class: "results", "aria-label": "Results", "aria-busy": "false" }, rows);
    replace(
      main,
      h("h1", { class: "unseen" }, "Search"),
      h("div", { class: "asking" }, form, this.filters.element),
      h("div", { class: "found-area" }, this.results, this.hints, this.preview.element),
    );
    document.title = "capsa";
    this.learned = this.learn();
    this.arrive();
  }

  // What there is to filter by, and whether there is anything at all; says whether it could be told.
  async learn() {
    this.learnedAt = performance.now();
    try {
      const known = await ask("sources");
      this.sources.splice(0, Infinity, ...known.sources.filter((source) => source.kind === "folder"));
      this.filters.show(this.search, known);
      this.showPicked();
      return true;
    } catch (failure) {
      this.fail(failure);
      return false;
    }
  }

  // The address says what to show: at the start, and when the browser goes back.
  arrive() {
    const before = this.search;
    this.steps.forget();
    this.behind = false;
    this.search = readAddress();
    // The space after a word that is typed is not in the address.
    if (this.field.value.trim() !== this.search.q) this.field.value = this.search.q;
    const same = before && addressOf({ ...before, hit: "" }) === addressOf({ ...this.search, hit: "" });
    if (!same) this.answer = this.run();
    this.filters.show(this.search);
    if (same) this.showPicked();
  }

  go(search, replaced = false) {
    this.steps.write();
    if (go(addressOf(search), replaced)) this.arrive();
  }

  // Every key is answered at once; what is typed before its answer is there is asked after it.
  typed() {
    if (this.asking) this.behind = true;
    else this.ask();
  }

  async submitted() {
    this.ask();
    this.steps.write();
    await this.answer;
    if (document.activeElement === this.field) this.list.links()[0]?.focus();
  }

  ask() {
    const q = this.field.value.trim();
    if (q === this.search.q && !this.search.like) return;
    this.search = { ...this.search, q, like: "", hit: "" };
    this.answer = this.run();
    this.steps.typed();
    this.filters.show(this.search);
  }

  async run() {
    const { search } = this;
    const number = ++this.number;
    this.asked?.abort();
    this.spelling.stop();
    if (!search.q && !search.like) return this.showNoQuery(number);
    this.asked = new AbortController();
    this.asking = true;
    this.results.ariaBusy = "true";
    try {
      const began = performance.now();
      const found = await ask("search", requestOf(search), this.asked.signal);
      // Places are told from their source on.
      await this.learned;
      if (number === this.number) this.show(found, performance.now() - began);
    } catch (failure) {
      if (failure.name !== "AbortError" && number === this.number) this.fail(failure);
    }
    if (number === this.number) this.answered();
    return undefined;
  }

  async answered() {
    const { number, behind } = this;
    this.asking = this.behind = false;
    if (behind) this.ask();
    await this.list.drawn;
    if (number === this.number) this.results.ariaBusy = "false";
  }

  // Without a query: the newest documents, those that the filters let through, and how to ask.
  async showNoQuery(number) {
    this.results.ariaBusy = "true";
    const [isKnown, { documents }] = await Promise.all([
      this.learned,
      ask("recent", { ...requestOf(this.search), limit: NEWEST }).catch(() => ({ documents: [] })),
    ]);
    if (number !== this.number) return;
    if (isKnown) this.showNewest(documents);
    this.answered();
  }

  showNewest(documents) {
    const { search } = this;
    const { known } = this.filters;
    this.hits = documents.map(({ document, chunk }) => ({ document, chunk: { id: chunk, headings: [] } }));
    this.words = new Set();
    this.hints.hidden = !known.sources.length;
    replace(this.notes);
    replace(this.count, showTotals(known, hasFilter(search)));
    if (this.hits.length) this.list.show(this.hits);
    else if (!known.sources.length) replace(this.list.element, showWelcome());
    else replace(this.list.element, showNoneYet(hasFilter(search) && (() => this.go(withoutFilters(search)))));
    this.showPicked();
  }

  show(found, ms) {
    const { search } = this;
    const onsearch = (other) => this.go({ ...other, hit: "" });
    this.hints.hidden = true;
    this.hits = search.like ? others(found.hits, search.like) : found.hits;
    this.words = new Set(this.hits.flatMap((hit) => [...wordsOf(hit)]));
    replace(this.count, showCount(found, this.hits, search, { ms, busy: this.busy }));
    replace(this.notes, showNotes(found, this.hits, search, onsearch));
    if (this.hits.length) this.list.show(this.hits, this.words);
    else replace(this.list.element, showNothing(found, search, { onsearch, busy: this.busy }));
    this.showPicked();
    // A word that no document has yet may come in while documents do.
    if (found.corrections || search.like || this.busy) return;
    this.spelling.look(search.q, (corrections) => this.show({ ...found, corrections }, ms));
  }

  fail(failure) {
    this.hits = [];
    this.hints.hidden = true;
    replace(this.count);
    replace(this.notes);
    const again = () => (isGone(failure) ? location.reload() : this.run());
    const shown = isMissing(failure) ? showWelcome() : showFailure(failure, isLocked(failure) ? null : again);
    replace(this.list.element, shown);
  }

  // The picked hit.

  pick(chunk, replaced = false, focused = false) {
    this.focusing = focused;
    // What was typed in the last moment belongs to the search, and must not end the picking.
    this.behind = false;
    const q = this.search.like ? this.search.q : this.field.value.trim();
    this.go(
      { ...this.search, q, hit: chunk === null ? "" : String(chunk) },
      replaced || (chunk !== null && this.search.hit !== ""),
    );
    if (replaced) this.run();
  }

  showPicked() {
    const at = this.at();
    this.list.mark(this.search.hit);
    document.body.classList.toggle("previewing", this.search.hit !== "");
    document.title = this.search.q ? `${this.search.q} – capsa` : "capsa";
    if (!this.search.hit) return this.preview.hide();
    const place = at < 0 ? null : { at, of: this.hits.length };
    const shown = this.preview.show(Number(this.search.hit), this.hits[at], this.words, place);
    if (this.focusing) shown.then(() => this.preview.element.focus({ preventScroll: true }));
    this.focusing = false;
    return undefined;
  }

  at() {
    return this.hits.findIndex((hit) => String(hit.chunk.id) === this.search.hit);
  }

  // Moves to another hit: of the preview when it is open, else of the list.
  move(step) {
    if (!this.hits.length) return;
    const link = this.list.next(step);
    if (!link && !this.search.hit) this.field.focus();
    if (!link) return;
    if (this.search.hit) this.pick(Number(link.dataset.chunk));
    if (!this.preview.element.contains(document.activeElement)) link.focus();
    link.closest(".hit").scrollIntoView({ block: "nearest" });
  }

  // Called every second or five. Who has nothing on the screen yet gets what has come in since.
  pulse(daemon, change) {
    this.busy = Boolean(daemon?.files) && !daemon.paused;
    const grew = this.change !== undefined && change !== this.change;
    if (grew && !this.tellNewer()) return;
    this.change = change;
  }

  // Says whether nothing is left to tell of.
  tellNewer() {
    const isBare = !Object.keys(this.filters.known.kinds).length;
    if (this.search.q || this.search.like) {
      if (isBare) this.learned = this.learn();
      if (!this.hits.length) this.run();
      return true;
    }
    const { element } = this.list;
    const isBusy = this.search.hit || element.matches(":hover, :focus-within");
    if (!isBare && (isBusy || performance.now() - this.learnedAt < REST)) return false;
    this.learned = this.learn();
    this.run();
    return true;
  }

  key(event) {
    const typing = event.target === this.field;
    if (event.key === "ArrowDown" || (!typing && event.key === "j")) this.move(1);
    else if (event.key === "ArrowUp" || (!typing && event.key === "k")) this.move(-1);
    else if (event.key === "Escape") this.leave(typing);
    else if (event.key === "/" && !(typing && this.field.value)) this.field.select();
    else if (!typing && event.key === "?") showKeys();
    else if (!typing && this.search.hit && event.key === "o")
      this.preview.element.querySelector(".actions a, .actions button")?.click();
    else if (!typing && this.search.hit && event.key === "m")
      this.go({ ...withoutFilters(this.search), q: "", like: this.search.hit, hit: "" });
    else return;
    event.preventDefault();
  }

  leave(typing) {
    if (this.search.hit) {
      const chunk = this.search.hit;
      this.pick(null);
      this.list.link(chunk)?.focus();
    } else if (typing) this.field.select();
    else this.field.focus();
  }

  close() {
    this.asked?.abort();
    this.number += 1;
    this.steps.forget();
    this.behind = false;
    this.spelling.stop();
    document.body.classList.remove("previewing");
  }
}

// Without the passage itself, and without marks: a passage as a question has most words of all answers.
function others(hits, like) {
  return hits.filter((hit) => String(hit.chunk.id) !== like).map((hit) => ({ ...hit, highlights: [] }));
}
