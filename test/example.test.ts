// The store that is shipped as `.ctx-example`: made again it is the same, Git reads it, and nothing of a machine is in it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeExample } from '../fixtures/make-example.ts';
import { openRepository, readLog, sessionStatus, showRevision } from '../src/index.ts';

const shipped = fileURLToPath(new URL('../.ctx-example', import.meta.url));
let folder: string;
let made: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctx-example-test-'));
  made = join(folder, 'made');
  makeExample(made);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads every file of a store but those that can be made again, by its path; an object without its compression, which differs between versions of zlib. */
function contentsOf(store: string): Record<string, string> {
  const entries = readdirSync(store, { recursive: true, withFileTypes: true, encoding: 'utf8' });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = (path: string): string => {
    const bytes = readFileSync(path);
    return (path.startsWith(join(store, 'objects')) ? inflateSync(bytes) : bytes).toString('latin1');
  };
  const named = files.sort().map((path) => [path.slice(store.length + 1).replaceAll('\\', '/'), path] as const);
  // A command that reads the shipped store leaves a catalog in it.
  const kept = named.filter(([name]) => !name.startsWith('cache/'));
  return Object.fromEntries(kept.map(([name, path]) => [name, read(path)]));
}

function git(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('git', [`--git-dir=${shipped}`, ...words], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('made again, it is the same: refs, object ids, and what is in the objects', () => {
  const [one, other] = [contentsOf(shipped), contentsOf(made)];
  expect(Object.keys(other)).toEqual(Object.keys(one));
  expect(other).toEqual(one);
});

test('Git finds nothing wrong with it', () => {
  expect(git('fsck', '--strict', '--no-dangling')).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('Git reads it like a story', () => {
  const { stdout } = git('log', '--format=%(trailers:key=Ctx-Type,valueonly,separator=) %s');
  expect(stdout.split('\n')).toEqual([
    'StaleAutoCompact Auto-saved stale session (idle 9 days 2 hours): Honour the Retry-After header',
    'Abandoned Move the retries into a queue that survives a restart',
    'Normal Add retry with exponential backoff to the HTTP client',
    'Root Root of a ctx store',
    '',
  ]);
  const files = git('ls-tree', '-r', '--name-only', 'main', 'files/').stdout.trim().split('\n');
  expect(files).toEqual(
    ['src/backoff.ts', 'src/client.ts', 'src/retry-after.ts', 'test/backoff.test.ts'].map((path) => `files/${path}`),
  );
});

test('ctx reads it, every step included', () => {
  const repository = openRepository({ store: shipped });
  expect(sessionStatus(repository)).toEqual({
    active: false,
    allowed: ['start'],
    open_sessions: 0,
    hook_errors: null,
    forgotten: [],
  });
  const entries = [...readLog(repository)];
  expect(entries.map((entry) => entry.commit_type)).toEqual([
    { kind: 'StaleAutoCompact', idle_duration_secs: 784_800 },
    { kind: 'Abandoned' },
    { kind: 'Normal' },
  ]);
  for (const entry of entries) {
    const steps = [...showRevision(repository, entry.session_id ?? '').steps];
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: entry.step_count }, (_, index) => index + 1));
  }
});

test('it survives Git, which keeps no empty folder and no mode, and it holds nothing of a machine', () => {
  const entries = readdirSync(made, { recursive: true, withFileTypes: true, encoding: 'utf8' });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  expect(folders.filter((path) => readdirSync(path).length === 0)).toEqual([]);
  const contents = contentsOf(shipped);
  expect(Object.keys(contents).filter((path) => /^(LOCK|STAGE|hooks|pending|lost|settings)/.test(path))).toEqual([]);
  const foreign = [tmpdir(), homedir(), hostname(), process.cwd(), 'ctx-example-'].filter((text) => text.length > 3);
  for (const [path, content] of Object.entries(contents)) {
    expect({ path, found: foreign.filter((text) => content.includes(text)) }).toEqual({ path, found: [] });
  }
});
