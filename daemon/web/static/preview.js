// A passage in its surroundings: the text around it, the outline beside it, and what can be done with it.

import { ask, attempt, tell } from "./api.js";
import { button, h, icon, replace } from "./dom.js";
import { blocksOf, showBlock } from "./passages.js";
import { factsOf, iconOf, pagesOf, titleOf, webAddress } from "./results.js";
import { confirm } from "./dialogs.js";
import { count } from "./numbers.js";

const STAYS = {
  file: "The file itself stays where it is: if its folder is watched, it is read again unless a .capsaignore there names it.",
  page: "Your browser keeps its own history; what was forgotten does not come back from it.",
};
const ARMS = { bm25: "by its words", dense: "by its meaning" };

export class Preview {
  // `host` has onclose(), onmove(step), onlike(chunk id) and sources.
  constructor(host) {
    this.host = host;
    this.element = h("section", { class: "preview", "aria-label": "Preview", tabindex: "-1", hidden: true });
  }

  hide() {
    this.shown = null;
    this.element.hidden = true;
  }

  async show(id, hit, words, place) {
    if (this.shown === id) return this.mark(hit, place);
    this.shown = id;
    this.words = words;
    this.hit = hit;
    try {
      const piece = await ask("read", { chunk: id });
      const outline = await ask("outline", { document: piece.document.id });
      if (this.shown === id) this.draw(piece, outline, place);
    } catch (failure) {
      if (this.shown !== id) return;
      this.element.hidden = false;
      replace(this.element, this.close(), h("p", { class: "empty" }, failure.message));
    }
  }

  // The hit came after its passage: the page was opened at an address.
  mark(hit, place) {
    if (hit) this.hit = hit;
    this.moves?.replaceWith((this.moves = this.steps(place)));
    this.reasons?.replaceWith((this.reasons = this.why()));
  }

  draw(piece, outline, place) {
    const { document: document_, chunk } = piece;
    this.element.hidden = false;
    this.piece = piece;
    this.moves = this.steps(place);
    this.reasons = this.why();
    this.text = h("article", { class: "text", "aria-label": "Text" });
    replace(
      this.element,
      h(
        "header",
        {},
        h("div", { class: "top" }, this.moves, this.close()),
        h("h2", {}, iconOf(document_.kind), titleOf(document_)),
        h("p", { class: "place" }, factsOf(document_, chunk, this.host.sources)),
        h("div", { class: "actions" }, this.actions(document_, chunk)),
        this.reasons,
      ),
      h("div", { class: "body" }, this.text, outline.headings.length > 1 && this.outline(outline)),
    );
    this.fill(piece);
    this.reach(this.text.querySelector(".found"));
    reachInside(this.element.querySelector(".outline"));
  }

  // Brings a part to the top: of the pane where it scrolls by itself, else of the page.
  reach(part) {
    const alone = getComputedStyle(this.text).overflowY === "auto";
    const top = (part ?? this.text).getBoundingClientRect().top - 56;
    if (alone) this.text.scrollTop += part ? top + 30 - this.text.getBoundingClientRect().top : -this.text.scrollTop;
    else scrollBy(0, part ? top : -scrollY);
  }

  close() {
    return button([icon("close")], () => this.host.onclose(), {
      class: "plain close",
      "aria-label": "Close the preview",
    });
  }

  steps(place) {
    const step = (by, name, label) =>
      button([icon(name), label], () => this.host.onmove(by), {
        disabled: !place || place.at + by < 0 || place.at + by >= place.of,
      });
    return h(
      "div",
      { class: "steps" },
      step(-1, "up", "Previous hit"),
      step(1, "down", "Next hit"),
      place && h("span", { class: "dim" }, `${place.at + 1} of ${place.of}`),
    );
  }

  actions(document_, chunk) {
    const id = document_.id;
    const address = webAddress(document_);
    const open = (operation, done) => async () => (await attempt(() => ask(operation, { document: id }))) && tell(done);
    return [
      address &&
        h(
          "a",
          { class: "button", href: address, target: "_blank", rel: "noopener noreferrer" },
          icon("open"),
          "Open page",
        ),
      document_.path &&
        document_.kind !== "code" &&
        button([icon("open"), "Open file"], open("open", "Opened in its program.")),
      document_.path && button([icon("folder"), "Show in folder"], open("reveal", "Shown in its folder.")),
      button([icon("copy"), "Copy text"], () => this.copy(chunk)),
      button([icon("like"), "More like this"], () => this.host.onlike(chunk.id)),
      button([icon("bin"), "Forget …"], () => this.forget(document_)),
    ].filter(Boolean);
  }

  async copy(chunk) {
    const whole = await attempt(() =>
      ask("read", { chunk: chunk.id, start: chunk.start, length: chunk.end - chunk.start }),
    );
    if (!whole) return;
    await navigator.clipboard.writeText(whole.text).then(
      () => tell("The passage is copied."),
      () => tell("The browser does not let the page copy."),
    );
  }

