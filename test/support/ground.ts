/** Makes the folders that tests need: a folder of the file that is running, and one for what is made once in a run and copied. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of templates, which goes when all tests are done. */
    templates: string;
  }
}

let ground: string | undefined;

/** The folder of the test file that is running: everything that it makes lies below it, and goes when its tests are done. */
export function groundOfFile(): string {
  ground ??= mkdtempSync(join(realpathSync(tmpdir()), 'ctx-test-'));
  return ground;
}

/** Takes away what a test file has made. */
export function clearGround(): void {
  if (ground !== undefined) rmSync(ground, { recursive: true, force: true, maxRetries: 5 });
  ground = undefined;
}

/**
 * A folder that is made once for all test files, and is to be copied, not changed.
 * @param how tells it from others
 * @param make fills an empty folder
 */
export function templateOf(how: string, make: (folder: string) => void): string {
  const place = join(inject('templates'), createHash('sha1').update(how).digest('hex'));
  if (existsSync(place)) return place;
  const mine = mkdtempSync(`${place}-`);
  make(mine);
  try {
    renameSync(mine, place);
  } catch {
    // Another worker was faster.
    rmSync(mine, { recursive: true });
  }
  return place;
}
