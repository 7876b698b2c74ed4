// Forgetting looks at every file and folder of the store, whatever it is: none holds it afterwards that is not named.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ForgetTarget, forget } from '../../src/app/forget/forget.ts';
import { aimAt } from '../../src/app/forget/target.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { activeSession } from '../../src/app/session/active.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { bulkStore } from '../../src/git/objects/bulk.ts';
import { planForgetting } from '../../src/history/forget/plan.ts';
import { encodePlan } from '../../src/history/forget/plan-file.ts';
import { makeOld } from '../../src/platform/files.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const TEXT = '0664-1234567';
const MARKED = expect.stringMatching(/\[forgotten:[0-9a-f]{8}\]/);
const PACK = `objects/pack/pack-${'a'.repeat(40)}`;

/** A store that tells TEXT in a step and in a record that waits. */
function telling(): Project & { id: string } {
  const project = makeProject();
  const { session_id: id } = startSession(project.repository, 'Call the plumber');
  observeNote(project.repository, `His number is ${TEXT}`);
  flushStep(project.repository);
  observeNote(project.repository, `It was ${TEXT}`);
  return { ...project, id };
}

function put({ store }: Project, name: string, content: string | Buffer = `call ${TEXT}\n`): void {
  mkdirSync(join(store, dirname(name)), { recursive: true });
  writeFileSync(join(store, name), content);
}

const forgets = (project: Project, target: ForgetTarget = { text: TEXT }): ReturnType<typeof forget> =>
  forget(project.open(), target);

function expectGone(project: Project, ...texts: string[]): void {
  expect(tracesOf(project.store, TEXT, ...texts)).toEqual([]);
  expect(fsck(project.store)).toBe('');
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
}

describe('what only begins as a deflated stream does', () => {
  it.each([
    ['lost/gc.pid', '8012 laptop'],
    ['description', 'Hj, notes of 80 plumbers\n'],
    ['lost/x', 'x^2 + y^2'],
  ])('as %s may: %j', (name, content) => {
    const project = telling();
    put(project, name, content);
    expect(forgets(project).left).toEqual([]);
    expect(readFileSync(join(project.store, name), 'utf8')).toBe(content);
  });

  it.each([
    ['torn', 'lost/x', deflateSync(`call ${TEXT} ${'now '.repeat(40)}`).subarray(0, 30)],
    ['broken', 'lost/x', Buffer.concat([deflateSync(TEXT).subarray(0, 6), Buffer.from([0xff, 0xff, 0xff])])],
    ['whole', 'lost/x', deflateSync(`call ${TEXT}`)],
  ])('and a stream that is %s goes', (_, name, content) => {
    const project = telling();
    put(project, name, content);
    forgets(project);
    expect(existsSync(join(project.store, name))).toBe(false);
  });
});

it('the lock of the forgetting itself holds nothing', () => {
  const project = makeProject();
  startSession(project.repository, 'A task');
  // Text of gc.pid at that time.
  const text = `${process.pid} ${hostname()}`;
  observeNote(project.repository, `It runs as ${text}`);
  expect(forgets(project, { text }).left).toEqual([]);
});

describe('what is no part of the store and holds it', () => {
  it.each([
    'pending/notes.txt',
    'pending/.DS_Store',
    'pending/old/a.txt',
    'pending/stray.tmp',
    'pending/0abc/y.json',
    'pending/0abc/objects/z',
    'logs/refs/heads/main.0123.tmp',
    'logs/x.json',
    'refs/sessions/tmp_x',
    'refs/heads/torn',
    'refs/heads/main.lock/inside',
    'objects/note.txt',
    'objects/ab/note.txt',
    'objects/info/packs',
    'info/attributes',
    'some/where/else',
    'ORIG_HEAD',
    'index',
  ])('is removed and named: %s', (name) => {
    const project = telling();
    put(project, name);
    expect(forgets(project)).toMatchObject({ files: [name], left: [] });
    expectGone(project);
    expect(errorOf(() => forgets(project)).message).toBe('There is nothing of it in this store.');
  });

  it.each([
    [`cache/x-${TEXT}`, '/'],
    [`refs/heads/x-${TEXT}`, '/'],
    [`pending/${TEXT}/in/it`, '/in/it/'],
  ])('in the name of an empty folder goes with it: %s', (name, end) => {
    const project = telling();
    mkdirSync(join(project.store, name), { recursive: true });
    const { files } = forgets(project);
    expect(files.at(-1)).toEqual(MARKED);
    expect(files.at(-1)).toMatch(new RegExp(`\\]${end}$`));
    expectGone(project);
  });

  it('in the name of a folder with files goes with them, and what lies beside it stays', () => {
    const project = telling();
    put(project, `some/x-${TEXT}/a`, 'innocent\n');
    put(project, 'some/b', 'innocent\n');
    expect(forgets(project).files).toEqual([expect.stringMatching(/^some\/x-\[forgotten:.+\]\/a$/)]);
    expectGone(project);
    expect(readFileSync(join(project.store, 'some/b'), 'utf8')).toBe('innocent\n');
  });

  it('in the name of a reflog goes with it where its ref is gone', () => {
    const project = telling();
    put(project, `logs/refs/heads/x-${TEXT}`, 'innocent\n');
    expect(forgets(project).files).toEqual([MARKED]);
    expectGone(project);
  });

  it('is a torn object that no waiting record names', () => {
    const project = telling();
    const name = `pending/${project.id}/objects/${'a'.repeat(40)}`;
    put(project, name);
    expect(forgets(project).left).toEqual([]);
    expectGone(project);
  });

  it('is what a forgetting has left of a pack without an index', () => {
    const project = telling();
    put(project, `${PACK}.pack`);
    makeOld(join(project.store, `${PACK}.pack`));
    expect(forgets(project).left).toEqual([]);
    expectGone(project);
  });

  it('is found by a pattern though it is nowhere else', () => {
    const project = telling();
    put(project, 'pending/notes.txt', '0664-7654321');
    put(project, 'refs/heads/torn', '0664-1111111');
    put(project, 'lost/0664-2222222', '');
    expect(forgets(project, { pattern: '0664-[0-9]{7}' }).files).toHaveLength(3);
    expectGone(project, '0664-7654321', '0664-1111111', '0664-2222222');
  });
});

