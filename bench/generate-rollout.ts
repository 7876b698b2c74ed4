/** Makes a rollout of any size: the conversation of a fixture again and again, each copy with ids and times of its own. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

const FIXTURE = join(ROOT, 'fixtures', 'codex', 'rate-limit.jsonl');

/** Ids of calls, messages and turns. */
const ID = /:"(call_|msg_|turn-)/g;
const TIME = /"timestamp":"([^"]+)"/g;

/** How far one copy lies behind the one before it, in milliseconds. */
const PAUSE = 20 * 60 * 1000;

/** Writes a rollout of at least so many bytes: one session that goes on and on. */
export function writeRollout(file: string, bytes: number): void {
  const text = readFileSync(FIXTURE, 'utf8');
  const conversation = text.slice(text.indexOf('\n') + 1);
  const handle = openSync(file, 'wx');
  try {
    let written = writeSync(handle, text);
    for (let copy = 1; written < bytes; copy += 1) {
      const fresh = conversation
        .replace(ID, (_, prefix: string) => `:"${prefix}${copy}_`)
        .replace(TIME, (_, time: string) => `"timestamp":"${new Date(Date.parse(time) + copy * PAUSE).toISOString()}"`);
      written += writeSync(handle, fresh);
    }
  } finally {
    closeSync(handle);
  }
}
