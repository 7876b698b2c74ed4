// A forgetting that was cut off, beside a `git gc` of the user's: what that has read already would be back with its pack.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { aimAt } from '../../src/app/forget/target.ts';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { finishInterrupted } from '../../src/app/session/finish.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { bulkStore } from '../../src/git/objects/bulk.ts';
import { takePacking } from '../../src/git/packing.ts';
import { planForgetting } from '../../src/history/forget/plan.ts';
import { encodePlan } from '../../src/history/forget/plan-file.ts';
import { pendingNames, readPending } from '../../src/history/pending/pending.ts';
import type { Repository } from '../../src/history/store/repository.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

/** State of the locks while a forgetting is finished. */
const seen = vi.hoisted(() => ({ locks: [] as string[][] }));
vi.mock('../../src/history/forget/objects.ts', async (original) => {
  const actual = await original<typeof import('../../src/history/forget/objects.ts')>();
  const removeObjects: typeof actual.removeObjects = (repository, gone) => {
    seen.locks.push(locksIn(repository.layout.root));
    actual.removeObjects(repository, gone);
  };
  return { ...actual, removeObjects };
});

beforeEach(() => {
  seen.locks = [];
});

const locksIn = (store: string): string[] => readdirSync(store).filter((name) => /^(LOCK|gc\.pid)/.test(name));

const WORD = 'Zwiebelkuchen';
const AT_WORK = `git gc is at work on the store: process ${process.ppid} on ${hostname()}.`;
const WAITS = `A forgetting that was cut off must be finished first, and has to wait. ${AT_WORK}`;

/** A store in which the forgetting of a word was killed when it had just begun, or just before that. */
function cutOff(begun = true): Project {
  const project = makeProject();
  const { repository, store } = project;
  startSession(repository, 'The task');
  observeNote(repository, `a ${WORD} here`);
  flushStep(repository);
  const { forgetting, list } = aimAt(repository, { text: WORD }, false);
  const message = (): string => 'forget';
  const { plan, staged } = planForgetting(repository, bulkStore(repository), { forgetting, list, message });
  const folder = join(store, 'forgetting');
  mkdirSync(folder);
  for (const [index, { content }] of staged.entries()) writeFileSync(join(folder, String(index)), content);
  writeFileSync(join(folder, 'plan.tmp'), encodePlan(repository, plan));
  if (begun) renameSync(join(folder, 'plan.tmp'), join(folder, 'plan.json'));
  return project;
}

const begin = ({ store }: Project): void => writeFileSync(join(store, 'gc.pid'), `${process.ppid} ${hostname()}`);
const end = ({ store }: Project): void => rmSync(join(store, 'gc.pid'));
const sessionOf = ({ git }: Project): string =>
  git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/sessions').trim();
const filesIn = ({ store }: Project): string[] => (readdirSync(store, { recursive: true }) as string[]).sort();

type Act = (repository: Repository) => unknown;
const ACTS: [name: string, act: Act, message: string][] = [
  ['flush', (repository) => flushStep(repository), WAITS],
  ['start', (repository) => startSession(repository, 'Another', { beside: true }), WAITS],
  ['compact', (repository) => compactSession(repository), WAITS],
  ['undo', (repository) => undoOperations(repository), WAITS],
  ['fsck --repair', (repository) => checkStore(repository, { repair: true }), WAITS],
  ['fsck --repair of all', (repository) => checkOrMend(repository, { repair: true, full: true }), WAITS],
  ['forget', async (repository) => forget(repository, { text: 'The task' }), AT_WORK],
  ['gc', (repository) => collectGarbage(repository), AT_WORK],
];