describe('a reflog', () => {
  const ZERO = '0'.repeat(40);

  it.each<[string, (oid: string) => string]>([
    ['the end of a line', () => `4617 +0000\tcall ${TEXT}\n`],
    ['a line without ids', () => `${TEXT}\n`],
    ['a line that is cut off in its person', (oid) => `${oid} ${ZERO} ctx ${TEXT} <ctx@loc`],
    ['a line that is cut off before its time', (oid) => `${oid} ${ZERO} ctx <${TEXT}>`],
    ['a line without a message, and the end of one', (oid) => `${oid} ${ZERO} ctx <c@d> 1 +0000\n ${TEXT}\tx\n`],
  ])('loses it where it is torn, and nothing else: %s', (_name, torn) => {
    for (const log of ['logs/HEAD', 'logs/refs/heads/main', 'logs/refs/heads/gone']) {
      const project = telling();
      const main = project.git('rev-parse', 'main').trim();
      const line = `${ZERO} ${main} a <a@b> 1769040000 +0000\tbegun\n`;
      put(project, log, line + torn(main));
      expect(forgets(project)).toMatchObject({ left: [], files: [] });
      expect(tracesOf(project.store, TEXT)).toEqual([]);
      const now = readFileSync(join(project.store, log), 'utf8');
      expect(now.replace(/\[forgotten:[0-9a-f]{8}\]/, TEXT)).toBe(line + torn(main));
    }
  });

  it('loses it where a line of ours has been torn', () => {
    const project = telling();
    appendFileSync(join(project.store, 'logs/refs/sessions', project.id), `4617 +0000\tcall ${TEXT}\n`);
    forgets(project);
    expectGone(project);
  });

  it('loses a text that goes over several torn lines', () => {
    const project = telling();
    appendFileSync(join(project.store, 'logs/refs/sessions', project.id), 'call\n0664 at noon\n');
    forgets(project, { text: 'call\n0664 at noon' });
    expect(tracesOf(project.store, '0664 at noon')).toEqual([]);
  });
});

