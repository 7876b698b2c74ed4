// Packs of less than a megabyte whose deltas ask for hours or for all of the memory: each is refused or harmless, and a check of every object too.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { CONTENT_LIMIT } from '../../src/git/layout.ts';
import { sha1 } from '../../src/git/objects/loose.ts';
import { tellCases } from '../support/cases.ts';
import { copying, deltaEntry, deltaHead, type PackEntry, packOf, wholeEntry } from '../support/packs.ts';
import { expectHarmless, type Lived, livedIn, watch } from './support.ts';
import { Victim } from './victim.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const LINES = [['stage', 'status'], ['fsck'], ['fsck', '--full']];

/** Most memory that a command may need, in KiB: the 200 MB of any command, and what differs from one machine to the other. */
const BUDGET = 220 * 1024;

/** A delta that makes a copy of its base. */
const copyOf = (size: number): Buffer => Buffer.concat([deltaHead(size, size), copying(0, size)]);

/** As many copies of single bytes as a delta of 16 MiB can ask for. */
function single(from: number): Buffer {
  const copies = Buffer.alloc(CONTENT_LIMIT / 4 - 64, Buffer.of(0x90, 1));
  return Buffer.concat([deltaHead(from, copies.length / 2), copies]);
}

/** A chain of deltas that ends in an object. */
function chain(oid: string, size: number, count: number, delta: (number: number) => Buffer): PackEntry[] {
  const nameOf = (number: number): string => (number === count ? oid : sha1(Buffer.from(`entry ${number}`)));
  const deltas = Array.from({ length: count }, (_, number) =>
    deltaEntry(nameOf(number + 1), nameOf(number), delta(number)),
  );
  return [wholeEntry(nameOf(0), Buffer.alloc(size)), ...deltas];
}

const PACKS: [name: string, entries: (oid: string) => PackEntry[]][] = [
  ['200 deltas of the largest size', (oid) => chain(oid, CONTENT_LIMIT, 200, () => copyOf(CONTENT_LIMIT))],
  [
    'no more deltas of the largest size than are followed',
    (oid) => chain(oid, CONTENT_LIMIT, 40, () => copyOf(CONTENT_LIMIT)),
  ],
  [
    'deltas of nothing but single bytes',
    (oid) => {
      const first = single(1);
      const later = single((first.length - 10) / 2);
      return chain(oid, 1, 40, (number) => (number === 0 ? first : later));
    },
  ],
  ['many deltas, the last of them first', (oid) => chain(oid, 8_000, 4_000, () => copyOf(8_000)).reverse()],
  [
    'many deltas of one object of the largest size',
    (oid) => {
      const base = sha1(Buffer.from('base'));
      const leaf = (number: number): string => (number === 0 ? oid : sha1(Buffer.from(`leaf ${number}`)));
      const leaves = Array.from({ length: 20 }, (_, number) => deltaEntry(leaf(number), base, copyOf(CONTENT_LIMIT)));
      return [wholeEntry(base, Buffer.alloc(CONTENT_LIMIT)), ...leaves];
    },
  ],
];

test.each(PACKS)(
  '%s',
  async (name, entries) => {
    const victim = new Victim(lived);
    const oid = victim.git('rev-parse', `${victim.session}:session.json`);
    for (const file of readdirSync(join(victim.store, 'objects', 'pack')))
      rmSync(join(victim.store, 'objects', 'pack', file));
    rmSync(join(victim.store, 'objects', oid.slice(0, 2), oid.slice(2)), { force: true });
    const { pack, index } = packOf(entries(oid));
    expect(pack.length).toBeLessThan(1_000_000);
    victim.pack(pack, index);
    tellCases(LINES.length);
    for (const words of LINES) {
      const watched = await watch(words, { cwd: victim.dir });
      if (process.env['CTX_STRANGERS_PEAKS']) console.log(`${watched.peak >> 10} MB ${words.join(' ')}: ${name}`);
      expectHarmless(watched);
      expect([words, watched.code]).toEqual([words, 5]);
      expect(watched.peak, words.join(' ')).toBeLessThan(BUDGET);
    }
    rmSync(victim.outer, { recursive: true, force: true });
  },
  600_000,
);
