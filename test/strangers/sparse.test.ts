// Files of the store that somebody has made far too large: each is refused, or passed over, without being read.
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { tellCases } from '../support/cases.ts';
import { expectHarmless, type Lived, livedIn, watch } from './support.ts';
import { Victim } from './victim.ts';

/** More than any text of Node's may have, in bytes; nothing of it lies on the disk. */
const SIZE = 520 * 1024 * 1024;

const LINES = [
  ['observe', 'note', 'y'],
  ['stage', 'flush'],
  ['forget', '--text', 'A long note', '--dry-run'],
  ['fsck', '--full'],
  ['doctor'],
  ['fsck', '--repair'],
];

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

/** Makes a file as large as that; gives its path. */
function swell(store: string, name: string): string {
  const path = join(store, name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, '');
  truncateSync(path, SIZE);
  return path;
}

test.each([
  ...['HEAD', 'STAGE', 'config', 'settings.json', 'key', 'forgotten.json', 'packed-refs', 'hook-errors.jsonl'],
  ...['LOCK', 'LOCK.packing', 'LOCK.ref', 'LOCK.packed', 'forgetting/plan.json', 'forgetting/0', 'lost/x'],
  ...['logs/HEAD', 'logs/refs/heads/main', 'refs/heads/main', 'oplog/begun.json'],
])(
  '%s',
  async (name) => {
    const victim = new Victim(lived);
    swell(victim.store, name);
    tellCases(LINES.length);
    for (const words of LINES) expectHarmless(await watch(words, { cwd: victim.dir }));
    rmSync(victim.outer, { recursive: true, force: true });
  },
  120_000,
);
