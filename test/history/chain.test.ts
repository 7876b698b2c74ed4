// A session's chain under random use: what status says is what a plain fold over every record of every step says.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredRecord } from '../../src/core/records/record.ts';
import type { Counts } from '../../src/core/session/session.ts';
import { allowedVerbs, MOVES, type SessionState, type Verb } from '../../src/core/state.ts';
import { lookUp, walkFiles } from '../../src/git/objects/tree-editor.ts';
import { readChain, readCommit, readSteps } from '../../src/history/chain/chain.ts';
import { filesTree } from '../../src/history/chain/files-tree.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import { readPending } from '../../src/history/pending/pending.ts';
import * as ctx from '../../src/index.ts';
import { fc, hostileText } from '../support/property.ts';
import { fsck, git, makeProject, type Project } from '../support/store.ts';

/** State of a session according to its records alone. */
interface Fold {
  state: SessionState;
  last_activity: number;
  counts: Counts;
  paths: Set<string>;
}

const COUNTED: Record<string, keyof Counts> = {
  note: 'notes',
  plan: 'plans',
  command: 'commands',
  relation: 'relations',
  message: 'messages',
};

function fold(records: readonly StoredRecord[], started: number): Fold {
  const counts: Counts = { records: 0, notes: 0, plans: 0, commands: 0, relations: 0, messages: 0, files: 0 };
  const paths = new Set<string>();
  let state: SessionState = { kind: 'Running' };
  let last_activity = started;
  for (const record of records) {
    counts.records += 1;
    const counted = COUNTED[record.kind];
    if (counted) counts[counted] += 1;
    if (['read', 'write', 'delete'].includes(record.kind)) paths.add(record['path'] as string);
    if (record.kind === 'transition') state = record['to'] as SessionState;
    const isWork = record.kind !== 'status' || (record['to'] === 'active' && record['by'] !== 'stop');
    if (isWork) last_activity = Math.max(last_activity, record.at);
  }
  counts.files = paths.size;
  return { state, last_activity, counts, paths };
}

/** No path is another's folder, some cannot stand under files/, one lies outside of the project. */
const PATHS = ['a.txt', 'src/b.ts', 'src/deep/c', 'ä/é 😀.txt', '.git/config', 'x/.gitmodules', '../outside.txt'];

const text = fc.oneof(
  { weight: 4, arbitrary: hostileText(20) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(5_000), `\ud800${'é'.repeat(3_000)}`, '') },
);
/** A text must not be blank: an empty note is refused. */
const said = text.filter((words) => words.trim() !== '');
const kindOf = <Kind extends string>(kind: Kind) => ({ do: fc.constant(kind) });
const use = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...kindOf('note'), text: said }) },
  { weight: 1, arbitrary: fc.record({ ...kindOf('plan'), text: said }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('command'), text, exit_code: fc.constantFrom(0, 1, null) }) },
  { weight: 1, arbitrary: fc.record({ ...kindOf('relation'), text }) },
  { weight: 4, arbitrary: fc.record({ ...kindOf('write'), path: fc.constantFrom(...PATHS), text }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('delete'), path: fc.constantFrom(...PATHS) }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('read'), path: fc.constantFrom(...PATHS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ ...kindOf('batch'), fields: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue()) }),
  },
  { weight: 4, arbitrary: fc.record({ ...kindOf('flush'), allowEmpty: fc.boolean(), note: fc.option(said) }) },
  {
    weight: 4,
    arbitrary: fc.record({ ...kindOf('move'), verb: fc.constantFrom(...MOVES.map((move) => move.verb)), text }),
  },
  { weight: 2, arbitrary: fc.record({ ...kindOf('tick'), seconds: fc.integer({ min: -100, max: 100_000 }) }) },
  { weight: 1, arbitrary: fc.record({ ...kindOf('reopen') }) },
);
type Use = typeof use extends fc.Arbitrary<infer Value> ? Value : never;

/** A project with a session in it, what was acknowledged so far, and what its files hold. */
class World {
  readonly project: Project;
  repository: ctx.Repository;
  readonly id: string;
  readonly started: number;
  /** Ids of records that were acknowledged, in order. */
  readonly acknowledged: string[] = [];
  /** The text that a record was given, and its field. */
  readonly texts = new Map<string, [field: string, text: string]>();
  readonly disk = new Map<string, string>();
  /** The content of every path that can stand under files/, as it was last observed. */
  readonly observed = new Map<string, string>();

  constructor() {
    // As it is: random contents may be binary, or look like secrets.
    this.project = makeProject({ redact: { content: 'all' } });
    this.repository = this.project.repository;
    this.started = this.project.clock();
    this.id = ctx.startSession(this.repository, 'A task\nof two lines').session_id;
  }

