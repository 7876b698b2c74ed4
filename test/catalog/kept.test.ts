// Lists that are kept beside the catalog: whatever is done to the store, they give what is read from nothing.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { searchSessions } from '../../src/app/find/search.ts';
import { usageOf } from '../../src/app/find/usage.ts';
import { type LogOptions, readLog } from '../../src/app/log.ts';
import { resumableLines, resumableSessions } from '../../src/app/resume/resumable.ts';
import { type ListOptions, listAllSessions, listBriefly } from '../../src/app/sessions.ts';
import { addBlocks, blocksIn } from '../../src/catalog/bytes/blocks.ts';
import { CatalogDamage, memorySource, Sections, SectionWriter } from '../../src/catalog/bytes/sections.ts';
import * as ctx from '../../src/index.ts';
import { copyOf, git, makeProject, type Project } from '../support/store.ts';
import { message, observe, text } from './support.ts';

const LISTS: readonly ListOptions[] = [
  {},
  { limit: 2 },
  { limit: 0 },
  { open: true },
  { ended: true },
  { topOnly: true },
  { agent: 'nobody' },
  { states: ['Abandoned'] },
  { states: ['Running'], limit: 1 },
  { since: 1_769_041_000 },
  { until: 1_769_041_000, limit: 3 },
];
const LOGS: readonly LogOptions[] = [
  {},
  { limit: 2 },
  { all: true },
  { all: true, limit: 3 },
  { types: ['Abandoned'] },
  { author: 'ctx', limit: 2 },
  { since: 1_769_041_000, until: 1_769_043_000 },
  { topological: true },
];

/** Answers of the lists, the log and searches. */
function answers(repository: ctx.Repository): object {
  return {
    lists: LISTS.map((options) => listAllSessions(repository, options)),
    logs: LOGS.map((options) => [...readLog(repository, options)]),
    resume: resumableSessions(repository).rows.map((row) => ({ ...row })),
    search: ['backoff', 'backoff state:ended', 'ending:abandoned', 'backoff in:nothing-at-all'].map((words) => {
      try {
        const found = searchSessions(repository, words);
        // A passage that was replaced since still counts a little in the scores.
        const hits = found.hits.map(({ score: _score, ...hit }) => hit);
        return { ...found, hits: hits.sort((a, b) => (a.session_id < b.session_id ? -1 : 1)) };
      } catch (error) {
        return (error as Error).message;
      }
    }),
    usage: (['session', 'day', 'agent'] as const).map((by) => usageOf(repository, { by })),
  };
}

const folderOf = ({ store }: Pick<Project, 'store'>): string => join(store, 'cache', 'catalog');

/** Asks the store as it is, twice, and to a copy without a catalog. */
function expectSame(project: Project): void {
  const { clock } = project;
  const bare = copyOf(project, { clock: () => clock.now });
  rmSync(folderOf(bare), { recursive: true, force: true });
  const expected = answers(bare.open());
  expect(answers(project.open())).toEqual(expected);
  for (const name of ['list', 'log', 'sessions', 'usage'])
    expect([name, existsSync(join(folderOf(project), `${name}.sums`))]).toEqual([name, true]);
  expect(answers(project.open())).toEqual(expected);
}

/** Lets a session begin, say something and end. */
function live(project: Project, task: string, ends: boolean): string {
  const { repository, clock } = project;
  if (repository.refs.stage() !== null) ctx.compactSession(repository);
  clock.now += 1000;
  ctx.startSession(repository, task);
  const metadata = { created_at: clock.now, model: 'a-model', usage: { input: 10, output: 20 } };
  observe(repository, message(`${task} u`, 'user', [text(`The backoff of ${task}`)], { created_at: clock.now }));
  observe(repository, message(`${task} a`, 'assistant', [text('Exponential.')], metadata));
  ctx.flushStep(repository);
  const id = (repository.refs.stage() as string).split('/').at(-1) as string;
  if (ends) ctx.compactSession(repository);
  return id;
}

