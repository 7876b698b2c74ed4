// Transcripts of Cursor: the folder of each is told by no more than a name that its path was made into.
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { type IngestManyOptions, type IngestManyResult, ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { hintsOfMany } from '../../src/cli/commands/ingest-many.ts';
import { readChain } from '../../src/history/chain/chain.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

let project: Project;
let other: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  other = makeProject();
  home = temporaryFolder();
});

const nameOf = (path: string): string => path.slice(1).replace(/[^a-zA-Z0-9]/g, '-');

/** Puts a transcript where Cursor keeps those of a folder; gives its path. */
function transcript(name: string, place: string, task: string): string {
  const lines = [
    { role: 'user', message: { content: [{ type: 'text', text: `<user_query>\n${task}\n</user_query>` }] } },
    { role: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] } },
  ];
  const file = join(home, '.cursor', 'projects', name, 'agent-transcripts', place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const ingest = (options: IngestManyOptions = {}): IngestManyResult => ingestMany(project.open(), [home], options);
const tasksIn = (place: Project): string[] =>
  listSessions(place.open()).flatMap((one) => ('session_id' in one ? [one.task_description] : []));
const cwdOf = (place: Project, oid: string): unknown => readChain(place.open().objects, oid).session.cwd;

test('each goes into the store of the folder that its name is made of, a sub-agent with its session', () => {
  const deep = join(project.folder, 'packages', 'deep.er');
  mkdirSync(deep, { recursive: true });
  transcript(nameOf(project.folder), 'a.jsonl', 'Task of A');
  transcript(nameOf(deep), 'd/d.jsonl', 'Task in a folder of A');
  transcript(nameOf(other.folder), 'b/b.jsonl', 'Task of B');
  transcript(nameOf(other.folder), 'b/subagents/c.jsonl', 'Help with B');
  const { problems, left_out, sessions } = ingest();
  expect([problems, left_out]).toEqual([[], []]);
  expect(tasksIn(project).sort()).toEqual(['Task in a folder of A', 'Task of A']);
  expect(tasksIn(other).sort()).toEqual(['Help with B', 'Task of B']);
  const found = sessions.find(({ task_description }) => task_description === 'Task in a folder of A');
  expect(realpathSync(String(cwdOf(project, found?.oid ?? '')))).toBe(realpathSync(deep));
});

test('one whose folder is not found by its name, or not alone, is left out and named, unless all are to come here', () => {
  const bare = temporaryFolder();
  mkdirSync(join(bare, 'x-y'));
  mkdirSync(join(bare, 'x', 'y'), { recursive: true });
  const gone = transcript('home-nobody-gone', 'g.jsonl', 'Task that is gone');
  const twice = transcript(nameOf(join(bare, 'x-y')), 't.jsonl', 'Task of two');
  const strange = transcript(nameOf(bare), 's.jsonl', 'Task of a bare folder');
  const result = ingest();
  expect(result.left_out.sort((a, b) => (a.file < b.file ? -1 : 1))).toEqual(
    [
      { file: gone, agent: 'cursor', cwd: null, cwd_name: 'home-nobody-gone' },
      { file: twice, agent: 'cursor', cwd: null, cwd_name: nameOf(join(bare, 'x-y')) },
      { file: strange, agent: 'cursor', cwd: bare },
    ].sort((a, b) => (a.file < b.file ? -1 : 1)),
  );
  const [byFolder, byName] = hintsOfMany(result);
  expect(byFolder).toContain(`have no store: 1 of ${bare}. `);
  expect(byName).toContain('1 of home-nobody-gone');
  expect(byName).toContain(`1 of ${nameOf(join(bare, 'x-y'))}`);
  expect(tasksIn(project)).toEqual([]);
  expect(ingest({ here: true })).toMatchObject({ left_out: [], totals: { created: 3 } });
});

test('where two folders come to one name, the one that ctx runs in is meant', () => {
  const here = join(project.folder, 'x-y');
  mkdirSync(here);
  mkdirSync(join(project.folder, 'x', 'y'), { recursive: true });
  transcript(nameOf(here), 't.jsonl', 'Task of two');
  const { sessions } = ingest({ from: here });
  expect(sessions.map(({ oid }) => cwdOf(project, oid))).toEqual([here]);
});

test("one that is named comes in wherever it is of, and one that lies elsewhere is nobody else's", () => {
  const { oid } = ingestTranscript(project.open(), transcript(nameOf(other.folder), 'b.jsonl', 'Task of B'));
  expect(cwdOf(project, oid)).toBe(other.folder);
  const aside = join(temporaryFolder(), 'g.jsonl');
  cpSync(transcript('home-nobody-gone', 'g.jsonl', 'Task that was put aside'), aside);
  expect(ingestMany(project.open(), [dirname(aside)])).toMatchObject({ left_out: [], totals: { created: 1 } });
});
