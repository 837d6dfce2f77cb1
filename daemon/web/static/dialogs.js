// Dialogs: a question before something is removed, and the list of keys.

import { button, h } from "./dom.js";

function open(content, label) {
  const dialog = h("dialog", { "aria-label": label }, content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.showModal();
  return dialog;
}

// Resolves to what is wanted: "action", "other" where there is such a choice, or "".
export function confirm({ title, text, action, other }) {
  return new Promise((resolve) => {
    const choice = (label, value) => button(label, () => dialog.close(value), { class: "danger" });
    const no = button("Cancel", () => dialog.close(), { autofocus: true });
    const actions = h("div", { class: "actions" }, no, other && choice(other, "other"), choice(action, "action"));
    const dialog = open([h("h2", {}, title), h("p", {}, text), actions], title);
    dialog.addEventListener("close", () => resolve(dialog.returnValue));
  });
}

export const KEYS = [
  ["/", "go to the search field"],
  ["↓ ↑ or j k", "next and previous result"],
  ["Enter", "show the result, then open its text"],
  ["o", "open the file or the page"],
  ["m", "more like this"],
  ["Esc", "close the preview, then back to the search field"],
  ["?", "this list"],
];
export const SYNTAX = [
  ["fox hounds", "any of the words; more is better"],
  ['"red fox"', "the words as a phrase"],
  ["fox -hunt", "without a word"],
  ["organi*", "words that begin so"],
];

export function showPairs(pairs) {
  return h(
    "dl",
    {},
    pairs.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
  );
}

export function showKeys() {
  const content = [h("h2", {}, "Keys"), showPairs(KEYS), h("h2", {}, "What you can ask"), showPairs(SYNTAX)];
  const dialog = open(
    [
      content,
      h(
        "div",
        { class: "actions" },
        button("Close", () => dialog.close(), { autofocus: true }),
      ),
    ],
    "Keys",
  );
}

export { open as openDialog };
