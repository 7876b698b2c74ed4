// `ctx ingest` where there is no store: sessions go to the projects that they took place in.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ActiveStatus, IngestManyResult, ListedSession } from '../../src/index.ts';
import {
  envelope,
  folder,
  fsck,
  json,
  NOON,
  type Repo,
  refused,
  repository,
  run,
  seen,
  write,
} from '../support/cli.ts';
import { TRANSCRIPT } from '../support/samples.ts';

let project: Repo;
let outside: string;
let bare: string;

/** A transcript of a conversation that took place in a folder. */
const transcript = (id: string, cwd: string): string =>
  TRANSCRIPT.replaceAll('conversation', id).replace('Add a cache', `Add ${id}`).replaceAll('/project', cwd);

beforeEach(() => {
  project = repository({ now: NOON });
  outside = folder();
  bare = folder();
  mkdirSync(join(outside, 'old'));
});

const put = (name: string, text: string): string => write(join(outside, 'old', name), text);

test('a session goes into the store of its own project; others are left out and named, with what to do', () => {
  put('a.jsonl', transcript('a', project.dir));
  put('b.jsonl', transcript('b', bare));
  put('c.jsonl', TRANSCRIPT.replaceAll(',"cwd":"/project"', ''));
  const result = run(['ingest', 'old', '--since', '2026-01-01'], { cwd: outside, now: NOON });
  expect(result.code).toBe(0);
  expect(result.stdout).toContain(`, of ${project.dir}, into ${join(project.dir, '.ctx')})\n`);
  expect(result.stdout).toContain('\n1 new session, 2 sessions of other projects left out\n');
  const [strange, untold] = result.stderr.split('\n');
  expect(strange).toBe(
    `hint: Left out, since their projects have no store: 1 of ${bare}. ctx init there and ingest again, or take them into the store where you are with --here.`,
  );
  expect(untold).toBe(
    'hint: Left out, since they do not name the folder that they took place in: 1. Take them into the store where you are with --here.',
  );
  expect(project.json<ListedSession[]>(['stage', 'list']).map((one) => one.task_description)).toEqual(['Add a']);
  fsck(project.dir);
  const again = json<IngestManyResult>(['ingest', 'old'], { cwd: outside, now: NOON });
  expect(again).toMatchObject({ totals: { created: 0, unchanged: 1 }, left_out: [{ cwd: bare }, { cwd: null }] });
});

test('if none of them has a store, nothing is done', () => {
  put('b.jsonl', transcript('b', bare));
  const result = run(['ingest', 'old'], { cwd: outside });
  expect(result).toMatchObject({ code: 1, stdout: '' });
  const [error, hint] = result.stderr.split('\n');
  expect(error).toBe(`error: There is no .ctx here or in any folder above ${outside}.`);
  expect(hint).toContain(`hint: Left out, since their projects have no store: 1 of ${bare}. ctx init there`);
  const told = envelope(run(['ingest', 'old', '--json'], { cwd: outside }));
  expect(told).toMatchObject({
    ok: false,
    error: { code: 'not_a_repository', data: { left_out: [{ agent: 'claude-code', cwd: bare }], problems: [] } },
  });
});

test('a single file goes into the store of its own project too, and into the one here where that has none', () => {
  const here = repository({ now: NOON });
  put('a.jsonl', transcript('a', project.dir));
  put(
    'a/subagents/agent-x.jsonl',
    transcript('a', bare).replaceAll('"type":"', '"isSidechain":true,"agentId":"x","type":"'),
  );
  put('b.jsonl', transcript('b', bare));
  const ingest = (name: string, cwd: string, ...more: string[]) =>
    seen(run(['ingest', join(outside, 'old', name), ...more], { cwd, now: NOON }));
  const tasksIn = ({ json: told }: Repo) => told<ListedSession[]>(['stage', 'list']).map((one) => one.task_description);
  for (const cwd of [outside, here.dir]) {
    expect(ingest('a.jsonl', cwd)).toContain(cwd === outside ? '\nout|   into <dir>/.ctx\n' : 'Nothing new in it');
    expect([tasksIn(here), tasksIn(project)]).toEqual([[], ['Add a', 'Add a']]);
  }
  expect(project.json<ActiveStatus>(['stage', 'status']).active).toBe(false);
  ingest('b.jsonl', here.dir);
  expect(tasksIn(here)).toEqual(['Add b']);
  ingest('a.jsonl', here.dir, '--here');
  expect(tasksIn(here).sort()).toEqual(['Add a', 'Add a', 'Add b']);
  fsck(project.dir);
});

test('trouble with the store of its own project is reported of that project', () => {
  put('a.jsonl', transcript('a', project.dir));
  const here = repository({ now: NOON });
  write(join(project.dir, '.ctx/refs/heads/main'), 'garbage\n');
  const file = join(outside, 'old', 'a.jsonl');
  expect(refused(['ingest', file], { cwd: here.dir, now: NOON })).toMatchObject({
    exit: 5,
    code: 'damaged',
    message: expect.stringMatching(`^${project.dir}/.ctx: refs/heads/main is damaged`),
    hint: expect.stringContaining('--here'),
  });
  expect(run(['ingest', file, '--here'], { cwd: here.dir, now: NOON }).code).toBe(0);
});

test.each([
  ['all of them here', ['ingest', 'old', '--here']],
  ['a single file of no project', ['ingest', 'old/b.jsonl']],
  ['a folder with nothing in it', ['ingest', '.']],
])('%s needs a store here', (_, line) => {
  put('a.jsonl', transcript('a', project.dir));
  put('b.jsonl', transcript('b', bare));
  const cwd = line[1] === '.' ? folder() : outside;
  expect(refused(line, { cwd })).toMatchObject({
    exit: 1,
    code: 'not_a_repository',
    hint: 'Make one with: ctx init',
  });
});
