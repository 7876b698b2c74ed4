/** The part that is the same in every file that ctx puts among an agent's plugins: plain JavaScript without dependencies. */

/**
 * Tells ctx one thing after the other, and gives what the model is to be told. Nothing that goes wrong here reaches the agent.
 * The process is one of its own group: a Ctrl-C that ends the agent does not end what ctx is writing.
 */
export const TELLING = String.raw`import { spawn } from "node:child_process";

/** What is run at each event: it takes one JSON object on its standard input, and may answer with another. */
const COMMAND = "%COMMAND%";

/** Longest wait for it, in milliseconds. */
const LONGEST = 10000;

function run(payload) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND, { shell: true, detached: true, stdio: ["pipe", "pipe", "ignore"] });
    let said = "";
    const end = () => {
      clearTimeout(late);
      resolve(contextIn(said));
    };
    const late = setTimeout(end, LONGEST);
    child.on("error", end);
    child.on("close", end);
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => {
      said += piece;
    });
    child.stdin.end(JSON.stringify(payload));
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

function tell(payload) {
  last = last.then(() => run(payload)).catch(() => "");
  return last;
}

/** A handler that never throws. */
const safely = (handler) => async (...words) => {
  try {
    return await handler(...words);
  } catch {
    return undefined;
  }
};

const joined = (...texts) => texts.filter((text) => text).join("\n\n");
`;
