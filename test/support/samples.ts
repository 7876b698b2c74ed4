/** One command line for each command, for the tests that walk them all. */

export interface Sample {
  /** A command line that is done with exit code 0. */
  line: string[];
  /** Commands that bring the session to the state that the command wants. */
  way?: string[][];
  input?: string;
  /** True if its result tells the session that it worked on. */
  session?: boolean;
  /** True if it works on whatever was done last, whichever session that was. */
  last?: boolean;
  /** True if what follows its name is the command line of another program. */
  foreign?: boolean;
  /** True if it does without a store. */
  storeless?: boolean;
  /** True if it reads a store all the same, if there is one. */
  looks?: boolean;
  /** True if it speaks a protocol over the streams of its process: it refuses --json, and runs in a process of its own. */
  protocol?: boolean;
  /** True if it prints what it is given, with --json too, and runs in a process of its own. */
  passes?: boolean;
}

const DONE = [['stage', 'done', 'Retry added']];

/** A message as a line of words appends it. */
const said = (role: string, id: string, words: string): string[] => [
  ...['messages', 'append', '--role', role],
  JSON.stringify({ id, parts: [{ type: 'text', text: words }] }),
];

/** An output that is worth pruning. */
const LONG_CALL = JSON.stringify({
  id: 'answer-1',
  parts: [
    {
      type: 'dynamic-tool',
      toolName: 'Bash',
      toolCallId: 'call-1',
      state: 'output-available',
      input: { command: 'npm test' },
      output: 'ok\n'.repeat(1000),
    },
  ],
});