  async forget(document_) {
    const { site } = document_;
    const wanted = await confirm({
      title: site ? "Forget this page?" : "Forget this document?",
      text: `Everything capsa keeps of “${titleOf(document_)}” is removed. ${site ? STAYS.page : STAYS.file}`,
      action: site ? "Forget this page" : "Forget it",
      other: site && `Forget all of ${site}`,
    });
    const what = { action: { document: document_.id }, other: { site } }[wanted];
    const done = what && (await attempt(() => ask("forget", what)));
    if (!done) return;
    tell(wanted === "other" ? `${count(done.forgotten, "page")} of ${site} forgotten.` : "Forgotten.");
    this.host.onforget();
  }

  why() {
    const { why, score } = this.hit ?? {};
    if (!why) return h("div", { hidden: true });
    const arms = Object.entries(ARMS).map(([name, label]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, label),
        h("td", {}, why[name] ? `${ordinal(why[name].rank)}` : "not found"),
        h("td", {}, why[name] ? why[name].score.toFixed(3) : "–"),
      ),
    );
    const head = ["Found", "Rank", "Score"].map((each) => h("th", { scope: "col" }, each));
    return h(
      "details",
      { class: "why" },
      h("summary", {}, "Why this hit"),
      h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, arms)),
      h(
        "p",
        { class: "dim" },
        `Together ${score.toFixed(3)}: the closeness of meaning, and the share of the query's words with the weight that they have for this query.`,
      ),
    );
  }

  outline(outline) {
    const top = Math.min(...outline.headings.map((each) => each.level));
    const here = this.piece.chunk ? this.piece.chunk.headings.at(-1) : null;
    const rows = outline.headings.map((each) =>
      h(
        "li",
        { class: `depth${Math.min(each.level - top, 4)}` },
        button(each.heading, () => this.go(each.start), {
          class: "plain",
          "aria-current": each.heading === here && "true",
        }),
      ),
    );
    return h(
      "nav",
      { class: "outline", "aria-label": "Outline of the document" },
      h(
        "details",
        { open: innerWidth > 1250 },
        h("summary", {}, icon("list"), "Outline"),
        h("ol", {}, rows),
        outline.cut && h("p", { class: "dim" }, "… and more"),
      ),
    );
  }

  async go(start) {
    const piece = await attempt(() => ask("read", { document: this.piece.document.id, start }));
    if (!piece) return;
    this.fill(piece);
    this.text.scrollTop = 0;
    if (getComputedStyle(this.text).overflowY !== "auto") this.text.scrollIntoView();
  }

  async more(start, length, before) {
    const piece = await attempt(() => ask("read", { document: this.piece.document.id, start, length }));
    if (!piece) return;
    const height = this.text.scrollHeight;
    const top = this.text.scrollTop;
    const current = this.current;
    this.fill({
      ...piece,
      chunk: current.chunk,
      start: before ? piece.start : current.start,
      end: before ? current.end : piece.end,
      previous: before ? piece.previous : current.previous,
      next: before ? current.next : piece.next,
      parts: before ? [...piece.parts, ...current.parts] : [...current.parts, ...piece.parts],
      text: before ? piece.text + current.text : current.text + piece.text,
    });
    if (before) this.text.scrollTop = top + this.text.scrollHeight - height;
  }

  fill(piece) {
    this.current = piece;
    const characters = Array.from(piece.text);
    const { previous, next } = piece;
    replace(
      this.text,
      previous !== null &&
        button([icon("up"), "Earlier text"], () => this.more(previous, piece.start - previous, true), {
          class: "more",
        }),
      piece.parts.map((part) =>
        this.part(part, characters.slice(part.start - piece.start, part.end - piece.start).join("")),
      ),
      next !== null && button([icon("down"), "Later text"], () => this.more(next, 6000, false), { class: "more" }),
    );
  }

  part(part, text) {
    const { document: document_, chunk } = this.piece;
    const found = part.id === chunk?.id;
    const about = { kind: part.kind, format: document_.kind, name: document_.path, headings: part.headings };
    const blocks = blocksOf(text, about).map((block) => showBlock(block, this.words));
    const label = { table: "Table", figure: "Figure" }[part.kind];
    const page = part.page_first && h("span", { class: "page" }, pagesOf(part));
    return h(
      "div",
      { class: found ? "part found" : "part", "data-kind": part.kind },
      page,
      label && h("span", { class: "label" }, label),
      blocks,
    );
  }
}

// Brings the heading that is read into view, in whichever of the two boxes scrolls.
function reachInside(outline) {
  const current = outline?.querySelector("[aria-current]");
  if (!current) return;
  for (const box of [outline, outline.querySelector("ol")]) {
    const { top, height } = box.getBoundingClientRect();
    box.scrollTop += current.getBoundingClientRect().top - top - height / 3;
  }
}

const ordinal = (rank) => `${rank}${{ one: "st", two: "nd", few: "rd", other: "th" }[ORDINALS.select(rank)]}`;
const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
