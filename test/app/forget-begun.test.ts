// Forgetting a session takes its words out of its neighbours too: out of the one that gave way to it, and of the one that goes on from it.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { handleChoice, handleUserMessage } from '../../src/app/intake/message/message.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sessionStatus } from '../../src/app/session/status.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { type Pending, readPending } from '../../src/history/pending/pending.ts';
import {
  begin,
  DAY,
  expectSound,
  forgets,
  LENGTHS,
  NEW,
  OLD,
  offer,
  recordOf,
  type Words,
} from '../support/neighbours.ts';
import { errorOf, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

/** A conversation with Claude Code, through its hooks. */
function conversation(project: Project) {
  const transcript = join(project.folder, 'conversation.jsonl');
  writeFileSync(transcript, '');
  let lines = 0;
  const write = (role: 'user' | 'assistant', text: string): void => {
    const content = role === 'user' ? text : [{ type: 'text', text }];
    const message = { role, content, ...(role === 'user' ? {} : { id: `m${lines}`, model: 'some' }) };
    const [uuid, parentUuid] = [`line-${lines + 1}`, lines === 0 ? null : `line-${lines}`];
    const timestamp = new Date(project.clock() * 1000).toISOString();
    const line = { type: role, uuid, parentUuid, sessionId: 'talk', cwd: project.folder, timestamp, message };
    appendFileSync(transcript, `${JSON.stringify(line)}\n`);
    lines += 1;
  };
  const hook = async (hook_event_name: string, more: Record<string, unknown>): Promise<void> => {
    const payload = { session_id: 'talk', transcript_path: transcript, cwd: project.folder, hook_event_name, ...more };
    await handleHook('claude-code', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
  };
  /** @param early whether the prompt is written down before the hook tells of it */
  const turn = async (prompt: string, answer: string, early = false): Promise<string> => {
    if (early) write('user', prompt);
    await hook('UserPromptSubmit', { prompt });
    if (!early) write('user', prompt);
    write('assistant', answer);
    await hook('Stop', { last_assistant_message: answer });
    const status = sessionStatus(project.open());
    return status.active ? status.session_id : '';
  };
  return { turn };
}

/** Two turns with so much time between them that the second one begins another session, after a question or at once. */
async function talk(project: Project, text: Words, pause: number, early: boolean): Promise<[string, string]> {
  const { turn } = conversation(project);
  const old = await turn(text(`${OLD} of the task`), text(`${OLD} of the reply`));
  project.clock.now += pause;
  let begun = await turn(text(NEW), text(`${NEW} of the reply`), early);
  if (begun === old) begun = await turn('B', text(`${NEW} of another reply`), early);
  return [old, begun];
}

/** Ways in which one session gives way to another; each gives the ids of both. */
const WAYS: readonly [string, (project: Project, text: Words) => [string, string] | Promise<[string, string]>][] = [
  ['is replaced', (project, text) => [begin(project, text), start(project, text, true)]],
  ['is asked about, and saved', (project, text) => [begin(project, text), offer(project, text)]],
  [
    'is asked about, and saved with more to be done',
    (project, text) => {
      const old = begin(project, text);
      handleUserMessage(project.open(), text(NEW), { as: 'NewTask' });
      return [old, handleUserMessage(project.open(), `A, and ${text(`more ${NEW}`)}`).session_id ?? ''];
    },
  ],
  [
    'holds nothing but its task',
    (project, text) => [startSession(project.repository, text(OLD)).session_id, offer(project, text)],
  ],
  [
    'was put off once before',
    (project, text) => {
      const old = begin(project, text);
      handleUserMessage(project.open(), text(`${OLD} instead`), { as: 'NewTask' });
      handleChoice(project.open(), 'continue');
      return [old, offer(project, text)];
    },
  ],
  [
    'was idle, and is asked about',
    (project, text) => {
      const old = begin(project, text);
      project.clock.now += 2 * DAY;
      return [old, offer(project, text)];
    },
  ],
  [
    'comes back by an undo',
    (project, text) => {
      const ids: [string, string] = [begin(project, text), offer(project, text)];
      observeNote(project.open(), text(`${NEW} of a note`));
      undoOperations(project.open());
      return ids;
    },
  ],
  [
    'waits for an answer beside it',
    (project, text) => {
      const old = begin(project, text);
      handleUserMessage(project.open(), text(NEW), { as: 'NewTask' });
      return [old, startSession(project.open(), text(NEW), { beside: true }).session_id];
    },
  ],
  ['is asked about by a hook', (project, text) => talk(project, text, 2 * DAY, false)],
  ['is asked about by a hook that comes late', (project, text) => talk(project, text, 2 * DAY, true)],
  ['is saved by a hook', (project, text) => talk(project, text, 8 * DAY, false)],
  ['is saved by a hook that comes late', (project, text) => talk(project, text, 8 * DAY, true)],
];

const start = (project: Project, text: Words, replace: boolean): string =>
  startSession(project.open(), text(NEW), { replace }).session_id;

/** Orders of the forgotten things. */
const ORDERS = [
  [OLD, NEW],
  [NEW, OLD],
];

describe.each(
  LENGTHS.map(([length, text], index) => [length, text, index === 0 ? ORDERS : [ORDERS[index % 2] ?? []]] as const),
)('with %s, a session', (_length, text, orders) => {
  describe.each(WAYS)('that %s', (_way, make) => {
    it('is forgotten together with the session that replaces it, in either order', async () => {
      for (const order of orders) {
        const project = makeProject();
        const [old, begun] = await make(project, text);
        const gone: string[] = [];
        for (const word of order) {
          expect(tracesOf(project.store, word)).not.toEqual([]);
          forgets(project, word === OLD ? old : begun);
          gone.push(word);
          expect(tracesOf(project.store, ...gone)).toEqual([]);
          expectSound(project);
        }
      }
    });
  });
});

describe('the task that a session is said to have given way to', () => {
  it.each(LENGTHS)('of %s goes with it, however it is named', (_length, text) => {
    for (const byCommit of [false, true]) {
      const project = makeProject();
      const id = begin(project, text);
      compactSession(project.repository, { type: { kind: 'InterruptedByNewTask', new_task_summary: text(NEW) } });
      forgets(project, byCommit ? project.git('rev-parse', 'main').trim() : id);
      expect(tracesOf(project.store, OLD, NEW)).toEqual([]);
      expectSound(project);
      const { commit_type } = showRevision(project.open(), 'main');
      expect(commit_type).toEqual({ kind: 'InterruptedByNewTask', new_task_summary: '[forgotten]' });
    }
  });

  it('goes with a record that has it in other words of ctx', () => {
    const project = makeProject();
    startSession(project.repository, OLD);
    const [note = ''] = observeNote(project.repository, NEW).records;
    flushStep(project.repository);
    compactSession(project.repository, { type: { kind: 'InterruptedByNewTask', new_task_summary: NEW } });
    forgets(project, note);
    expect(tracesOf(project.store, NEW)).toEqual([]);
    expect(tracesOf(project.store, OLD)).not.toEqual([]);
    expectSound(project);
  });
});

describe('a first step', () => {
  it.each(LENGTHS)('with %s goes from the question that it answers', (_length, text) => {
    const project = makeProject();
    begin(project, text);
    const begun = offer(project, text);
    forgets(project, recordOf(project, begun, 'task'));
    expect(tracesOf(project.store, NEW)).toEqual([]);
    expectSound(project);
  });
});

describe('a message that raised a question', () => {
  it.each(LENGTHS)('of %s goes with the question, as long as that waits', (_length, text) => {
    const project = makeProject();
    const id = begin(project, text);
    handleUserMessage(project.open(), text(NEW), { as: 'NewTask' });
    const question = join(project.store, 'choices', `${id}.json`);
    expect(existsSync(question)).toBe(true);
    const [{ record }] = readPending(project.open(), id) as [Pending];
    forgets(project, record.id);
    expect(tracesOf(project.store, NEW)).toEqual([]);
    expect(existsSync(question)).toBe(false);
    expectSound(project);
    observeNote(project.open(), 'And on it goes');
    expect(flushStep(project.open()).oid).toMatch(/^[0-9a-f]{40}$/);
  });

  it('goes from the task that it began, if it is long enough', () => {
    const project = makeProject();
    const task = `The ${NEW} is to be on the table before noon`;
    const old = begin(project, (word) => word);
    offer(project, () => task);
    observeNote(project.open(), 'A note');
    startSession(project.open(), 'Something else', { replace: true });
    forgets(project, recordOf(project, old, 'choice'));
    expect(tracesOf(project.store, NEW)).toEqual([]);
    expectSound(project);
  });

  it('is no work of a session, forgotten or not', () => {
    const project = makeProject();
    const { session_id: old } = startSession(project.repository, OLD);
    handleUserMessage(project.open(), NEW, { as: 'NewTask' });
    flushStep(project.open());
    handleChoice(project.open(), 'fresh');
    undoOperations(project.open());
    forgets(project, recordOf(project, old, 'choice'));
    expect(startSession(project.open(), 'Something else', { replace: true }).compacted).toMatchObject({ oid: null });
    expectSound(project);
  });
});

test('a task that another session has said by itself stays there', () => {
  const project = makeProject();
  begin(project, (word) => word);
  handleUserMessage(project.open(), NEW, { as: 'NewTask' });
  handleChoice(project.open(), 'continue');
  const begun = startSession(project.open(), NEW, { replace: true }).session_id;
  forgets(project, begun);
  expectSound(project);
  expect(project.git('show', 'main:notes.jsonl')).toContain(NEW);
});

test('a question that a session has answered for itself stays in it', () => {
  const project = makeProject();
  const old = begin(project, (word) => word);
  handleUserMessage(project.open(), NEW, { as: 'NewTask' });
  handleChoice(project.open(), 'continue');
  compactSession(project.open());
  project.clock.now += 3600;
  const begun = startSession(project.open(), NEW).session_id;
  forgets(project, begun);
  expect(recordOf(project, old, 'choice')).toBeDefined();
  expectSound(project);
});

describe('a session that an undo has taken back', () => {
  /** A transcript that was taken in, taken back, and taken in again. */
  function takenBack(text: Words): { project: Project; undone: string; begun: string } {
    const project = makeProject();
    const file = join(project.folder, 'conversation.jsonl');
    const prompt = { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: text(NEW) } };
    const about = { sessionId: 'talk', timestamp: '2026-01-22T00:00:00.000Z', cwd: '/p' };
    writeFileSync(file, `${JSON.stringify({ ...prompt, ...about })}\n`);
    const undone = ingestTranscript(project.repository, file).session_id;
    undoOperations(project.open());
    return { project, undone, begun: ingestTranscript(project.open(), file).session_id };
  }

  it.each(LENGTHS)('with %s goes by its own id', (_length, text) => {
    const { project, undone, begun } = takenBack(text);
    undoOperations(project.open());
    for (const id of [undone, begun]) if (tracesOf(project.store, NEW).length > 0) forgets(project, id);
    expect(tracesOf(project.store, NEW)).toEqual([]);
    expectSound(project);
    expect(errorOf(() => forgets(project, undone)).message).toMatch(/was forgotten already|There is no/);
  });

  it.each(LENGTHS)('with %s goes with the one that its transcript was made into again', (_length, text) => {
    const { project, begun } = takenBack(text);
    forgets(project, begun);
    expect(tracesOf(project.store, NEW)).toEqual([]);
    expectSound(project);
  });
});

test('a prompt that waits in a queue of the agent goes from the session before, too', () => {
  const project = makeProject();
  const file = join(project.folder, 'conversation.jsonl');
  const about = { sessionId: 'talk', timestamp: '2026-01-22T00:00:00.000Z', cwd: '/p' };
  const put = (line: object): void => appendFileSync(file, `${JSON.stringify({ ...line, ...about })}\n`);
  const said = (uuid: string, content: string): object => ({ type: 'user', uuid, message: { role: 'user', content } });
  const task = `The ${NEW} is to be on the table before noon`;
  put(said('a', `The ${OLD} is to be eaten first`));
  ingestTranscript(project.open(), file);
  compactSession(project.open());
  put({ type: 'queue-operation', operation: 'enqueue', content: task });
  put(said('b', task));
  forgets(project, ingestTranscript(project.open(), file).session_id);
  expect(tracesOf(project.store, NEW)).toEqual([]);
  expect(tracesOf(project.store, OLD)).not.toEqual([]);
  expectSound(project);
});
