// Filters as chips: what is set can be taken away by a click, what can be set opens below.

import { button, h, icon, replace } from "./dom.js";
import { hasFilter, haveSameFilters, withoutFilters } from "./address.js";
import { iconOf } from "./results.js";

const OFTEN = ["2", "5", "20"];
const DAYS = { "7d": "Last 7 days", "30d": "Last 30 days", "1y": "Last year" };

export class Filters {
  constructor(onsearch) {
    this.element = h("div", { class: "filters", role: "group", "aria-label": "Filters" });
    this.onsearch = onsearch;
    this.known = { sources: [], kinds: {}, sites: {} };
  }

  show(search, known = this.known) {
    const isSame = this.search && known === this.known && haveSameFilters(search, this.search);
    this.known = known;
    this.search = search;
    if (isSame) return;
    const set = this.chips();
    // A menu of several choices stays open while they are made, and while what there is comes in.
    const open = this.element.querySelector("details[open]");
    const at = open ? controls(open).indexOf(document.activeElement) : -1;
    replace(
      this.element,
      set,
      hasFilter(search) &&
        set.length > 1 &&
        button("Clear all", () => this.onsearch(withoutFilters(this.search)), { class: "link" }),
      this.menu("Kind", "kind", () => this.kinds(), Object.keys(known.kinds).length > 1),
      this.menu("Folder", "in", () => this.folders(), this.watched().length > 0),
      this.menu("Site", "site", () => this.sites(), Object.keys(known.sites).length > 0),
      this.menu("Date", "date", () => this.dates(), Object.keys(known.kinds).length > 0),
      this.menu(
        "Visits",
        "visits",
        () => this.visits(),
        known.sources.some((source) => source.kind === "history"),
      ),
    );
    if (open && !this.picked) this.reopen(open.dataset.menu, at);
    this.picked = false;
  }

  reopen(name, at) {
    const menu = this.element.querySelector(`[data-menu="${name}"]`);
    if (!menu) return;
    menu.open = true;
    menu.fill();
    controls(menu)[at]?.focus();
  }

  // One choice that ends the choosing.
  pick(search) {
    this.picked = true;
    this.onsearch(search);
  }

  chips() {
    const { search } = this;
    const dates = DAYS[search.since] && !search.until ? DAYS[search.since] : dateLabel(search);
    return [
      ...search.kind.map((kind) =>
        this.chip(kind, "kind", { kind: search.kind.filter((each) => each !== kind) }, iconOf(kind)),
      ),
      search.in &&
        this.chip(search.in.split(/[\\/]/).at(-1) || search.in, "folder", { in: "" }, icon("folder")),
      search.site && this.chip(search.site, "site", { site: "" }, icon("html")),
      dates && this.chip(dates, "date", { since: "", until: "" }),
      search.visited && this.chip(visitsLabel(search.visited), "visits", { visited: "" }),
      search.bookmarked && this.chip("Bookmarks", "pages", { bookmarked: "" }),
    ].filter(Boolean);
  }

  chip(label, what, without, image) {
    const onclick = () => this.onsearch({ ...this.search, ...without });
    return button([image, label, icon("close")].filter(Boolean), onclick, {
      class: "chip set",
      "aria-label": `Remove the filter ${what}: ${label}`,
    });
  }

  menu(label, name, content, shown) {
    if (!shown) return null;
    const menu = h(
      "details",
      { class: "menu", name: "filters", "data-menu": name },
      h("summary", { class: "chip" }, label, icon("down")),
    );
    menu.fill = () => menu.open && menu.children.length === 1 && menu.append(h("div", { class: "panel" }, content()));
    menu.addEventListener("toggle", menu.fill);
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.stopPropagation();
      menu.open = false;
      menu.firstElementChild.focus();
    });
    return menu;
  }

  kinds() {
    const toggle = (kind) => {
      const without = this.search.kind.filter((each) => each !== kind);
      this.onsearch({ ...this.search, kind: without.length < this.search.kind.length ? without : [...without, kind] });
    };
    return Object.entries(this.known.kinds)
      .sort(([, a], [, b]) => b - a)
      .map(([kind, count]) => {
        const box = { type: "checkbox", checked: this.search.kind.includes(kind), onchange: () => toggle(kind) };
        return h(
          "label",
          {},
          h("input", box),
          iconOf(kind),
          kind,
          h("span", { class: "count" }, count.toLocaleString()),
        );
      });
  }

  watched() {
    return this.known.sources.filter((source) => source.kind === "folder");
  }

  folders() {
    const pick = (path) => this.pick({ ...this.search, in: path });
    const field = h("input", { type: "text", name: "folder", value: this.search.in, placeholder: "/path/of/a/folder" });
    return [
      ...this.watched().map((source) =>
        button([icon("folder"), source.path], () => pick(source.path), { class: "row" }),
      ),
      form(h("label", {}, "Another folder", field), () => pick(field.value.trim())),
    ];
  }

  sites() {
    const pick = (site) => this.pick({ ...this.search, site });
    const field = h("input", { type: "text", name: "site", value: this.search.site, placeholder: "example.org" });
    return [
      ...Object.entries(this.known.sites)
        .slice(0, 8)
        .map(([site, count]) =>
          button([site, h("span", { class: "count" }, count.toLocaleString())], () => pick(site), { class: "row" }),
        ),
      form(h("label", {}, "Another site", field), () => pick(field.value.trim())),
    ];
  }

  visits() {
    const field = h("input", { type: "number", name: "visited", min: 1, value: this.search.visited });
    return [
      ...OFTEN.map((often) =>
        button(visitsLabel(often), () => this.pick({ ...this.search, visited: often }), { class: "row" }),
      ),
      button("Bookmarks only", () => this.pick({ ...this.search, bookmarked: "1" }), { class: "row" }),
      form(h("label", {}, "Visits at least", field), () => this.pick({ ...this.search, visited: field.value })),
    ];
  }

  dates() {
    const since = h("input", { type: "date", name: "since", value: this.search.since });
    const until = h("input", { type: "date", name: "until", value: this.search.until });
    return [
      ...Object.entries(DAYS).map(([days, label]) =>
        button(label, () => this.pick({ ...this.search, since: days, until: "" }), { class: "row" }),
      ),
      form([h("label", {}, "From", since), h("label", {}, "To", until)], () =>
        this.pick({ ...this.search, since: since.value, until: until.value }),
      ),
    ];
  }
}

const controls = (menu) => [...menu.querySelectorAll("summary, button, input")];

const visitsLabel = (number) => (number === "1" ? "Visited" : `${number} visits or more`);

function dateLabel({ since, until }) {
  if (since && until) return `${since} to ${until}`;
  return since ? `since ${since}` : until && `until ${until}`;
}

function form(fields, onsubmit) {
  const submit = (event) => {
    event.preventDefault();
    onsubmit();
  };
  return h("form", { onsubmit: submit }, fields, h("button", { type: "submit" }, "Set"));
}
