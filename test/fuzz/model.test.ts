// Random sequences of commands, on a real store and on the model beside it: after each one both say the same.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { CtxError } from '../../src/core/errors.ts';
import type { Verb } from '../../src/core/state.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { fc } from '../support/property.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { runs } from './fuzz.ts';
import { type Chain, Model, Refused } from './model.ts';

const text = fc.constantFrom(
  ...['Which one?', 'Retry with jitter', 'two\nlines', 'x'.repeat(5_000), 'é', '1. a 2. b', 'Decision: c', ' '],
);
const flag = fc.boolean();
const verb = (...verbs: Verb[]) =>
  fc.record({
    do: fc.constant('verb' as const),
    verb: fc.constantFrom(...verbs),
    text,
    note: text,
    compact: fc.constant(false),
  });
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      text,
      how: fc.constantFrom('plain', 'replace', 'beside', 'beside'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('note' as const), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('file' as const), write: flag, there: flag }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('batch' as const), lines: fc.array(fc.nat(3), { maxLength: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('flush' as const),
      text: fc.option(text, { nil: undefined }),
      always: flag,
    }),
  },
  { weight: 6, arbitrary: verb('ask', 'respond', 'interrupt', 'continue', 'done', 'reopen') },
  {
    weight: 3,
    arbitrary: verb('done', 'confirm', 'abort').chain((move) =>
      flag.map((compact) => ({ ...move, compact: compact && move.verb !== 'done' })),
    ),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('switch' as const), pick: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('cleanup' as const), limit: fc.constantFrom(undefined, 0, 3_600) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recover' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('undo' as const), count: fc.constantFrom(1, 1, 1, 2) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('tick' as const),
      seconds: fc.constantFrom(1, 60, -100, 3_600, 86_399, 86_400, 604_800, 604_801),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A step, and now and then the session that it is aimed at with `--session`: one that is open beside, or any that there was. */
const aimed = fc.record({
  given: step,
  at: fc.option(fc.record({ beside: fc.constantFrom(true, true, true, false), pick: fc.nat(20) }), {
    nil: undefined,
    freq: 2,
  }),
});
type Aimed = typeof aimed extends fc.Arbitrary<infer Value> ? Value : never;

function aimOf({ at }: Aimed, model: Model, ids: readonly string[]): string | null {
  if (!at) return null;
  const beside = model.open.filter((id) => id !== model.stage).sort();
  const from = at.beside && beside.length > 0 ? beside : ids;
  return from[at.pick % from.length] ?? 'none-at-all';
}

const LINES = [
  '{"kind":"note","content":"from a batch"}',
  '{"kind":"own","a":1}',
  'no JSON',
  '{"kind":"task","content":"x"}',
];
const LINES_TOLD = ['note from a batch', 'own', null, null];

/** A record in the words of the model. */
function told(record: { [key: string]: unknown }): string {
  return `${record['kind']} ${record['content'] ?? record['path'] ?? record['by'] ?? record['label'] ?? ''}`.trimEnd();
}

/** Does a step on the store; gives the id of a session that it began. */
function onStore(
  { folder, clock }: Project,
  repository: ctx.Repository,
  ids: readonly string[],
  given: Step,
): string | undefined {
  if (given.do === 'start')
    return ctx.startSession(repository, given.text, {
      replace: given.how === 'replace',
      beside: given.how === 'beside',
    }).session_id;
  if (given.do === 'note') ctx.observeNote(repository, given.text);
  if (given.do === 'file') {
    if (given.there) writeFileSync(join(folder, 'a.txt'), String(clock.now));
    else rmSync(join(folder, 'a.txt'), { force: true });
    if (given.write) ctx.observeFileWrite(repository, 'a.txt', folder, { deleted: !given.there });
    else ctx.observeFileRead(repository, 'a.txt', folder);
  }
  if (given.do === 'batch')
    ctx.observeBatch(repository, [Buffer.from(given.lines.map((line) => `${LINES[line]}\n`).join(''))], folder);
  if (given.do === 'flush') ctx.flushStep(repository, { note: given.text, allowEmpty: given.always });
  if (given.do === 'verb')
    ctx.setState(repository, given.verb, { text: given.text, note: given.note, compact: given.compact });
  if (given.do === 'compact') ctx.compactSession(repository);
  if (given.do === 'switch') ctx.switchSession(repository, ids[given.pick % ids.length] ?? 'none-at-all');
  if (given.do === 'cleanup') ctx.cleanupStaleSessions(repository, { maxIdle: given.limit });
  if (given.do === 'recover') ctx.recoverSession(repository);
  if (given.do === 'undo') undoOperations(repository, given.count);
  if (given.do === 'tick') clock.now += given.seconds;
  return undefined;
}

function onModel(model: Model, ids: readonly string[], given: Step, id: string): void {
  if (given.do === 'start') model.start(id, given.text, given.how as 'plain');
  if (given.do === 'note') model.observe([`note ${given.text}`], given.text.trim() === '');
  if (given.do === 'file') {
    model.observe([]);
    if (!given.write && !given.there) throw new Refused('not_found');
    model.observe([`${given.write ? (given.there ? 'write' : 'delete') : 'read'} a.txt`]);
  }
  if (given.do === 'batch') model.observe(given.lines.flatMap((line) => LINES_TOLD[line] ?? []));
  if (given.do === 'flush') model.flush(given.text, given.always);
  if (given.do === 'verb') model.verb(given.verb, given.text, given.note, given.compact);
  if (given.do === 'compact') model.compact();
  if (given.do === 'switch') model.switch(ids[given.pick % ids.length] ?? 'none-at-all');
  if (given.do === 'cleanup') model.cleanup(given.limit);
  if (given.do === 'recover') model.recover();
  if (given.do === 'undo') model.undo(given.count);
  if (given.do === 'tick') model.now += given.seconds;
}

function codeOf(call: () => void): string {
  try {
    call();
    return 'done';
  } catch (error) {
    if (error instanceof CtxError || error instanceof Refused) return error.code;
    throw error;
  }
}

const known = new Map<string, string[]>();

/** The records of a chain, first to last; a chain never changes under its head. */
function recordsOf(objects: ctx.Repository['objects'], head: string): string[] {
  const records = known.get(head) ?? [...readSteps(objects, head, true)].flatMap((one) => one.records.map(told));
  known.set(head, records);
  return records;
}

/** Reads the state of the store with the library's own functions. */
function seenOnStore({ repository }: Project) {
  const { objects, refs } = repository;
  const sessions = (ctx.listSessions(repository) as ctx.ListedSession[]).map((listed) => {
    const head = refs.read(sessionRef(listed.session_id)) as string;
    return {
      id: listed.session_id,
      state: listed.session_state,
      step: listed.step,
      pending: listed.pending_observations,
      last: listed.last_activity,
      staleness: listed.staleness,
      records: recordsOf(objects, head),
    };
  });
  const log = [...ctx.readLog(repository, { topological: true })].map(
    (entry) => `${entry.commit_type.kind} ${entry.session_id} ${entry.step_count}`,
  );
  const status = ctx.sessionStatus(repository);
  return {
    active: status.active ? status.session_id : null,
    sessions: sessions.sort((a, b) => (a.id < b.id ? -1 : 1)),
    log,
  };
}

function seenOnModel(model: Model): ReturnType<typeof seenOnStore> {
  const sessions = model.open.sort().map((id) => {
    const { state, step, records } = model.chain(id);
    const pending = model.pending.get(id)?.length ?? 0;
    return {
      id,
      state: state as never,
      step,
      pending,
      last: model.last(id),
      staleness: model.staleness(id),
      records: [...records],
    };
  });
  return { active: model.stage, sessions, log: model.log };
}

/** Chains that have ended keep every record, and nothing of the store is damaged. */
function checkArchives({ repository, store }: Project, model: Model, ids: readonly string[]): void {
  for (const id of ids) {
    const archived = (model.pointers.get(`archive ${id}`) ?? null) as Chain | null;
    const head = repository.refs.read(archiveRef(id));
    expect(head === null).toBe(archived === null);
    if (head === null) continue;
    expect(recordsOf(repository.objects, head)).toEqual(archived?.records);
  }
  const saved = model.log.map((line) => line.split(' ')[1]);
  expect([...new Set(saved)]).toEqual(saved);
  expect(fsck(store)).toBe('');
  const { findings, healthy } = checkStore(repository, { full: true });
  expect([findings.filter(({ severity }) => severity !== 'note'), healthy]).toEqual([[], true]);
}

test('whatever is done in whatever order, the store says what the model says', () => {
  const done = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(aimed, { minLength: 15, maxLength: 24, size: 'max' }), (rest) => {
      const begin: Step = { do: 'start', text: 'Begin', how: 'plain' };
      const steps: Aimed[] = [{ given: begin, at: undefined }, ...rest];
      const project = makeProject({ auto_pause: 'off' });
      const model = new Model();
      const ids: string[] = [];
      for (const one of steps) {
        const { given } = one;
        let id: string | undefined;
        model.aim = aimOf(one, model, ids);
        const again = given.do === 'undo' && model.operations.at(-1)?.command === 'undo' ? ' of an undo' : '';
        const real = codeOf(() => {
          const repository = model.aim === null ? project.repository : project.open({ session: model.aim });
          id = onStore(project, repository, ids, given);
        });
        const expected = codeOf(() => onModel(model, ids, given, id ?? 'none'));
        const other = model.aim !== null && model.aim !== model.stage ? ' aimed' : '';
        const name = `${given.do === 'verb' ? given.verb : given.do} ${real}${other}${again}`;
        done.set(name, (done.get(name) ?? 0) + 1);
        expect(real, JSON.stringify(given)).toBe(expected);
        if (id !== undefined) ids.push(id);
        expect(seenOnStore(project), JSON.stringify(given)).toEqual(seenOnModel(model));
      }
      checkArchives(project, model, ids);
    }),
    runs(60),
  );
  const both = [
    ...['start done', 'start session_active', 'undo done', 'undo done of an undo', 'undo not_found', 'confirm done'],
    ...['ask no_such_move', 'note done aimed', 'flush done aimed', 'compact done aimed', 'start done aimed'],
    ...['abort done aimed', 'flush not_found aimed'],
  ];
  for (const name of both) expect([name, done.get(name) ?? 0]).not.toEqual([name, 0]);
});
