// Every type of line that Claude Code writes beside a conversation is kept as it is: none is a problem or a turn, none is lost.
import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { claudeCodeTranscripts } from '../../src/agents/claude-code/transcripts.ts';
import type { TranscriptEvent } from '../../src/agents/contract/agent.ts';
import { recogniseAgent } from '../../src/agents/index.ts';

const SESSION = 'f1f1f1f1-6666-4666-8666-666666666666';
const AT = '2026-11-10T09:00:00.000Z';

/** Types of 2.1.330, and of releases before it, as its program names them. */
const TYPES = [
  'summary custom-title ai-title tag relocated agent-name agent-color agent-setting ended-by-model task-summary',
  'file-history-snapshot file-history-delta attribution-snapshot worktree-state pr-link tools-used cost-state',
  'last-prompt continued-in resume-head-vouch content-replacement derived-from fork-context-ref frame-link',
  'api-request api-request-shape api-request-blob api-request-resumed data-flow-records data-flow-incomplete',
  'artifact-comment-monitor artifact-autoreact-ledger bridge-session history-suppression observer-ref host-row',
  'mode permission-mode isolation-latch session-owner dev-mods memory-mode atis-latch repl-mode hybrid-organization',
  'queue-operation speculation-accept a-type-of-a-later-release',
].flatMap((line) => line.split(' '));

const said = (uuid: string, parentUuid: string | null, role: string, text: string): object => {
  const more = {
    cwd: '/w',
    isSidechain: false,
    version: '2.1.330',
    timestamp: AT,
    parentUuid,
    uuid,
    sessionId: SESSION,
  };
  const content = role === 'user' ? text : [{ type: 'text', text }];
  return { ...more, type: role, message: { id: `msg_${uuid}`, role, content, stop_reason: 'end_turn' } };
};

function read(records: readonly object[]): TranscriptEvent[] {
  const reader = claudeCode.reader(null);
  const told = records.flatMap((record, index) => [...reader.line(JSON.stringify(record), index + 1)]);
  return [...told, ...reader.end()];
}

describe.each(TYPES)('%s', (type) => {
  test.each([
    ['with the id of its session', { sessionId: SESSION }],
    ['with the id of a message', { messageId: 'u1', timestamp: AT }],
    ['without any id', {}],
  ])('%s: kept as it is, in the midst of a turn', (_, more) => {
    const record = { type, ...more, payload: { deep: [1, { two: 'three' }] } };
    const events = read([
      said('u1', null, 'user', 'Sort it'),
      record,
      said('a1', 'u1', 'assistant', 'Sorted.'),
      record,
    ]);
    const raw = events.flatMap((event) => (event.type === 'record' && event.body.kind === 'raw' ? [event.body] : []));
    expect(raw).toMatchObject([
      { type, data: record },
      { type, data: record },
    ]);
    expect(events.filter((event) => event.type === 'problem')).toEqual([]);
    expect(events.flatMap((event) => (event.type === 'prompt' ? [event.text] : []))).toEqual(['Sort it']);
    expect(events.flatMap((event) => (event.type === 'move' ? [event.verb] : []))).toEqual(['done']);
  });
});

describe('a file of nothing but lines beside a conversation', () => {
  const own = TYPES.filter((type) => type !== 'a-type-of-a-later-release');
  const about = (type: string): string => `${JSON.stringify({ type, sessionId: SESSION, cwd: '/w' })}\n`;

  test.each(own)('%s is known to hold no prompt', (type) => {
    expect(claudeCodeTranscripts.silent.test(type)).toBe(true);
  });

  /** Those that are known by more than their type. */
  const byMore = ['summary', 'file-history-snapshot', 'file-history-delta', 'queue-operation'];

  test.each(own.filter((type) => !byMore.includes(type)))(
    'a line of type %s with the id of its session identifies the session',
    (type) => {
      expect(recogniseAgent(about(type))?.name).toBe('claude-code');
      expect(recogniseAgent(`${JSON.stringify({ type })}\n`)).toBeUndefined();
    },
  );

  test.each(['a-type-of-a-later-release', 'modes', 'x-tag', 'api-request-'])('%s is not known', (type) => {
    expect(claudeCodeTranscripts.silent.test(type)).toBe(false);
    expect(recogniseAgent(about(type))).toBeUndefined();
  });
});

/** Additions to a snapshot of files afterwards, as the program writes it since 2.1.220. */
const DELTA = {
  type: 'file-history-delta',
  messageId: 'u1',
  snapshotMessageId: 'u1',
  trackingPath: 'src/a.ts',
  backup: { backupFileName: '0123456789abcdef@v1', version: 1, backupTime: AT },
  timestamp: AT,
};

test('a file that begins with a delta of a snapshot is recognised', () => {
  expect(recogniseAgent(`${JSON.stringify(DELTA)}\n`)?.name).toBe('claude-code');
});

test('one behind damage on its line is kept, and so is the damage', () => {
  const reader = claudeCode.reader(null);
  const events = [...reader.line(`{"type":"file-hist${JSON.stringify(DELTA)}`, 1), ...reader.end()];
  const raw = events.flatMap((event) => (event.type === 'record' ? [event.body] : []));
  expect(raw).toMatchObject([
    { kind: 'raw', data: DELTA },
    { kind: 'raw', text: '{"type":"file-hist' },
  ]);
});

test('a line of a voice call, which the program lists as one of the system, is no turn', () => {
  const voice = { type: 'system', subtype: 'voice_call_talk', content: 'hello', origin: { kind: 'voice-call' } };
  const more = { uuid: 'v1', parentUuid: 'u1', sessionId: SESSION, timestamp: AT };
  const events = read([
    said('u1', null, 'user', 'Sort it'),
    { ...voice, ...more },
    said('a1', 'v1', 'assistant', 'Done.'),
  ]);
  expect(events.flatMap((event) => (event.type === 'prompt' ? [event.text] : []))).toEqual(['Sort it']);
});
