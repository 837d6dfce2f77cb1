// The state of the index: what is in it, what the background does, what went wrong, what it takes; and changes to it.

import { ask, attempt, isMissing, tell } from "./api.js";
import { card, note } from "./boxes.js";
import { contents, layout, model, storage, tuning } from "./cards.js";
import { seconds, tellDaemon } from "./daemon.js";
import { confirm } from "./dialogs.js";
import { button, h, icon, replace } from "./dom.js";
import { chooseFolder } from "./folders.js";
import { count } from "./numbers.js";
import { forgetting, row, sources } from "./sources.js";

const REASONS = {
  crash: "broke its parser",
  timeout: "took too long",
  limit: "needed too much memory",
  corrupt: "is damaged",
  damaged: "is damaged",
  encrypted: "needs a password",
  unreadable: "cannot be read",
};

// The state is read anew no more often than so, and what waits in paused sources so often, in ms.
const REST = 4000;
const LONG_REST = 30_000;

export class StateView {
  constructor(main) {
    this.loaded = -Infinity;
    this.kept = new Map();
    document.title = "State – capsa";
    this.background = h("section", { class: "card", "aria-labelledby": "background" });
    this.rest = h("div", { class: "cards" });
    replace(main, h("div", { class: "state" }, h("h1", {}, "State"), this.background, this.rest));
    this.arrive();
  }

  // The address may ask for the chooser of folders, once.
  arrive() {
    this.load();
    if (location.search !== "?add") return;
    history.replaceState(null, "", location.pathname);
    this.add();
  }

  close() {
    this.closed = true;
  }

  async load() {
    try {
      const [record, tuned] = await Promise.all([ask("status"), ask("tuning")]);
      this.tuned = tuned;
      if (!this.closed) this.show(record);
    } catch (failure) {
      if (this.closed) return;
      this.background.hidden = isMissing(failure) && !this.daemon;
      if (isMissing(failure)) replace(this.rest, this.beginning());
      else replace(this.rest, this.unreadable(failure));
    }
  }

  // Called every second or five with what the background tells, the number of the index's last change, and of
  // the sources that are paused: what comes to wait in those changes no index.
  pulse(daemon, change, paused) {
    this.showBackground(daemon, tellDaemon(daemon, paused));
    const age = performance.now() - this.loaded;
    if (age < REST || (change === this.seen && (!paused || age < LONG_REST))) return;
    this.seen = change;
    this.load();
  }

  showBackground(daemon, told) {
    this.daemon = daemon;
    const actions = {
      off: () =>
        button([icon("play"), "Start"], () => this.change("start", {}, "The background runs."), { class: "strong" }),
      paused: () =>
        button([icon("play"), "Go on"], () => this.change("resume", {}, "Indexing goes on."), { class: "strong" }),
    };
    const pause = () => button([icon("pause"), "Pause"], () => this.change("pause", {}, "Paused."));
    const troubled = (daemon?.watches ?? []).filter((watch) => watch.state !== "watched");
    const bar = () => h("progress", { max: daemon.files, value: daemon.done, "aria-label": "Files read" });
    sync(this.background, [
      this.keep("heading", null, () => h("h2", { id: "background" }, "Background")),
      this.keep("doing", told, () => h("p", { class: "status", "data-state": told.state }, told.long)),
      daemon?.files && this.keep("bar", [daemon.files, daemon.done], bar),
      this.keep("actions", actions[told.state] && told.state, () =>
        h("div", { class: "actions" }, (actions[told.state] ?? pause)()),
      ),
      daemon?.problem && this.keep("problem", daemon.problem, () => note(`Tried again: ${daemon.problem}`)),
      ...troubled.map((watch) =>
        this.keep(watch.path, watch, () => note(`${watch.path}: ${watch.state}, ${watch.reason}`)),
      ),
      daemon && h("p", { class: "dim" }, this.watchLine(daemon, troubled.length)),
    ]);
  }

  // What is told the same as before stays as it is, under the pointer and with what was typed into it.
  keep(name, told, make) {
    const text = JSON.stringify(told ?? null);
    if (this.kept.get(name)?.text !== text) this.kept.set(name, { text, element: make() });
    return this.kept.get(name).element;
  }

  watchLine(daemon, troubled) {
    const watched = daemon.watches.length - troubled;
    const last =
      daemon.last_scan === null ? "" : `, all looked over ${seconds(Date.now() / 1000 - daemon.last_scan)} ago`;
    const lost = daemon.losses ? `, events lost ${count(daemon.losses, "time")} and looked over again` : "";
    const paused = this.paused ? `, ${this.paused} paused` : "";
    return `${count(watched, "source")} watched${paused}${last}${lost}.`;
  }

  unreadable(failure) {
    const again = button([icon("retry"), "Try again"], () => this.load());
    return card("The state cannot be read", h("p", {}, failure.message), h("div", { class: "actions" }, again));
  }

  beginning() {
    return card(
      "Nothing is indexed yet",
      h(
        "p",
        {},
        "Choose a folder with documents: PDF, HTML, Markdown, text, source code and more. They are read on this machine; nothing is sent anywhere.",
      ),
      h("div", { class: "actions" }, this.adding()),
    );
  }

