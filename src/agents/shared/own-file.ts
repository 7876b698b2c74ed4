/** The part that is the same in every file that ctx puts among an agent's plugins: plain JavaScript without dependencies. */

/**
 * Tells ctx one thing after the other, and gives what the model is to be told. Nothing that goes wrong here reaches the agent,
 * nor does it wait for long or live on for it. The process is one of its own group: a Ctrl-C that ends the agent does not end
 * what ctx is writing.
 */
export const TELLING = String.raw`import { spawn } from "node:child_process";

/** What is run at each event: it takes one JSON object on its standard input, and may answer with another. */
const COMMAND = "%COMMAND%";

/** Longest that the agent waits at one event, and that ctx may take for one, in milliseconds. */
const LONGEST = 10000;

/** How many events wait at most where ctx hangs: what comes then is left out. Where it is only slow, nothing is. */
const MOST = 100;

/** Gives null where ctx hangs, and ends it: what comes next is not to wait for it. */
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
    // The agent may end meanwhile. Not everything can be let go of in Bun.
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

// One after the other: ctx hears everything in the order in which it happened.
let last = Promise.resolve("");
let queued = 0;
let isHanging = false;

function tell(payload) {
  if (isHanging && queued >= MOST) return Promise.resolve("");
  // As it is now: its turn may come when the agent has long changed it.
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

/** What comes of it; undefined where that takes longer: it goes on by itself then. */
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

/** A handler that never throws, and that the agent never waits for any longer. */
const safely = (handler) => async (...words) => {
  try {
    return await atMost(LONGEST, handler(...words));
  } catch {
    return undefined;
  }
};

const joined = (...texts) => texts.filter((text) => text).join("\n\n");
`;
