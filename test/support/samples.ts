/** One command line for each command, for the tests that walk them all. */

export interface Sample {
  /** A command line that is done with exit code 0. */
  line: string[];
  /** How the session comes to the state that the command wants. */
  way?: string[][];
  input?: string;
  /** Whether its result tells the session that it worked on. */
  session?: boolean;
  /** Whether it works on whatever was done last, whichever session that was. */
  last?: boolean;
  /** Whether what follows its name is the command line of another program. */
  foreign?: boolean;
  /** Whether it does without a store. */
  storeless?: boolean;
}

const DONE = [['stage', 'done', 'Retry added']];

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
  diff: { line: ['diff', 'HEAD'] },
  forget: { line: ['forget', '<first>', '--dry-run'] },
  fsck: { line: ['fsck'] },
  gc: { line: ['gc', '--dry-run'] },
  du: { line: ['du', '--by', 'session'] },
  git: { line: ['git', 'rev-parse', 'HEAD'], foreign: true },
  'op log': { line: ['op', 'log'] },
  undo: { line: ['undo'], last: true },
  'secrets scan': { line: ['secrets', 'scan'] },
  ingest: { line: ['ingest', 'transcript.jsonl'] },
  'hooks install': { line: ['hooks', 'install', 'claude-code', '--project'], storeless: true },
  'hooks uninstall': { line: ['hooks', 'uninstall', '--project'], storeless: true },
  'capture status': { line: ['capture', 'status'] },
  'capture catch-up': { line: ['capture', 'catch-up'] },
  doctor: { line: ['doctor'], storeless: true },
  'hooks status': { line: ['hooks', 'status'], storeless: true },
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