  #keep({ records }: { records: string[] }, field?: string, words = ''): void {
    this.acknowledged.push(...records);
    if (field !== undefined) this.texts.set(records[0] as string, [field, words]);
  }

  #look(path: string): void {
    const shown = !path.includes('.git') && !path.startsWith('..');
    if (!shown) return;
    const content = this.disk.get(path);
    if (content === undefined) this.observed.delete(path);
    else this.observed.set(path, content);
  }

  run(step: Use): void {
    const { folder, clock } = this.project;
    switch (step.do) {
      case 'note':
        this.#keep(ctx.observeNote(this.repository, step.text), 'content', step.text);
        break;
      case 'plan':
        this.#keep(ctx.observePlan(this.repository, step.text), 'content', step.text);
        break;
      case 'command':
        this.#keep(
          ctx.observeCommand(this.repository, { command: 'x', exit_code: step.exit_code, output: step.text }),
          'output',
          step.text,
        );
        break;
      case 'relation':
        this.#keep(
          ctx.observeRelations(this.repository, [
            { from: 'file:a', label: 'Calls', to: 'file:b', evidence: step.text },
            { from: 'task:x', label: 'Contains', to: 'item:y' },
          ]),
          'evidence',
          step.text,
        );
        break;
      case 'batch': {
        const line = `${JSON.stringify({ ...step.fields, kind: 'of-mine' })}\nnot JSON\n`;
        const result = ctx.observeBatch(this.repository, [Buffer.from(line)], folder);
        expect(result.problems.map((problem) => problem.line)).toEqual([2]);
        this.#keep(result);
        break;
      }
      case 'write': {
        const file = join(folder, step.path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, step.text.toWellFormed());
        this.disk.set(step.path, step.text.toWellFormed());
        this.#keep(ctx.observeFileWrite(this.repository, step.path, folder));
        this.#look(step.path);
        break;
      }
      case 'delete':
        rmSync(join(folder, step.path), { force: true });
        this.disk.delete(step.path);
        this.#keep(ctx.observeFileWrite(this.repository, step.path, folder, { deleted: true }));
        this.#look(step.path);
        break;
      case 'read':
        if (!this.disk.has(step.path)) break;
        this.#keep(ctx.observeFileRead(this.repository, step.path, folder));
        this.#look(step.path);
        break;
      case 'flush':
        ctx.flushStep(this.repository, { allowEmpty: step.allowEmpty, note: step.note ?? undefined });
        break;
      case 'move':
        // A move with nothing to say is refused before it is looked up.
        this.#move(step.verb, step.text.trim() === '' ? 'words' : step.text);
        break;
      case 'tick':
        clock.now = Math.max(0, clock.now + step.seconds);
        break;
      case 'reopen':
        this.repository = this.project.open();
    }
  }

  #move(verb: Verb, words: string): void {
    const before = ctx.activeSession(this.repository);
    const allowed = allowedVerbs((before as ctx.ActiveStatus).session_state.kind);
    if (allowed.includes(verb)) {
      if (words.trim() === '' && ['ask', 'respond', 'interrupt', 'reopen'].includes(verb)) {
        expect(() => ctx.setState(this.repository, verb, { text: words })).toThrow('is empty');
        return;
      }
      ctx.setState(this.repository, verb, { text: words });
      return;
    }
    expect(() => ctx.setState(this.repository, verb, { text: words })).toThrow('has no move');
    expect(ctx.activeSession(this.repository)).toEqual(before);
  }

  /** Every record of every step, and those that wait. */
  records(): {
    steps: ReturnType<typeof readSteps> extends Iterable<infer Step> ? Step[] : never;
    pending: StoredRecord[];
  } {
    const { refs, objects } = this.repository;
    const steps = [...readSteps(objects, refs.read(sessionRef(this.id)) as string, true)];
    return { steps, pending: readPending(this.repository, this.id).map((item) => item.record) };
  }
}

