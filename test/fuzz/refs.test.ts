// Pointers with anything in their files: what stands there, or damaged; and what Git reads, we read the same or refuse.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as ctx from '../../src/index.ts';
import { readPackedRefs, withoutRef } from '../../src/store/packed-refs.ts';
import { lastOfReflog, readReflog } from '../../src/store/reflog.ts';
import { anyText, fc } from '../support/property.ts';
import { git, makeProject, temporaryFolder } from '../support/store.ts';
import { harms, runs, spoilt, valueOr } from './fuzz.ts';

const OID = /^[0-9a-f]{40}$/;
const oid = fc.stringMatching(OID);
const name = fc.constantFrom(
  'refs/heads/main',
  'refs/tags/v1',
  'refs/sessions/0123456789',
  'refs/archive/0123456789',
  'refs/x y',
);
const packedLine = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(oid, name).map(([value, ref]) => `${value} ${ref}`) },
  { weight: 1, arbitrary: oid.map((value) => `^${value}`) },
  { weight: 1, arbitrary: fc.constantFrom('# pack-refs with: peeled fully-peeled sorted ', '#', '', ' ', '\r') },
  { weight: 1, arbitrary: anyText(50).map((text) => text.replaceAll('\n', ' ')) },
);
const packedText = fc
  .tuple(fc.array(packedLine, { maxLength: 8 }), fc.constantFrom('\n', '\n', '\n', ''))
  .map(([lines, end]) => lines.join('\n') + end);
const bytesOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(text, fc.option(harms))
    .map(([whole, harm]) => (harm ? spoilt(Buffer.from(whole), harm) : Buffer.from(whole)));

test('packed-refs: the refs that stand in it, or damaged; one is taken out of it without the others', () => {
  const path = join(temporaryFolder(), 'packed-refs');
  let read = 0;
  fc.assert(
    fc.property(bytesOf(packedText), name, (bytes, gone) => {
      writeFileSync(path, bytes);
      const result = valueOr(['damaged'], () => readPackedRefs(path));
      if (!('value' in result)) return;
      read += 1;
      const text = bytes.toString('utf8');
      // Nothing that stands in it is passed over.
      for (const line of text.split('\n')) expect(line).toMatch(/^([0-9a-f]{40} \S+|[#^].*|)$/s);
      for (const [ref, value] of result.value) expect(`\n${text}`).toContain(`\n${value} ${ref}\n`);
      writeFileSync(path, withoutRef(text, gone));
      const rest = [...result.value].filter(([ref]) => ref !== gone);
      expect([...readPackedRefs(path)]).toEqual(rest);
    }),
    runs(1_000),
  );
  expect(read).toBeGreaterThan(150);
});

test('a store whose pointers hold anything: what Git reads, or damaged', () => {
  const project = makeProject();
  const { repository, store } = project;
  ctx.startSession(repository, 'A task');
  ctx.compactSession(repository);
  ctx.startSession(repository, 'Another task');
  git(store, ['pack-refs', '--all']);
  ctx.flushStep(repository, { note: 'a step' });
  const open = repository.refs.stage() as string;
  const [archived] = repository.refs.names('refs/archive/');
  const refs = ['refs/heads/main', open, archived as string];
  const files = ['STAGE', 'packed-refs', ...refs, `logs/${open}`, 'logs/refs/heads/main'];
  const before = new Map(files.map((file) => [file, readIfThere(join(store, file))]));
  const harm = fc.tuple(fc.constantFrom(...files), fc.oneof(harms, anyText(60), fc.constant(null)));
  const seen = { read: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(harm, { minLength: 1, maxLength: 2 }), (list) => {
      for (const [file, what] of list) {
        const path = join(store, file);
        const whole = before.get(file) ?? Buffer.alloc(0);
        mkdirSync(dirname(path), { recursive: true });
        if (what === null) rmSync(path, { force: true });
        else writeFileSync(path, typeof what === 'string' ? what : spoilt(whole, what));
      }
      const stage = valueOr(['damaged'], () => repository.refs.stage());
      if ('value' in stage)
        expect([null, readIfThere(join(store, 'STAGE'))?.toString('utf8')]).toContain(
          stage.value && `ref: ${stage.value}\n`,
        );
      for (const ref of refs) {
        const result = valueOr(['damaged'], () => repository.refs.read(ref));
        seen['value' in result ? 'read' : 'refused'] += 1;
        const told = readByGit(store, ref);
        if ('value' in result && told !== undefined) expect(result.value).toBe(told);
        lastOfReflog(store, ref);
        for (const line of readReflog(store, ref))
          for (const value of [line.old, line.new]) if (value !== null) expect(value).toMatch(OID);
      }
      valueOr(['damaged'], () => repository.refs.list('refs/sessions/'));
      valueOr(['damaged', 'newer_version'], () => ctx.sessionStatus(repository));
      for (const [file, bytes] of before) {
        if (bytes) writeFileSync(join(store, file), bytes);
        else rmSync(join(store, file), { force: true });
      }
    }),
    runs(120),
  );
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(50);
});

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** The value that Git gives a ref; null where it has none, undefined where it refuses, as it does for a torn packed-refs nobody needs. */
function readByGit(store: string, ref: string): string | null | undefined {
  const words = ['--git-dir', store, 'rev-parse', '--verify', '-q', ref];
  const run = spawnSync('git', words, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: '/nonexistent' } });
  if (run.stderr !== '') return undefined;
  return run.status === 0 ? run.stdout.trim() : null;
}
