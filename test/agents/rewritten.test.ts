// Transcripts in which an old line was written anew: how the session stands is told by their end, and by nothing before it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pi as piAgent } from '../../src/agents/pi/index.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { assemble, replay, replayRewritten } from './support/replay.ts';

const at = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`;

/** A conversation of two turns: one that was answered, and one that was broken off; and what comes after it. */
interface Story {
  lines: (answer: string) => object[];
  later: object[];
  text: (lines: object[]) => string;
}

const inLines = (lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const codexLine = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
const codexSaid = (second: number, role: string, text: string) =>
  codexLine(second, 'response_item', { type: 'message', role, content: [{ type: 'text', text }] });
const codex: Story = {
  lines: (answer) => [
    codexLine(0, 'session_meta', { id: 'cx-1', cwd: '/no/such', cli_version: '1' }),
    codexLine(1, 'event_msg', { type: 'task_started' }),
    ...[codexSaid(1, 'user', 'First.'), codexSaid(2, 'assistant', answer)],
    codexLine(2, 'event_msg', { type: 'task_complete' }),
    codexLine(3, 'event_msg', { type: 'task_started' }),
    ...[codexSaid(3, 'user', 'Second.'), codexSaid(4, 'assistant', 'Half')],
    codexLine(5, 'event_msg', { type: 'turn_aborted', reason: 'interrupted' }),
  ],
  later: [codexSaid(6, 'user', 'Third.'), codexSaid(7, 'assistant', 'Done.')],
  text: inLines,
};

const piSaid = (id: string, parentId: string | null, role: string, content: string, stopReason = 'stop') => ({
  ...{ type: 'message', id, parentId, timestamp: at(id.charCodeAt(0) - 96) },
  message: { role, content, stopReason },
});
const pi: Story = {
  lines: (answer) => [
    { type: 'session', version: 3, id: 'pi-1', timestamp: at(0), cwd: '/no/such' },
    ...[piSaid('a', null, 'user', 'First.'), piSaid('b', 'a', 'assistant', answer)],
    // The turn goes on from another branch.
    ...[piSaid('c', 'a', 'user', 'Second.'), piSaid('d', 'c', 'assistant', 'Half', 'aborted')],
  ],
  later: [piSaid('e', 'd', 'user', 'Third.'), piSaid('f', 'e', 'assistant', 'Done.')],
  text: inLines,
};

const geminiSaid = (second: number, type: string, content: string) => ({
  ...{ id: `m${second}`, timestamp: at(second), type, content },
});
const gemini: Story = {
  lines: (answer) => [
    ...[geminiSaid(1, 'user', 'First.'), geminiSaid(2, 'gemini', answer)],
    ...[geminiSaid(3, 'user', 'Second.'), geminiSaid(4, 'gemini', 'Half'), geminiSaid(5, 'error', 'No more.')],
  ],
  later: [geminiSaid(6, 'user', 'Third.'), geminiSaid(7, 'gemini', 'Done.')],
  text: (messages) => JSON.stringify({ sessionId: 'g-1', projectHash: 'ab', startTime: at(0), messages }),
};

const opencodeSaid = (second: number, role: string, text: string, info: object = {}) => ({
  info: { id: `msg_${second}`, role, time: { created: 1795168800000 + second * 1000, completed: 1 }, ...info },
  parts: [{ id: `prt_${second}`, type: 'text', text }],
});
const opencode: Story = {
  lines: (answer) => [
    ...[opencodeSaid(1, 'user', 'First.'), opencodeSaid(2, 'assistant', answer)],
    ...[opencodeSaid(3, 'user', 'Second.'), opencodeSaid(4, 'assistant', 'Half', { error: { name: 'Aborted' } })],
  ],
  later: [opencodeSaid(6, 'user', 'Third.'), opencodeSaid(7, 'assistant', 'Done.')],
  // The list of things to do is behind the messages, whatever comes.
  text: (messages) =>
    JSON.stringify({ info: { id: 'ses_1' }, messages, todos: [{ content: 'Paint', status: 'open' }] }),
};

const claudeSaid = (second: number, parentUuid: string | null, type: string, content: string, uuid = `u${second}`) => ({
  ...{ type, uuid, parentUuid, sessionId: 'cc-1', isSidechain: false, cwd: '/no/such', timestamp: at(second) },
  message: {
    role: type,
    id: `m-${uuid}`,
    model: 'x',
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: content }],
  },
});
const claude: Story = {
  lines: (answer) => [
    // A record with another text has another id.
    ...[claudeSaid(1, null, 'user', 'First.'), claudeSaid(2, 'u1', 'assistant', answer, answer)],
    ...[claudeSaid(3, 'One.', 'user', 'Second.'), claudeSaid(4, 'u3', 'assistant', 'Half')],
    claudeSaid(5, 'u4', 'user', '[Request interrupted by user]'),
  ],
  later: [claudeSaid(6, 'u5', 'user', 'Third.'), claudeSaid(7, 'u6', 'assistant', 'Done.')],
  text: inLines,
};

function recordsOf(project: Project, session: string) {
  const head = project.repository.refs.read(sessionRef(session)) as string;
  return [...readSteps(project.repository.objects, head, true)].flatMap(({ records }) => records);
}
const overlays = (project: Project, session: string) =>
  recordsOf(project, session).filter(({ kind }) => kind === 'overlay');
const moved = (project: Project, session: string): string[] =>
  recordsOf(project, session).flatMap(({ kind, id }) => (kind === 'transition' || kind === 'overlay' ? [id] : []));

describe.each(Object.entries({ claude, codex, pi, gemini, opencode }))('%s', (_agent, { lines, later, text }) => {
  const stopped = { kind: 'Interrupted', user_message: 'Second.' };
  const begin = () => {
    const project = makeProject();
    const file = join(project.folder, 'chat.json');
    const ingest = (...all: object[]) => {
      writeFileSync(file, text(all));
      return ingestTranscript(project.open(), file);
    };
    const first = ingest(...lines('One.'));
    expect(first).toMatchObject({ session_state: stopped, read_before: null });
    return { project, ingest, id: first.session_id };
  };

  test('keeps an old answer that was rewritten without changing the state', () => {
    const { project, ingest, id } = begin();
    const before = moved(project, id);
    expect(ingest(...lines('Another.'))).toMatchObject({ session_state: stopped, read_before: 'rewritten' });
    expect(moved(project, id)).toEqual(before);
    expect(ingest(...lines('Another.'))).toMatchObject({ steps_added: 0, read_before: null });
    expect(fsck(project.store)).toBe('');
  });

  test('what comes behind the end moves the session, as ever', () => {
    const { ingest } = begin();
    const state = { kind: 'PendingComplete', summary: 'Done.' };
    expect(ingest(...lines('Another.'), ...later)).toMatchObject({ session_state: state, read_before: 'rewritten' });
  });
});

describe.each(Object.entries({ gemini, opencode }))(
  'in the second session of a conversation of %s',
  (_agent, story) => {
    const { lines, later, text } = story;
    const secondSession = () => {
      const project = makeProject();
      const file = join(project.folder, 'chat.json');
      const put = (all: object[]) => writeFileSync(file, text(all));
      put(lines('One.'));
      ingestMany(project.open(), [file], { compact: true });
      put([...lines('One.'), ...later]);
      const { session_id } = ingestTranscript(project.open(), file);
      expect(moved(project, session_id)).toHaveLength(1);
      return { project, id: session_id, ingest: (all: object[]) => [put(all), ingestTranscript(project.open(), file)] };
    };

    test.each<[string, number | undefined]>([
      ['at its end', -1],
      ['up to where that session began', -later.length],
      ['to its beginning', 2],
    ])('a file that was cut %s hides nothing', (_where, end) => {
      const { project, id, ingest } = secondSession();
      ingest([...lines('Another.'), ...later].slice(0, end));
      expect(overlays(project, id)).toEqual([]);
      expect(fsck(project.store)).toBe('');
    });

    test('what comes behind the cut hides what it has replaced', () => {
      const { project, id, ingest } = secondSession();
      const other = text === gemini.text ? geminiSaid(8, 'gemini', 'Other.') : opencodeSaid(8, 'assistant', 'Other.');
      ingest([...lines('One.'), ...later.slice(0, -1), other]);
      expect(overlays(project, id)).toMatchObject([{ op: 'hide', reason: 'rollback' }]);
    });
  },
);

describe('a rewritten file of Claude Code', () => {
  const lines = claude.lines('One.');
  const compacted = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'c',
    parentUuid: null,
    logicalParentUuid: 'u7',
  };
  const beside = { type: 'custom-title', customTitle: 'Paint', sessionId: 'cc-1' };
  const all = ['u1', 'm-One.', 'u3', 'm-u4', 'u5'];

  test.each<[what: string, before: object[], after: object[], visible: string[]]>([
    [
      'another first prompt hides nothing',
      lines,
      [claudeSaid(0, null, 'user', 'Zeroth.'), ...lines.slice(1)],
      [...all, 'u0'],
    ],
    [
      'what goes on from an earlier prompt behind all that is kept hides what was left',
      lines,
      [...lines.slice(0, 2), claudeSaid(6, 'One.', 'user', 'Another way.')],
      ['u1', 'm-One.', 'u6'],
    ],
    [
      'so it does where the program repeats a note of its own behind it',
      [...lines, beside],
      [...lines.slice(0, 2), claudeSaid(6, 'One.', 'user', 'Another way.'), beside],
      ['u1', 'm-One.', 'u6'],
    ],
    [
      'a compaction after it hides what came before',
      lines,
      [claudeSaid(0, null, 'user', 'Zeroth.'), ...lines.slice(1), ...claude.later, compacted],
      ['u0'],
    ],
    ['a compaction before what is kept hides nothing', lines, [{ ...compacted, timestamp: at(0) }, ...lines], all],
  ])('%s', (_what, before, after, visible) => {
    const texts = (of: object[]) => of.map((line) => JSON.stringify(line));
    const first = replay(texts(before));
    expect(assemble([...first.events, ...replayRewritten(first, texts(after))]).visible).toEqual(visible);
  });
});

describe('a rewritten file of pi', () => {
  const lines = pi.lines('One.');
  const all = ['First.', 'One.', 'Second.', 'Half'];
  // The part that was left is on a branch of its own already.
  const shown = all.filter((text) => text !== 'One.');
  const another = [piSaid('g', 'b', 'user', 'Another way.'), piSaid('h', 'g', 'assistant', 'So be it.')];
  const news = ['Another way.', 'So be it.'];

  test.each<[what: string, after: object[], visible: string[]]>([
    [
      'what goes on from an earlier prompt hides what was left',
      [...lines.slice(0, 3), ...another],
      ['First.', 'One.', ...news],
    ],
    ['so it does where what was left is in the file', [...lines, ...another], ['First.', 'One.', ...news]],
    ['what goes on from its end hides nothing', [...lines, ...pi.later], [...shown, 'Third.', 'Done.']],
    ['a file that was cut hides nothing', lines.slice(0, 3), shown],
    [
      'so does one whose last line says something else',
      [...lines.slice(0, 2), piSaid('b', 'a', 'assistant', 'Other.')],
      shown,
    ],
  ])('%s', (_what, after, visible) => {
    const texts = (of: object[]) => of.map((line) => JSON.stringify(line));
    const first = replay(texts(lines), [], false, piAgent);
    const { messages, visible: ids } = assemble([...first.events, ...replayRewritten(first, texts(after), piAgent)]);
    expect(ids.map((id) => messages.get(id)?.parts[0]?.['text'])).toEqual(visible);
  });

  test('a continuation of a file that was cut before hides the abandoned branch, too', () => {
    const texts = (of: object[]) => of.map((line) => JSON.stringify(line));
    const first = replay(texts(lines), [], false, piAgent);
    const kept = () => structuredClone(first.bodies);
    const cut = piAgent.reader({ cursor: first.cursor, kept, rewritten: true });
    const nothing = [
      ...texts(lines.slice(0, 3)).flatMap((line, index) => [...cut.line(line, index + 1)]),
      ...cut.end(),
    ];
    const cursor = JSON.parse(JSON.stringify(cut.cursor()));
    const grown = piAgent.reader({ cursor, kept, rewritten: false });
    const more = [...texts(another).flatMap((line, index) => [...grown.line(line, index + 4)]), ...grown.end()];
    const { messages, visible } = assemble([...first.events, ...nothing, ...more]);
    expect(visible.map((id) => messages.get(id)?.parts[0]?.['text'])).toEqual(['First.', 'One.', ...news]);
  });
});
