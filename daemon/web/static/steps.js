// What is typed, on its way into the address and the browser's history.

import { addressOf } from "./address.js";

// After a pause this long what was typed is in the address, in ms: browsers limit how often it may change.
const PAUSE = 300;
// What is typed within so many ms is one step of the history.
const STEP = 2000;

export class Steps {
  // `search` returns what is searched for now.
  constructor(search) {
    this.search = search;
    this.typedAt = -Infinity;
    this.isNew = false;
  }

  typed() {
    const now = performance.now();
    this.isNew ||= now - this.typedAt > STEP;
    this.typedAt = now;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), PAUSE);
  }

  // Writes what was typed at once, when that is still to be done.
  write() {
    if (this.timer !== undefined) go(addressOf(this.search()), !this.isNew);
    this.forget();
  }

  forget() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isNew = false;
  }
}

// Says whether the address is another one than before.
export function go(address, replaced) {
  if (address === location.pathname + location.search) return false;
  if (replaced) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  return true;
}
