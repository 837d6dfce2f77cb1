// The field to search in.

import { showKeys } from "./dialogs.js";
import { button, h, icon } from "./dom.js";

// {form, field}; `on` has typed() and submitted().
export function makeField(on) {
  const field = h("input", {
    type: "search",
    name: "q",
    id: "q",
    autocomplete: "off",
    spellcheck: "false",
    autofocus: true,
    "aria-label": "Search your documents",
    placeholder: "Search your documents",
    oninput: () => on.typed(),
    maxlength: "10000",
  });
  const onsubmit = (event) => {
    event.preventDefault();
    on.submitted();
  };
  const keys = button("?", showKeys, { class: "plain", "aria-label": "Keys and syntax" });
  return { field, form: h("form", { role: "search", onsubmit }, icon("search"), field, keys) };
}
