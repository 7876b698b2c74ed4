/** `ctx resume`: lists what can be resumed, and resumes one session. */
import { resolve } from 'node:path';
import { systemClock } from '../../app/open.ts';
import { leftOutInWords, writeContext } from '../../app/resume/context.ts';
import { findResumable, saidApart } from '../../app/resume/find.ts';
import { beginningOf, canStart, type Launch, planLaunch } from '../../app/resume/launch.ts';
import { projectPaths, type ResumableLine, resumableLines, resumableSessions } from '../../app/resume/resumable.ts';
import { type ResumeResult, resumeSession } from '../../app/resume/resume.ts';
import { startAgent } from '../../app/resume/start-agent.ts';
import { CtxError } from '../../core/errors.ts';
import { lastActiveInWords } from '../../core/listing/age.ts';
import { oneLine, quoted } from '../../core/text.ts';
import { type App, type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { makeRoomIn } from './export-to.ts';

interface Input {
  session?: string | undefined;
  list?: boolean | undefined;
  reopen?: boolean | undefined;
  context?: string | undefined;
  budget?: number | undefined;
  full?: boolean | undefined;
  /** The agent to start; empty for the one that the session had. */
  launch?: string | undefined;
  no_launch?: boolean | undefined;
  print_command?: boolean | undefined;
}

/** Sessions that are listed instead of resuming one. */
interface Listing {
  rows: readonly ResumableLine[];
  /** Why: it was asked for, a choice is to be made, or the user has chosen none. */
  why: 'asked' | 'choice' | 'left';
  /** Text that was searched; null if there was none. */
  given: string | null;
}

/** A session that was resumed. */
interface Done {
  resumed: ResumeResult;
  launch: Launch | null;
  /** The exit code of the agent; null if none was started. */
  exit: number | null;
  /** The file with the context; null if none was asked for. */
  file: string | null;
  /** Warnings that were given before the agent is started. */
  warnings: string[];
}

type Outcome = Listing | Done;

/** Value that `--json` prints: the rows, or the session; the exit code still depends on the outcome. */
type Result = Outcome | { outcome: Outcome };

const outcomeOf = (result: Result): Outcome => ('outcome' in result ? result.outcome : result);

/** Returns an outcome as programs get it. */
function forPrograms(outcome: Outcome): Result {
  if ('rows' in outcome) return Object.defineProperty([...outcome.rows], 'outcome', { value: outcome }) as never;
  const { launch, resumed, warnings } = outcome;
  const started = launch && { agent: launch.agent, conversation: launch.conversation, command: launch.line };
  return Object.defineProperty({ ...resumed, launch: started, warnings }, 'outcome', { value: outcome }) as never;
}

/** Returns the row that is meant, or the list that is the answer instead. @throws {CtxError} not_found */
async function chosen(app: App, input: Input): Promise<ResumableLine | Listing> {
  const repository = app.repository();
  const given = input.session?.trim() || null;
  if (given === null && app.canPick) return picked(app, resumableLines(repository), null);
  const all = resumableSessions(repository);
  if (given === null) return picked(app, all.rows, null);
  const found = findResumable(repository, all, given);
  if (found.kind === 'one') return found.row;
  if (found.kind === 'several') return picked(app, found.rows, given);
  const near = found.nearest.map(({ short_id, title }) => `ctx resume ${short_id}  ${title}`);
  throw new CtxError('not_found', `No session matches "${oneLine(given, 80)}".`, {
    hint: near.length === 0 ? 'Begin one with: ctx start "<task>"' : ['The nearest:', ...near].join('\n'),
    data: { nearest: found.nearest.map(({ session_id, short_id, title }) => ({ session_id, short_id, title })) },
  });
}

/** Asks which of several sessions is meant, if there is a terminal to ask on. */
async function picked(
  app: App,
  rows: readonly ResumableLine[],
  given: string | null,
): Promise<ResumableLine | Listing> {
  const list = (why: Listing['why']): Listing => ({ rows, why, given });
  if (rows.length === 0 || !app.canPick) return list('choice');
  const { pickSession } = await import('../pick/pick.ts');
  const said = saidApart([...process.execArgv, process.argv[1] ?? ''], app);
  return (await pickSession(rows, systemClock()(), projectPaths(app.directory), said)) ?? { ...list('left'), rows: [] };
}

/** Returns the agent to start; undefined if none is, null for the one that the session had. */
function agentToStart(app: App, input: Input, { agent }: ResumeResult): string | null | undefined {
  if (input.no_launch) return undefined;
  if (input.launch) return input.launch;
  if (input.launch === '' || input.print_command) return null;
  const isInFront = app.answer !== null && app.canPick && input.context === undefined;
  return isInFront && agent !== null ? null : undefined;
}

/** Returns the input with a word behind `--launch` as the session if it names no agent, and nothing else names a session. */
function withSession(input: Input): Input {
  const { launch, session } = input;
  if (!launch || session !== undefined || canStart(launch)) return input;
  return { ...input, launch: '', session: launch };
}

async function run(app: App, input: Input): Promise<Result> {
  const outcome = await carryOut(app, withSession(input));
  return app.json ? forPrograms(outcome) : outcome;
}

async function carryOut(app: App, input: Input): Promise<Outcome> {
  const repository = app.repository();
  if (input.list)
    return {
      rows: app.json ? resumableSessions(repository).rows : resumableLines(repository),
      why: 'asked',
      given: null,
    };
  const row = await chosen(app, input);
  if ('rows' in row) return row;
  const { ingestLatestTurns } = await import('../../app/resume/latest-turns.ts');
  const ingest = (session: string): void => {
    const problem = ingestLatestTurns(repository, session, app);
    if (problem !== null) app.warn(problem);
  };
  const resumed = resumeSession(repository, row.session_id, row.status, { ...input, ingest });
  const file = input.context === undefined ? null : resolve(app.directory, input.context);
  if (file !== null) writeContext(repository, file, resumed.context);
  for (const remark of resumed.remarks) app.warn(remark);
  const named = agentToStart(app, input, resumed);
  const around = { directory: app.directory, environment: app.environment };
  const beginning = named === undefined ? null : beginningOf(repository, resumed, named, around);
  const warnings = beginning?.isWritten ? await makeRoomIn(app, resumed.session_id) : [];
  const launch = beginning && planLaunch(repository, resumed, beginning, around);
  const isStarted = launch !== null && !input.print_command && !app.json;
  const exit = isStarted ? await startAgent(launch, app.environment) : null;
  return { resumed, launch, exit, file, warnings };
}

/** Words one session of the list, in three lines. @param zone seconds east of UTC */
function rowLines(row: ResumableLine, now: number, zone: number, theme: Theme): string {
  const ended = row.open ? '' : row.status === 'completed' ? ', ended: --reopen' : ', ended';
  const agent = row.agent === null ? '' : ` | Agent: ${oneLine(row.agent, 24)}`;
  const facts = `Last active: ${lastActiveInWords(row.last_activity, now, zone)} | Status: ${row.status}${ended} | ID: ${row.short_id}${agent}`;
  const summary = row.summary === null ? oneLine(row.task_description, 160) : oneLine(row.summary, 300);
  return `${row.number}. [${oneLine(row.type ?? 'session', 24)}] ${theme.strong(row.title)}\n   ${theme.faint(facts)}\n   Summary: ${summary}\n`;
}

/** Characters that are printed together. */
const PIECE = 8192;

function* renderList({ rows, why, given }: Listing, theme: Theme): Generator<string> {
  if (why === 'left') return;
  if (rows.length === 0) {
    yield 'There are no resumable conversations. Start a new one with: ctx start "<task>"\n';
    return;
  }
  const now = systemClock()();
  const zone = -60 * new Date(now * 1000).getTimezoneOffset();
  yield given === null
    ? 'Here are your resumable conversations:\n\n'
    : `${rows.length} conversations match "${oneLine(given, 80)}":\n\n`;
  let text = '';
  for (const [index, row] of rows.entries()) {
    text += `${index === 0 ? '' : '\n'}${rowLines(row, now, zone, theme)}`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
  if (why === 'choice') yield '\nWhich conversation would you like to continue? (number or search)\n';
}

function renderDone({ resumed, launch, exit, file }: Done): string {
  if (exit !== null) return '';
  if (launch !== null) {
    const variables = Object.entries(launch.env).map(([name, value]) => `${name}=${quoted(value)} `);
    return `cd ${quoted(launch.directory)} && ${variables.join('')}${launch.line}\n`;
  }
  return file === null ? resumed.context : `Wrote the context (about ${resumed.tokens} tokens) to ${file}\n`;
}

export const resumeCommand: Command = defineCommand<Input, Result>({
  name: 'resume',
  summary: 'continue a session: its agent is started with all that was said, or its context is printed',
  arguments: [
    {
      name: 'session',
      description: 'its number in the list, its id or a piece of it, - for the one before, or words of its title',
      optional: true,
      rest: 'words',
    },
  ],
  options: [
    { flags: '--list', description: 'only list what can be resumed' },
    { flags: '--reopen', description: 'also if it was marked complete' },
    {
      flags: '--launch [agent]',
      description:
        'start the agent of the session, the default on a terminal; or another one: claude-code, codex, gemini, opencode, pi, copilot, cursor',
      completes: ['claude-code', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'cursor'],
    },
    { flags: '--no-launch', description: 'start no agent: print the context' },
    { flags: '--print-command', description: 'print how the agent would be started' },
    { flags: '--context <file>', description: 'write the context into this file' },
    { flags: '--budget <tokens>', description: 'most tokens of the context', kind: 'integer' },
    { flags: '--full', description: 'the whole history, whatever the model has room for' },
  ],
  examples: [
    ['ctx resume', 'choose a session, and continue it'],
    ['ctx resume --list', 'what can be resumed, newest work first'],
    ['ctx resume 5277a1', 'the session with this short id'],
    ['ctx resume "api design"', 'the session with these words in its title or summary'],
    ['ctx resume api --launch codex', 'start Codex, with what was said to another agent'],
    ['ctx resume - --no-launch --budget 4000', 'the context of the session before, for an agent of your own'],
  ],
  exits: [
    [1, 'no session matches, there is none, or it was marked complete; the exit code of the agent if one was started'],
    [3, 'several sessions match: name one of those that are listed'],
    [4, 'the store was busy'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  isPlain: (input) => input.list === true && Object.keys(input).length === 1,
  input: (z) =>
    z
      .object({
        session: z.optional(z.string()),
        list: z.optional(z.boolean()),
        reopen: z.optional(z.boolean()),
        context: z.optional(z.string().check(z.minLength(1, '--context needs a file'))),
        budget: z.optional(z.int().check(z.nonnegative('--budget cannot be negative'))),
        full: z.optional(z.boolean()),
        launch: z.optional(z.string()),
        no_launch: z.optional(z.boolean()),
        print_command: z.optional(z.boolean()),
      })
      .check(
        z.refine((input) => !(input.full && input.budget !== undefined), '--full and --budget exclude each other'),
        z.refine(
          (input) => !(input.no_launch && (input.launch !== undefined || input.print_command)),
          '--no-launch excludes --launch and --print-command',
        ),
      ),
  run,
  render: (result, theme) => {
    const outcome = outcomeOf(result);
    return 'rows' in outcome ? renderList(outcome, theme) : renderDone(outcome);
  },
  hints: (result) => {
    const outcome = outcomeOf(result);
    if ('rows' in outcome || outcome.exit !== null) return [];
    const left = leftOutInWords(outcome.resumed);
    return [`Resuming "${outcome.resumed.title}"`, ...(left === null ? [] : [left])];
  },
  exit: (result) => {
    const outcome = outcomeOf(result);
    if (!('rows' in outcome)) return outcome.exit ?? 0;
    if (outcome.why === 'asked') return 0;
    return outcome.rows.length === 0 ? 1 : 3;
  },
});
