/** `ctx hooks install`, `uninstall` and `status`. */
import { dirname } from 'node:path';
import { agentsHeard } from '../../app/doctor/hooks.ts';
import {
  type CommandChange,
  type HookChange,
  type HookChangeKind,
  type HookOptions,
  type HookStatus,
  type HooksResult,
  installAgentHooks,
  statusOfAgentHooks,
} from '../../app/setup/hooks.ts';
import { type UninstallResult, uninstallHooksHere } from '../../app/setup/uninstall.ts';
import { CtxError } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';
import { wrapped } from '../frame/columns.ts';
import { type App, type ArgumentSpec, type Command, defineCommand, type OptionSpec } from '../frame/command.ts';
import { patchText } from '../frame/patch.ts';
import type { Schemas } from '../frame/schema.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  agents?: string[] | undefined;
  user?: boolean | undefined;
  project?: boolean | undefined;
  dry_run?: boolean | undefined;
  mcp?: boolean | undefined;
  verbose?: boolean | undefined;
  permissions?: boolean | undefined;
}

const NAMES = 'claude-code, codex, gemini, pi, opencode, cursor';
const AGENTS: ArgumentSpec = {
  name: 'agents',
  description: `${NAMES} (default: those that are used here)`,
  optional: true,
  rest: 'list',
  completes: 'agents',
};
const SCOPES: readonly OptionSpec[] = [
  { flags: '--user', description: 'in your home folder, for all projects' },
  { flags: '--project', description: 'in this project; the default if the agent has a folder there' },
];
const DRY_RUN: OptionSpec = { flags: '--dry-run', description: 'show the change, and change nothing' };
const VERBOSE: OptionSpec = { flags: '-v, --verbose', description: 'with what changes in each file' };
const EXITS = [[1, 'a file cannot be read or written, or no agent is used here: nothing was changed']] as const;

const inputOf = (z: Schemas) =>
  z
    .object({
      agents: z.optional(z.array(z.string())),
      user: z.optional(z.boolean()),
      project: z.optional(z.boolean()),
      dry_run: z.optional(z.boolean()),
      mcp: z.optional(z.boolean()),
      verbose: z.optional(z.boolean()),
      permissions: z.optional(z.boolean()),
    })
    .check(z.refine((input) => !(input.user && input.project), '--user and --project exclude each other'));

function optionsOf(app: App, input: Input): HookOptions {
  return {
    directory: app.directory,
    environment: app.environment,
    node: process.execPath,
    program: process.argv[1] ?? '',
    agents: input.agents ?? [],
    scope: input.user ? 'user' : input.project ? 'project' : undefined,
    dryRun: input.dry_run,
    permissions: input.permissions,
    mcp: input.mcp,
  };
}

const path = (text: string): string => oneLine(text, 4096);

const SERVER_WORDS: Partial<Record<HookChangeKind, string>> = {
  installed: 'The server is in',
  updated: 'The server is up to date in',
  removed: 'The server is gone from',
};
const WORDS: Record<HookChangeKind, string> = {
  installed: 'The hooks are in',
  updated: 'The hooks are up to date in',
  unchanged: 'Nothing to change in',
  restored: 'As it was before the install:',
  removed: 'The hooks are gone from',
  kept: 'Left as it is:',
};

function difference(change: HookChange, theme: Theme): string {
  return [change, ...(change.commands ?? [])].map((one) => differenceOf(one, theme)).join('');
}

function differenceOf(change: Omit<CommandChange, 'command'>, theme: Theme): string {
  if (change.patch === '') return '';
  const side = (missing: boolean): string => (missing ? '/dev/null' : path(change.file));
  return patchText(side(change.old_missing), side(change.new_missing), change.patch, theme);
}

/** A path from the folder of the project, or of the user. */
function shownPath(file: string, { project, home }: HooksResult): string {
  const inside = (folder: string | null, before: string): string | null =>
    folder !== null && file.startsWith(`${folder}/`) ? before + file.slice(folder.length + 1) : null;
  return path(inside(project, '') ?? inside(home, '~/') ?? file);
}

