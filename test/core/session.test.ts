// A session: how records change it, and the quick check of session.json, twin of the schema.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { sessionSchema } from '../../src/core/session/schema.ts';
import { foldStep, newSession, type Session, sessionProblem } from '../../src/core/session/session.ts';
import { fc } from '../support/property.ts';

const BASE = 'b'.repeat(40);
const fresh = (): Session => newSession('s-1', 'the task', 'codex', BASE, 100);
const record = (kind: string, at: number, rest: object = {}): StoredRecord => ({
  version: 1,
  id: `${kind}-${at}`,
  kind,
  at,
  ...rest,
});

describe('a session', () => {
  test('opens running, at step 0, with nothing in it', () => {
    expect(fresh()).toEqual({
      version: 1,
      session_id: 's-1',
      task_description: 'the task',
      session_state: { kind: 'Running' },
      base: BASE,
      step: 0,
      started_at: 100,
      last_activity: 100,
      counts: { records: 0, notes: 0, plans: 0, commands: 0, relations: 0, messages: 0, files: 0 },
      agent: 'codex',
      sources: [],
    });
  });

  test('a step counts its records by kind, keeps the latest time, and takes the last transition', () => {
    const before = { ...fresh(), more: { unknown: true }, title: 't' };
    const after = foldStep(
      before,
      [
        record('task', 100),
        record('note', 130),
        record('note', 120),
        record('plan', 110),
        record('command', 110),
        record('relation', 110),
        record('message', 110),
        record('write', 110),
        record('read', 110),
        record('delete', 110),
        record('usage', 110),
        record('constructor', 110),
        record('__proto__', 110),
        record('transition', 110, { to: { kind: 'Interrupted', user_message: 'x' } }),
        record('transition', 110, { to: { kind: 'Aborted', reason: 'y' } }),
      ],
      3,
    );
    expect(after).toEqual({
      ...before,
      step: 1,
      last_activity: 130,
      session_state: { kind: 'Aborted', reason: 'y' },
      counts: { records: 15, notes: 2, plans: 1, commands: 1, relations: 1, messages: 1, files: 3 },
    });
    expect(before.counts.records).toBe(0);
    expect(before.step).toBe(0);
  });

  test('an empty step, and records older than the session, do not move its last activity', () => {
    expect(foldStep(fresh(), [], 0)).toEqual({ ...fresh(), step: 1 });
    expect(foldStep(fresh(), [record('note', 5)], 0).last_activity).toBe(100);
  });
});

const count = fc.nat(1_000);
const state = fc.oneof(
  fc.constantFrom({ kind: 'Running' }, { kind: 'Complete' }),
  fc.record({ kind: fc.constant('AwaitingUser'), question: fc.string(), asked_at: count }),
  fc.record({ kind: fc.constant('PendingComplete'), summary: fc.string() }),
  fc.record({ kind: fc.constant('Interrupted'), user_message: fc.string() }),
  fc.record({ kind: fc.constant('Aborted'), reason: fc.string() }),
);
const session = fc.record({
  version: fc.constant(1),
  session_id: fc.string({ minLength: 1 }),
  task_description: fc.string(),
  session_state: state,
  base: fc.stringMatching(/^[0-9a-f]{40}$/),
  step: fc.integer({ min: 1, max: 99 }),
  started_at: count,
  last_activity: count,
  counts: fc.record({
    records: count,
    notes: count,
    plans: count,
    commands: count,
    relations: count,
    messages: count,
    files: count,
  }),
  agent: fc.option(fc.string()),
  sources: fc.constant([]),
  something: fc.anything({ withBigInt: false, withDate: false }),
}) as fc.Arbitrary<JsonObject>;

/** The keys that both look at, with what is inside of them. */
const PLACES: readonly (readonly string[])[] = [
  ...[
    'session_id',
    'task_description',
    'session_state',
    'base',
    'step',
    'started_at',
    'last_activity',
    'counts',
    'agent',
  ].map((name) => [name]),
  ['sources'],
  ...['kind', 'question', 'asked_at', 'summary', 'user_message', 'reason'].map((name) => ['session_state', name]),
  ...['records', 'notes', 'plans', 'commands', 'relations', 'messages', 'files'].map((name) => ['counts', name]),
];
const GONE = Symbol('gone');
/** The fine print of `sources` is the schema's alone, so no list has anything in it. */
const VALUES = [
  ...[GONE, null, '', 'x', '0', 0, -0, 1, -1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, 2 ** 53, true, false, [], {}],
  ...[
    'Running',
    'AwaitingUser',
    'PendingComplete',
    'Interrupted',
    'Complete',
    'Aborted',
    'running',
    'toString',
    '__proto__',
  ],
  ...[
    { kind: 'Running' },
    { kind: 'Aborted' },
    { kind: 'Paused' },
    'a'.repeat(40),
    'A'.repeat(40),
    `${'a'.repeat(40)}\n`,
    'g'.repeat(40),
  ],
];

