// Looks for a text in every byte of a store: files as they are, and inflated; objects loose, waiting and packed.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inflateSync } from 'node:zlib';

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text as it may stand in a file: raw, inside JSON, and inside JSON inside JSON. */
function waysOf(text: string): Buffer[] {
  return [text, escaped(text), escaped(escaped(text))].map((way) => Buffer.from(way));
}

function inflated(content: Buffer): Buffer {
  try {
    return inflateSync(content);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Lists the places of a text in a store: names of files, and `packed <oid>` for objects in packs. */
export function tracesOf(store: string, ...texts: string[]): string[] {
  const needles = texts.flatMap(waysOf);
  const holds = (content: Buffer): boolean => needles.some((needle) => content.includes(needle));
  const entries = readdirSync(store, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(store, path);
    if (holds(Buffer.from(name))) found.push(`name ${name}`);
    if (!entry.isFile()) continue;
    const content = readFileSync(path);
    if (holds(content) || holds(inflated(content))) found.push(name);
  }
  return [...found, ...packed(store, holds)];
}

/** Objects, packed ones too, as Git itself gives them. */
function packed(store: string, holds: (content: Buffer) => boolean): string[] {
  const run = spawnSync('git', ['--git-dir', store, 'cat-file', '--batch', '--batch-all-objects'], {
    maxBuffer: 1024 * 1024 * 1024,
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  if (run.status !== 0) throw new Error(`git cat-file: ${run.stderr}`);
  const found: string[] = [];
  for (let at = 0; at < run.stdout.length; ) {
    const end = run.stdout.indexOf(10, at);
    const [oid, , size] = run.stdout.toString('latin1', at, end).split(' ');
    const from = end + 1;
    at = from + Number(size) + 1;
    if (holds(run.stdout.subarray(from, at - 1))) found.push(`object ${oid}`);
  }
  return found;
}
