/** `ctx observe read`, `write`, `command`, `note`, `plan`: what hooks call at every tool call. */
import type { FlushResult } from '../../app/session/flush-waiting.ts';
import type { Observed } from '../../app/session/observe.ts';
import { fileText } from '../../app/session/text.ts';
import { CtxError, withoutAgain } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { type App, type Command, defineCommand, type OptionSpec } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { shortOid } from '../frame/words.ts';

/** Result of an observation: the ids of its records, paths that could not be observed, with a record that was kept all the same, and the step where it was flushed. */
export interface ObserveResult extends Observed {
  problems: { path: string; message: string; record?: string }[];
  flushed: FlushResult | null;
  /** Present if they are the first of their session. */
  first?: true;
}

/** The result of one observation. */
export type Waiting = Observed & { flushed: FlushResult | null; first?: true };

export const FLUSH: OptionSpec = { flags: '--flush', description: 'make a step of it at once' };

export const OBSERVE_EXITS = [
  [1, 'no session is active, or something could not be observed'],
  [4, 'the store was busy (with --flush); the record is kept'],
  [5, 'the store is damaged'],
] as const;

type Observing = typeof import('../../app/session/observe.ts');

/** Loaded when it is asked for: status pays nothing for it. */
async function use(app: App): Promise<Observing> {
  await finishFirst(app);
  return import('../../app/session/observe.ts');
}

/** Finishes a forgetting that was cut off, since that says what must not come in; takes no lock if there is none. */
export async function finishFirst(app: App): Promise<void> {
  const { hasUnfinishedForgetting } = await import('../../app/session/observe.ts');
  if (hasUnfinishedForgetting(app.repository()))
    (await import('../../app/session/finish.ts')).finishInterrupted(app.repository());
}

/** Adds the step, if it was asked for. */
export async function finishObserving<T extends Observed>(
  app: App,
  observed: T,
  flush: boolean | undefined,
): Promise<T & { flushed: FlushResult | null }> {
  if (!flush) return { ...observed, flushed: null, ...(await firstOf(app, observed)) };
  const { flushPending } = await import('../../app/session/flush-waiting.ts');
  try {
    return { ...observed, flushed: flushPending(app.repository(), false) };
  } catch (error) {
    throw error instanceof CtxError ? keptAllTheSame(error, observed) : error;
  }
}

/** Says whether the records are the first of their session, which a hint to people depends on. */
async function firstOf(app: App, observed: Observed): Promise<{ first?: true }> {
  if (app.json || observed.records.length === 0) return {};
  const { areFirst } = await import('../../app/session/observe.ts');
  return areFirst(app.repository(), observed) ? { first: true } : {};
}

/** Returns how to make a step, once a session. */
export const hintsOnce = ({ first }: { first?: true }): readonly string[] =>
  first ? ['Make a step of what was observed with: ctx flush'] : [];

/** A hint as the sentence before another one. */
const sentence = (hint: string): string => (/[.!?]$/.test(hint) ? hint : `${hint}.`);

/** Adds to the error of a failed flush the records that were kept before it: to run the command again would keep them twice. */
function keptAllTheSame(error: CtxError, { session_id, records }: Observed): CtxError {
  const [what, it] = records.length === 1 ? ['1 record', 'it'] : [plural(records.length, 'record'), 'them'];
  const first = withoutAgain(error.hint);
  return new CtxError(error.code, error.message, {
    hint: `Kept ${what} all the same: do not observe ${it} again. ${first === '' ? 'Make' : `${sentence(first)} Then make`} the step with: ctx flush`,
    data: { ...error.data, session_id, records },
    cause: error,
  });
}

/** Describes the problem with one of several things, which may be kept all the same. */
export const tellProblem = (what: string, { message, record }: { message: string; record?: string }): string =>
  record === undefined ? `${what} was not kept: ${message}` : `${what}: ${message}`;

export function renderObserved(result: Observed & { flushed: FlushResult | null }, theme: Theme): string {
  const kept = `Kept ${plural(result.records.length, 'record')}`;
  return result.flushed?.committed
    ? `${kept}, step ${result.flushed.step} ${theme.accent(shortOid(result.flushed.oid))}\n`
    : `${kept}\n`;
}

interface FilesInput {
  paths: string[];
  content?: boolean | undefined;
  deleted?: boolean | undefined;
  flush?: boolean | undefined;
}

type ObserveFile = Observing['observeFileRead'];

async function observeFiles(
  app: App,
  input: FilesInput,
  using: Observing,
  observe: ObserveFile,
): Promise<ObserveResult> {
  const repository = app.repository();
  const problems: ObserveResult['problems'] = [];
  const records: string[] = [];
  let session_id = '';
  for (const path of input.paths) {
    try {
      const observed = observe(repository, path, app.directory, { content: input.content, deleted: input.deleted });
      session_id = observed.session_id;
      records.push(...observed.records);
    } catch (error) {
      // One path that cannot be observed does not keep the others from being kept.
      if (!(error instanceof CtxError) || input.paths.length === 1) throw error;
      const isOwn = ['not_found', 'invalid_input', 'io'].includes(error.code);
      if (!isOwn) throw using.errorAfterRecords(session_id, records, error);
      const [record] = using.recordsOf(error);
      problems.push({ path, message: error.message, ...(record === undefined ? {} : { record }) });
    }
  }
  return { ...(await finishObserving(app, { session_id, records }, input.flush && records.length > 0)), problems };
}

