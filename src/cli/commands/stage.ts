/** `ctx stage start`, `compact`, `recover`, `cleanup`, `switch`: the commands of a session that hooks call rarely. */

import { idleness, requireActive } from '../../app/session/active.ts';
import { type CleanupResult, cleanupStaleSessions, savedSince } from '../../app/session/cleanup.ts';
import { type CompactResult, compactSession } from '../../app/session/compact.ts';
import { type Candidate, type SwitchResult, switchSession } from '../../app/session/list.ts';
import { type RecoverResult, recoverSession } from '../../app/session/recover.ts';
import { type StartResult, startSession } from '../../app/session/start.ts';
import { wholeText } from '../../app/session/text.ts';
import { type CommitType, typeGiven, typeOptions } from '../../core/commit-types/table.ts';
import { CtxError } from '../../core/errors.ts';
import { durationInWords, oneLine, plural } from '../../core/text.ts';
import { readDuration } from '../../core/time.ts';
import { type App, type Command, defineCommand } from '../frame/command.ts';
import { compactedLines, shortOid } from '../frame/words.ts';

const BUSY_OR_DAMAGED = [
  [4, 'the store was busy'],
  [5, 'the store is damaged'],
] as const;

interface StartInput {
  task: string;
  agent?: string | undefined;
  type?: string | undefined;
  title?: string | undefined;
  command?: string | undefined;
  model?: string | undefined;
  replace?: boolean | undefined;
  beside?: boolean | undefined;
}

const startCommand = defineCommand<StartInput, StartResult>({
  name: 'stage start',
  alias: 'start',
  summary: 'begin a session for a task',
  arguments: [
    { name: 'task', description: 'the task, in the words of the user (- reads standard input)', rest: 'words' },
  ],
  options: [
    { flags: '--agent <name>', description: 'the agent that works on it', completes: 'agents' },
    { flags: '--type <type>', description: 'what kind of work it is: brainstorm, debug, or any other word' },
    { flags: '--title <title>', description: 'what to call it' },
    { flags: '--command <command>', description: 'the command of the agent that it is begun with' },
    { flags: '--model <model>', description: 'the model' },
    { flags: '--replace', description: 'save the active session first, as interrupted by this task' },
    { flags: '--beside', description: 'leave the active session open beside it' },
  ],
  examples: [
    ['ctx stage start "Add retry with backoff"', 'begin a session'],
    ['ctx stage start --replace "Fix the build"', 'save what is active first'],
  ],
  exits: [[1, 'a session is active already'], ...BUSY_OR_DAMAGED],
  mutates: true,
  input: (z) => {
    const text = (name: string) => z.optional(z.string().check(z.minLength(1, `${name} needs a value`)));
    return z
      .object({
        task: z.string(),
        agent: z.optional(z.string().check(z.minLength(1, '--agent needs a name'))),
        type: text('--type'),
        title: text('--title'),
        command: text('--command'),
        model: text('--model'),
        replace: z.optional(z.boolean()),
        beside: z.optional(z.boolean()),
      })
      .check(z.refine((input) => !(input.replace && input.beside), '--replace and --beside exclude each other'));
  },
  run: (app, input) => startSession(app.repository(), wholeText(app.text(input.task), 'The task'), input),
  render: (result, theme) =>
    `${result.compacted ? compactedLines(result.compacted, theme) : ''}Started ${theme.accent(result.session_id)}: ${oneLine(result.task_description)}\n`,
});

interface CompactInput {
  message?: string | undefined;
  type?: string | undefined;
  idle_seconds?: number | undefined;
  new_task?: string | undefined;
}

function commitType(app: App, input: CompactInput): CommitType | undefined {
  const kind = typeOptions().get(input.type ?? '');
  if (kind === undefined) return undefined;
  return typeGiven(kind, {
    idle: () => {
      if (input.idle_seconds !== undefined) return input.idle_seconds;
      const repository = app.repository();
      return idleness(repository, requireActive(repository)).idle_secs;
    },
    newTask: () => wholeText(app.text(input.new_task ?? ''), 'The new task'),
  });
}

const compactCommand = defineCommand<CompactInput, CompactResult>({
  name: 'stage compact',
  summary: 'save the session as one canonical commit',
  options: [
    { flags: '-m, --message <text>', description: 'message of the canonical commit (- reads standard input)' },
    { flags: '--type <type>', description: 'how it ended', choices: [...typeOptions().keys()] },
    { flags: '--idle-seconds <seconds>', description: 'with --type stale: how long it was idle', kind: 'integer' },
    { flags: '--new-task <text>', description: 'with --type interrupted: the task that came in between' },
  ],
  examples: [
    ['ctx stage compact', 'save it; its type follows from its state'],
    ['ctx stage compact --type interrupted --new-task "Fix the build"', 'say how it ended'],
  ],
  exits: [[1, 'no session is active'], ...BUSY_OR_DAMAGED],
  mutates: true,
  input: (z) =>
    z
      .object({
        message: z.optional(z.string()),
        type: z.optional(z.enum([...typeOptions().keys()])),
        idle_seconds: z.optional(z.int().check(z.nonnegative('--idle-seconds cannot be negative'))),
        new_task: z.optional(z.string()),
      })
      .check(
        z.refine(
          (input) => input.idle_seconds === undefined || input.type === 'stale',
          '--idle-seconds goes with --type stale',
        ),
        z.refine(
          (input) => input.new_task === undefined || input.type === 'interrupted',
          '--new-task goes with --type interrupted',
        ),
        z.refine(
          (input) => input.type !== 'interrupted' || (input.new_task ?? '').trim() !== '',
          '--type interrupted needs --new-task',
        ),
      ),
  run: (app, input) => {
    const message = input.message === undefined ? undefined : wholeText(app.text(input.message), 'The message');
    return compactSession(app.repository(), { message, type: commitType(app, input) });
  },
  render: compactedLines,
});

