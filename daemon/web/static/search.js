// The page to search in: the field, the filters, the results, the preview; all of it is told by the address.

import { ask, isGone, isLocked, isMissing } from "./api.js";
import { addressOf, hasFilter, readAddress, requestOf, withoutFilters } from "./address.js";
import { button, h, icon, replace } from "./dom.js";
import { Filters } from "./filters.js";
import { List } from "./list.js";
import { Preview } from "./preview.js";
import { correct, showCount, showFailure, showInvitation, showNotes, showNothing, showWelcome } from "./messages.js";
import { wordsOf } from "./words.js";
import { showKeys } from "./dialogs.js";

// After a pause this long what was typed is in the address, in ms: browsers limit how often it may change.
const PAUSE = 300;
// So long after the hits words are looked up that no document has, in ms.
const SPELLING = 500;
// What is typed within so many ms is one step of the history.
const STEP = 2000;

export class SearchView {
  constructor(main) {
    this.sources = [];
    this.hits = [];
    this.number = 0;
    this.stepped = -Infinity;
    this.filters = new Filters((search) => this.go({ ...search, hit: "" }));
    this.preview = new Preview({
      onclose: () => this.pick(null),
      onmove: (step) => this.move(step),
      onlike: (chunk) => this.go({ ...withoutFilters(this.search), q: "", like: String(chunk), hit: "" }),
      onforget: () => this.pick(null, true),
      sources: this.sources,
    });
    this.field = h("input", {
      type: "search",
      name: "q",
      id: "q",
      autocomplete: "off",
      spellcheck: "false",
      autofocus: true,
      "aria-label": "Search your documents",
      placeholder: "Search your documents",
      oninput: () => this.typed(),
      maxlength: "10000",
    });
    const keys = button("?", showKeys, { class: "plain", "aria-label": "Keys and syntax" });
    this.count = h("p", { class: "count", role: "status", "aria-live": "polite" });
    this.notes = h("div", { class: "notes" });
    this.list = new List({
      onpick: (chunk, focused) => this.pick(chunk, false, focused),
      addressOf: (chunk) => addressOf({ ...this.search, hit: String(chunk) }),
      sources: this.sources,
    });
    const form = h(
      "form",
      { role: "search", onsubmit: (event) => this.submitted(event) },
      icon("search"),
      this.field,
      keys,
    );
    const rows = [this.count, this.notes, this.list.element];
    this.results = h("section", { class: "results", "aria-label": "Results", "aria-busy": "false" }, rows);
    replace(
      main,
      h("h1", { class: "unseen" }, "Search"),
      h("div", { class: "asking" }, form, this.filters.element),
      h("div", { class: "found-area" }, this.results, this.preview.element),
    );
    document.title = "capsa";
    this.learned = this.learn();
    this.arrive();
  }

  // What there is to filter by, and whether there is anything at all.
  async learn() {
    try {
      const known = await ask("sources");
      this.sources.splice(0, Infinity, ...known.sources.filter((source) => source.kind === "folder"));
      this.filters.show(this.search, known);
      this.showPicked();
      if (!known.sources.length && !this.search.q) this.welcome(known);
      else if (!this.search.q && !this.search.like) this.invite(known);
    } catch (failure) {
      this.fail(failure);
    }
  }

  // The address says what to show: at the start, and when the browser goes back.
  arrive() {
    const before = this.search;
    this.forgetTyped();
    this.search = readAddress();
    // The space after a word that is typed is not in the address.
    if (this.field.value.trim() !== this.search.q) this.field.value = this.search.q;
    const same = before && addressOf({ ...before, hit: "" }) === addressOf({ ...this.search, hit: "" });
    if (!same) this.run();
    this.filters.show(this.search);
    if (same) this.showPicked();
  }

  go(search, replaced = false) {
    this.write();
    const address = addressOf(search);
    if (address === location.pathname + location.search) return;
    if (replaced) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.arrive();
  }

