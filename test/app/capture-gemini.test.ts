// Receipts of Gemini CLI: a chat belongs to the folder that `.project_root` above it names, as for `ctx ingest`.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { initRepository } from '../../src/app/init.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { put } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const TIME = '2026-01-21T10:00:00.000Z';

let project: Project;
let environment: Record<string, string>;

beforeEach(() => {
  project = makeProject();
  environment = { HOME: temporaryFolder() };
});

/** Puts a chat that ran in a folder where Gemini CLI keeps those of it, and the path of that above it. */
function chat(cwd: string, root: string | null = cwd, header: object = {}): string {
  const place = join(environment['HOME'] ?? '', '.gemini/tmp/place');
  const hash = createHash('sha256').update(cwd).digest('hex');
  const lines = [
    { sessionId: 's1', projectHash: hash, startTime: TIME, lastUpdated: TIME, kind: 'main', ...header },
    { id: 'u1', timestamp: TIME, type: 'user', content: [{ text: 'Count the doors' }] },
    { id: 'g1', timestamp: TIME, type: 'gemini', content: 'Four.', model: 'm' },
  ];
  if (root === null) rmSync(join(place, '.project_root'), { force: true });
  else put(join(place, '.project_root'), root);
  return put(join(place, 'chats/session-s1.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const seen = () => captureStatus(project.open(), { environment }).conversations.map(({ captured }) => captured);
const doctor = () =>
  examine({ directory: project.folder, environment, node: process.execPath, program: 'ctx' }).findings.filter(
    ({ kind }) => kind === 'capture',
  );

test('finds, reports and takes in a chat of a folder below, unless that folder has a store of its own', () => {
  const below = join(project.folder, 'packages');
  mkdirSync(below);
  const file = chat(below, `${below}\n`);
  expect(seen()).toEqual(['never']);
  expect(doctor()).toMatchObject([{ severity: 'problem' }]);
  const { conversations, problems } = catchUp(project.open(), { environment, all: true });
  expect([conversations, problems]).toMatchObject([[{ file, turns_added: 1, created: true }], []]);
  expect(seen()).toEqual(['captured']);
  expect(listSessions(project.open())).toMatchObject([{ task_description: 'Count the doors' }]);
});

test('one that ran in a folder below with a store of its own is that one’s', () => {
  const below = join(project.folder, 'packages');
  mkdirSync(below);
  initRepository({ directory: below, tracked: true });
  chat(below);
  expect(seen()).toEqual([]);
});

test('one that ran where a link leads here is found from the folder itself', () => {
  const link = join(temporaryFolder(), 'link');
  symlinkSync(project.folder, link);
  chat(link);
  expect(seen()).toEqual(['never']);
});

test('the path above a chat takes precedence over its hash; the path of a sub-agent’s chat is its caller’s', () => {
  const elsewhere = temporaryFolder();
  chat(project.folder, elsewhere);
  expect(seen()).toEqual([]);
  chat(elsewhere, project.folder);
  expect(seen()).toEqual(['never']);
  chat(project.folder, project.folder, { kind: 'subagent' });
  expect(seen()).toEqual([]);
});

test('the hash of the project’s own folder decides if no path is above the chat', () => {
  chat(project.folder, null);
  expect(seen()).toEqual(['never']);
  chat(join(project.folder, 'packages'), null);
  expect(seen()).toEqual([]);
});
