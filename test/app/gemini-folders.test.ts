// Chats of Gemini CLI: the folder of each is told by a file above it, or by a hash alone.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { type IngestManyOptions, type IngestManyResult, ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { hintsOfMany } from '../../src/cli/commands/ingest-many.ts';
import { readChain } from '../../src/history/chain/chain.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

/** A time shortly before the one that the clock of a project shows. */
const TIME = '2026-01-21T10:00:00.000Z';

let project: Project;
let other: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  other = makeProject();
  home = temporaryFolder();
});

const hashOf = (path: string): string => createHash('sha256').update(path).digest('hex');

/** Puts a chat where Gemini CLI keeps those of a folder; gives its path. */
function chat(place: string, id: string, folder: string, task: string): string {
  const header = { sessionId: id, projectHash: hashOf(folder), startTime: TIME, lastUpdated: TIME, kind: 'main' };
  const user = { id: `${id}-u`, timestamp: TIME, type: 'user', content: [{ text: task }] };
  const gemini = { id: `${id}-g`, timestamp: TIME, type: 'gemini', content: 'Done.', thoughts: [], model: 'm' };
  const file = join(home, place, `session-${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, [header, user, gemini].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const root = (place: string, folder: string): void => writeFileSync(join(home, place, '.project_root'), folder);
const ingest = (options: IngestManyOptions = {}): IngestManyResult => ingestMany(project.open(), [home], options);
const tasksIn = (place: Project): string[] =>
  listSessions(place.open()).flatMap((one) => ('session_id' in one ? [one.task_description] : []));

test('each chat, also of a sub-agent, goes into the store of the folder that is named above it', () => {
  chat('pa/chats', 'a', project.folder, 'Task of A');
  root('pa', project.folder);
  chat('pb/chats', 'b', other.folder, 'Task of B');
  chat('pb/chats/b', 'c', other.folder, 'Help with B');
  root('pb', `${other.folder}\n`);
  expect(ingest()).toMatchObject({ problems: [], left_out: [] });
  expect(tasksIn(project)).toEqual(['Task of A']);
  expect(tasksIn(other).sort()).toEqual(['Help with B', 'Task of B']);
});

test('a hash alone identifies the project, a folder in it that ctx runs in, and a project that is neither', () => {
  const deep = join(project.folder, 'packages', 'deep');
  mkdirSync(deep, { recursive: true });
  chat('pa/chats', 'a', project.folder, 'Task of A');
  chat('deep/chats', 'd', deep, 'Task in a folder of A');
  const strange = chat('pb/chats', 'b', other.folder, 'Task of B');
  const left = { file: strange, agent: 'gemini', cwd: null, cwd_hash: hashOf(other.folder) };
  const result = ingest({ from: join(deep, 'er') });
  expect(result.left_out).toEqual([left]);
  expect(hintsOfMany(result)[0]).toMatch(/^Left out, since .* only a hash of their folder, .*: 1\. .* --here\.$/);
  expect(tasksIn(project).sort()).toEqual(['Task in a folder of A', 'Task of A']);
  const cwds = listSessions(project.open()).flatMap((one) => {
    if (!('session_id' in one)) return [];
    const { objects, refs } = project.open();
    return [readChain(objects, refs.read(`refs/sessions/${one.session_id}`) ?? '').session.cwd];
  });
  expect(cwds.sort()).toEqual([project.folder, deep]);
  expect(tasksIn(other)).toEqual([]);
  expect(ingest({ here: true, from: deep })).toMatchObject({ left_out: [], totals: { created: 1 } });
});

test('one that is named comes in wherever it is of, and knows its folder', () => {
  const file = chat('pb/chats', 'b', other.folder, 'Task of B');
  root('pb', other.folder);
  const { oid } = ingestTranscript(project.open(), file);
  expect(readChain(project.open().objects, oid).session.cwd).toBe(other.folder);
});
