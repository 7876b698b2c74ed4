// Pointers with anything in their files: what stands there, or damaged; and what Git reads, we read the same or refuse.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { packedRefs, readPackedRefs, withoutRef } from '../../src/git/refs/packed-refs.ts';
import { lastOfReflog, readReflog } from '../../src/git/refs/reflog.ts';
import { isPointer } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
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

test('packed-refs: reads the refs in it or reports damage, and removes one ref without the others', () => {
  const path = join(temporaryFolder(), 'packed-refs');
  let read = 0;
  fc.assert(
    fc.property(bytesOf(packedText), name, (bytes, gone) => {
      writeFileSync(path, bytes);
      const result = valueOr(['damaged'], () => new Map(packedRefs(path)));
      const text = bytes.toString('latin1');
      const right = packedIn(text);
      const named = right && [...right].map(([ref, value]): [string, string] => [shownName(ref), value]);
      expect('value' in result ? [...result.value] : 'damaged').toEqual(named ?? 'damaged');
      if (!('value' in result)) return;
      const own = [...result.value].filter(([ref]) => isPointer(ref));
      expect([...readPackedRefs(path, isPointer)]).toEqual(own);
      read += 1;
      writeFileSync(path, Buffer.from(withoutRef(text, gone), 'latin1'));
      const rest = [...result.value].filter(([ref]) => ref !== gone);
      expect([...new Map(packedRefs(path))]).toEqual(rest);
    }),
    runs(1_000),
  );
  expect(read).toBeGreaterThan(100);
});