describe('what is not to be removed', () => {
  const LOCK = /it is a lock, and somebody may hold that/;
  const YOURS = /it is yours, so take it out by hand/;
  it.each<[string, RegExp, string?]>([
    ['refs/heads/main.lock', LOCK],
    ['logs/refs/heads/main.lock', LOCK],
    ['config.lock', LOCK],
    ['LOCK.x.break', LOCK],
    ['.gitignore', YOURS],
    ['refs/heads/pointing', YOURS, `ref: refs/heads/${TEXT}\n`],
    [`${PACK}.keep`, YOURS],
    [`${PACK}.pack`, /it has no index, and Git may be at work on it/],
  ])('is named, and all else is done: %s', (name, why, content) => {
    const project = telling();
    put(project, name, content);
    const { left, unreachable } = forgets(project);
    expect(left).toEqual([name]);
    expect(unreachable[0]).toMatch(why);
    const holds = name.endsWith('.pack') ? 'may hold' : 'holds';
    expect(unreachable[0]?.startsWith(`${name} in this store ${holds} it: `)).toBe(true);
    expect(tracesOf(project.store, TEXT)).toEqual([name]);
    expect(errorOf(() => forgets(project))).toMatchObject({
      code: 'not_found',
      message: `What is left of it in this store is not ctx's to remove: ${name}.`,
    });
  });

  it('is a ref, whatever is behind its value', () => {
    const project = telling();
    const content = `${project.git('rev-parse', 'main').trim()}\n${TEXT}\n`;
    put(project, 'refs/heads/mine', content);
    expect(forgets(project).left).toEqual(['refs/heads/mine']);
    expect(readFileSync(join(project.store, 'refs/heads/mine'), 'utf8')).toBe(content);
  });

  it('is the reflog of a session that there is not', () => {
    const project = telling();
    put(project, `logs/refs/sessions/of-${TEXT}`, 'innocent\n');
    expect(forgets(project).left).toEqual([MARKED]);
    expect(existsSync(join(project.store, `logs/refs/sessions/of-${TEXT}`))).toBe(true);
  });

  it('is an empty folder among the hooks', () => {
    const project = telling();
    mkdirSync(join(project.store, 'hooks', TEXT), { recursive: true });
    expect(forgets(project).left).toEqual([expect.stringMatching(/^hooks\/\[forgotten:/)]);
    expect(existsSync(join(project.store, 'hooks', TEXT))).toBe(true);
  });

  it.skipIf(process.getuid?.() === 0)('is what lies in a folder that cannot be written to, and stops nothing', () => {
    const project = telling();
    put(project, 'cache/closed/x');
    mkdirSync(join(project.store, 'cache/closed', TEXT));
    chmodSync(join(project.store, 'cache/closed'), 0o500);
    expect(forgets(project).left.sort()).toEqual([expect.stringMatching(/^cache\/closed\/\[/), 'cache/closed/x']);
    flushStep(project.open());
    chmodSync(join(project.store, 'cache/closed'), 0o700);
    expect(forgets(project).left).toEqual([]);
    expectGone(project);
  });

  it.skipIf(process.platform !== 'linux')('may be what has a name that cannot be read', () => {
    const project = telling();
    writeFileSync(Buffer.concat([Buffer.from(`${project.store}/lost-`), Buffer.from([0xe9])]), TEXT);
    const { left, unreachable } = forgets(project);
    expect(left).toEqual(['lost-\ufffd']);
    expect(unreachable[0]).toContain('may hold it: its name is no UTF-8');
    expect(errorOf(() => forgets(project)).message).toBe(
      'There is nothing of it in this store but perhaps in lost-\ufffd.',
    );
  });
});

describe('a part of the store that is torn and holds it', () => {
  it.each<[string, string?]>([
    ['STAGE', `ref: refs/sessions/01890000-0000-7000-8000-000000000000\n${TEXT}\n`],
    ['refs/heads/main'],
    ['refs/archive/01890000-0000-7000-8000-000000000000'],
    ['packed-refs', `# pack-refs with: peeled fully-peeled sorted \n# ${TEXT}\n`],
  ])('is named as damage, and nothing is changed: %s', (name, content) => {
    const project = telling();
    put(project, name, content);
    const before = tracesOf(project.store, TEXT);
    for (const dryRun of [true, false]) {
      const error = errorOf(() => forget(project.open(), { text: TEXT }, { dryRun }));
      expect(error).toMatchObject({ code: 'damaged', message: expect.stringContaining(name) });
    }
    expect(tracesOf(project.store, TEXT)).toEqual(before);
  });
});

describe('a word that only ctx or Git says', () => {
  it.each([
    ['pointer', 'own: in the name or the text of a file or a folder.'],
    ['pending', 'own: in the name or the text of a file or a folder.'],
    ['1769040000 +0000', 'own: in '],
  ])('is reported as such: %s', (text, told) => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    expect(errorOf(() => forgets(project, { text })).message).toContain(told);
  });

  it('takes no file with it that lies in a folder of that name', () => {
    const project = telling();
    for (const name of ['choices/mine', 'cache/conversations/mine']) put(project, name, 'innocent\n');
    for (const text of ['choices', 'conversations']) {
      put(project, 'notes', text);
      expect(forgets(project, { text }).files).toEqual(['notes']);
    }
    expect(
      ['notes', 'choices/mine', 'cache/conversations/mine'].map((name) => existsSync(join(project.store, name))),
    ).toEqual([false, true, true]);
  });
});

it('is finished where it was cut off, strays, folders and all; what has become a ref since stays', () => {
  const project = telling();
  const { repository, store } = project;
  for (const name of ['pending/notes.txt', 'refs/heads/torn', 'refs/heads/other', `a/${TEXT}/b`]) put(project, name);
  mkdirSync(join(store, 'cache', TEXT), { recursive: true });
  const { forgetting, list } = aimAt(repository, { text: TEXT }, false);
  const message = (): string => 'forget';
  const { plan, staged } = planForgetting(repository, bulkStore(repository), { forgetting, list, message });
  mkdirSync(join(store, 'forgetting'));
  for (const [index, { content }] of staged.entries()) writeFileSync(join(store, 'forgetting', String(index)), content);
  writeFileSync(join(store, 'forgetting', 'plan.tmp'), encodePlan(repository, plan));
  renameSync(join(store, 'forgetting', 'plan.tmp'), join(store, 'forgetting', 'plan.json'));
  writeFileSync(join(store, 'refs/heads/other'), `${project.git('rev-parse', 'main').trim()}\n`);
  observeNote(project.open(), 'and on');
  flushStep(project.open());
  expectGone(project);
  expect(existsSync(join(store, 'forgetting'))).toBe(false);
  expect(project.git('rev-parse', 'other')).toBe(project.git('rev-parse', 'main'));
  expect(activeSession(project.open())?.session.session_id).toBe(project.id);
});
