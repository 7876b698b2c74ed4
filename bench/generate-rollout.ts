/** Makes a rollout of any size: the conversation of a fixture again and again, each copy with ids and times of its own. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Endless } from './generate-transcript.ts';
import { ROOT } from './program.ts';

const FIXTURE = join(ROOT, 'fixtures', 'codex', 'rate-limit.jsonl');

/** Ids of calls, messages and turns. */
const ID = /:"(call_|msg_|turn-)/g;
const TIME = /"timestamp":"([^"]+)"/g;

/** Time between one copy and the copy before it, in milliseconds. */
const PAUSE = 20 * 60 * 1000;

export function endlessRollout(): Endless {
  const text = readFileSync(FIXTURE, 'utf8');
  const session = /"type":"session_meta","payload":\{"id":"([^"]+)"/.exec(text)?.[1];
  if (session === undefined) throw new Error(`${FIXTURE} is no rollout of Codex.`);
  return { conversation: copies(text), session };
}

function* copies(text: string): Generator<string> {
  yield text;
  const conversation = text.slice(text.indexOf('\n') + 1);
  for (let copy = 1; ; copy += 1) {
    yield conversation
      .replace(ID, (_, prefix: string) => `:"${prefix}${copy}_`)
      .replace(TIME, (_, time: string) => `"timestamp":"${new Date(Date.parse(time) + copy * PAUSE).toISOString()}"`);
  }
}

/** Writes a rollout of at least so many bytes: one session that goes on and on. */
export function writeRollout(file: string, bytes: number): void {
  const handle = openSync(file, 'wx');
  try {
    let written = 0;
    for (const copy of endlessRollout().conversation) {
      if (written >= bytes) return;
      written += writeSync(handle, copy);
    }
  } finally {
    closeSync(handle);
  }
}
