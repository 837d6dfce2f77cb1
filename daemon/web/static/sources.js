// The cards of the state by which sources are added, paused and removed, and what was indexed forgotten.

import { card } from "./boxes.js";
import { button, h, icon } from "./dom.js";
import { count } from "./numbers.js";

// `on` has pause(source), remove(source), and the button to add one.
export function sources(record, on) {
  const rows = record.sources.map((source) =>
    source.kind === "history" ? visited(source, on) : folder(source, record.unread[source.path] ?? null, on),
  );
  return card(
    "Sources",
    rows.length ? h("ul", { class: "rows" }, rows) : h("p", {}, "No folder is watched."),
    h("div", { class: "actions" }, on.adding()),
  );
}

function folder(source, unread, on) {
  const waiting = unread ? `${count(unread, "file")} not read` : "left as it is";
  const paused = source.paused ? `, paused: searched, ${waiting}` : "";
  const state = source.present ? paused : `${paused}, not there now: kept`;
  const [name, sign, what] = source.paused ? ["Go on", "play", "Go on with"] : ["Pause", "pause", "Pause"];
  return row(source.path, `${count(source.documents, "document")}${state}`, [
    button([icon(sign), name], () => on.pause(source), { "aria-label": `${what} ${source.path}` }),
    button("Remove …", () => on.remove(source), { "aria-label": `Remove ${source.path} …` }),
  ]);
}

function visited(source, on) {
  return row("Browser history", count(source.documents, "page"), [
    button("Remove …", () => on.remove(source), { "aria-label": "Remove the browser history …" }),
  ]);
}

// A row of a list: what it is about, what there is to tell of it, and what can be done.
export function row(name, told, actions) {
  return h(
    "li",
    {},
    h("span", { class: "path" }, name),
    h("span", { class: "dim" }, told),
    h("div", { class: "actions" }, actions),
  );
}

// `onforget` is given {path} or {site}, as the operation takes it.
export function forgetting(hasHistory, onforget) {
  const field = h("input", {
    type: "text",
    name: "path",
    "aria-label": hasHistory ? "File, folder or site to forget" : "File or folder to forget",
    placeholder: hasHistory ? "/path/of/a/folder or example.org" : "/path/of/a/file/or/folder",
  });
  const submit = (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text) onforget(hasHistory && !/[\\/]/.test(text) ? { site: text } : { path: text });
  };
  const told = hasHistory ? "a file, a folder, or of your visits to a site" : "a file or a folder";
  return card(
    "Forget",
    h(
      "p",
      { class: "dim" },
      `Removes what capsa keeps of ${told} from every file of its own. The file itself stays where it is.`,
    ),
    h(
      "form",
      { class: "line", onsubmit: submit },
      field,
      h("button", { type: "submit", class: "danger" }, "Forget …"),
    ),
  );
}
