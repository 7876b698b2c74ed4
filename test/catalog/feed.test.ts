// Tests that the catalog has the findings of a scan of the store, however it was fed, and whatever was recorded, ended or forgotten between.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { searchSessions } from '../../src/app/find/search.ts';
import { usageOf } from '../../src/app/find/usage.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { askCatalog, reindex } from '../../src/catalog/catalog.ts';
import * as ctx from '../../src/index.ts';
import { fc } from '../support/property.ts';
import { errorOf, makeProject, type Project } from '../support/store.ts';
import { message, observe, pictureOf, scanned, text } from './support.ts';

/** Something that happens to a store. */
type Event =
  | { do: 'message' | 'again' | 'part' | 'result' | 'note' | 'write'; id: number; words: string }
  | { do: 'hide'; id: number }
  | { do: 'flush' | 'feed' | 'end' | 'begin' | 'undo' | 'gc' }
  | { do: 'forget'; words: string };

const words = fc
  .array(fc.constantFrom('retry', 'backoff', 'parseHTTP', 'src/a.ts', '検索', 'the', 'of', 'fooBar', 'secretword'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all.join(' '));

const said = (what: Extract<Event, { id: number; words: string }>['do']): fc.Arbitrary<Event> =>
  fc.record({ do: fc.constant(what), id: fc.nat(3), words });

const events = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: said('message') },
    { weight: 5, arbitrary: said('again') },
    { weight: 4, arbitrary: said('part') },
    { weight: 3, arbitrary: said('result') },
    { weight: 3, arbitrary: said('note') },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('hide' as const), id: fc.nat(3) }) },
    { weight: 5, arbitrary: fc.constant<Event>({ do: 'flush' }) },
    { weight: 5, arbitrary: fc.constant<Event>({ do: 'feed' }) },
    { weight: 1, arbitrary: fc.constant<Event>({ do: 'end' }) },
    { weight: 2, arbitrary: fc.constant<Event>({ do: 'begin' }) },
    { weight: 1, arbitrary: fc.constant<Event>({ do: 'undo' }) },
    { weight: 1, arbitrary: fc.constantFrom<Event>({ do: 'forget', words: 'secretword' }) },
  ),
  { minLength: 12, maxLength: 30, size: 'max' },
);

/** Ignores what a store refuses in its present state. */
function allowed(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof ctx.CtxError) || error.code === 'bug' || error.code === 'damaged') throw error;
  }
}

let sequence = 0;

function happen(project: Project, event: Event): void {
  const repository = project.open();
  project.clock.now += 10;
  sequence += 1;
  switch (event.do) {
    case 'message':
    case 'again':
      allowed(() =>
        observe(
          repository,
          message(`m${event.id}`, event.id % 2 === 0 ? 'user' : 'assistant', [
            text(event.words),
            ...(event.do === 'message'
              ? [
                  {
                    type: 'dynamic-tool',
                    toolName: 'Bash',
                    toolCallId: `c${event.id}`,
                    input: { command: event.words },
                    state: 'input-available',
                  },
                ]
              : []),
          ]),
        ),
      );
      break;
    case 'part':
      allowed(() =>
        observe(repository, {
          kind: 'part',
          message_id: `m${event.id}`,
          part_id: `p${event.words.length % 3}`,
          seq: sequence,
          part: text(event.words),
        }),
      );
      break;
    case 'result':
      allowed(() =>
        observe(repository, {
          kind: 'part',
          message_id: `m${event.id}`,
          part_id: `c${event.id}`,
          seq: sequence,
          part: {
            type: 'dynamic-tool',
            toolName: 'Bash',
            toolCallId: `c${event.id}`,
            input: { command: event.words },
            state: 'output-available',
            output: event.words,
          },
        }),
      );
      break;
    case 'note':
      allowed(() => ctx.observeNote(repository, event.words));
      break;
    case 'hide':
      allowed(() => observe(repository, { kind: 'overlay', op: 'hide', ids: [`m${event.id}`], reason: 'rollback' }));
      break;
    case 'flush':
      allowed(() => ctx.flushStep(repository));
      break;
    case 'feed':
      pictureOf(repository);
      break;
    case 'end':
      allowed(() => ctx.compactSession(repository));
      break;
    case 'begin':
      allowed(() => ctx.startSession(repository, `a task ${sequence % 5}`));
      break;
    case 'undo':
      allowed(() => undoOperations(repository));
      break;
    case 'forget':
      allowed(() => ctx.forget(repository, { text: event.words }));
  }
}

