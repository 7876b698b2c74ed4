// A file of another program that comes into being while it is looked at: it is read, not refused.
import type { StatSyncOptions } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readForeign } from '../../src/platform/foreign-file.ts';
import { temporaryFolder } from '../support/store.ts';

const { meanwhile } = vi.hoisted(() => ({ meanwhile: { happen: (): void => undefined } }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const statSync = (path: string, options: StatSyncOptions): unknown => {
    const found = real.statSync(path, options);
    if (!found) meanwhile.happen();
    return found;
  };
  return { ...real, statSync };
});

afterEach(() => {
  meanwhile.happen = () => undefined;
});

test('a file that was made at this moment', () => {
  const path = join(temporaryFolder(), 'settings.json');
  meanwhile.happen = () => writeFileSync(path, 'theirs');
  expect(readForeign(path).content?.toString()).toBe('theirs');
});

test('a link to nothing is still refused, and no file is none', () => {
  const path = join(temporaryFolder(), 'settings.json');
  expect(readForeign(path).content).toBe(null);
  symlinkSync('nowhere', path);
  expect(() => readForeign(path)).toThrow('is a link to a file that is not there');
});
