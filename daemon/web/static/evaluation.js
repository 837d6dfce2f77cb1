// Runs of `capsa eval` and their reports.

import { ask } from "./api.js";
import { card, note } from "./boxes.js";
import { h, replace } from "./dom.js";
import { count } from "./numbers.js";

export class EvaluationView {
  constructor(main) {
    document.title = "Evaluation – capsa";
    this.list = h("div", { class: "runs" });
    this.frame = h("div", { class: "report" });
    replace(main, h("div", { class: "state" }, h("h1", {}, "Evaluation"), this.list, this.frame));
    this.load();
  }

  arrive() {
    this.show();
  }

  close() {
    this.closed = true;
  }

  async load() {
    try {
      const { runs } = await ask("runs");
      if (this.closed) return;
      this.runs = runs;
      this.show();
    } catch (failure) {
      replace(this.list, note(failure.message));
    }
  }

  show() {
    if (!this.runs) return;
    const chosen = new URLSearchParams(location.search).get("run");
    replace(this.list, this.runs.length ? this.table(chosen) : this.nothing());
    const run = this.runs.find((each) => each.id === chosen);
    replace(this.frame);
    if (run) this.report(run);
  }

  async report(run) {
    replace(this.frame, h("p", { role: "status" }, "The report is being made …"));
    try {
      await ask("report", { run: run.id });
      const frame = {
        src: `/report?${run.id}`,
        title: `Report of ${run.folder}`,
        sandbox: "",
        referrerpolicy: "no-referrer",
      };
      replace(this.frame, h("iframe", frame));
    } catch (failure) {
      replace(this.frame, note(failure.message));
    }
  }

  table(chosen) {
    const rows = this.runs.map((run) => {
      const facts = [
        run.command,
        count(run.cells, "configuration"),
        !run.complete && "not complete",
        when(run.written),
      ];
      return h(
        "li",
        {},
        h(
          "a",
          { href: `/evaluation?run=${run.id}`, "aria-current": run.id === chosen && "true" },
          run.folder.split(/[\\/]/).at(-1),
        ),
        h("span", { class: "dim" }, facts.filter(Boolean).join(" · ")),
        h("span", { class: "dim path" }, run.folder),
      );
    });
    return card("Runs", h("ul", { class: "rows" }, rows));
  }

  nothing() {
    return card(
      "No runs yet",
      h(
        "p",
        {},
        "Measure how well passages are found, on the shipped documents or on your own; the reports then stand here.",
      ),
      h(
        "pre",
        { class: "commands", tabindex: "0", role: "region", "aria-label": "Commands" },
        h(
          "code",
          {},
          "capsa eval grid --out my-run      # parsers, chunkers, retrievers\ncapsa eval sweep --out my-sweep   # sizes and overlaps\ncapsa eval mine                   # your own index, no labels needed",
        ),
      ),
    );
  }
}

const when = (moment) => new Date(moment * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