/** Returns the lines about the commands that the user may type in an agent. */
function commandLines({ commands: changes = [] }: HookChange, result: HooksResult): string[] {
  const named = (some: readonly CommandChange[]): string =>
    `${some.map(({ command }) => `/${command}`).join(', ')}: ${shownPath(dirname(some[0]?.file ?? ''), result)}`;
  const of = (...kinds: HookChangeKind[]): CommandChange[] => changes.filter(({ change }) => kinds.includes(change));
  const [made, gone, kept] = [of('installed', 'updated'), of('restored', 'removed'), of('kept')];
  return [
    ...(made.length > 0 ? [`  commands ${named(made)}`] : []),
    ...(gone.length > 0 ? [`  gone ${named(gone)}`] : []),
    ...kept.map(({ file }) => `  not installed: ${shownPath(file, result)} is yours`),
  ];
}

function renderChange(change: HookChange, result: HooksResult, theme: Theme): string {
  const name = (file: string): string => shownPath(file, result);
  const backup = change.change === 'unchanged' || !change.backup ? [] : [`  before: ${name(change.backup)}`];
  const words = (change.of === 'server' && SERVER_WORDS[change.change]) || WORDS[change.change];
  const head = `${theme.strong(change.title)} (--${change.scope}): ${words} ${name(change.file)}`;
  return `${[head, ...backup, ...commandLines(change, result)].join('\n')}\n`;
}