const recoverCommand = defineCommand<Record<string, never>, RecoverResult>({
  name: 'stage recover',
  alias: 'recover',
  summary: 'show the state of the session, and finish what was cut off',
  examples: [['ctx stage recover', 'what a returning user or agent needs to know']],
  exits: BUSY_OR_DAMAGED,
  mutates: true,
  isAsked: () => true,
  input: (z) => z.object({}) as never,
  run: (app) => recoverSession(app.repository()),
  render: (result, theme) => {
    const found = result.found.map((line) => `${line}\n`).join('');
    const compacted = result.compacted ? compactedLines(result.compacted, theme) : '';
    const others =
      result.open_sessions > 0 ? `\n${plural(result.open_sessions, 'other session')} open: ctx list --open\n` : '';
    const message = result.message ?? (result.compacted ? '' : 'No session is active: nothing to recover.');
    return `${found}${compacted}${found && message ? '\n' : ''}${message}${message ? '\n' : ''}${others}`;
  },
});

interface CleanupInput {
  max_idle?: string | undefined;
  dry_run?: boolean | undefined;
}

const cleanupCommand = defineCommand<CleanupInput, CleanupResult>({
  name: 'stage cleanup',
  summary: 'save every open session that has been idle for too long',
  options: [
    {
      flags: '--max-idle <duration>',
      description: 'longest idle time, as 24h, 7d or seconds; 7d unless settings say otherwise',
    },
    { flags: '--dry-run', description: 'only show which' },
  ],
  examples: [
    ['ctx stage cleanup', 'save what has been idle for more than 7 days'],
    ['ctx stage cleanup --max-idle 24h --dry-run', 'only show which have been idle for more than a day'],
  ],
  exits: BUSY_OR_DAMAGED,
  mutates: true,
  input: (z) => z.object({ max_idle: z.optional(z.string()), dry_run: z.optional(z.boolean()) }),
  run: (app, input) => {
    const maxIdle = input.max_idle === undefined ? undefined : readDuration(input.max_idle);
    if (input.max_idle !== undefined && maxIdle === undefined) {
      throw new CtxError('usage', `--max-idle is not a duration: ${input.max_idle}`, {
        hint: 'Give 24h, 7d or seconds.',
      });
    }
    const repository = app.watched('Saving');
    const saved = savedSince(repository);
    return app.interruptible(
      () => cleanupStaleSessions(repository, { maxIdle, dryRun: input.dry_run }),
      () => `${plural(saved(), 'session')} saved. To continue, run the same command again.`,
    );
  },
  render: (result, theme) => {
    if (result.sessions_compacted === 0) return 'No session has been idle for that long.\n';
    const verb = result.dry_run ? 'Would save' : 'Saved';
    const lines = result.sessions.map(({ oid, title, idle_secs, ephemeral }) => {
      const what = ephemeral ? 'an ephemeral branch' : 'it held nothing but its task';
      const archived = oid || result.dry_run ? '' : `; ${what}, and was archived`;
      return `  ${oid ? `${theme.accent(shortOid(oid))} ` : ''}${oneLine(title)} (idle ${durationInWords(idle_secs)}${archived})`;
    });
    return `${verb} ${plural(result.sessions_compacted, 'session')}:\n${lines.join('\n')}\n`;
  },
  problems: ({ left = [] }) => left.map((session) => `left session ${session.session_id}: ${session.message}`),
  hints: ({ left = [] }) => [...new Set(left.map((session) => session.hint))],
  exit: ({ left = [] }) => (left.length > 0 ? 5 : 0),
});

/** Asks on a terminal which of several sessions is meant; returns its id, or null if nobody can be asked or nothing was chosen. */
function chosenOf(app: App, error: unknown): string | null {
  if (!(error instanceof CtxError) || error.code !== 'ambiguous') return null;
  const { sessions = [] } = (error.data ?? {}) as { sessions?: Candidate[] };
  const lines = sessions.map(({ short_id, title }, index) => `${String(index + 1).padStart(3)}  ${short_id}  ${title}`);
  const answer = app.ask(() => `${error.message}\n${lines.join('\n')}\nNumber:`);
  return sessions[Number(answer?.trim()) - 1]?.session_id ?? null;
}

const switchCommand = defineCommand<{ session: string }, SwitchResult>({
  name: 'stage switch',
  alias: 'switch',
  summary: 'make another open session the current one',
  arguments: [
    {
      name: 'session',
      completes: 'open sessions',
      description: 'a piece of its id or of its title, or - for the one before',
      rest: 'words',
    },
  ],
  examples: [
    ['ctx stage switch 5277a1', 'work on the session with this short id'],
    ['ctx stage switch retry', 'work on the session with this in its title'],
    ['ctx stage switch -', 'work on the session that was current before'],
  ],
  exits: [[1, 'there is no such open session'], ...BUSY_OR_DAMAGED],
  mutates: true,
  input: (z) => z.object({ session: z.string() }),
  run: (app, input) => {
    try {
      return switchSession(app.repository(), input.session);
    } catch (error) {
      const chosen = chosenOf(app, error);
      if (chosen === null) throw error;
      return switchSession(app.repository(), chosen);
    }
  },
  render: (result, theme) => `Now on ${theme.accent(result.status.session_id)}: ${oneLine(result.status.title)}\n`,
});

export const stageCommands: readonly Command[] = [
  startCommand,
  compactCommand,
  recoverCommand,
  cleanupCommand,
  switchCommand,
];
