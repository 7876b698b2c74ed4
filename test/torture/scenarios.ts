/** Tortures each mutating command: its command line, and the store that it begins with. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../src/cli/frame/command.ts';
import { loadCommands } from '../../src/cli/table.ts';
import { CONVERSATION_SCENARIOS } from './conversation-scenarios.ts';
import { fillLog } from './full-log.ts';
import { NOW } from './program.ts';
import { type Base, must } from './stores.ts';
import { WOUNDS, type WoundName } from './wounds.ts';

export interface Scenario {
  /** Name of the command, as in the table. */
  command: string;
  words: readonly string[];
  input?: string;
  base: Base;
  /** Commands that are run on the template first. */
  before?: readonly (readonly string[])[];
  /** The recorded time of the command. */
  now?: number;
  /** The log has as many operations, and the archive as many refs, that the next one folds and packs them; `old form`: as an older ctx left them. */
  full?: 'full' | 'old form';
  /** The damage that is done to the store before. */
  wound?: WoundName;
  /** Words of the command after a kill; `stage recover` if absent. */
  recovery?: readonly string[];
  /** Shapes of the store, beside the old and the new one, that a command of several changes may leave. */
  between?: readonly RegExp[];
  /** Run where no Git is installed. */
  withoutGit?: boolean;
  /** As if the file system had no hard links. */
  withoutLinks?: boolean;
  /** The exit code of the command where no fault meets it; 0 where absent. */
  exit?: number;
  /** It throws records away, or parts of them, since that is what was asked for. */
  forgets?: boolean;
  /** A text of which no byte is left anywhere, raw or inflated, once it is done. */
  gone?: string;
  /** It ends with 0 whatever happens: what became of it stands in the store alone. */
  hushed?: boolean;
  /** Its output is what it passes on, and not its answer. */
  passes?: boolean;
  /** The command itself changes nothing in the store: why there is nothing to hit. */
  untouched?: string;
}

const LINES = [
  '{"kind":"note","content":"first"}',
  `{"kind":"command","command":"npm test","exit_code":0,"output":"${'x'.repeat(40_000)}","duration_ms":5}`,
  '{"kind":"read","path":"src/client.ts"}',
  '',
].join('\n');
const WEEK = 8 * 86_400;
const MORE = ['observe', 'note', 'In between', '--flush'];

/** A question of ctx's own that waits, and what comes meanwhile. */
const ASKED = ['message', '--as', 'new-task', 'Add a cache'];
const MEANWHILE = ['observe', 'note', 'Meanwhile'];

/** A payload of Claude Code, of the conversation that questions.jsonl is the transcript of. */
export const told = (hook_event_name: string, fields: object = {}): string =>
  JSON.stringify({
    session_id: 'c0a02d71-dc1e-50d0-a2f3-5de6b9861c40',
    transcript_path: 'questions.jsonl',
    hook_event_name,
    ...fields,
  });
export const HOOK = { command: 'hook', words: ['hook', 'claude-code'], hushed: true };
export const KNOWN = [['ingest', 'questions.jsonl']];
const RAN = { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: { command: 'npm test' } };
/** A conversation without a transcript. */
const UNTOLD = { transcript_path: null };

/** A connection of the Agent Client Protocol with one turn. */
const CONNECTION = [
  '{"dir":"client->agent","ts":"2026-01-22T00:00:00Z","raw":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"session/new\\",\\"params\\":{\\"cwd\\":\\"/a\\",\\"mcpServers\\":[]}}"}',
  '{"dir":"agent->client","ts":"2026-01-22T00:00:00Z","raw":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{\\"sessionId\\":\\"s-1\\"}}"}',
  '{"dir":"client->agent","ts":"2026-01-22T00:00:01Z","raw":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"method\\":\\"session/prompt\\",\\"params\\":{\\"sessionId\\":\\"s-1\\",\\"prompt\\":[{\\"type\\":\\"text\\",\\"text\\":\\"Add retry\\"}]}}"}',
  '{"dir":"agent->client","ts":"2026-01-22T00:00:02Z","raw":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"result\\":{\\"stopReason\\":\\"end_turn\\"}}"}',
  '',
].join('\n');

const REPAIR = ['fsck', '--full', '--repair'];

