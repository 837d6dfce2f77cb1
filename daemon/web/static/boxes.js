// The boxes that the pages are made of: a card with a title, and a note of what is the matter.

import { h, icon } from "./dom.js";

export const card = (title, ...content) => h("section", { class: "card" }, h("h2", {}, title), content);

export const note = (...content) => h("p", { class: "note" }, icon("alert"), h("span", {}, content));

// A message of capsa's own, with the commands that stand in it between backticks.
export const withCommands = (text) =>
  text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));