describe('the catalog', () => {
  test('has what a scan finds after any events, fed between them or not', () => {
    fc.assert(
      fc.property(events, (all) => {
        const project = makeProject();
        ctx.startSession(project.repository, 'the first task');
        for (const event of all) happen(project, event);
        const repository = project.open();
        const found = pictureOf(repository);
        expect(found).toEqual(scanned(repository));
        const usage = usageOf(repository, { by: 'session' });
        reindex(repository);
        expect(pictureOf(repository)).toEqual(found);
        expect(usageOf(repository, { by: 'session' })).toEqual(usage);
      }),
      { numRuns: 12 * Number(process.env['CTX_FUZZ_RUNS'] ?? 1), endOnFailure: true },
    );
  }, 240_000);

  test('stays small in files, however often it was fed', () => {
    const project = makeProject();
    ctx.startSession(project.repository, 'the task');
    for (let round = 0; round < 40; round += 1) {
      ctx.observeNote(project.repository, `note number ${round}`);
      ctx.flushStep(project.repository);
      pictureOf(project.repository);
    }
    const count = askCatalog(project.repository, { sessions: true }, ({ segments }) => segments.length);
    expect(count).toBeLessThan(10);
    expect(pictureOf(project.repository)).toEqual(scanned(project.repository));
  });

  test('has a session once, though its chain was put back and grew again', () => {
    const project = makeProject();
    const { session_id } = ctx.startSession(project.repository, 'the task');
    ctx.observeNote(project.repository, 'alpha');
    ctx.flushStep(project.repository);
    const before = project.git('rev-parse', 'STAGE').trim();
    ctx.observeNote(project.repository, 'beta');
    ctx.flushStep(project.repository);
    expect(JSON.stringify(pictureOf(project.repository))).toContain('beta');
    project.git('update-ref', `refs/sessions/${session_id}`, before);
    ctx.observeNote(project.open(), 'gamma');
    ctx.flushStep(project.open());
    const found = pictureOf(project.open());
    expect(JSON.stringify(found)).toContain('gamma');
    expect(JSON.stringify(found)).not.toContain('beta');
    expect(found).toEqual(scanned(project.open()));
  });

  test('leaves out a session whose chain is damaged, says so, and has the others', () => {
    const project = makeProject();
    const { session_id } = ctx.startSession(project.repository, 'the damaged task');
    ctx.observeNote(project.repository, 'alpha');
    ctx.compactSession(project.repository);
    ctx.startSession(project.repository, 'the sound task');
    const blob = project.git('rev-parse', `refs/archive/${session_id}:step.jsonl`).trim();
    rmSync(`${project.store}/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    rmSync(`${project.store}/cache/objects`, { recursive: true, force: true });
    const problems: string[] = [];
    const found = pictureOf(project.open(), { warn: (problem) => problems.push(problem) });
    expect(problems.join()).toContain(`Session ${session_id} cannot be searched`);
    expect(Object.keys(found)).not.toContain(session_id);
    expect(JSON.stringify(found)).toContain('sound');
  });

  test('cannot be rebuilt while a forgetting that was cut off is not finished', () => {
    const project = makeProject();
    mkdirSync(`${project.store}/forgetting`);
    writeFileSync(`${project.store}/forgetting/plan.json`, '{}');
    expect(errorOf(() => reindex(project.repository))).toMatchObject({ code: 'busy' });
  });
});

test.each([700_000, 9_000_000])('a word at the end of a text of %i characters is found', (length) => {
  const { repository } = makeProject();
  const long = (word: string): object => text(`${'sand '.repeat(length / 5)}${word}`);
  ctx.startSession(repository, 'the task');
  observe(repository, message('u', 'user', [long('pelican')]), message('a', 'assistant', [long('ostrich')]));
  ctx.compactSession(repository);
  for (const word of ['pelican', '+ostrich'])
    expect(searchSessions(repository, word).hits[0]?.snippets?.[0]?.hits, word).toHaveLength(1);
});
