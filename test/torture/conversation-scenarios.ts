/** Tortures the commands that change a conversation. */
import type { Scenario } from './scenarios.ts';

/** Appends a message to the conversation of the active session. */
const said = (role: string, id: string, ...parts: object[]): string[] => [
  'messages',
  'append',
  '--role',
  role,
  JSON.stringify({ id, parts }),
];
const text = (words: string): object => ({ type: 'text', text: words });
/** A call with an output that is large enough to be pruned. */
const CALL = {
  type: 'dynamic-tool',
  toolName: 'Read',
  toolCallId: 'call-1',
  state: 'output-available',
  input: { path: 'src/client.ts' },
  output: 'export const client = 1;\n'.repeat(100),
};
/** A conversation of three turns: the first is old enough to be summarised, and its output to be pruned. */
const CONVERSED = [
  said('user', 'question-1', text('How often does the client try?')),
  said('assistant', 'answer-1', CALL, text('Five times.')),
  said('user', 'question-2', text('Make it three.')),
  said('assistant', 'answer-2', text('It tries three times now.')),
  said('user', 'question-3', text('And the jitter?')),
  said('assistant', 'answer-3', text('It is full.')),
];
const BRANCHED = ['branch', 'answer-2', '--ephemeral'];
const PROMPT = ['prompt', 'build', '--record', '--root', '/project', '--git-status', 'clean'];
/** Commands after the change that is taken back. */
const MORE = ['observe', 'note', 'In between', '--flush'];

/** A run as it is streamed: a text, a call that is answered, and one that is not. */
const STREAM = [
  { type: 'start', messageId: 'answer-4' },
  { type: 'text-start', id: '0' },
  ...'It waits longer before each attempt. '.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' },
  { type: 'tool-input-available', toolCallId: 'call-4', toolName: 'Read', input: { path: 'src/client.ts' } },
  { type: 'tool-output-available', toolCallId: 'call-4', output: 'export const client = 1;\n'.repeat(400) },
  { type: 'tool-input-start', toolCallId: 'call-5', toolName: 'Bash' },
  { type: 'finish' },
]
  .map((chunk) => `${JSON.stringify(chunk)}\n`)
  .join('');

/** Records a run: the part before a fault stays, and the next one adds to it. */
const RECORD = { command: 'record', input: STREAM, base: 'open', passes: true, between: [/:open\+\d$/] } as const;

/** Each of them begins with a conversation of three turns, but for a long message that is the first. */
export const CONVERSATION_SCENARIOS: readonly Scenario[] = [
  // Its id is new in each run: one that is named is refused the second time.
  {
    command: 'messages append',
    words: ['messages', 'append', '--role', 'user', '{"parts":[{"type":"text","text":"Log too."}]}'],
    base: 'open',
    before: CONVERSED,
  },
  {
    command: 'messages append',
    words: ['messages', 'append', '--role', 'assistant', '-'],
    input: JSON.stringify({ parts: [text('A long answer, sentence after sentence. '.repeat(1000))] }),
    base: 'open',
  },
  { command: 'rewind', words: ['rewind', 'question-2'], base: 'open', before: CONVERSED },
  { command: 'unrewind', words: ['unrewind'], base: 'open', before: [...CONVERSED, ['rewind', 'question-2'], MORE] },
  { command: 'branch', words: ['branch', 'answer-2'], base: 'open', before: CONVERSED },
  { command: 'branch', words: [...BRANCHED, '--no-switch'], base: 'open', before: CONVERSED },
  { command: 'branch', words: ['branch', '--keep'], base: 'open', before: [...CONVERSED, BRANCHED] },
  { command: 'context compact', words: ['context', 'compact'], base: 'open', before: CONVERSED },
  {
    command: 'context uncompact',
    words: ['context', 'uncompact'],
    base: 'open',
    before: [...CONVERSED, ['context', 'compact'], MORE],
  },
  { command: 'export', words: ['export', '--to', 'codex', '--install'], base: 'open', before: CONVERSED },
  { command: 'context prune', words: ['context', 'prune'], base: 'open', before: CONVERSED },
  {
    command: 'context restore',
    words: ['context', 'restore'],
    base: 'open',
    before: [...CONVERSED, ['context', 'prune'], MORE],
  },
  { command: 'model use', words: ['model', 'use', 'anthropic/claude-sonnet-4-5'], base: 'open', before: CONVERSED },
  { ...RECORD, words: ['record'], before: CONVERSED },
  { ...RECORD, words: ['record', '--cursor', 'thread_42', '--sync'] },
  // No run is in flight: the session is given up.
  { command: 'abort', words: ['abort'], base: 'open' },
  { command: 'prompt build', words: PROMPT, base: 'open', before: CONVERSED },
];