  show(record) {
    this.loaded = performance.now();
    this.background.hidden = false;
    this.paused = record.sources.filter((source) => source.paused).length;
    const { sources: known, failures, failed, quarantine, storage: bytes, model: used, cache, home } = record;
    const { layout_budget: budget, scans, given_up: givenUp, daemon, unread, ...counts } = record;
    const hasHistory = known.some((source) => source.kind === "history");
    this.showBackground(daemon, tellDaemon(daemon, this.paused));
    sync(this.rest, [
      this.keep("sources", [known, unread], () => sources(record, this.on())),
      this.keep("contents", counts, () => contents(record)),
      this.keep("failures", [failures, failed, quarantine], () => this.failures(record)),
      this.keep("layout", [budget, scans, givenUp], () => layout(record)),
      this.keep("storage", [bytes, home], () => storage(record)),
      this.keep("tuning", this.tuned, () => tuning(this.tuned)),
      this.keep("model", [used, cache], () => model(record)),
      this.keep("forgetting", hasHistory, () => forgetting(hasHistory, (what) => this.forget(what))),
    ]);
  }

  adding() {
    return button([icon("plus"), "Add a folder"], () => this.add(), { class: "strong" });
  }

  on() {
    return {
      adding: () => this.adding(),
      pause: (source) => this.pause(source),
      remove: (source) => this.remove(source),
    };
  }

  failures(record) {
    const total = Object.values(record.failed).reduce((sum, each) => sum + each, 0);
    if (!total) return null;
    const broken = Object.values(record.quarantine).reduce((sum, each) => sum + each, 0);
    const shown = record.failures;
    const rows = shown.map((failed) =>
      row(failed.path, `${REASONS[failed.reason] ?? failed.reason}: ${failed.detail}`, [
        button([icon("retry"), "Retry"], () => this.retry([failed.path]), { "aria-label": `Retry ${failed.path}` }),
      ]),
    );
    return card(
      "Not readable",
      h(
        "p",
        {},
        `${count(total, "file")} could not be read.`,
        broken
          ? ` ${count(broken, "file")} of them broke the parser: in quarantine until the file, capsa or a limit changes.`
          : "",
      ),
      h("ul", { class: "rows" }, rows),
      total > shown.length && h("p", { class: "dim" }, `… and ${total - shown.length} more.`),
      h(
        "div",
        { class: "actions" },
        button([icon("retry"), shown.length === total ? "Retry all" : "Retry these"], () =>
          this.retry(shown.map((failed) => failed.path)),
        ),
      ),
    );
  }

  // Changes.

  async change(operation, request, done) {
    const record = await attempt(() => ask(operation, request));
    if (record && done) tell(done);
    if (!this.closed) await this.load();
    return record;
  }

  async add() {
    const path = await chooseFolder();
    if (!path) return;
    const record = await this.change("add", { path });
    if (!record) return;
    if (record.known) return tell(`${path} is indexed already: it lies in ${record.path}.`);
    if (!this.daemon) await this.change("start", {});
    tell(`${record.path} is being read.`);
  }

  pause(source) {
    const paused = !source.paused;
    const told = paused ? "is left as it is now; searches go on." : "is looked at for changes again.";
    return this.change("pause_source", { source: source.id, paused }, `${source.path} ${told}`);
  }

  async remove(source) {
    const visited = source.kind === "history";
    const sure = await confirm({
      title: visited ? "Remove the browser history?" : "Remove this source?",
      text: visited
        ? `${count(source.documents, "page")} with all visits leave the index. Your browser keeps its own history.`
        : `${source.path} and the ${count(source.documents, "document")} from it leave the index. The files stay where they are.`,
      action: "Remove it",
    });
    if (!sure) return;
    const record = await this.change("remove", { source: source.id });
    if (record) tell(`${count(record.removed, visited ? "page" : "file")} left the index.`);
  }

  async retry(paths) {
    const record = await this.change("retry", { paths });
    if (!record) return;
    const how = this.daemon ? "being read again." : "read again by the next run; start the background for that.";
    tell(`${count(record.retried, "file")}: ${how}`);
  }

  async forget(what) {
    const place = what.path ?? what.site;
    const sure = await confirm({
      title: "Forget this?",
      text: what.path
        ? `Everything capsa keeps of ${place} is removed.`
        : `All visits to ${place} are removed, and do not come back with the next import.`,
      action: "Forget it",
    });
    const record = sure && (await this.change("forget", what));
    if (!record) return;
    const told = count(record.forgotten, what.path ? "file" : "page");
    tell(record.forgotten ? `${told} forgotten.` : `Nothing is indexed of ${place}.`);
  }
}

// Makes the elements the children, and moves none that is in its place.
function sync(parent, elements) {
  const wanted = elements.filter(Boolean);
  wanted.forEach((element, place) => {
    if (parent.children[place] !== element) parent.insertBefore(element, parent.children[place] ?? null);
  });
  while (parent.children.length > wanted.length) parent.lastElementChild.remove();
}