/** The document with one value of it changed. */
function mutate(document: JsonObject, place: readonly string[], value: unknown): JsonObject {
  const changed = structuredClone(document);
  let parent = changed as Record<string, unknown>;
  for (const name of place.slice(0, -1)) {
    if (typeof parent[name] !== 'object' || parent[name] === null) return changed;
    parent = parent[name] as Record<string, unknown>;
  }
  const name = place.at(-1) as string;
  if (value === GONE) delete parent[name];
  else parent[name] = value;
  return changed;
}

describe('the quick check of session.json', () => {
  const plain = session.map((document) => JSON.parse(JSON.stringify(document)) as JsonObject);

  test('passes what the schema passes', () => {
    fc.assert(
      fc.property(plain, (document) => sessionProblem(document) === null && sessionSchema.safeParse(document).success),
    );
  });

  test('agrees with the schema on every value at every place', () => {
    let refused = 0;
    for (const [document] of fc.sample(fc.tuple(plain), { numRuns: 20, seed: 5 })) {
      for (const place of PLACES) {
        for (const value of VALUES) {
          const changed = mutate(document, place, value);
          const quick = sessionProblem(changed);
          if ((quick === null) !== sessionSchema.safeParse(changed).success) {
            expect.fail(`${place.join('.')} = ${String(JSON.stringify(value))}: the quick check says ${quick}`);
          }
          refused += quick === null ? 0 : 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(5_000);
  });

  test('agrees with the schema on several changes at once', () => {
    const change = fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom(...VALUES));
    fc.assert(
      fc.property(plain, fc.array(change, { maxLength: 4 }), (document, changes) => {
        const changed = changes.reduce((whole, [place, value]) => mutate(whole, place, value), document);
        return (sessionProblem(changed) === null) === sessionSchema.safeParse(changed).success;
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<[string, unknown, string]>([
    ['session_id', '', '"session_id" is missing or wrong'],
    ['base', 'HEAD', '"base" is missing or wrong'],
    ['step', 0, '"step" is missing or wrong'],
    ['session_state', { kind: 'Paused' }, 'session_state is unknown'],
    ['session_state', { kind: 'AwaitingUser', question: 'x' }, 'session_state has no asked_at'],
    ['session_state', { kind: 'Aborted' }, 'session_state has no reason'],
  ])('names what is wrong with %s: %j', (key, value, problem) => {
    expect(sessionProblem({ ...(fresh() as JsonObject), step: 1, [key]: value as string })).toBe(problem);
  });

  test.each<[object, boolean]>([
    [{ kind: 'Normal' }, true],
    [{ kind: 'Abandoned' }, true],
    [{ kind: 'StaleAutoCompact', idle_duration_secs: 604_801 }, true],
    [{ kind: 'InterruptedByNewTask', new_task_summary: '' }, true],
    [{ kind: 'StaleAutoCompact' }, false],
    [{ kind: 'StaleAutoCompact', idle_duration_secs: -1 }, false],
    [{ kind: 'InterruptedByNewTask' }, false],
    [{ kind: 'HandedOver', to: 'Ann' }, true],
    [{ kind: 'Merge' }, false],
    [{}, false],
  ])('the schema alone looks at how a session ended: %j is %s', (type, passes) => {
    const ended = { type, message: 'm', at: 5, files_changed: 0 };
    expect(sessionSchema.safeParse({ ...fresh(), step: 1, ended }).success).toBe(passes);
  });

  test('what one step writes, the next one reads', () => {
    const written = foldStep(fresh(), [record('task', 100)], 0);
    expect(sessionProblem(JSON.parse(JSON.stringify(written)))).toBeNull();
    expect(sessionSchema.safeParse(written).success).toBe(true);
  });
});