let original: Project;
let [first, second] = ['', ''];

beforeAll(() => {
  original = makeProject();
  first = live(original, 'First task', true);
  second = live(original, 'Second task', true);
  live(original, 'Third task', false);
  ctx.setState(original.repository, 'abort', { text: 'not needed' });
  ctx.compactSession(original.repository);
  live(original, 'Fourth task', false);
  expectSame(original);
});

const moves: [string, (project: Project) => void][] = [
  ['nothing', () => undefined],
  ['a session ended', ({ repository }) => void ctx.compactSession(repository)],
  ['another began', (project) => void live(project, 'Fifth task', false)],
  ['another began and ended', (project) => void live(project, 'Sixth task', true)],
  ['a record waits', ({ repository }) => void ctx.observeNote(repository, 'decision: jitter')],
  [
    'a step was saved',
    ({ repository }) => {
      ctx.observeNote(repository, 'decision: jitter');
      ctx.flushStep(repository);
    },
  ],
  ['an ended session was renamed', ({ repository }) => void ctx.renameSession(repository, first, 'Another title')],
  ['refs were packed', ({ store }) => void git(store, ['pack-refs', '--all'])],
  [
    'refs were packed, and one was renamed',
    ({ store, repository }) => {
      git(store, ['pack-refs', '--all']);
      ctx.renameSession(repository, second, 'Another title');
    },
  ],
  ['a session was forgotten', ({ repository }) => void ctx.forget(repository, { id: second })],
];
test.each(moves)('after %s', (_what, move) => {
  const project = copyOf(original);
  move(project);
  expectSame(project);
});

test('a list that lies about its state, or is of another store, is not believed', () => {
  const project = copyOf(original);
  const file = join(folderOf(project), 'list.sums');
  const content = readFileSync(file);
  live(project, 'Fifth task', true);
  listAllSessions(project.open());
  writeFileSync(file, content);
  expectSame(project);
});

test('nothing is kept while the catalog may not be written to', () => {
  const project = copyOf(original);
  rmSync(folderOf(project), { recursive: true });
  mkdirSync(join(project.store, 'cache'), { recursive: true });
  writeFileSync(folderOf(project), 'no folder');
  expect(answers(project.open())).toEqual(answers(original.open()));
});

test('brief rows and lines say what whole ones say', () => {
  const repository = original.open();
  const whole = listAllSessions(repository).sessions;
  expect(listBriefly(repository).sessions).toEqual(whole.map((row) => expect.objectContaining({ title: row.title })));
  for (const [index, row] of listBriefly(repository).sessions.entries()) expect(whole[index]).toMatchObject(row);
  const { rows } = resumableSessions(repository);
  expect(resumableLines(repository).map((line, index) => ({ ...rows[index], ...line }))).toEqual(
    rows.map((row) => ({ ...row })),
  );
});

test('a damaged block is found when it is read, and no other is', () => {
  const pieces: Buffer[] = [];
  const writer = new SectionWriter((bytes) => pieces.push(Buffer.from(bytes)));
  addBlocks(
    writer,
    'rows',
    Array.from({ length: 600 }, (_, place) => [place, `row ${place}`]),
  );
  writer.end();
  const bytes = Buffer.concat(pieces);
  bytes[bytes.indexOf('row 300')] = 0x41;
  const rowAt = blocksIn(new Sections(memorySource(bytes)), 'rows');
  const row = (place: number): unknown[] => {
    const [columns, at] = rowAt(place);
    return columns.map((column) => column[at]);
  };
  expect([row(0), row(255), row(599)]).toEqual([
    [0, 'row 0'],
    [255, 'row 255'],
    [599, 'row 599'],
  ]);
  expect(() => row(299)).toThrow(CatalogDamage);
  expect(() => row(768)).toThrow(CatalogDamage);
});
