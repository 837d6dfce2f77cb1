// What the background process tells, in words.

import { count } from "./numbers.js";
import { sentence } from "./words.js";

const number = (value) => Math.round(value).toLocaleString();

export function seconds(value) {
  const whole = Math.round(value);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.round(whole / 60)} min`;
  return `${Math.floor(whole / 3600)} h ${Math.round((whole % 3600) / 60)} min`;
}

const waiting = (daemon) => daemon.waiting && count(daemon.waiting, "change to look at", "changes to look at");

// {state: off | paused | busy | waiting | quiet, short, long}; `paused` is how many sources are.
export function tellDaemon(daemon, paused = 0) {
  if (!daemon)
    return {
      state: "off",
      short: "Background off",
      long: "capsa does not run in the background: what changes in your folders is not found before you start it.",
    };
  if (daemon.paused) {
    const told = [waiting(daemon), "Searches go on."].filter(Boolean).map(sentence).join(". ");
    return { state: "paused", short: "Paused", long: `Paused: nothing is indexed until it goes on. ${told}` };
  }
  if (daemon.waits_for && daemon.waiting) {
    return {
      state: "waiting",
      short: `Waiting: ${daemon.waits_for}`,
      long: `Waiting: ${daemon.waits_for}. ${count(daemon.waiting, "change")} to be read.`,
    };
  }
  if (daemon.files) {
    const left = daemon.seconds_left === null ? "" : `, ${seconds(daemon.seconds_left)} left`;
    const short = `${daemon.done.toLocaleString()} of ${count(daemon.files, "file")}${left}`;
    return {
      state: "busy",
      short,
      long: `${sentence(daemon.stage)}: ${short}, ${number(daemon.chunks_per_second)} passages a second`,
    };
  }
  if (daemon.waiting || daemon.stage !== "idle") {
    return {
      state: "busy",
      short: "Looking for changes",
      long: [daemon.stage === "idle" ? "" : daemon.stage, waiting(daemon)].filter(Boolean).map(sentence).join("; "),
    };
  }
  if (paused) {
    const told = count(paused, "paused source");
    const long = `Everything is indexed but for ${told}, and changes elsewhere are followed.`;
    return { state: "quiet", short: `Up to date but for ${told}`, long };
  }
  return { state: "quiet", short: "Up to date", long: "Everything is indexed, and changes are followed." };
}
