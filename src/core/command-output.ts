/** Finds the output of a command within a tool's result: behind an exit code, a head of lines, or in JSON. */

/** A stretch of a text, and what it says without blanks around it. */
export interface ToldOutput {
  readonly start: number;
  readonly end: number;
  readonly plain: string;
}

/** As Claude Code, Codex and Gemini CLI begin: each leaves what follows to the output. */
const HEADS: readonly RegExp[] = [
  /^(?:Error: )?Exit code -?[0-9]{1,9}\n/,
  /^(?:(?:Command|Chunk ID|Exit code|Wall time|Process|Original token count|Total output lines)\b[^\n]{0,4096}\n){1,12}\n?Output:\n?/,
  /^(?:Command: [^\0]{0,4096}?\nDirectory: [^\n]{0,4096}\n)?(?:Output|Stdout): /,
];
/** As Copilot CLI and Gemini CLI end. */
const TAILS: readonly RegExp[] = [
  /\n?<(?:exited with exit code|command exited with code) -?[0-9]{1,9}>\s{0,16}$/,
  /(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]{0,4096}){1,5}\s{0,16}$/,
];
/** As Codex of 2025 wrote results. */
const IN_JSON = /^\{"output":"((?:[^"\\]|\\[^\n])*)"/;
const LONGEST_FRAME = 32_768;

/** Returns the output that a text holds; null if it has none of these forms, so that all of it may be one. */
export function outputIn(text: string): ToldOutput | null {
  if (text.startsWith('{"output":"')) return outputInJson(text);
  const head = lengthOf(HEADS, text.slice(0, LONGEST_FRAME));
  const tail = lengthOf(TAILS, text.slice(Math.max(head, text.length - LONGEST_FRAME)));
  return head + tail === 0 ? null : trimmed(text, head, text.length - tail);
}

/** Returns the length of the first frame at that place; 0 if there is no frame. */
const lengthOf = (frames: readonly RegExp[], text: string): number =>
  frames.reduce((length, frame) => length || (frame.exec(text)?.[0].length ?? 0), 0);

function trimmed(text: string, from: number, to: number): ToldOutput {
  const plain = text.slice(from, to).trim();
  const start = text.indexOf(plain, from);
  return { start, end: start + plain.length, plain };
}

function outputInJson(text: string): ToldOutput | null {
  const written = IN_JSON.exec(text)?.[1];
  if (written === undefined) return null;
  const start = '{"output":"'.length;
  try {
    return { start, end: start + written.length, plain: String(JSON.parse(`"${written}"`)).trim() };
  } catch {
    // No JSON after all.
    return null;
  }
}