describe('a forgetting that was cut off', () => {
  it.each(ACTS)(
    'is left as it is by %s while a git gc is at work, and finished behind it',
    async (name, act, message) => {
      const project = cutOff();
      const now = async (): Promise<unknown> => act(project.open({ lockWait: 0 }));
      begin(project);
      const before = filesIn(project);
      await expect(now()).rejects.toMatchObject({
        code: 'busy',
        message,
        hint: expect.stringMatching(/^Run the command again\. .* remove gc\.pid from/),
      });
      // But for the list of what must not come in, which is in its place at once.
      const listed = filesIn(project).filter((name) => !before.includes(name));
      expect(listed).toEqual(message === WAITS ? ['forgotten.json', 'key.forgotten'] : []);
      expect(before.filter((name) => !filesIn(project).includes(name))).toHaveLength(listed.length === 0 ? 0 : 1);
      end(project);
      await now();
      expect(tracesOf(project.store, WORD)).toEqual([]);
      expect(locksIn(project.store)).toEqual([]);
      expect(fsck(project.store)).toBe('');
      // A forgetting keeps those away who feed the catalog, too.
      const locks = name === 'forget' ? 'LOCK,LOCK.catalog,LOCK.packing,gc.pid' : 'LOCK,LOCK.packing,gc.pid';
      expect([...new Set(seen.locks.map(String))]).toEqual([locks]);
    },
  );

  it('waits for a ctx that packs, too, and says which', () => {
    const project = cutOff();
    const release = takePacking(project.open());
    expect(errorOf(() => flushStep(project.open({ lockWait: 0 })))).toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/has to wait\. The store is busy: process \d+ on \S+ holds its lock/),
    });
    release();
    flushStep(project.open({ lockWait: 0 }));
    expect(tracesOf(project.store, WORD)).toEqual([]);
  });

  it('keeps its word out of what is observed before it can be finished', () => {
    const project = cutOff();
    begin(project);
    finishInterrupted(project.open({ lockWait: 0 }));
    observeNote(project.open(), `more ${WORD}`);
    expect(JSON.stringify(readPending(project.open(), sessionOf(project)))).toMatch(/more \[forgotten:/);
    end(project);
    flushStep(project.open());
    expect(tracesOf(project.store, WORD)).toEqual([]);
    expect(project.git('show', 'STAGE:step.jsonl')).toMatch(/more \[forgotten:/);
    expect([checkStore(project.open()).findings, fsck(project.store)]).toEqual([[], '']);
  });

  it('before it had begun is taken away, whoever packs', () => {
    const project = cutOff(false);
    begin(project);
    flushStep(project.open({ lockWait: 0 }));
    expect(filesIn(project)).not.toContain('forgetting');
    expect(locksIn(project.store)).toEqual(['gc.pid']);
  });

  it('names no pointer that has moved: to plan again for one would only be to wait once more', () => {
    const project = cutOff();
    begin(project);
    expect(errorOf(() => flushStep(project.open({ lockWait: 0 }))).data).toBeUndefined();
  });
});

it('a hook beside it keeps what the user says, and the next one behind it follows', async () => {
  const project = makeProject();
  const hook = (hook_event_name: string, more: object): Promise<unknown> => {
    const payload = { session_id: 'talk', transcript_path: null, cwd: project.folder, hook_event_name, ...more };
    return handleHook('claude-code', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
  };
  await hook('UserPromptSubmit', { prompt: 'Bake a cake' });
  const [id] = project.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/sessions').trim().split('\n');
  const session = id as string;
  mkdirSync(join(project.store, 'forgetting'));
  const nothing = { refs: [], packed: [], ends: [], files: [], remove: [], objects: [] };
  const plan = { version: 1 as const, id: '01890000-0000-7000-8000-000000000000', at: 1, ...nothing };
  writeFileSync(join(project.store, 'forgetting', 'plan.json'), encodePlan(project.repository, plan));
  begin(project);
  await hook('UserPromptSubmit', { prompt: 'With onions, please' });
  expect(readFileSync(join(project.store, 'hook-errors.jsonl'), 'utf8')).toContain(AT_WORK);
  expect(JSON.stringify(readPending(project.open(), session))).toContain('With onions, please');
  end(project);
  await hook('Stop', { last_assistant_message: 'It is in the oven.' });
  expect(pendingNames(project.open(), session)).toEqual([]);
  expect(JSON.stringify([...showRevision(project.open(), session).steps])).toContain('With onions, please');
  expect(filesIn(project)).not.toContain('forgetting');
});