/** A name that was read byte by byte, as it is told: with its bytes in octal where it is no UTF-8. */
function shownName(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`)).join('');
  }
}

test('packed-refs of many pieces: every line, whatever its length; one that no name is as long as is named', () => {
  const path = join(temporaryFolder(), 'packed-refs');
  const lengths = fc.array(fc.nat(700), { minLength: 400, maxLength: 600 });
  fc.assert(
    fc.property(lengths, (list) => {
      const refs = list.map((length, index): [string, string] => [
        `refs/heads/${index}/${'é'.repeat(length)}`,
        `${index % 10}`.repeat(40),
      ]);
      writeFileSync(path, refs.map(([ref, id]) => `${id} ${ref}\n`).join(''));
      expect([...packedRefs(path)]).toEqual(refs);
    }),
    runs(20),
  );
  writeFileSync(path, `${'a'.repeat(40)} refs/heads/one\n${'b'.repeat(40)} refs/heads/${'x'.repeat(300_000)}\n`);
  const told = valueOr(['damaged'], () => [...packedRefs(path)]);
  expect(told).toMatchObject({ error: { message: expect.stringContaining('line 2 is far too long') } });
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
  const truth = new Map(refs.map((ref) => [ref, repository.refs.read(ref)]));
  const logs = new Map(refs.map((ref) => [ref, readReflog(store, ref)]));
  const status = ctx.sessionStatus(repository);
  const seen = { read: 0, refused: 0, exact: 0, status: 0 };
  fc.assert(
    fc.property(fc.array(harm, { minLength: 1, maxLength: 2 }), (list) => {
      for (const [file, what] of list) {
        const path = join(store, file);
        const whole = before.get(file) ?? Buffer.alloc(0);
        mkdirSync(dirname(path), { recursive: true });
        if (what === null) rmSync(path, { force: true });
        else writeFileSync(path, typeof what === 'string' ? what : spoilt(whole, what));
      }
      const texts = new Map(files.map((file) => [file, readIfThere(join(store, file))]));
      const isSound = (file: string): boolean => isSame(texts.get(file), before.get(file));
      expect(plain(() => repository.refs.stage())).toEqual(stageIn(texts.get('STAGE')));
      for (const ref of refs) {
        const result = plain(() => repository.refs.read(ref));
        seen[result === DAMAGED ? 'refused' : 'read'] += 1;
        const right = rightValues(ref, texts, truth.get(ref) as string, isSound(`logs/${ref}`));
        expect(right, ref).toContainEqual(result);
        seen.exact += right.length === 1 ? 1 : 0;
        const told = readByGit(store, ref);
        if (result !== DAMAGED && told !== undefined) expect(result).toBe(told);
        const lines = readReflog(store, ref);
        if (isSound(`logs/${ref}`)) expect(lines).toEqual(logs.get(ref));
        expect(lastOfReflog(store, ref)).toBe(lines.at(-1)?.new ?? null);
        for (const line of lines)
          for (const value of [line.old, line.new]) if (value !== null) expect(value).toMatch(OID);
      }
      const listed = plain(() => [...repository.refs.list('refs/sessions/')]);
      if (isSound(open) && isSound('packed-refs')) expect(listed).toEqual([[open, truth.get(open)]]);
      const told = plain(() => ctx.sessionStatus(repository), ['newer_version']);
      // The session is told by STAGE, by its own ref, and by nothing else.
      if (isSound('STAGE') && isSound(open)) {
        seen.status += 1;
        expect(told).toEqual(status);
      }
      for (const [file, bytes] of before) {
        if (bytes) writeFileSync(join(store, file), bytes);
        else rmSync(join(store, file), { force: true });
      }
    }),
    runs(120),
  );
  expect(Math.min(seen.read, seen.refused, seen.status)).toBeGreaterThan(30);
  // The other cases: a reflog is damaged that alone could tell whether a packed value is the last one.
  expect(seen.exact).toBeGreaterThan((seen.read + seen.refused) * 0.9);
});

const DAMAGED = 'damaged';

/** Returns the result of a call, or a word for damage. */
function plain<T>(call: () => T, more: readonly ErrorCode[] = []): T | typeof DAMAGED {
  const result = valueOr([DAMAGED, ...more], call);
  return 'value' in result ? result.value : DAMAGED;
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other);

/** The refs that stand in a text by the rules of `packed-refs`, or null where one of its lines breaks them. */
function packedIn(text: string): Map<string, string> | null {
  const refs = new Map<string, string>();
  const lines = text.split('\n');
  if (lines.pop() !== '') return null;
  for (const line of lines) {
    if (line === '' || line[0] === '#' || line[0] === '^') continue;
    const [value, ref] = [line.slice(0, 40), line.slice(41)];
    // Characters that Git allows in no name (git check-ref-format); other blanks than its own it does.
    if (!OID.test(value) || line[40] !== ' ' || ref === '' || /[\0-\x20\x7f]/.test(ref)) return null;
    refs.set(ref, value);
  }
  return refs;
}

/** The only right answer for what STAGE holds. */
function stageIn(file: Buffer | undefined): string | null {
  if (file === undefined) return null;
  const [, ref, end] = file.toString('utf8').split(/^ref: (refs\/sessions\/[0-9A-Za-z-]+)\n$/);
  return ref !== undefined && end === '' ? ref : DAMAGED;
}

/**
 * The right answers for a ref: one, unless its reflog is damaged, which tells whether a packed value is the last one.
 * @param truth the value that it had before anything was damaged
 */
function rightValues(
  ref: string,
  texts: ReadonlyMap<string, Buffer | undefined>,
  truth: string,
  logged: boolean,
): (string | null)[] {
  const loose = texts.get(ref)?.toString('utf8');
  if (loose !== undefined) return [OID.test(loose.replace(/\n$/, '')) ? loose.slice(0, 40) : DAMAGED];
  const packed = packedIn(texts.get('packed-refs')?.toString('utf8') ?? '\n');
  if (packed === null) return [DAMAGED];
  const value = packed.get(ref) ?? null;
  if (logged) return [value === truth ? value : value === null && ref === 'refs/heads/main' ? null : DAMAGED];
  return [value, DAMAGED];
}

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
  const run = spawnSync('git', words, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: '/dev/null/home' } });
  if (run.stderr !== '') return undefined;
  return run.status === 0 ? run.stdout.trim() : null;
}
