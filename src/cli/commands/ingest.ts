/** `ctx ingest`. */
import { resolve } from 'node:path';
import { type IngestedSingle, ingestSingle } from '../../app/intake/alone.ts';
import { type IngestManyResult, ingestManyInThreads } from '../../app/intake/many.ts';
import type { IngestStep } from '../../app/intake/result.ts';
import type { Repository } from '../../app/open.ts';
import { wholeText } from '../../app/session/text.ts';
import type { FileProblem } from '../../app/transcript/file-problem.ts';
import { isOneFile } from '../../app/transcript/find-transcripts.ts';
import { CtxError } from '../../core/errors.ts';
import { oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { type App, defineCommand } from '../frame/command.ts';
import { moment } from '../frame/moment.ts';
import type { Theme } from '../frame/theme.ts';
import { compactedLines, shortOid, stateLine } from '../frame/words.ts';
import { hintsOfMany, problemsOfMany, problemTeller, progressText, renderMany } from './ingest-many.ts';

interface Input {
  transcript: string[];
  agent?: string | undefined;
  since?: string | undefined;
  here?: boolean | undefined;
  task?: string | undefined;
  compact?: boolean | undefined;
  activate?: boolean | undefined;
  verbose?: boolean | undefined;
}

type Result = IngestedSingle | IngestManyResult;

/** Messages about a transcript that did not only grow. */
const CHANGED = {
  shortened: 'It is shorter than what was read of it before',
  rewritten: 'A part of it that was read before has been rewritten',
};

/** Most problems that are printed one by one. */
const SHOWN = 20;

function problems(result: IngestedSingle): string[] {
  const shown = result.problems.slice(0, SHOWN).map((problem) => `line ${problem.line}: ${problem.message}`);
  const more = result.problems.length - shown.length;
  const ofChildren = result.children ? problemsOfMany(result.children) : [];
  return [
    ...shown,
    ...(more > 0 ? [`… and ${plural(more, 'more problem')} (all of them with --json)`] : []),
    ...ofChildren,
  ];
}

/** Says how to continue the session. */
function hints(result: IngestedSingle): string[] {
  if (result.incomplete) return ['Its last line is not finished; it is read when the file has grown.'];
  if (!result.open || result.other_store !== null) return [];
  if (result.current && result.staleness === 'auto_compact') {
    return ['It has been idle for long: the next ctx start saves it. To continue it: ctx resume'];
  }
  if (result.current) return [];
  const active = result.other_current ? 'Another session is active' : 'No session is active';
  return [`${active}; to continue this one: ctx switch ${result.short_id}`];
}

function* renderAlone(result: IngestedSingle, theme: Theme): Generator<string> {
  yield render(result, theme);
  if (result.children && result.children.totals.steps_added > 0) yield* renderMany(result.children, theme);
}

function render(result: IngestedSingle, theme: Theme): string {
  const session = theme.accent(result.short_id);
  if (result.forgotten_at !== undefined)
    return `This conversation was forgotten on ${showTime(result.forgotten_at)}: nothing of it is taken in (${session}).\n`;
  const compacted = result.compacted ? compactedLines(result.compacted, theme) : '';
  const saved = result.saved_before ? compactedLines(result.saved_before, theme) : '';
  const before = result.read_before ? `${CHANGED[result.read_before]}: what is kept of it stays.\n` : '';
  if (result.steps_added === 0)
    return `${before}Nothing new in it${compacted ? `.\n${compacted}` : `: ${session} stays as it is.\n`}`;
  const counts = [
    plural(result.steps_added, 'step'),
    plural(result.messages, 'message'),
    plural(result.tool_calls, 'tool call'),
    plural(result.lines, 'line'),
  ];
  const kinds = Object.entries(result.unknown).map(([type, count]) => `${count} ${oneLine(type, 60)}`);
  const lines = [
    `${result.created ? 'Ingested' : 'Added to'} ${session}: ${oneLine(result.title)}`,
    `  ${counts.join(', ')}`,
    ...(kinds.length > 0 ? [`  kept as they are: ${kinds.join(', ')}`] : []),
    ...(result.other_store === null ? [] : [`  into ${oneLine(result.other_store, 4096)}`]),
    `  ${stateLine(result.session_state, theme)} at ${theme.accent(shortOid(result.oid))}`,
  ];
  return `${before}${saved}${lines.join('\n')}\n${compacted}`;
}

/** Checks if the answer is that of one file, or a list. */
const isMany = (result: Result): result is IngestManyResult => 'sessions' in result;

/** Returns the problems of single files if several were read, and none otherwise. */
const filesOf = (result: Result): readonly FileProblem[] =>
  (isMany(result) ? result.problems : result.children?.problems) ?? [];

/** The store here; else what says that there is none: sessions of projects that have stores go there all the same. */
function storeOrNone(app: App): [Repository, null] | [null, CtxError] {
  try {
    return [app.repository(), null];
  } catch (error) {
    if (error instanceof CtxError && error.code === 'not_a_repository') return [null, error];
    throw error;
  }
}

/** Makes the error if there is neither a store here nor one for any session; it names what was left out. */
function nothingTaken(missing: CtxError, result: IngestManyResult): CtxError {
  const { left_out, problems } = result;
  const hint = left_out.length > 0 ? hintsOfMany(result).join(' ') : missing.hint;
  return new CtxError('not_a_repository', missing.message, { hint, data: { left_out, problems } });
}

async function run(app: App, input: Input): Promise<Result> {
  const paths = input.transcript.map((path) => resolve(app.directory, path));
  const [only, ...others] = paths as [string, ...string[]];
  const { agent, compact, activate } = input;
  const from = app.directory;
  // A user who names a store wants everything in it.
  const here = input.here === true || app.store !== undefined;
  const [repository, missing] = here ? [app.repository(), null] : storeOrNone(app);
  let last: IngestStep = { done: 0, total: 0, doing: '' };
  const progress = (step: IngestStep): void => {
    last = step;
    app.progress.show(() => progressText(step));
  };
  const reports = { progress, problem: problemTeller(app.warn) };
  if (others.length === 0 && input.since === undefined && isOneFile(only, agent)) {
    const task = input.task === undefined ? undefined : wholeText(app.text(input.task), 'The task');
    const alone = { agent, task, compact, activate, here, from, progress: app.progress.show, children: reports };
    const result = await app.interruptible(
      () => ingestSingle(repository, only, alone),
      () => 'what was taken in stays. To continue, run the same command again.',
    );
    if (!result) throw missing;
    return result;
  }
  if (input.task !== undefined) {
    throw new CtxError('usage', '--task is for one transcript.', {
      hint: 'Each session has its first prompt as its task.',
    });
  }
  const since = await moment('since', input.since);
  const result = await app.interruptible(
    () =>
      ingestManyInThreads(repository, paths, {
        ...{ agent, since, compact, activate, here, from },
        environment: app.environment,
        ...reports,
      }),
    () =>
      `${last.looking ? 0 : last.done} of ${plural(last.total, 'transcript')} taken in. To continue, run the same command again.`,
  );
  if (missing && result.sessions.length === 0) throw nothingTaken(missing, result);
  return result;
}

export const ingestCommand = defineCommand<Input, Result>({
  name: 'ingest',
  summary: "make sessions of agents' transcripts, or add what is new in them",
  arguments: [
    { name: 'transcript', description: "the agents' own files, or folders of them", rest: 'list', completes: 'files' },
  ],
  options: [
    {
      flags: '--agent <name>',
      description: 'the agent that wrote them (default: by their content)',
      completes: 'agents',
    },
    { flags: '--since <time>', description: 'only those in which something happened since: a date, a time, or 7d' },
    { flags: '--here', description: 'sessions of other projects too, into this store' },
    {
      flags: '--task <text>',
      description: 'the task of one transcript, instead of the first prompt (- reads standard input)',
    },
    { flags: '--compact', description: 'save each session as one canonical commit afterwards' },
    {
      flags: '--activate',
      description: 'make the session the active one, of several that with the newest work, however old it is',
    },
    { flags: '-v, --verbose', description: 'with the name of each file that is passed over or left out' },
  ],
  examples: [
    ['ctx ingest session.jsonl', 'make a session of it; again adds only what is new'],
    ['ctx ingest session.jsonl --task "Add retry" --compact', 'save it in the same go'],
    ['ctx ingest ~/.claude/projects --since 30d', 'every session of a folder with something in it since'],
  ],
  exits: [
    [
      1,
      'a file, or a line in one of several, cannot be read, or a question waits in its session; the rest was taken in',
    ],
    [4, 'the store was busy; run it again to continue'],
    [5, 'the store is damaged'],
  ],
  ownSessions: true,
  mutates: true,
  input: (z) =>
    z
      .object({
        transcript: z.array(z.string()),
        agent: z.optional(z.string()),
        since: z.optional(z.string()),
        here: z.optional(z.boolean()),
        task: z.optional(z.string()),
        compact: z.optional(z.boolean()),
        activate: z.optional(z.boolean()),
        verbose: z.optional(z.boolean()),
      })
      .check(z.refine((input) => !(input.compact && input.activate), '--compact and --activate exclude each other')),
  run,
  problems: (result) => (isMany(result) ? problemsOfMany(result) : problems(result)),
  hints: (result) => (isMany(result) ? hintsOfMany(result) : hints(result)),
  render: (result, theme, { verbose }) =>
    isMany(result) ? renderMany(result, theme, verbose) : renderAlone(result, theme),
  exit: (result) => (filesOf(result).some((problem) => !problem.all_read) ? 1 : 0),
});
