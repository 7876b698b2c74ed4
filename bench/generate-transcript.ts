/** Makes a transcript of any size: the conversation of a fixture again and again, each copy with ids and times of its own. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

const FIXTURE = join(ROOT, 'fixtures', 'claude-code', 'retry-backoff.jsonl');

/** Ids whose first eight digits tell the copies apart: those of lines, of messages, of requests and of tool calls. */
const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;
const PREFIXED = /\b(msg_|req_|toolu_)[0-9a-f]{8}/g;
const TIME = /"timestamp":"([^"]+)"/g;

/** Time between one copy and the copy before it, in milliseconds. */
const PAUSE = 20 * 60 * 1000;

/** One conversation that goes on and on. */
export interface Endless {
  /** Copy after copy, without end. */
  conversation: Iterable<string>;
  /** The agent's own id of the session. */
  session: string;
}

export function endlessTranscript(): Endless {
  const text = readFileSync(FIXTURE, 'utf8');
  const session = /"sessionId":"([^"]+)"/.exec(text)?.[1];
  if (session === undefined) throw new Error(`${FIXTURE} is no conversation of Claude Code.`);
  return { conversation: copies(text, session), session };
}

function* copies(text: string, session: string): Generator<string> {
  const lines = text.trimEnd().split('\n');
  const last = /"uuid":"([^"]+)"/.exec(lines.at(-1) ?? '')?.[1];
  if (last === undefined) throw new Error(`The last line of ${FIXTURE} has no id.`);
  for (let copy = 0; ; copy += 1) {
    const mark = copy.toString(16).padStart(8, '0');
    const before = (copy - 1).toString(16).padStart(8, '0');
    const fresh = text
      .replace(UUID, (uuid, rest: string) => (uuid === session ? uuid : mark + rest))
      .replace(PREFIXED, (_, prefix: string) => prefix + mark)
      .replace(TIME, (_, time: string) => `"timestamp":"${new Date(Date.parse(time) + copy * PAUSE).toISOString()}"`);
    // The first line of a copy goes on where the last one of the copy before it ended.
    yield copy === 0 ? fresh : fresh.replace('"parentUuid":null', `"parentUuid":"${before}${last.slice(8)}"`);
  }
}

/** Writes a transcript of at least so many bytes; gives one more copy, to let it grow. */
export function writeTranscript(file: string, bytes: number): string {
  const handle = openSync(file, 'wx');
  try {
    let written = 0;
    for (const copy of endlessTranscript().conversation) {
      if (written >= bytes) return copy;
      written += writeSync(handle, copy);
    }
    return '';
  } finally {
    closeSync(handle);
  }
}
