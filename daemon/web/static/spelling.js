// Words that no document has, looked up when typing has come to a rest: one that is being typed is unknown too.

import { ask } from "./api.js";

// So long after the hits, in ms.
const PAUSE = 500;

export class Spelling {
  // Tells of corrections, unless it is stopped, or something else looked at, before.
  look(text, oncorrections) {
    this.stop();
    const timer = setTimeout(async () => {
      const { corrections } = await ask("spell", { text }).catch(() => ({ corrections: [] }));
      if (timer === this.timer && corrections.length) oncorrections(corrections);
    }, PAUSE);
    this.timer = timer;
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
