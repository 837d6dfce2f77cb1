// Which page the address names, and what all pages have: the keys, and what the background does.

import { ask, isLocked } from "./api.js";
import { showKeys } from "./dialogs.js";
import { replace } from "./dom.js";
import { EvaluationView } from "./evaluation.js";
import { SearchView } from "./search.js";
import { StateView } from "./state.js";
import { tellDaemon } from "./daemon.js";

const VIEWS = { "/": SearchView, "/state": StateView, "/evaluation": EvaluationView };
// How often the background is asked what it does, in ms: when it works, and when not.
const BUSY = 1000;
const QUIET = 5000;

const main = document.getElementById("main");
const pulse = document.getElementById("pulse");
let view;
let path;

function show() {
  if (location.pathname === path) return view.arrive();
  view?.close();
  path = location.pathname;
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  replace(main);
  view = new (VIEWS[path] ?? SearchView)(main);
  return undefined;
}

addEventListener("popstate", show);

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (event.defaultPrevented || !link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  show();
});

addEventListener("keydown", (event) => {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.defaultPrevented ||
    document.querySelector("dialog[open]")
  )
    return;
  const writing = event.target.matches?.("input:not([type=checkbox]), textarea, select");
  if (view.key && (!writing || event.target.type === "search")) view.key(event);
  else if (!writing && event.key === "?") showKeys();
});

async function beat() {
  let wait = QUIET;
  if (document.visibilityState === "visible") {
    try {
      const { daemon, change, paused } = await ask("pulse");
      const told = tellDaemon(daemon, paused);
      pulse.textContent = told.short;
      pulse.dataset.state = told.state;
      view.pulse?.(daemon, change, paused);
      if (told.state === "busy") wait = BUSY;
    } catch (failure) {
      pulse.textContent = failure.message;
      pulse.dataset.state = "gone";
      if (isLocked(failure)) return;
    }
  }
  setTimeout(beat, wait);
}

show();
beat();
