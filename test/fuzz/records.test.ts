// Records that wait, step.jsonl, session.json and the operation log, with anything in them: as it stands there, or refused.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { RECORD_KINDS } from '../../src/core/records/table.ts';
import { newSession } from '../../src/core/session/session.ts';
import { encodeTree } from '../../src/core/tree.ts';
import { sha1 } from '../../src/git/objects/loose.ts';
import { readRecords } from '../../src/history/chain/chain.ts';
import { readSession } from '../../src/history/chain/session-document.ts';
import { decodeOperation } from '../../src/history/operations/operation.ts';
import { readPending } from '../../src/history/pending/pending.ts';
import * as ctx from '../../src/index.ts';
import { fc } from '../support/property.ts';
import { fsck, makeProject } from '../support/store.ts';
import { harms, runs, spoilt, valueOr } from './fuzz.ts';

const REFUSED: ErrorCode[] = ['damaged', 'newer_version'];

/** A change of a JSON value: what stands at one place of it goes, comes twice, or becomes something else. */
interface Change {
  at: number;
  how: 'set' | 'drop' | 'add';
  key: string;
  value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom('set', 'set', 'drop', 'add'),
  key: fc.oneof(
    fc.constantFrom('version', 'kind', 'path', 'to', 'from', 'own', '__proto__', 'payload'),
    fc.string({ maxLength: 5 }),
  ),
  value: fc.oneof(
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
    fc.constantFrom<unknown>(
      null,
      -1,
      1.5,
      2,
      2 ** 53,
      '',
      'x',
      [],
      {},
      'note',
      'transition',
      'read',
      'relation',
      'a'.repeat(40),
      '../x',
    ),
  ),
});
const changes = fc.array(change, { minLength: 1, maxLength: 3 });

/** Every object and list of a value, itself included. */
function placesOf(value: unknown): (Record<string, unknown> | unknown[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(placesOf)];
}

