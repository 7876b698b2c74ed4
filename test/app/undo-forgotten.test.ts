// `undo` beside `forget`: what was done before something was forgotten is taken back as far as anything of it is left.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

function expectSound({ store, open }: Project): void {
  expect(fsck(store)).toBe('');
  expect(checkStore(open(), { full: true }).findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
}

const start = ({ open }: Project, task: string, options = {}): string =>
  ctx.startSession(open(), task, options).session_id;

/** Flushes a note, which gives a session work to save. */
function note({ open }: Project, text: string): void {
  ctx.observeNote(open(), text);
  ctx.flushStep(open());
}

const undo = ({ open }: Project, count = 1): string[] =>
  undoOperations(open(), count).undone.map(({ command, of }) => [command, ...(of ? [of.command] : [])].join(' of '));

const stageOf = ({ open }: Project): string | null => open().refs.stage();
const tasks = ({ open }: Project): string[] => [...ctx.readLog(open())].map((entry) => entry.task_description);

describe('STAGE', () => {
  test('names nothing if the session that it would return to was forgotten', () => {
    const project = makeProject();
    const first = start(project, 'first');
    const second = start(project, 'second', { beside: true });
    ctx.observeNote(project.open(), 'kept');
    forget(project.open(), { id: first });
    expect([undo(project), stageOf(project)]).toEqual([['stage start'], null]);
    expect(ctx.sessionStatus(project.open())).toMatchObject({ active: false });
    expectSound(project);
    expect([undo(project), stageOf(project)]).toEqual([['undo of stage start'], sessionRef(second)]);
    expectSound(project);
  });

  test('that a forgetting took away goes back to the session that was current before', () => {
    const project = makeProject();
    const first = start(project, 'first');
    const second = start(project, 'second', { beside: true });
    forget(project.open(), { id: second });
    expect([undo(project), stageOf(project)]).toEqual([['stage start'], sessionRef(first)]);
    expectSound(project);
  });

  test('that a repair has set aside is in the way of nothing', () => {
    const project = makeProject();
    const first = start(project, 'first');
    ctx.compactSession(project.open());
    const second = sessionRef(start(project, 'second'));
    const step = project.open().refs.read(second) as string;
    const tree = project.git('rev-parse', `${step}^{tree}`).trim();
    project.git('update-ref', '-d', second);
    for (const oid of [tree, step]) rmSync(loosePath(join(project.store, 'objects'), oid));
    checkStore(project.open(), { repair: true });
    expect(stageOf(project)).toBeNull();
    expect([undo(project), stageOf(project)]).toEqual([['stage compact'], sessionRef(first)]);
  });
});

/** Events of a session before it is forgotten while it is open, and the steps from there to the one before it. */
const DONE: [what: string, live: (project: Project) => unknown, ...back: string[]][] = [
  ['started', () => undefined, 'stage compact'],
  ['flushed', (project) => note(project, 'of the second'), 'stage compact'],
  ['given up', ({ open }) => ctx.setState(open(), 'abort', { text: 'no use' }), 'stage compact'],
  [
    'saved, taken back and given up',
    (project) => {
      ctx.compactSession(project.open());
      undo(project);
      ctx.setState(project.open(), 'abort', { text: 'no use' });
    },
    ...['undo of stage compact', 'stage compact', 'stage start', 'stage compact'],
  ],
];

describe.each(DONE)('a session that was %s, and forgotten while it was open', (_what, live, ...back) => {
  test.each(back.map((_command, index) => index + 1))('is in the way of nothing: undo %i', (count) => {
    const project = makeProject();
    const first = start(project, 'first');
    note(project, 'of the first');
    ctx.compactSession(project.open());
    const second = start(project, 'second');
    live(project);
    forget(project.open(), { id: second });
    expect(undo(project, count)).toEqual(back.slice(0, count));
    expectSound(project);
    if (count === back.length) expect([stageOf(project), tasks(project)]).toEqual([sessionRef(first), []]);
  });
});

test('an operation of which nothing is left is passed over', () => {
  const project = makeProject();
  const first = start(project, 'first');
  note(project, 'of the first');
  ctx.compactSession(project.open());
  forget(project.open(), { id: start(project, 'second') });
  expect([undo(project), stageOf(project)]).toEqual([['stage compact'], sessionRef(first)]);
  expect(undo(project, 3)).toEqual(['undo of stage compact', 'stage compact', 'stage start']);
  expect(stageOf(project)).toBeNull();
  expect(errorOf(() => undo(project, 5))).toMatchObject({ code: 'not_found', message: 'There are only 4 operations.' });
  expectSound(project);
});

/** Ways to end a session that was forgotten and brought back. */
const ENDINGS: [name: string, end: (project: Project) => unknown][] = [
  ['compact', ({ open }) => ctx.compactSession(open())],
  ['abort', ({ open }) => ctx.setState(open(), 'abort', { text: 'no use', compact: true })],
  [
    'confirm',
    ({ open }) => {
      ctx.setState(open(), 'done', { text: 'all of it' });
      ctx.setState(open(), 'confirm', { compact: true });
    },
  ],
  ['start --replace', ({ open }) => ctx.startSession(open(), 'next', { replace: true })],
  ['cleanup', ({ open }) => ctx.cleanupStaleSessions(open(), { maxIdle: -1 })],
];

describe.each(ENDINGS)('a session that was forgotten, brought back and ended by %s', (_name, end) => {
  test.each(['again', null])('is sound, with what was recorded since: %s', (text) => {
    const project = makeProject();
    const id = start(project, 'first');
    note(project, 'secret');
    ctx.compactSession(project.open());
    forget(project.open(), { id });
    undo(project);
    if (text !== null) note(project, text);
    end(project);
    expect(project.open().refs.read(archiveRef(id))).not.toBeNull();
    expectSound(project);
    if (text === null) return;
    expect(project.git('show', 'main:notes.jsonl')).toContain(`"content":"${text}"`);
    // There is something to forget again.
    forget(project.open(), { id });
    expect(project.git('show', 'main:summary.md')).toBe('# [forgotten]\n\nThis session was forgotten.\n');
    expectSound(project);
  });
});
