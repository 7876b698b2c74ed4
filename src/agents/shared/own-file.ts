/** The common part of every file that ctx puts among an agent's plugins: plain JavaScript without dependencies. */

/**
 * Source that sends ctx one event after the other, and returns text for the model. No error here reaches the agent, which
 * neither waits for long nor lives longer for it. The process has its own group: a Ctrl-C that ends the agent does not end
 * ctx while it writes.
 */
export const SENDER = String.raw`import { spawn } from "node:child_process";

/** The command of each event: it takes one JSON object on its standard input, and may answer with another. */
const COMMAND = "%COMMAND%";

/** The longest time that the agent waits at one event, and that ctx may take for one, in milliseconds. */
const LONGEST = 10000;

/** The number of events that wait while ctx hangs: later ones are left out. While ctx is only slow, none is. */
const MOST = 100;

/** Runs ctx; resolves to null if it hangs, and ends it, so that the next event does not wait for it. */
function run(text) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND, { shell: true, detached: true, stdio: ["pipe", "pipe", "ignore"] });
    let said = "";
    const end = () => {
      clearTimeout(late);
      resolve(contextIn(said));
    };
    const late = setTimeout(() => {
      resolve(null);
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }, LONGEST);
    child.on("error", end);
    child.on("close", end);
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => {
      said += piece;
    });
    child.stdin.end(text);
    // The agent may end meanwhile. Some of these have no unref in Bun.
    for (const held of [child, child.stdin, child.stdout, late]) held.unref?.();
  });
}

function contextIn(text) {
  try {
    return JSON.parse(text).hookSpecificOutput.additionalContext || "";
  } catch {
    return "";
  }
}

// One after the other: ctx gets the events in the order in which they happened.
let last = Promise.resolve("");
let queued = 0;
let isHanging = false;

/** Sends an event; resolves to text for the model. */
function send(payload) {
  if (isHanging && queued >= MOST) return Promise.resolve("");
  // Serialised now: the agent may change the payload before its turn comes.
  const text = JSON.stringify(payload);
  queued += 1;
  last = last
    .then(() => run(text))
    .catch(() => "")
    .then((said) => {
      queued -= 1;
      isHanging = said === null;
      return said || "";
    });
  return last;
}

/** Returns the result of a promise; undefined if it takes longer: then it continues by itself. */
async function atMost(longest, promise) {
  let late;
  const enough = new Promise((resolve) => {
    late = setTimeout(resolve, longest);
  });
  try {
    return await Promise.race([promise, enough]);
  } finally {
    clearTimeout(late);
  }
}

/** Returns a handler that never throws, and that the agent waits for no longer than that. */
const safely = (handler) => async (...words) => {
  try {
    return await atMost(LONGEST, handler(...words));
  } catch {
    return undefined;
  }
};

const joined = (...texts) => texts.filter((text) => text).join("\n\n");
`;