/** Lists the steps that are left to the user, last: nobody scrolls back. */
function toDos(changes: readonly HookChange[], theme: Theme): string {
  const columns = theme.columns();
  const lines = changes.flatMap(({ title, to_do }) =>
    to_do
      .map((sentence) => {
        const [first = '', ...rest] = wrapped(sentence, columns === null ? null : columns - TO_DO.length);
        return [`${theme.warn(TO_DO)}${first}`, ...rest.map((line) => ' '.repeat(TO_DO.length) + line)].join('\n');
      })
      .map((text, index) => (index === 0 ? `${theme.strong(title)}\n${text}` : text)),
  );
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

const TO_DO = '  to do: ';

function renderChanges(result: HooksResult, theme: Theme, { verbose }: Input): string {
  const { changes } = result;
  if (result.dry_run) return changes.map((change) => difference(change, theme)).join('');
  const differences = verbose ? changes.map((change) => difference(change, theme)).join('') : '';
  return `${differences}${changes.map((change) => renderChange(change, result, theme)).join('')}${toDos(changes, theme)}`;
}

/** Asks before settings of the user's own are written that nobody named. @throws {CtxError} invalid_input, if the answer is no */
async function confirmOutside(app: App, options: HookOptions): Promise<void> {
  const trial = await installAgentHooks({ ...options, dryRun: true });
  const outside = trial.changes.filter(({ change, scope }) => change !== 'unchanged' && scope === 'user');
  if (outside.length === 0) return;
  const files = outside.map(({ title, file }) => `  ${title}: ${shownPath(file, trial)}`).join('\n');
  const answer = app.ask(() => `This writes outside the project:\n${files}\nDo it? [Y/n]`);
  if (answer === null || /^(?:y(?:es)?)?$/i.test(answer.trim())) return;
  throw new CtxError('invalid_input', 'Nothing was installed.', {
    hint: 'In the project alone: ctx hooks install --project; without a question: ctx hooks install --user',
  });
}

function tellTrial(result: HooksResult): string[] {
  if (!result.dry_run) return [];
  const any = result.changes.some(({ change }) => change !== 'unchanged');
  return [any ? 'Nothing was changed: this was a trial.' : 'There is nothing to change.'];
}

const installCommand = defineCommand<Input, HooksResult>({
  name: 'hooks install',
  summary: 'put ctx into the hooks of agents, so that it remembers by itself',
  arguments: [AGENTS],
  options: [
    ...SCOPES,
    {
      flags: '--permissions',
      description:
        'also answer for you, by the rules of ctx permission, if the agent may use a tool; uninstall ends that',
    },
    { flags: '--mcp', description: 'with the server that lets the agent search and read by itself: ctx mcp' },
    DRY_RUN,
    VERBOSE,
  ],
  examples: [
    ['ctx hooks install --dry-run', 'show what would change for the agents that are used here'],
    ['ctx hooks install claude-code --user', 'for Claude Code in all projects; again is harmless'],
    ['ctx hooks install claude-code --permissions', 'ctx permission decides what Claude Code would ask you'],
    ['ctx hooks install --mcp', 'also let agents search and read by themselves, with ctx mcp'],
  ],
  exits: EXITS,
  mutates: false,
  input: inputOf,
  run: async (app, input) => {
    const options = optionsOf(app, input);
    if (!input.dry_run && !input.user) await confirmOutside(app, options);
    return installAgentHooks(options);
  },
  isAsked: ({ dry_run }) => dry_run,
  render: renderChanges,
  hints: tellTrial,
});

function tellLeft(result: UninstallResult): string[] {
  const files = result.left.map(({ file }) => path(file)).join(', ');
  const mend = `Left as they are: ${files}. Correct each or move it away, and run the command again.`;
  return [...tellTrial(result), ...(result.left.length > 0 ? [mend] : [])];
}

const uninstallCommand = defineCommand<Input, UninstallResult>({
  name: 'hooks uninstall',
  summary: 'take ctx out of the hooks of agents',
  arguments: [{ ...AGENTS, description: `${NAMES} (default: all of them)` }],
  options: [
    { flags: '--user', description: 'only in your home folder' },
    { flags: '--project', description: 'only in this project' },
    DRY_RUN,
    VERBOSE,
  ],
  examples: [['ctx hooks uninstall', 'in this project and in your home folder; other hooks stay as they are']],
  exits: [
    [1, 'a file cannot be read or written, or somebody has changed it: it is left as it is, and the others are done'],
    [4, 'another program has changed a file at this moment: it is left as it is, and the others are done'],
  ],
  mutates: false,
  input: inputOf,
  run: (app, input) => uninstallHooksHere(optionsOf(app, input)),
  render: (result, theme, input) => {
    const all = result.changes.filter(({ change, commands = [] }) => change !== 'unchanged' || commands.length > 0);
    if (all.length === 0) return result.dry_run || result.left.length > 0 ? '' : 'ctx is in none of these hooks.\n';
    return renderChanges({ ...result, changes: all }, theme, input);
  },
  isAsked: ({ dry_run }) => dry_run,
  problems: ({ left }) => left.map(({ title, scope, problem }) => `${title} (--${scope}): ${path(problem)}`),
  hints: tellLeft,
  exit: ({ left }) => (left.length === 0 ? 0 : left.every(({ code }) => code === 'busy') ? 4 : 1),
});

const STATES: Record<HookStatus['state'], [words: string, colour: keyof Theme]> = {
  current: ['installed', 'good'],
  outdated: ['installed, but the line is not that of this ctx', 'warn'],
  partly: ['installed in part', 'warn'],
  changed: ['changed by somebody', 'bad'],
  none: ['not installed', 'faint'],
  unreadable: ['cannot be read', 'bad'],
};

/** Returns the agents from which events have come into the store here, if there is one that can be read. */
function heardHere(app: App): ReadonlySet<string> {
  try {
    return agentsHeard(app.repository());
  } catch {
    return new Set();
  }
}

function renderStatus(status: HookStatus, theme: Theme): string {
  const [words, colour] = STATES[status.state];
  const lines = [
    `${theme.strong(status.title)} (--${status.scope}): ${theme[colour](words)}${status.used ? '' : ', not used here'}`,
    `  ${path(status.file)}`,
    ...(status.problem ? [`  ${oneLine(status.problem, 4096)}`] : []),
    ...status.to_do.map((sentence) => `  ${theme.warn('to do:')} ${sentence}`),
  ];
  return `${lines.join('\n')}\n`;
}

const statusCommand = defineCommand<Input, { hooks: HookStatus[]; servers: HookStatus[] }>({
  name: 'hooks status',
  summary: 'show in which hooks ctx is, and what you must still do',
  arguments: [{ ...AGENTS, description: `${NAMES} (default: those that are used here)` }],
  options: [
    { flags: '--user', description: 'only in your home folder' },
    { flags: '--project', description: 'only in this project' },
  ],
  examples: [['ctx hooks status', 'each agent, in this project and in your home folder']],
  mutates: false,
  input: inputOf,
  run: (app, input) => {
    const options = optionsOf(app, input);
    const servers = statusOfAgentHooks({ ...options, mcp: true }).filter(({ state }) => state !== 'none');
    return { hooks: statusOfAgentHooks({ ...options, reported: heardHere(app) }), servers };
  },
  render: ({ hooks, servers }, theme, { agents = [] }) => {
    const here = hooks.filter(({ used, state }) => agents.length > 0 || used || state !== 'none');
    return here.length === 0
      ? `None of the agents that ctx knows is used here: ${NAMES}.\n`
      : [
          ...here.map((status) => renderStatus(status, theme)),
          ...servers.map((status) => renderStatus({ ...status, title: `${status.title}, MCP server` }, theme)),
        ].join('');
  },
});

export const hooksCommands: readonly Command[] = [installCommand, uninstallCommand, statusCommand];