const DELETED: OptionSpec = {
  flags: '--deleted',
  description: 'record that the files were deleted, also ones that ctx never knew of',
};

function filesCommand(verb: 'read' | 'write', summary: string, observe: (using: Observing) => ObserveFile): Command {
  return defineCommand<FilesInput, ObserveResult>({
    name: `observe ${verb}`,
    summary,
    arguments: [{ name: 'paths', description: 'files, from the working directory', rest: 'list', completes: 'files' }],
    options: [
      { flags: '--content', description: 'keep the content even if binary, or of a file known to hold secrets' },
      ...(verb === 'write' ? [DELETED] : []),
      FLUSH,
    ],
    examples: [
      [`ctx observe ${verb} src/client.ts`, `record that a file was ${verb === 'read' ? 'read' : 'written'}`],
      ...(verb === 'write'
        ? [['ctx observe write --deleted src/old.ts', 'record that a file was deleted'] as const]
        : []),
    ],
    exits: OBSERVE_EXITS,
    mutates: true,
    input: (z) =>
      z.object({
        paths: z.array(z.string()).check(z.minLength(1)),
        content: z.optional(z.boolean()),
        deleted: z.optional(z.boolean()),
        flush: z.optional(z.boolean()),
      }),
    run: async (app, input) => {
      const using = await use(app);
      return observeFiles(app, input, using, observe(using));
    },
    hints: hintsOnce,
    problems: (result) => result.problems.map(({ path, ...problem }) => tellProblem(path, problem)),
    render: renderObserved,
    exit: (result) => (result.problems.length > 0 ? 1 : 0),
  });
}

export const observeReadCommand = filesCommand('read', 'record that files were read', (using) => using.observeFileRead);
export const observeWriteCommand = filesCommand(
  'write',
  'record that files were written or deleted',
  (using) => using.observeFileWrite,
);

interface TextCommandInput {
  text: string;
  flush?: boolean | undefined;
}

function textCommand(
  kind: 'note' | 'plan',
  summary: string,
  example: string,
  observe: (using: Observing) => Observing['observePlan'],
): Command {
  return defineCommand<TextCommandInput, Waiting>({
    name: `observe ${kind}`,
    summary,
    arguments: [{ name: 'text', description: `the ${kind} (- reads standard input)`, rest: 'words' }],
    options: [FLUSH],
    examples: [
      [example, `record a ${kind}`],
      [`ctx observe ${kind} - <notes.txt`, 'the same from standard input'],
    ],
    exits: OBSERVE_EXITS,
    mutates: true,
    input: (z) => z.object({ text: z.string(), flush: z.optional(z.boolean()) }),
    run: async (app, input) => {
      const observed = observe(await use(app))(app.repository(), app.text(input.text));
      return finishObserving(app, observed, input.flush);
    },
    render: renderObserved,
    hints: hintsOnce,
  });
}

export const observeNoteCommand = textCommand(
  'note',
  'record a note',
  'ctx observe note "Decision: full jitter"',
  (using) => (repository, text) => using.observeNote(repository, text),
);
export const observePlanCommand = textCommand(
  'plan',
  'record a plan',
  'ctx observe plan "1. backoff 2. tests"',
  (using) => using.observePlan,
);

interface CommandInput {
  command: string[];
  exit_code: number;
  output?: string | undefined;
  duration_ms?: number | undefined;
  flush?: boolean | undefined;
}

export const observeCommandCommand = defineCommand<CommandInput, Waiting>({
  name: 'observe command',
  summary: 'record that a command was run',
  arguments: [{ name: 'command', description: 'the command and its arguments, behind --', rest: 'list' }],
  options: [
    { flags: '--exit-code <code>', description: 'its exit code', kind: 'integer', required: true },
    { flags: '--output <file>', description: 'its output, in a file (- reads standard input)', completes: 'files' },
    { flags: '--duration-ms <milliseconds>', description: 'how long it took', kind: 'integer' },
    FLUSH,
  ],
  examples: [
    ['ctx observe command --exit-code 0 -- npm test', 'record a command that passed'],
    ['npm test 2>&1 | ctx observe command --exit-code 1 --output - -- npm test', 'with its output'],
  ],
  exits: OBSERVE_EXITS,
  mutates: true,
  input: (z) =>
    z.object({
      command: z.array(z.string()).check(z.minLength(1)),
      exit_code: z.int('--exit-code is missing: give the exit code of the command'),
      output: z.optional(z.string()),
      duration_ms: z.optional(z.int().check(z.nonnegative('--duration-ms cannot be negative'))),
      flush: z.optional(z.boolean()),
    }),
  run: async (app, input) => {
    const { observeCommand } = await use(app);
    const { command, exit_code, duration_ms } = input;
    const output = input.output === undefined ? undefined : fileText(input.output, app.directory, app.input);
    const observed = observeCommand(app.repository(), {
      command: commandLine(command),
      exit_code,
      output,
      duration_ms,
    });
    return finishObserving(app, observed, input.flush);
  },
  render: renderObserved,
  hints: hintsOnce,
});

/** Words as a shell would take them: one with anything special in it is quoted. */
function commandLine(words: readonly string[]): string {
  if (words.length === 1) return words[0] as string;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