  // Every key is answered at once; what is typed before its answer is there is asked after it.
  typed() {
    if (this.asking) this.behind = true;
    else this.ask();
  }

  submitted(event) {
    event.preventDefault();
    this.ask();
    this.write();
    this.list.links()[0]?.focus();
  }

  ask() {
    const q = this.field.value.trim();
    if (q === this.search.q && !this.search.like) return;
    this.search = { ...this.search, q, like: "", hit: "" };
    this.run();
    const now = performance.now();
    this.isStep ||= now - this.stepped > STEP;
    this.stepped = now;
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(), PAUSE);
    this.filters.show(this.search);
  }

  // Puts what was typed into the address.
  write() {
    if (this.writing === undefined) return;
    const address = addressOf(this.search);
    if (address !== location.pathname + location.search) {
      if (this.isStep) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    }
    this.forgetTyped();
  }

  forgetTyped() {
    clearTimeout(this.writing);
    this.writing = undefined;
    this.isStep = this.behind = false;
  }

  async run() {
    const { search } = this;
    const number = ++this.number;
    this.asked?.abort();
    if (!search.q && !search.like) return this.showNoQuery();
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

  showNoQuery() {
    this.hits = [];
    replace(this.count);
    replace(this.notes);
    replace(this.list.element);
    this.showPicked();
    if (this.filters.known.sources.length) this.invite(this.filters.known);
    this.answered();
  }

  show(found, ms) {
    const { search } = this;
    this.took = ms;
    this.hits = search.like ? others(found.hits, search.like) : found.hits;
    this.words = new Set(this.hits.flatMap((hit) => [...wordsOf(hit)]));
    replace(this.count, showCount(found, this.hits, search, { ms, busy: this.busy }));
    replace(
      this.notes,
      showNotes(found, this.hits, search, (other) => this.go(other)),
    );
    if (this.hits.length) this.list.show(this.hits);
    else replace(this.list.element, this.nothing(found));
    this.showPicked();
    if (!found.corrections) this.spell(found);
  }

  // A word that is still being typed is unknown too: only a pause makes it one to correct.
  spell(found) {
    clearTimeout(this.spelling);
    const { search } = this;
    if (search.like) return;
    this.spelling = setTimeout(async () => {
      const { corrections } = await ask("spell", { text: search.q }).catch(() => ({ corrections: [] }));
      if (search !== this.search || !corrections.length) return;
      this.show({ ...found, corrections }, this.took);
    }, SPELLING);
  }

  nothing(found) {
    return showNothing(this.search, {
      corrected: correct(found, this.search),
      onsearch: (search) => this.go({ ...search, hit: "" }),
      filtered: hasFilter(this.search) && withoutFilters(this.search),
      busy: this.busy,
    });
  }

  fail(failure) {
    this.hits = [];
    replace(this.count);
    replace(this.notes);
    if (isMissing(failure)) return this.welcome(this.filters.known);
    const again = () => (isGone(failure) ? location.reload() : this.run());
    replace(this.list.element, showFailure(failure, isLocked(failure) ? null : again));
    return undefined;
  }

  welcome(known) {
    if (known.sources.length) this.invite(known);
    else replace(this.list.element, showWelcome());
  }

  invite(known) {
    if (!this.search.q && !this.search.like) replace(this.list.element, showInvitation(known));
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
    this.change = change;
    if (!grew || this.hits.length) return;
    if (!Object.keys(this.filters.known.kinds).length) this.learn();
    if (this.search.q || this.search.like) this.run();
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
    this.forgetTyped();
    clearTimeout(this.spelling);
    document.body.classList.remove("previewing");
  }
}

// Without the passage itself, and without marks: a passage as a question has most words of all answers.
function others(hits, like) {
  return hits.filter((hit) => String(hit.chunk.id) !== like).map((hit) => ({ ...hit, highlights: [] }));
}
