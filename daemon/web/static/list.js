// The list of hits on the page: which is picked, which has the focus, and which comes next.

import { afterDrawing, h, replace } from "./dom.js";
import { showHit } from "./results.js";

// Hits that are drawn at once: more than a screen has. The others come with the next frame.
const FIRST = 10;

export class List {
  // `host` has onpick(chunk id, whether it was the link that was used), addressOf(chunk id), and sources.
  constructor(host) {
    this.host = host;
    this.element = h("div", { class: "list" });
    // Settled when all hits are there.
    this.drawn = Promise.resolve();
  }

  // Who has gone into the list already stays there when newer hits come.
  // `words` are those to be marked where a passage itself does not tell which: in headings and tables.
  show(hits, words = new Set()) {
    const { activeElement } = document;
    const chunk = this.element.contains(activeElement) ? activeElement.dataset.chunk : undefined;
    const rows = (from, to) => hits.slice(from, to).map((hit, place) => this.row(hit, hits[from + place - 1], words));
    const first = chunk === undefined ? FIRST : hits.length;
    const list = h("ol", {}, rows(0, first));
    replace(this.element, list);
    if (chunk !== undefined) (this.link(chunk) ?? this.links()[0]).focus();
    if (hits.length <= first) return;
    this.drawn = afterDrawing(() => {
      list.append(...rows(first, hits.length));
      if (list.isConnected) this.mark(this.picked);
    });
  }

  row(hit, before, words) {
    const { id } = hit.chunk;
    const onpick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      this.host.onpick(id, true);
    };
    const more = hit.document.id === before?.document.id;
    const { sources } = this.host;
    const row = showHit(hit, { sources, href: this.host.addressOf(id), onpick, more, words });
    row.addEventListener("click", (event) => {
      if (!event.target.closest("a, button, [tabindex]") && !String(getSelection())) this.host.onpick(id, false);
    });
    return row;
  }

  links() {
    return [...this.element.querySelectorAll(".hit h3 a")];
  }

  link(chunk) {
    return this.links().find((link) => link.dataset.chunk === chunk);
  }

  mark(chunk) {
    this.picked = chunk;
    for (const link of this.links()) {
      const picked = link.dataset.chunk === chunk;
      link.closest(".hit").classList.toggle("picked", picked);
      link.toggleAttribute("aria-current", picked);
    }
  }

  // The link so many steps from the one with the focus, or from the picked one; null above the first.
  next(step) {
    const links = this.links();
    const isHere = (link) => link === document.activeElement || link.getAttribute("aria-current") !== null;
    const from = links.findIndex(isHere);
    return from === 0 && step < 0 ? null : links[Math.min(Math.max(from + step, 0), links.length - 1)];
  }
}