describe('random use of a session', () => {
  test('status is the fold of all records; each is there once, in order; Git finds nothing wrong', () => {
    fc.assert(
      fc.property(fc.array(use, { minLength: 5, maxLength: 30 }), (uses) => {
        const world = new World();
        for (const step of uses) world.run(step);
        const { steps, pending } = world.records();
        const flushed = steps.flatMap((step) => step.records);
        const all = [...flushed, ...pending];
        const now = fold(all, world.started);
        const { store, clock } = world.project;

        expect(ctx.sessionStatus(world.repository)).toMatchObject({
          active: true,
          session_id: world.id,
          task_description: 'A task\nof two lines',
          session_state: now.state,
          base: git(store, ['rev-parse', 'main']).trim(),
          staging_head: git(store, ['rev-parse', 'STAGE']).trim(),
          step: steps.length,
          pending_observations: pending.length,
          started_at: world.started,
          last_activity: now.last_activity,
          idle_secs: Math.max(0, clock() - now.last_activity),
          staleness: ctx.staleness(Math.max(0, clock() - now.last_activity), ctx.DEFAULT_SETTINGS),
          files_touched: now.paths.size,
          allowed: allowedVerbs(now.state.kind),
          agent: null,
        });

        // Once, in order, and whole: what was acknowledged is what stands there.
        const ids = all.map((record) => record.id);
        expect(new Set(ids).size).toBe(ids.length);
        const known = new Set(world.acknowledged);
        expect(ids.filter((id) => known.has(id))).toEqual(world.acknowledged);
        for (const record of flushed) {
          const [field, given] = world.texts.get(record.id) ?? [];
          if (field !== undefined) expect(record[field]).toBe(given);
        }
        expect(flushed.map((record) => record.id)).toEqual([...flushed.map((record) => record.id)].sort());

        // Each step's own session.json tells the same of the records up to it.
        for (const [index, step] of steps.entries()) {
          const until = fold(
            steps.slice(0, index + 1).flatMap((earlier) => earlier.records),
            world.started,
          );
          expect([
            step.session.step,
            step.session.counts,
            step.session.session_state,
            step.session.last_activity,
          ]).toEqual([index + 1, until.counts, until.state, until.last_activity]);
          const document = lookUp(world.repository.objects, step.commit.tree, ['session.json']);
          expect(world.repository.objects.readAs(document?.oid as string, 'blob').length).toBeLessThan(65_536);
        }

        // Whatever waits goes in with the end; files/ is what was last seen of every file.
        const { objects } = world.repository;
        const ended = ctx.compactSession(world.repository);
        const { tree } = readCommit(objects, ended.oid as string);
        const files = filesTree(objects, tree);
        const shown = files === null ? [] : [...walkFiles(objects, files)];
        const contents = shown.map(
          ([path, entry]) => [path, objects.readAs(entry.oid, 'blob').toString('utf8')] as const,
        );
        expect(new Map(contents)).toEqual(world.observed);
        const archived = readChain(objects, world.repository.refs.read(archiveRef(world.id)) as string);
        expect(archived.session.counts).toEqual(now.counts);
        expect(fsck(store)).toBe('');
      }),
      { numRuns: 40 },
    );
  });
});

test('what one record says of a path and a later one of the same step replaces leaves no object behind', () => {
  const world = new World();
  world.run({ do: 'write', path: 'p', text: '1' });
  world.run({ do: 'flush', allowEmpty: false, note: null });
  world.run({ do: 'delete', path: 'p' });
  world.run({ do: 'write', path: 'p', text: '2' });
  world.run({ do: 'flush', allowEmpty: false, note: null });
  expect(world.project.git('fsck', '--strict', '--no-progress')).toBe('');
});

describe('what is counted where a file takes the place of a folder', () => {
  /** Files that status tells, before and after the flush. */
  const touched = (world: World): number[] =>
    [() => undefined, () => world.run({ do: 'flush', allowEmpty: false, note: null })].map((act) => {
      act();
      return (ctx.sessionStatus(world.repository) as ctx.ActiveStatus).files_touched;
    });

  test('a folder in the place of a file: both are counted', () => {
    const world = new World();
    world.run({ do: 'write', path: 'p', text: '1' });
    world.run({ do: 'flush', allowEmpty: false, note: null });
    world.run({ do: 'delete', path: 'p' });
    world.run({ do: 'write', path: 'p/q', text: '2' });
    expect(touched(world)).toEqual([2, 2]);
  });
  test('a file in the place of a folder: both are counted', () => {
    const world = new World();
    world.run({ do: 'write', path: 'p/q', text: '1' });
    rmSync(join(world.project.folder, 'p'), { recursive: true });
    world.run({ do: 'write', path: 'p', text: '2' });
    expect(touched(world)).toEqual([2, 2]);
  });
  test('a file that comes back after its folder was deleted is the same file', () => {
    const world = new World();
    world.run({ do: 'write', path: 'p/q', text: '1' });
    world.run({ do: 'write', path: 'p/r', text: '1' });
    world.run({ do: 'flush', allowEmpty: false, note: null });
    rmSync(join(world.project.folder, 'p'), { recursive: true });
    world.run({ do: 'delete', path: 'p' });
    world.run({ do: 'flush', allowEmpty: false, note: null });
    world.run({ do: 'write', path: 'p/q', text: '2' });
    world.run({ do: 'write', path: 'p/r', text: '2' });
    // p, p/q and p/r.
    expect(touched(world)).toEqual([3, 3]);
  });
});