function changed(value: JsonValue, list: readonly Change[]): JsonValue {
  const copy = structuredClone(value) as JsonValue;
  for (const { at, how, key, value: next } of list) {
    const places = placesOf(copy);
    if (places.length === 0) return copy;
    const place = places[at % places.length] as Record<string, unknown>;
    const names = Object.keys(place);
    const name = how === 'add' || names.length === 0 ? key : (names[at % names.length] as string);
    if (how === 'drop') delete place[name];
    else
      Object.defineProperty(place, name, {
        value: structuredClone(next),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return JSON.parse(JSON.stringify(copy)) as JsonValue;
}

/** A text with its own checksum in front, as files that wait and operations have it. */
function sealed(value: JsonValue): string {
  const rest = JSON.stringify(value).slice(1);
  return `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
}
const unsealed = (text: string): JsonValue => {
  const { sha1: _sha1, adler32: _adler32, ...rest } = JSON.parse(text) as Record<string, JsonValue>;
  return rest;
};

describe('a record that waits', () => {
  const project = makeProject();
  const { repository, store, folder } = project;
  ctx.startSession(repository, 'A task');
  writeFileSync(join(folder, 'a.txt'), 'content');
  ctx.observeNote(repository, 'A note');
  ctx.observeFileWrite(repository, 'a.txt', folder);
  ctx.observeCommand(repository, { command: 'npm test', exit_code: 1, output: 'x'.repeat(40_000) });
  ctx.observeRelations(repository, [{ from: `decision:${'x'.repeat(40_000)}`, label: 'Calls', to: 'file:a' }]);
  const [session] = readdirSync(join(store, 'pending'));
  const texts = readdirSync(join(store, 'pending', session!))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(store, 'pending', session!, name), 'utf8'));
  const text = fc.constantFrom(...texts);
  const kind = fc.constantFrom(...Object.keys(RECORD_KINDS));
  const idOf = (given: string): string => (JSON.parse(given) as { record: { id: string } }).record.id;

  test('damaged in any way is the same or damaged', () => {
    fc.assert(
      fc.property(text, harms, (whole, harm) => {
        const id = idOf(whole);
        const path = join(store, 'pending', session!, `${id}.json`);
        writeFileSync(path, spoilt(Buffer.from(whole), harm));
        const read = valueOr(REFUSED, () => readPending(repository, session!, [`${id}.json`]));
        if ('value' in read) expect(JSON.stringify(read.value)).toBe(JSON.stringify([JSON.parse(whole)]));
        writeFileSync(path, whole);
      }),
      runs(600),
    );
  });

  test('with any other value in it, sealed, is what it says or refused, and a session with it can be saved', () => {
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(fc.tuple(text, changes, fc.option(kind)), { minLength: 1, maxLength: 3 }), (list) => {
        const fresh = makeProject();
        const { session_id } = ctx.startSession(fresh.repository, 'A task');
        ctx.observeNote(fresh.repository, 'One more');
        const place = join(fresh.store, 'pending', session_id);
        for (const [whole, mutations, bare] of list) {
          const waiting = unsealed(whole) as { record: Record<string, JsonValue> };
          const { version, id, at } = waiting.record as { version: number; id: string; at: number };
          // A record of a kind with nothing of what that kind has.
          const value = bare ? { ...waiting, record: { version, id, kind: bare, at } } : changed(waiting, mutations);
          writeFileSync(join(place, `${idOf(whole)}.json`), sealed(value));
          const read = valueOr(REFUSED, () => readPending(fresh.repository, session_id, [`${idOf(whole)}.json`]));
          seen['value' in read ? 'read' : 'refused'] += 1;
          if (!('value' in read)) continue;
          const { sha1: _sha1, ...rest } = read.value[0] as unknown as Record<string, JsonValue>;
          expect(JSON.stringify(rest)).toBe(JSON.stringify(value));
        }
        const again = fresh.open();
        for (const use of [ctx.sessionStatus, ctx.recoverSession, ctx.flushStep, ctx.compactSession])
          valueOr(REFUSED, () => use(again));
        valueOr(REFUSED, () => [...ctx.readLog(again)]);
        checkStore(again);
        expect(fsck(fresh.store)).toBe('');
      }),
      runs(80),
    );
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(20);
  });
});

describe('what a step holds', () => {
  const { repository } = makeProject();
  const { objects } = repository;
  const treeOf = (name: string, bytes: Buffer): string =>
    objects.write('tree', encodeTree([{ mode: '100644', name, oid: objects.write('blob', bytes) }]));
  const record = { version: 1, id: 'r1', kind: 'note', at: 5, content: 'A note', role: 'plain', own: { a: [1, null] } };
  const lines = fc.array(
    changes.map((mutations) => changed(record, mutations)),
    { maxLength: 4 },
  );

  test('step.jsonl: reads every record as it is written, with unknown kinds and keys, or refuses it', () => {
    let read = 0;
    fc.assert(
      fc.property(lines, fc.option(harms), (values, harm) => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
        const bytes = harm ? spoilt(Buffer.from(text), harm) : Buffer.from(text);
        const result = valueOr(REFUSED, () => readRecords(objects, treeOf('step.jsonl', bytes), 'here', true));
        if (!('value' in result)) return;
        const stands = bytes.toString('utf8').split('\n').slice(0, -1);
        expect(result.value.map((one) => JSON.stringify(one))).toEqual(
          stands.map((line) => JSON.stringify(JSON.parse(line))),
        );
        read += 1;
      }),
      runs(800),
    );
    expect(read).toBeGreaterThan(200);
  });

  test('session.json: reads it as it is written, with unknown keys, or refuses it', () => {
    const session = {
      ...newSession('s-1', 'A task', null, 'b'.repeat(40), 1),
      step: 1,
      own: { deep: [1, { a: null }] },
    };
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(changes, fc.option(harms), (mutations, harm) => {
        const whole = Buffer.from(JSON.stringify(changed(session as unknown as JsonValue, mutations)));
        const bytes = harm ? spoilt(whole, harm) : whole;
        const result = valueOr(REFUSED, () => readSession(objects, treeOf('session.json', bytes), 'here'));
        seen['value' in result ? 'read' : 'refused'] += 1;
        if ('value' in result)
          expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(bytes.toString('utf8'))));
      }),
      runs(800),
    );
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(50);
  });
});

test('an operation is what it says to its last field, or damaged', () => {
  const project = makeProject();
  ctx.startSession(project.repository, 'A task');
  ctx.compactSession(project.repository);
  const folder = join(project.store, 'oplog');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const OID = /^[0-9a-f]{40}$/;
  const POINTER = /^(STAGE|refs\/heads\/main|refs\/(sessions|archive)\/[0-9A-Za-z-]{8,64})$/;
  let read = 0;
  fc.assert(
    fc.property(fc.constantFrom(...texts), changes, fc.option(harms), (whole, mutations, harm) => {
      const value = changed(unsealed(whole), mutations);
      const text = harm ? spoilt(Buffer.from(whole), harm).toString('utf8') : sealed(value);
      const result = valueOr(['damaged'], () => decodeOperation(text, 'here'));
      if (!('value' in result)) return;
      read += 1;
      const { sha1: _sha1, ...rest } = result.value as unknown as Record<string, JsonValue>;
      expect(JSON.stringify(rest)).toBe(JSON.stringify(harm ? unsealed(whole) : value));
      for (const { pointer, old, new: next } of result.value.moves) {
        expect(pointer).toMatch(POINTER);
        for (const target of [old, next].filter((one) => one !== null))
          expect(target).toMatch(pointer === 'STAGE' ? POINTER : OID);
      }
    }),
    runs(1_500),
  );
  expect(read).toBeGreaterThan(20);
});
