// Files of Gemini CLI that tell one conversation between them, and those that only seem to: two forms of a chat, and sub-agents with their caller's id.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import type { AnyBody } from '../../src/core/records/record.ts';
import type { Session } from '../../src/core/session/session.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { assemble } from '../agents/support/replay.ts';
import { put } from '../support/homes.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

const ID = '7c0f1e2a-0000-4000-8000-0000000000f1';

let project: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  put(join(home, '.gemini/tmp/p/.project_root'), project.folder);
});

const at = (second: number): string => new Date(Date.parse('2026-01-21T10:00:00Z') + second * 1000).toISOString();
const user = (id: string, second: number, text: string) => ({
  id,
  timestamp: at(second),
  type: 'user',
  content: [{ text }],
});
const gemini = (id: string, second: number, content: string, input = 100) => ({
  ...{ id, timestamp: at(second), type: 'gemini', content, thoughts: [], model: 'm' },
  tokens: { input, output: 10, cached: 0, thoughts: 0, tool: 0, total: input + 10 },
});
const turn = (name: string, second: number, tokens = 100) => [
  user(`u-${name}`, second, name),
  gemini(`g-${name}`, second + 3, `${name}: done`, tokens),
];

const headerOf = (second: number, kind?: string) => ({
  sessionId: ID,
  projectHash: createHash('sha256').update(project.folder).digest('hex'),
  startTime: at(second),
  lastUpdated: at(second),
  ...(kind && { kind }),
});
const place = (name: string): string => join(home, '.gemini/tmp/p/chats', `session-2026-01-21T10-00-${name}`);
/** The form of older versions: one document, over many lines. */
const asDocument = (name: string, messages: object[], second = 0, kind?: string): string =>
  put(place(`${name}.json`), JSON.stringify({ ...headerOf(second, kind), messages }, null, 2));
const asLines = (name: string, records: object[], second = 0, kind?: string): string =>
  put(place(`${name}.jsonl`), [headerOf(second, kind), ...records].map((each) => `${JSON.stringify(each)}\n`).join(''));

const status = () => captureStatus(project.open(), { environment: { HOME: home } });

/** Lists each session's task and texts, the model's view, and the usage. */
function sessions(): { task: string; said: string[]; seen: string[]; input: number | undefined }[] {
  const { refs, objects } = project.open();
  return [...refs.list(SESSIONS).values()].map((head) => {
    const steps = [...readSteps(objects, head, true)];
    const events = steps.flatMap(({ records }) =>
      records
        .filter(({ kind }) => ['message', 'part', 'overlay'].includes(kind))
        .map(({ version: _, id: _id, at: time, ...body }) => ({
          type: 'record' as const,
          at: time,
          body: body as AnyBody,
        })),
    );
    const { messages, visible } = assemble(events);
    const wordsOf = (id: unknown): string => String(messages.get(String(id))?.parts[0]?.['text'] ?? null);
    const { task_description: task, usage } = (steps.at(-1) as { session: Session }).session;
    return {
      task,
      said: [...messages.keys()].map(wordsOf).sort(),
      seen: visible.map(wordsOf),
      input: usage?.['input'],
    };
  });
}

const words = (...names: string[]): string[] => names.flatMap((name) => [name, `${name}: done`]);

describe('two forms of one chat', () => {
  /** Begun in the old form, gone on with in the new one, in which a turn was taken back. */
  function both(): [old: string, today: string] {
    const old = asDocument('7c0f1e2a', turn('one', 2));
    const [listed, answer] = turn('one', 2);
    const records = [
      { $set: { messages: [listed] } },
      answer,
      ...turn('two', 60, 120),
      { $rewindTo: 'u-two' },
      ...turn('three', 120, 130),
    ];
    return [old, asLines('7c0f1e2a', records as object[])];
  }
  const WHOLE = { task: 'one', said: words('one', 'two', 'three').sort(), seen: words('one', 'three'), input: 350 };

  test.each([
    ['the old one first', (old: string, today: string) => [old, today]],
    ['the new one first', (old: string, today: string) => [today, old]],
    ['both of them again and again', (old: string, today: string) => [today, old, today, old, old, today]],
  ])('named one by one, %s, are one session with each word and each token once', (_, order) => {
    const files = order(...both());
    for (const file of files) ingestTranscript(project.open(), file);
    expect(sessions()).toEqual([WHOLE]);
    expect(status()).toMatchObject({ complete: true, turns: 3, turns_stored: 3, conversations: [{ turns: 3 }] });
    expect(fsck(project.store)).toBe('');
  });

  test('count as one in a folder, and in a catch-up', () => {
    const [old, today] = both();
    expect(status()).toMatchObject({
      turns: 3,
      conversations: [{ captured: 'never', file: today, other_files: [old] }],
    });
    expect(catchUp(project.open(), { environment: { HOME: home }, all: true })).toMatchObject({
      turns_added: 3,
      conversations: [{ created: true }],
      problems: [],
    });
    expect(sessions()).toEqual([WHOLE]);
    ingestMany(project.open(), [join(home, '.gemini')]);
    expect(sessions()).toEqual([WHOLE]);
    expect(status()).toMatchObject({ complete: true, turns: 3, turns_stored: 3 });
  });

  test('count as one if hooks report the chat as well', async () => {
    const [old, today] = both();
    ingestTranscript(project.open(), old);
    project.clock.now = Date.parse(at(130)) / 1000;
    const payload = { session_id: ID, transcript_path: today, cwd: project.folder };
    const hook = (event: object) =>
      handleHook('gemini', JSON.stringify({ ...payload, ...event }), {
        directory: project.folder,
        clock: project.clock,
      });
    await hook({ hook_event_name: 'AfterAgent', prompt: 'three', prompt_response: 'three: done' });
    ingestMany(project.open(), [join(home, '.gemini')]);
    expect(sessions()).toEqual([WHOLE]);
    expect(status()).toMatchObject({ complete: true, turns: 3, turns_stored: 3 });
  });

  test('of which the older has what the newer lacks count together', () => {
    asDocument('7c0f1e2a', [...turn('one', 2), ...turn('two', 20)]);
    const today = asLines('7c0f1e2a', [...turn('three', 60), ...turn('four', 80), ...turn('five', 90)]);
    expect(status()).toMatchObject({ turns: 5, turns_stored: 0 });
    ingestTranscript(project.open(), today);
    expect(status()).toMatchObject({
      complete: false,
      turns: 5,
      turns_stored: 3,
      conversations: [{ captured: 'behind' }],
    });
    catchUp(project.open(), { environment: { HOME: home } });
    expect(sessions()).toMatchObject([{ said: words('one', 'two', 'three', 'four', 'five').sort(), input: 500 }]);
    expect(status()).toMatchObject({ complete: true, turns: 5, turns_stored: 5 });
  });
});