/** A command that flushes after it has observed, and one that ingests, may be cut off between its two changes. */
export const SCENARIOS: readonly Scenario[] = [
  { command: 'init', words: ['init'], base: 'empty', recovery: ['init'] },
  { command: 'stage start', words: ['stage', 'start', 'A new task'], base: 'closed' },
  { command: 'stage start', words: ['stage', 'start', '--replace', 'A new task'], base: 'open' },
  { command: 'stage start', words: ['stage', 'start', '--beside', 'A new task'], base: 'open' },
  { command: 'stage start', words: ['stage', 'start', 'Long after'], base: 'open', now: NOW + WEEK },
  { command: 'stage flush', words: ['stage', 'flush'], base: 'open' },
  { command: 'stage flush', words: ['stage', 'flush', '-m', 'tests pass', '--allow-empty'], base: 'open' },
  { command: 'observe read', words: ['observe', 'read', 'src/client.ts', 'src/server.ts'], base: 'open' },
  {
    command: 'observe write',
    words: ['observe', 'write', 'src/client.ts', '--flush'],
    base: 'open',
  },
  {
    command: 'observe command',
    words: ['observe', 'command', '--exit-code', '0', '--output', 'output.txt', '--', 'npm', 'run', 'build'],
    base: 'open',
  },
  { command: 'observe note', words: ['observe', 'note', 'Decision: no retries'], base: 'open' },
  {
    command: 'observe plan',
    words: ['observe', 'plan', '-'],
    input: 'First this, then that. '.repeat(400),
    base: 'open',
  },
  {
    command: 'observe relate',
    words: ['observe', 'relate', 'file:src/client.ts', 'Imports', 'file:src/server.ts', '--evidence', 'line 1'],
    base: 'open',
  },
  { command: 'observe batch', words: ['observe', 'batch'], input: LINES, base: 'open' },
  { command: 'stage ask', words: ['stage', 'ask', 'Which jitter?'], base: 'open' },
  { command: 'stage respond', words: ['stage', 'respond', 'Full'], base: 'open', before: [['stage', 'ask', 'Which?']] },
  { command: 'stage interrupt', words: ['stage', 'interrupt', 'Make it 5'], base: 'open' },
  {
    command: 'stage continue',
    words: ['stage', 'continue', 'Taken up'],
    base: 'open',
    before: [['stage', 'interrupt', 'Make it 5']],
  },
  { command: 'stage done', words: ['stage', 'done', 'Retries limited'], base: 'open' },
  {
    command: 'stage reopen',
    words: ['stage', 'reopen', 'Log too'],
    base: 'open',
    before: [['stage', 'done', 'So far']],
  },
  {
    command: 'stage confirm',
    words: ['stage', 'confirm', '-m', 'Limit retries'],
    base: 'open',
    before: [
      ['stage', 'done', 'Retries limited'],
      ['observe', 'note', 'One more thing'],
    ],
  },
  { command: 'stage abort', words: ['stage', 'abort', '--reason', 'Superseded'], base: 'open' },
  { command: 'stage compact', words: ['stage', 'compact', '-m', 'As far as it got'], base: 'open' },
  {
    command: 'stage recover',
    words: ['stage', 'recover'],
    base: 'open',
    untouched: 'only reads if nothing was cut off',
  },
  {
    command: 'stage cleanup',
    words: ['stage', 'cleanup', '--max-idle', '50'],
    base: 'open',
    now: NOW + 100,
  },
  { command: 'stage switch', words: ['stage', 'switch', '{other}'], base: 'open' },
  { command: 'stop', words: ['stop', 'Half of it is written'], base: 'open' },
  { command: 'stop', words: ['stop'], base: 'open', now: NOW + 1000 },
  { command: 'resume', words: ['resume', '-', '--no-launch'], base: 'open', before: [['stop']] },
  { command: 'resume', words: ['resume', '1', '--no-launch'], base: 'open', before: [['stage', 'compact']] },
  {
    command: 'resume',
    words: ['resume', '1', '--no-launch', '--reopen'],
    base: 'open',
    before: [
      ['stage', 'done', 'Retries limited'],
      ['stage', 'confirm'],
    ],
  },
  { command: 'session set', words: ['session', 'set', '--type', 'debug', '--title', 'Retries'], base: 'open' },
  ...CONVERSATION_SCENARIOS,
  { command: 'rename', words: ['rename', 'Retry with backoff'], base: 'open' },
  { command: 'permission allow', words: ['permission', 'allow', 'Bash(npm test *)'], base: 'open' },
  {
    command: 'permission ask',
    words: ['permission', 'ask', 'Bash(npm publish *)', '--project', '--pin'],
    base: 'open',
  },
  { command: 'permission deny', words: ['permission', 'deny', 'Bash(git push *)', '--project'], base: 'open' },
  {
    command: 'permission reset',
    words: ['permission', 'reset'],
    base: 'open',
    before: [['permission', 'allow', 'Bash(npm test *)']],
  },
  { command: 'rename', words: ['rename', 'HEAD', 'Retry with backoff'], base: 'closed' },
  { command: 'message', words: ['message', 'Add a cache'], base: 'closed' },
  { command: 'message', words: ['message', '--as', 'modification', 'Log too'], base: 'open' },
  { command: 'message', words: ['message', '--as', 'new-task', 'Add a cache'], base: 'open', exit: 3 },
  { command: 'message', words: ['message', '--as', 'abandon', 'Never mind'], base: 'open' },
  { command: 'message', words: ['message', '--as', 'modification', 'Long after'], base: 'open', now: NOW + WEEK },
  {
    command: 'message',
    words: ['message', '--as', 'modification', 'Log too'],
    base: 'open',
    before: [ASKED, MEANWHILE],
  },
  { command: 'choose', words: ['choose', 'fresh'], base: 'open', before: [ASKED, MEANWHILE] },
  { command: 'choose', words: ['choose', 'continue'], base: 'open', before: [ASKED, MEANWHILE] },
  { ...HOOK, base: 'closed', input: told('UserPromptSubmit', { prompt: 'Add a cache' }) },
  { ...HOOK, base: 'open', before: KNOWN, input: told('UserPromptSubmit', { prompt: 'Also add logging' }) },
  {
    ...HOOK,
    base: 'open',
    before: KNOWN,
    input: told('PostToolUse', { ...RAN, tool_response: { stdout: 'ok', stderr: '' } }),
  },
  // A question waits in that session: it is answered, and another one asked.
  { ...HOOK, base: 'open', before: KNOWN, input: told('Stop', { last_assistant_message: 'Which cache do you want?' }) },
  // Nothing is known of the conversation: its transcript is taken in, and then the turn ends.
  { ...HOOK, base: 'open', input: told('Stop', { last_assistant_message: 'Done.' }), between: [/ new:open2$/] },
  // Nobody tells of its prompts: a session is begun, and then what is told goes into it.
  { ...HOOK, base: 'closed', input: told('PostToolUse', { ...RAN, ...UNTOLD, tool_response: { stdout: 'ok' } }) },
  {
    ...HOOK,
    base: 'closed',
    input: told('Stop', { ...UNTOLD, last_assistant_message: 'Done.' }),
    between: [/stage:new .* new:open1$/],
  },
  { command: 'acp record', words: ['acp', 'record'], input: CONNECTION, base: 'closed' },
  {
    command: 'acp',
    words: ['acp', '--no-record', '--', 'true'],
    base: 'open',
    exit: 2,
    untouched: 'it has no --json, and its recorder writes in a process of its own: see acp record',
  },
  { command: 'ingest', words: ['ingest', 'rewind.jsonl'], base: 'closed' },
  { command: 'ingest', words: ['ingest', 'questions.jsonl', '--compact'], base: 'open' },
  // New contents go into a pack.
  { command: 'ingest', words: ['ingest', 'long.jsonl'], base: 'closed' },
  {
    command: 'capture catch-up',
    words: ['capture', 'catch-up', '--all'],
    base: 'closed',
    // Each conversation is a change of its own.
    between: [/stage:none .* new:open\d+$/],
  },
  { command: 'export', words: ['export', '-o', 'mine.bundle'], base: 'open' },
  { command: 'mirror', words: ['mirror', 'notes/sessions'], base: 'open' },
  { command: 'import', words: ['import', 'elsewhere.bundle'], base: 'closed' },
  { command: 'import', words: ['import', 'elsewhere.bundle'], base: 'open' },
  { command: 'undo', words: ['undo'], base: 'open', before: [['import', 'elsewhere.bundle']], forgets: true },
  { command: 'undo', words: ['undo'], base: 'open', before: [['stage', 'compact']] },
  // Records that wait for the removed session are removed with it.
  { command: 'undo', words: ['undo'], base: 'open' },
  { command: 'undo', words: ['undo'], base: 'open', before: [['stage', 'compact'], ['undo'], MORE] },
  {
    command: 'undo',
    words: ['undo'],
    base: 'open',
    before: [['stage', 'abort', '--reason', 'Superseded'], ['undo'], MORE, ['observe', 'note', 'It waits']],
  },
  {
    command: 'undo',
    words: ['undo', '3'],
    base: 'open',
    before: [['stage', 'abort', '--reason', 'Superseded'], ['undo'], ['observe', 'note', 'It waits']],
  },
  {
    command: 'forget',
    words: ['forget', '--text', 'full jitter', '--yes'],
    base: 'open',
    forgets: true,
    gone: 'full jitter',
  },
  {
    command: 'forget',
    words: ['forget', '--text', 'export const client', '--yes'],
    base: 'open',
    forgets: true,
    gone: 'export const client',
  },
  {
    command: 'forget',
    words: ['forget', '{current}', '--yes'],
    base: 'open',
    forgets: true,
    gone: 'number of retries',
  },
  {
    command: 'forget',
    words: ['forget', '{current}', '--yes'],
    base: 'open',
    before: [['git', 'pack-refs', '--all']],
    forgets: true,
    gone: 'number of retries',
  },
  { command: 'forget', words: ['forget', '{record}', '--yes'], base: 'open', forgets: true, gone: 'It waits beside' },
  { command: 'fsck', words: REPAIR, base: 'open' },
  // Whatever kills a repair, the next one does all of it.
  ...(Object.keys(WOUNDS) as WoundName[]).map(
    (wound): Scenario => ({ command: 'fsck', words: REPAIR, base: 'open', wound, recovery: REPAIR }),
  ),
  // A repair of the store alone: what it takes in beside is what `capture catch-up` does.
  ...(['torn STAGE', 'torn ref of a session'] as const).map(
    (wound): Scenario => ({ command: 'doctor', words: ['doctor', '--fix'], base: 'open', wound, recovery: REPAIR }),
  ),
  { command: 'gc', words: ['gc'], base: 'open' },
  { command: 'gc', words: ['gc'], base: 'open', withoutGit: true },
  {
    command: 'gc',
    words: ['gc', '--expire-steps', '30d'],
    base: 'closed',
    now: NOW + 100 * 86_400,
    forgets: true,
  },
  {
    command: 'gc',
    words: ['gc', '--expire-steps', '30d'],
    base: 'closed',
    now: NOW + 100 * 86_400,
    forgets: true,
    withoutGit: true,
  },
  {
    command: 'git',
    words: ['git', 'tag', 'kept', 'main'],
    base: 'open',
    untouched: 'Git itself writes, in a process of its own',
  },
  { command: 'stage start', words: ['stage', 'start', '--replace', 'A new task'], base: 'open', full: 'full' },
  { command: 'stage start', words: ['stage', 'start', '--replace', 'A new task'], base: 'open', full: 'old form' },
  {
    command: 'stage start',
    words: ['stage', 'start', '--replace', 'A new task'],
    base: 'open',
    full: 'full',
    withoutLinks: true,
  },
  {
    command: 'forget',
    words: ['forget', '--text', 'full jitter', '--yes'],
    base: 'open',
    full: 'full',
    forgets: true,
    gone: 'full jitter',
  },
  { command: 'gc', words: ['gc'], base: 'open', full: 'full', withoutGit: true },
  { command: 'stage flush', words: ['stage', 'flush'], base: 'open', withoutLinks: true },
  {
    command: 'stage confirm',
    words: ['stage', 'confirm', '-m', 'Limit retries'],
    base: 'open',
    before: [['stage', 'done', 'Retries limited']],
    withoutLinks: true,
  },
];