/** The chunks of a whole answer, as an agent streams them. */
const ANSWER = [
  { type: 'start', messageId: 'answer-1' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Done.' },
  { type: 'text-end', id: '0' },
  { type: 'finish' },
]
  .map((chunk) => `${JSON.stringify(chunk)}\n`)
  .join('');

/** A run that is over. */
const RUN = [['record', '--cursor', 'thread_42', '--', 'printf', '%s', ANSWER]];

/** A conversation of three turns. */
const TALK = [
  said('user', 'request-1', 'Add a retry.'),
  ['messages', 'append', '--role', 'assistant', LONG_CALL],
  said('user', 'request-2', 'And a test.'),
  said('assistant', 'answer-2', 'Done.'),
  said('user', 'request-3', 'And the docs.'),
];

/** One command line for each command; the test of global options asks for those that are missing. */
export const SAMPLES: Record<string, Sample> = {
  init: { line: ['init'], storeless: true },
  'stage start': { line: ['stage', 'start', '--beside', 'A third task'] },
  'stage status': { line: ['stage', 'status'], session: true },
  'stage flush': { line: ['stage', 'flush', '--allow-empty'], session: true },
  'stage ask': { line: ['stage', 'ask', 'Which?'], session: true },
  'stage respond': { line: ['stage', 'respond', 'This one'], way: [['stage', 'ask', 'Which?']], session: true },
  'stage interrupt': { line: ['stage', 'interrupt', 'Stop'], session: true },
  'stage continue': { line: ['stage', 'continue'], way: [['stage', 'interrupt', 'Stop']], session: true },
  'stage done': { line: ['stage', 'done'], session: true },
  'stage reopen': { line: ['stage', 'reopen', 'More'], way: DONE, session: true },
  'stage confirm': { line: ['stage', 'confirm'], way: DONE, session: true },
  'stage abort': { line: ['stage', 'abort'], session: true },
  'stage compact': { line: ['stage', 'compact'], session: true },
  'stage recover': { line: ['stage', 'recover'] },
  'stage cleanup': { line: ['stage', 'cleanup'] },
  list: { line: ['list'] },
  'stage list': { line: ['stage', 'list'] },
  'stage switch': { line: ['stage', 'switch', '<first>'] },
  'observe read': { line: ['observe', 'read', 'client.ts'], session: true },
  'observe write': { line: ['observe', 'write', 'client.ts'], session: true },
  'observe command': { line: ['observe', 'command', '--exit-code', '0', '--', 'npm', 'test'], session: true },
  'observe note': { line: ['observe', 'note', 'Full jitter'], session: true },
  'observe plan': { line: ['observe', 'plan', 'Backoff, then tests'], session: true },
  'observe relate': { line: ['observe', 'relate', 'file:a', 'Imports', 'file:b'], session: true },
  'observe batch': { line: ['observe', 'batch'], input: '{"kind":"note","content":"hello"}\n', session: true },
  message: { line: ['message', '--as', 'modification', 'Make it 5'], session: true },
  hook: {
    line: ['hook', 'claude-code'],
    input: '{"session_id":"a","hook_event_name":"SessionStart","source":"startup"}',
    storeless: true,
  },
  choose: { line: ['choose', 'continue'], way: [['message', '--as', 'new-task', 'Write the docs']], session: true },
  log: { line: ['log'] },
  show: { line: ['show', '<first>'], session: true },
  restore: {
    line: ['restore', '--from', '<first>', 'client.ts', '--to', 'copy.ts'],
    way: [['observe', 'write', 'client.ts', '--flush']],
  },
  rename: { line: ['rename', '<first>', 'Another title'] },
  completion: { line: ['completion', 'bash'], storeless: true },
  messages: { line: ['messages', '<first>'] },
  'messages append': { line: said('user', 'request-1', 'Add a retry.'), session: true },
  rewind: { line: ['rewind', '2'], way: TALK, session: true },
  unrewind: { line: ['unrewind'], way: [...TALK, ['rewind', '2']], session: true },
  branch: { line: ['branch', 'answer-2'], way: TALK },
  context: { line: ['context'], way: TALK, session: true },
  'context compact': { line: ['context', 'compact'], way: TALK, session: true },
  'context uncompact': { line: ['context', 'uncompact'], way: [...TALK, ['context', 'compact']], session: true },
  'context prune': { line: ['context', 'prune'], way: TALK, session: true },
  'context restore': { line: ['context', 'restore'], way: [...TALK, ['context', 'prune']], session: true },
  'model use': { line: ['model', 'use', 'anthropic/claude-sonnet-4-5'], session: true },
  'prompt build': { line: ['prompt', 'build', '--platform', 'linux', '--root', '/project', '--git-status', 'clean'] },
  stop: { line: ['stop', 'Full jitter is next.'], session: true },
  resume: { line: ['resume', '<first>', '--no-launch'], session: true },
  'session set': { line: ['session', 'set', '--type', 'debug'], session: true },
  mirror: { line: ['mirror'] },
  search: { line: ['search', 'first'] },
  why: { line: ['why', 'client.ts'], way: [['observe', 'write', 'client.ts', '--flush']] },
  blame: { line: ['blame', 'client.ts'], way: [['observe', 'write', 'client.ts', '--flush']] },
  mcp: {
    line: ['mcp'],
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`,
    protocol: true,
  },
  pack: { line: ['pack', 'The first task'] },
  usage: { line: ['usage'] },
  reindex: { line: ['reindex'] },
  diff: { line: ['diff', 'HEAD'] },
  forget: { line: ['forget', '<first>', '--dry-run'] },
  fsck: { line: ['fsck'] },
  gc: { line: ['gc', '--dry-run'] },
  du: { line: ['du', '--by', 'session'] },
  git: { line: ['git', 'rev-parse', 'HEAD'], foreign: true },
  'op log': { line: ['op', 'log'] },
  undo: { line: ['undo'], last: true },
  'secrets scan': { line: ['secrets', 'scan'] },
  record: { line: ['record'], input: ANSWER, passes: true },
  replay: { line: ['replay'], way: RUN },
  abort: { line: ['abort'], session: true },
  'run status': { line: ['run', 'status'], way: RUN, session: true },
  'run cursor': { line: ['run', 'cursor'], way: RUN, session: true },
  export: { line: ['export', '--output', 'first.bundle'] },
  ingest: { line: ['ingest', 'transcript.jsonl'] },
  import: { line: ['import', 'own.bundle'], way: [['export', '--output', 'own.bundle']] },
  acp: {
    line: ['acp', '--', 'cat'],
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`,
    storeless: true,
    looks: true,
    protocol: true,
  },
  'acp record': { line: ['acp', 'record'] },
  'permission allow': { line: ['permission', 'allow', 'Bash(npm test *)'], session: true },
  'permission ask': { line: ['permission', 'ask', 'Bash(npm publish *)'], session: true },
  'permission deny': { line: ['permission', 'deny', 'Bash(git push *)'], session: true },
  'permission list': { line: ['permission', 'list'], session: true },
  'permission reset': { line: ['permission', 'reset'], session: true },
  'permission check': { line: ['permission', 'check', 'Bash', '--input', '{"command":"npm test"}'] },
  'hooks install': { line: ['hooks', 'install', 'claude-code', '--project'], storeless: true },
  'hooks uninstall': { line: ['hooks', 'uninstall', '--project'], storeless: true },
  'capture status': { line: ['capture', 'status'] },
  'capture catch-up': { line: ['capture', 'catch-up'] },
  doctor: { line: ['doctor'], storeless: true },
  'hooks status': { line: ['hooks', 'status'], storeless: true, looks: true },
};

/** A transcript of one prompt and its answer, as Claude Code writes it. */
export const TRANSCRIPT = [
  { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: 'Add a cache' } },
  {
    type: 'assistant',
    uuid: 'b',
    parentUuid: 'a',
    message: { id: 'm', role: 'assistant', model: 'some', content: [{ type: 'text', text: 'Added.' }] },
  },
]
  .map((line) => ({ ...line, sessionId: 'conversation', timestamp: '2026-01-22T00:00:00.000Z', cwd: '/project' }))
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