describe('a sub-agent that has its caller’s id', () => {
  const own = () => ({ task: 'Paint the door', said: ['Look at the hinges', 'Paint the door', 'Painted.'] });
  const forms = [
    ['documents', asDocument],
    ['lines', asLines],
  ] as const;

  test.each(forms.flatMap(([form, write]) => [true, false].map((isFirst) => [form, isFirst, write] as const)))(
    'in %s is a session of its own, whether it ended first (%s), and hides nothing that its caller says',
    (_, isFirst, write) => {
      const main = write('7c0f1e2a', [user('m1', 2, 'Paint the door'), gemini('m2', 30, 'Painted.')], 0, 'main');
      const later = isFirst ? 5 : 50;
      const sub = write(
        '8d1f1e2a',
        [user('s1', later, 'Look at the hinges'), gemini('s2', later + 3, 'They hold.')],
        later,
        'subagent',
      );
      const other = write(
        '9e1f1e2a',
        [user('t1', 8, 'Look at the paint'), gemini('t2', 9, 'It is wet.')],
        7,
        'subagent',
      );
      for (const order of [
        [main, sub, other],
        [other, sub, main],
      ]) {
        project = makeProject();
        for (const file of order) ingestTranscript(project.open(), file);
        for (const file of order) expect(ingestTranscript(project.open(), file)).toMatchObject({ steps_added: 0 });
        const all = sessions().toSorted((a, b) => (a.task < b.task ? -1 : 1));
        expect(all).toEqual([
          {
            task: 'Look at the hinges',
            said: ['Look at the hinges', 'They hold.'],
            seen: ['Look at the hinges', 'They hold.'],
            input: 100,
          },
          {
            task: 'Look at the paint',
            said: ['It is wet.', 'Look at the paint'],
            seen: ['Look at the paint', 'It is wet.'],
            input: 100,
          },
          { task: own().task, said: ['Paint the door', 'Painted.'], seen: ['Paint the door', 'Painted.'], input: 100 },
        ]);
        const parents = listSessions(project.open()).map((one) => ('session_id' in one ? one.parent_session_id : null));
        expect(parents.filter((each) => each !== null)).toHaveLength(2);
      }
    },
  );

  test.each(forms)('in %s is no conversation of the user’s: only its caller counts', (_, write) => {
    write('7c0f1e2a', turn('one', 2), 0, 'main');
    write('8d1f1e2a', turn('two', 5), 5, 'subagent');
    expect(status()).toMatchObject({ turns: 1, conversations: [{ turns: 1 }] });
    ingestMany(project.open(), [join(home, '.gemini')]);
    expect(status()).toMatchObject({ complete: true, turns: 1, turns_stored: 1 });
  });

  test('continues in its own session as it grows', () => {
    const main = asLines('7c0f1e2a', turn('one', 2), 0, 'main');
    const sub = asLines('8d1f1e2a', turn('two', 5), 5, 'subagent');
    for (const file of [main, sub]) ingestTranscript(project.open(), file);
    writeFileSync(sub, `${readFileSync(sub, 'utf8')}${JSON.stringify(gemini('g-more', 20, 'And more.', 7))}\n`);
    expect(ingestTranscript(project.open(), sub)).toMatchObject({ created: false, steps_added: 1 });
    rmSync(main);
    expect(
      sessions()
        .map(({ task, input }) => [task, input])
        .sort(),
    ).toEqual([
      ['one', 100],
      ['two', 107],
    ]);
  });
});
