// A pack that came from outside closes its file exactly once: a second time would close a file that somebody else has opened since.
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { receivePack } from '../../src/git/objects/received-pack.ts';
import { errorOf, temporaryFolder } from '../support/store.ts';

/** Opens a file of the given bytes. */
const opened = (bytes: Buffer | string): number => {
  const path = join(temporaryFolder(), 'pack');
  writeFileSync(path, bytes);
  return openSync(path, 'r');
};

test('a refused pack closes its file, and leaves the next one under its number open', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const refused = opened('PACK that is cut off, but long enough to have a header and a checksum');
  (() => errorOf(() => receivePack(refused)))();
  expect(() => fstatSync(refused)).toThrow('EBADF');
  const next = openSync(import.meta.filename, 'r');
  expect(next).toBe(refused);
  for (let round = 0; round < 3; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(readFileSync(next, 'utf8')).toContain('A pack that came from outside');
  closeSync(next);
});
