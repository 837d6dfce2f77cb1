// The one way to ask capsa: a POST with the key that only this origin has.

export class Failure extends Error {
  constructor(message, status, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// What capsa's exit codes and the gate's refusals mean to the page.
export const isMissing = (failure) => failure.status === 404;
export const isLocked = (failure) => failure.status === 401;
export const isGone = (failure) => failure.status === 0;

// A press longer than this, in ms, is no click.
const LONGEST_PRESS = 1000;
let released = Promise.resolve();

// Answers wait for it: a button that is drawn anew between press and release has no click.
function press() {
  released = new Promise((resolve) => {
    setTimeout(resolve, LONGEST_PRESS);
    // The click comes right after the release.
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(resolve), { once: true });
  });
}

addEventListener("pointerdown", press, { capture: true });

export async function ask(operation, request = {}, signal = undefined) {
  let answer;
  try {
    answer = await fetch(`/api/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Capsa-Token": localStorage.getItem("token") ?? "" },
      body: JSON.stringify(request),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("capsa does not answer: “capsa open” was ended. Run it again.", 0);
  }
  // What the server says before it looks at a request is no JSON: too many connections, a fault of its own.
  const record = await answer.json().catch(() => ({ error: `capsa answers ${answer.status} ${answer.statusText}.` }));
  await released;
  if (!answer.ok) throw new Failure(record.error, answer.status, record.code);
  return record;
}

const told = document.getElementById("told");
let hiding;

// Tells the outcome of something that was done, at the foot of the page, for a while.
export function tell(message) {
  clearTimeout(hiding);
  told.textContent = message;
  told.classList.add("shown");
  hiding = setTimeout(() => told.classList.remove("shown"), 6000);
}

// Runs something that was asked for by a click, and tells when it fails.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tell(error.message);
    return null;
  }
}