/** Prepares a project for a scenario; gives the command line, with what stands in braces filled in. */
export async function prepare(scenario: Scenario, project: string): Promise<readonly string[]> {
  for (const words of scenario.before ?? []) await must(project, words);
  if (scenario.full) await fillLog(project, scenario.full);
  if (!scenario.words.some((word) => word.startsWith('{'))) return scenario.words;
  const list = (await must(project, ['stage', 'list'])) as { session_id: string; current: boolean }[];
  const other = list.find((session) => !session.current)?.session_id ?? '';
  const current = list.find((session) => session.current)?.session_id ?? '';
  // A record that waits for the other session.
  const [waiting = ''] = readdirSync(join(project, '.ctx', 'pending', other));
  const filled: Record<string, string> = { '{other}': other, '{current}': current, '{record}': waiting.slice(0, 36) };
  return scenario.words.map((word) => filled[word] ?? word);
}

/** A command line, and what is unusual about where it is run. */
export function titleOf(scenario: Scenario): string {
  const isStale = (scenario.now ?? NOW) > NOW + 1000;
  const { withoutGit, withoutLinks, wound, full } = scenario;
  const places = [isStale && 'stale', withoutGit && 'no git', withoutLinks && 'no links', full, wound];
  const told = places.map((place) => (place ? ` (${place})` : ''));
  return `${scenario.words.join(' ').slice(0, 44).trim()}${told.join('')}`;
}

/** Mutating commands that no scenario knows, and scenarios of no mutating command: both fail the run. */
export async function uncovered(scenarios: readonly Scenario[] = SCENARIOS): Promise<string[]> {
  const mutating = (await loadCommands()).filter((command: Command) => command.mutates).map((command) => command.name);
  const known = new Set(scenarios.map((scenario) => scenario.command));
  return [
    ...mutating.filter((name) => !known.has(name)).map((name) => `ctx ${name} has no scenario`),
    ...[...known].filter((name) => !mutating.includes(name)).map((name) => `there is no mutating ctx ${name}`),
  ];
}
